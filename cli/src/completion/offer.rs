//! Shells with completion: their scripts, and the output of candidates in the format of each, one a line.

use std::io;

use clap::ValueEnum;
use clap_complete::engine::CompletionCandidate;
use clap_complete::env::{Elvish, EnvCompleter};
use unicode_width::UnicodeWidthStr;

use super::line::{CompletionRequest, ListSyntax, is_plain};
use crate::env_vars;
use crate::settings::global_args::GLOBAL_OPTIONS;
use crate::ui::cut;
use links_pages::sanitize;

/// A shell with a script.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Shell {
    /// Bash
    Bash,
    /// Elvish
    Elvish,
    /// Fish
    Fish,
    /// Microsoft's PowerShell
    #[value(name = "powershell")]
    Power,
    /// Zsh
    Zsh,
}

impl Shell {
    /// Returns the script that makes this shell complete `links` commands.
    pub(crate) fn script(self) -> io::Result<String> {
        let mut script = Vec::new();
        match self {
            Self::Bash => script.extend(include_bytes!("bash.sh")),
            Self::Zsh => script.extend(include_bytes!("zsh.sh")),
            Self::Elvish => {
                let name = "links";
                Elvish.write_registration(env_vars::COMPLETE, name, name, name, &mut script)?;
            }
            Self::Fish => script.extend(include_bytes!("fish.fish")),
            Self::Power => script.extend(include_bytes!("powershell.ps1")),
        }
        let script = String::from_utf8(script).map_err(io::Error::other)?;
        Ok(script.trim().to_owned() + "\n")
    }
}

/// Candidate for the word at the cursor.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    value: String,
    description: String,
}

impl Candidate {
    fn of(candidate: &CompletionCandidate) -> Option<Self> {
        let value = candidate.get_value().to_str()?.to_owned();
        let description = candidate.get_help().map(ToString::to_string).unwrap_or_default();
        let description =
            sanitize::line(description.lines().next().unwrap_or_default()).into_owned();
        // A candidate is one line of the output, and the terminal shows it.
        let is_shown = !value.contains(sanitize::is_unsafe);
        // A candidate that looks like an option has to be an option, not a file.
        let is_option = value.starts_with('-');
        (is_shown && (!is_option || is_plain(&value))).then_some(Self { value, description })
    }
}

/// Returns the candidates to offer: for an empty word, options only if there is nothing else, and not the directory itself. Options of every
/// command come last.
pub(crate) fn select_candidates(candidates: &[CompletionCandidate], typed: &str) -> Vec<Candidate> {
    let is_global = |candidate: &&CompletionCandidate| {
        candidate.get_tag().is_some_and(|tag| tag.to_string() == GLOBAL_OPTIONS)
    };
    let (global, own): (Vec<_>, Vec<_>) = candidates.iter().partition(is_global);
    let mut offers: Vec<_> = own.into_iter().chain(global).filter_map(Candidate::of).collect();
    offers.retain(|it| typed == "." || it.value != ".");
    let is_option = |it: &Candidate| it.value.starts_with('-');
    if typed.is_empty() && !offers.iter().all(is_option) {
        offers.retain(|it| !is_option(it));
    }
    offers
}

/// Formats candidates for every shell but bash.
pub(crate) fn lines(shell: Shell, offers: &[Candidate]) -> String {
    let line = |Candidate { value, description }: &Candidate| match (shell, description.is_empty())
    {
        (Shell::Zsh, bare) => {
            let value = value.replace('\\', "\\\\").replace(':', "\\:");
            if bare { value } else { format!("{value}:{}", description.replace('\\', "\\\\")) }
        }
        (Shell::Fish | Shell::Power, false) => format!("{value}\t{description}"),
        _ => value.clone(),
    };
    offers.iter().map(|it| line(it) + "\n").collect()
}

