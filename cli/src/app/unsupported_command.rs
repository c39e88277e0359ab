//! Suggestions shown instead of "unknown command": for features that only the dashboard has, and for words in another order.

use clap::Command;

use crate::error::CommandError;
use links_pages::sanitize;

/// Similarity from which the parser itself suggests a verb for a word.
const LIKE_A_VERB: f64 = 0.7;

/// What to type instead of commands that do not exist. A line is a kind of row and its cells.
const TABLE: &str = include_str!("unsupported_commands.txt");

/// Returns the rows of a kind.
fn rows<const N: usize>(kind: &str) -> impl Iterator<Item = [&'static str; N]> {
    let rows = TABLE.lines().filter_map(move |line| line.strip_prefix(kind));
    rows.filter_map(|row| row.split('|').map(str::trim).collect::<Vec<_>>().try_into().ok())
}

/// Tells whether a list of words has this one.
fn has(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|it| it == word)
}

/// Returns the error for these words, with what to type instead, if they are more than a mistyped command.
pub(crate) fn suggestion(words: &[&str], tree: &Command) -> Option<CommandError> {
    let first = *words.first()?;
    let second = words.get(1).copied();
    let is_pair = |nouns: &str, verbs: &str| {
        second.is_some_and(|second| {
            has(nouns, first) && has(verbs, second) || has(nouns, second) && has(verbs, first)
        })
    };
    let row = rows::<5>("dashboard:")
        .find(|[alone, nouns, verbs, ..]| has(alone, first) || is_pair(nouns, verbs));
    if let Some([.., message, hint]) = row {
        return Some(CommandError::usage(message).with_hint(hint));
    }
    let (mut nouns, mut parent) = (Vec::new(), tree);
    while let Some(word) = words.get(nouns.len()) {
        let found = if nouns.is_empty() { noun(word, tree) } else { parent.find_subcommand(word) };
        let Some(found) = found else { break };
        nouns.push(found.get_name());
        parent = found;
    }
    let (noun, word) = (nouns.join(" "), words.get(nouns.len()).copied());
    let is_exact = tree.find_subcommand(first).is_some();
    let guess = || rows("guess:").find(|[words, _]| has(words, first));
    let hint = in_another_order(first, second, tree)
        .or_else(|| guess().map(|[_, hint]| hint.to_owned()))
        .or_else(|| verb_or_record(&noun, parent, word?))
        .or_else(|| {
            let is_other_name = !is_exact && !noun.is_empty();
            is_other_name.then(|| format!("did you mean `links {noun}`?"))
        })
        .or_else(|| with_verb(first, tree).filter(|_| !is_exact))?;
    let command = match word {
        Some(word) if is_exact => format!("{noun} {word}"),
        _ => first.to_owned(),
    };
    Some(CommandError::usage(format!("unknown command `{command}`")).with_hint(hint))
}

/// Returns the error for an option of another program: one that is refused as `arg`, or one with a single dash, of which the parser has read
/// only the first letters.
pub(crate) fn foreign_option(words: &[&str], arg: &str) -> Option<CommandError> {
    let mut options = words.iter().take_while(|word| **word != "--");
    let (word, hint) = options.find_map(|word| {
        let word = word.split('=').next()?;
        let name = word.trim_start_matches('-');
        let is_refused = !word.starts_with("--") || word == arg.split([' ', '=']).next()?;
        let is_option = word.starts_with('-') && name.len() > 1;
        let [_, hint] = rows("option:").find(|[names, _]| has(names, name))?;
        (is_option && is_refused).then_some((word, hint))
    })?;
    Some(CommandError::usage(format!("unknown option `{}`", sanitize::line(word))).with_hint(hint))
}

/// Returns the command that a word names: by its name, by another name, or with one letter that is wrong.
fn noun<'t>(word: &str, tree: &'t Command) -> Option<&'t Command> {
    let synonym = rows("noun:").find(|[words, _]| has(words, word));
    let name = synonym.map_or(word, |[_, name]| name);
    let is_near = |noun: &&Command| {
        let is_shown = noun.has_subcommands() && !noun.is_hide_set();
        is_shown && strsim::damerau_levenshtein(word, noun.get_name()) == 1
    };
    tree.find_subcommand(name).or_else(|| tree.get_subcommands().find(is_near))
}

/// Returns the suggestion for a noun and its verb, as in `links list slots`, `links slot list` and `links login`.
fn in_another_order(first: &str, second: Option<&str>, tree: &Command) -> Option<String> {
    let pairs = [(Some(first), second), (second, Some(first)), (Some(first), Some(first))];
    pairs.into_iter().find_map(|(noun, verb)| {
        let noun = self::noun(noun?, tree)?;
        let verb = noun.find_subcommand(verb?)?;
        let meant = (noun.get_name(), verb.get_name());
        let is_typed = second.is_some_and(|second| meant == (first, second));
        (!is_typed).then(|| format!("did you mean `links {} {}`?", meant.0, meant.1))
    })
}

/// Returns the suggestion for what follows a noun: the verb of another program, as in `links slots update`, or the name of a record in
/// place of a verb, as in `links profile cafe`.
fn verb_or_record(noun: &str, parent: &Command, word: &str) -> Option<String> {
    let is_verb = |verb: &Command| strsim::jaro(word, verb.get_name()) > LIKE_A_VERB;
    let [.., hint] = rows::<3>("verb:").find(|[nouns, verbs, _]| {
        let is_meant = match *verbs {
            "" => !parent.get_subcommands().any(is_verb),
            verbs => has(verbs, word),
        };
        *nouns == noun && is_meant
    })?;
    Some(hint.replace("{}", &sanitize::line(word)))
}