/// Formats candidates for bash, which has no descriptions: they follow the values when several candidates are shown.
pub(crate) fn bash(offers: &[Candidate], request: &CompletionRequest) -> String {
    let rest = |it: &Candidate| it.value.get(request.kept..).unwrap_or_default().to_owned();
    let is_shown = match request.lists {
        ListSyntax::No => false,
        ListSyntax::Only => true,
        // Bash inserts the common prefix of the candidates that it shows.
        ListSyntax::Also => offers.iter().all(|it| is_plain(&it.value)),
    };
    if is_shown && offers.len() > 1 {
        let wide = offers.iter().map(|it| rest(it).width()).max().unwrap_or(0);
        let line = |candidate: &Candidate| {
            let value = rest(candidate);
            if candidate.description.is_empty() {
                return value + "\n";
            }
            let gap = " ".repeat(wide - value.width());
            cut(
                &format!("{value}{gap}  ({})", candidate.description),
                request.width.saturating_sub(1),
            ) + "\n"
        };
        return offers.iter().map(line).collect();
    }
    let word = |it: &Candidate| Some(request.quote.written(&rest(it))? + "\n");
    offers.iter().filter_map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::completion::line::Quote;

    fn candidates() -> Vec<CompletionCandidate> {
        let of = |value: &str, description: &str| {
            CompletionCandidate::new(value)
                .help((!description.is_empty()).then(|| description.to_owned().into()))
        };
        vec![
            of("7", "text Good\u{202e}"),
            of("a:b\\", "x\\y"),
            of("cafe 1", ""),
            of("./a b", ""),
            of("x\u{1b}]52;c\u{7}", ""),
            of("--help", "Help"),
        ]
    }

    #[test]
    fn candidates_are_printed_in_the_format_of_each_shell() {
        let offers = select_candidates(&candidates(), "");
        assert_eq!(offers.len(), 4, "neither options nor what would drive the terminal");
        assert_eq!(
            lines(Shell::Zsh, &offers),
            "7:text Good\\\\u{202e}\na\\:b\\\\:x\\\\y\ncafe 1\n./a b\n"
        );
        assert_eq!(
            lines(Shell::Fish, &offers),
            "7\ttext Good\\u{202e}\na:b\\\tx\\y\ncafe 1\n./a b\n"
        );
        assert_eq!(lines(Shell::Elvish, &offers), "7\na:b\\\ncafe 1\n./a b\n");
        let request = CompletionRequest { width: 20, ..CompletionRequest::default() };
        assert_eq!(bash(&offers, &request), "7\na:b\\\\\ncafe\\ 1\n./a\\ b\n");
        let request = CompletionRequest { lists: ListSyntax::Only, ..request };
        assert_eq!(
            bash(&offers, &request),
            "7       (text Good…\na:b\\    (x\\y)\ncafe 1\n./a b\n"
        );
        assert_eq!(bash(&offers[..1], &request), "7\n");
        let request = CompletionRequest { lists: ListSyntax::Also, ..request };
        assert_eq!(bash(&offers, &request), "7\na:b\\\\\ncafe\\ 1\n./a\\ b\n");
    }

    #[test]
    fn candidates_are_quoted_for_the_open_quotes() {
        let names = ["x$(id)", "x';id;'", "x\";id;\"", "x!id", "--yes=$(id)"];
        let candidates: Vec<_> = names.iter().map(CompletionCandidate::new).collect();
        let offers = select_candidates(&candidates, "x");
        let bash =
            |quote| bash(&offers, &CompletionRequest { quote, ..CompletionRequest::default() });
        assert_eq!(bash(Quote::None), "x\\$\\(id\\)\nx\\'\\;id\\;\\'\nx\\\"\\;id\\;\\\"\nx\\!id\n");
        assert_eq!(bash(Quote::Single), "x$(id)\nx'\\'';id;'\\''\nx\";id;\"\nx!id\n");
        assert_eq!(bash(Quote::Double), "x\\$(id)\nx';id;'\nx\\\";id;\\\"\nx\"\\!\"id\n");
        assert_eq!(bash(Quote::Unknown), "");
    }

    #[test]
    fn options_are_offered_only_without_other_candidates_or_after_a_dash() {
        assert_eq!(select_candidates(&candidates()[5..], "").len(), 1);
        assert_eq!(select_candidates(&candidates(), "-").len(), 5);
    }
}