/// Returns the commands with this verb.
fn with_verb(verb: &str, tree: &Command) -> Option<String> {
    let nouns = tree.get_subcommands().filter(|it| it.find_subcommand(verb).is_some());
    let lines: Vec<_> = nouns.map(|it| format!("`links {} {verb}`", it.get_name())).collect();
    (!lines.is_empty()).then(|| format!("did you mean {}?", lines.join(" or ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hint(line: &str) -> Option<String> {
        let words: Vec<_> = line.split(' ').collect();
        suggestion(&words, &crate::command())?.hint().map(str::to_owned)
    }

    #[test]
    fn a_hint_for_an_unsupported_command_names_a_supported_one() {
        for line in [
            "profile delete",
            "delete profile",
            "forms submissions",
            "themes",
            "channels add",
            "orders list",
        ] {
            assert!(hint(line).is_some_and(|it| it.contains("`links ")), "{line}");
        }
    }

    #[test]
    fn misordered_or_misnamed_words_get_the_right_command_suggested() {
        assert_eq!(hint("list slots").as_deref(), Some("did you mean `links slots list`?"));
        assert_eq!(hint("list form").as_deref(), Some("did you mean `links forms list`?"));
        assert_eq!(hint("slot list cafe").as_deref(), Some("did you mean `links slots list`?"));
        assert_eq!(hint("form").as_deref(), Some("did you mean `links forms`?"));
        assert_eq!(hint("block").as_deref(), Some("did you mean `links slots`?"));
        assert_eq!(hint("block list").as_deref(), Some("did you mean `links slots list`?"));
        assert_eq!(hint("rm slots").as_deref(), Some("did you mean `links slots delete`?"));
        assert_eq!(hint("ls page").as_deref(), Some("did you mean `links profile list`?"));
        assert_eq!(hint("login").as_deref(), Some("did you mean `links auth login`?"));
        for line in ["slots lst", "nonsense", "slots", "profile lst", "profile gett"] {
            assert_eq!(hint(line), None, "{line}");
        }
    }

    #[test]
    fn what_follows_a_noun_is_a_verb_or_a_record() {
        for (line, expected) in [
            (
                "page cafe",
                "`links profile get cafe` shows the page, and `links slots list cafe` lists its slots",
            ),
            (
                "profile qara.weddings",
                "`links profile get qara.weddings` shows the page, and `links slots list qara.weddings` lists its slots",
            ),
            (
                "profile socials cafe",
                "`links profile get cafe --fields socials` shows the social links, and `links profile socials add cafe URL` adds one",
            ),
            ("slots cafe", "`links slots list cafe` lists the slots of the page"),
            ("slots update cafe 1002", "`links slots set KEY ID` changes a slot"),
            ("slot update cafe 1002", "`links slots set KEY ID` changes a slot"),
            ("slots create cafe button", "`links slots add KEY TYPE` creates a slot"),
        ] {
            assert_eq!(hint(line).as_deref(), Some(expected), "{line}");
        }
        assert_exist(rows::<3>("verb:").map(|it| it[2]));
        let tree = crate::command();
        for [nouns, verbs, _] in rows("verb:") {
            let noun = nouns.split(' ').fold(&tree, |it, noun| it.find_subcommand(noun).unwrap());
            assert!(verbs.split_whitespace().all(|verb| noun.find_subcommand(verb).is_none()));
        }
    }

    /// Asserts that hints name commands that exist.
    fn assert_exist(hints: impl Iterator<Item = &'static str>) {
        let tree = crate::command();
        for line in hints.flat_map(|text| text.split('`').skip(1).step_by(2)) {
            let words = line.split(' ').skip(1);
            let words = words.take_while(|it| it.chars().all(|c| c.is_ascii_lowercase()));
            let found = words.fold(&tree, |command, word| {
                let found = command.find_subcommand(word);
                found.unwrap_or_else(|| panic!("{line}: no command `{word}`"))
            });
            assert!(
                found.get_name() != "links" || ["links --version", "links --help"].contains(&line),
                "{line}"
            );
        }
    }

    #[test]
    fn every_line_of_the_table_is_a_row() {
        let lines = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let [two, three, five] = [
            ["guess:", "noun:", "option:"].map(|kind| rows::<2>(kind).count()).iter().sum(),
            rows::<3>("verb:").count(),
            rows::<5>("dashboard:").count(),
        ];
        assert_eq!(lines.count(), two + three + five);
    }

    /// Checks that a guess of a user leads to commands that exist.
    #[test]
    fn words_of_other_programs_name_commands_that_exist() {
        let tree = crate::command();
        for [words, text] in rows("guess:") {
            for word in words.split(' ') {
                assert!(tree.find_subcommand(word).is_none(), "{word} is a command");
                assert_eq!(hint(word).as_deref(), Some(text), "{word}");
            }
        }
        assert_exist(rows::<2>("guess:").map(|it| it[1]));
    }

    /// Checks that no suggestion hides a command that exists.
    #[test]
    fn no_existing_command_is_listed_as_unsupported() {
        let tree = crate::command();
        for [alone, nouns, verbs, ..] in rows::<5>("dashboard:") {
            assert!(alone.split_whitespace().all(|it| tree.find_subcommand(it).is_none()));
            for noun in nouns.split_whitespace().filter_map(|it| tree.find_subcommand(it)) {
                let mut verbs = verbs.split_whitespace();
                let there = verbs.find(|verb| noun.find_subcommand(verb).is_some());
                assert_eq!(there, None, "{}", noun.get_name());
            }
        }
    }
}
