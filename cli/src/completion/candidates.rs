//! Completion candidates for each kind of argument. The name of an argument's value selects the kind, so that a new command needs no code
//! for its completion.

use std::ffi::{OsStr, OsString};
use std::sync::{Arc, OnceLock};

use clap::{Arg, Command};
use clap_complete::engine::{
    ArgValueCandidates, ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter,
};

use super::line::is_plain;
use crate::auth::AccountsFile;
use crate::cache::load_slot_types;
use crate::cache::resource_names::{NamedSlot, ResourceNames};
use crate::context::prelude::*;
use crate::help::TOPICS;
use crate::output::format::Format;
use crate::settings::config_file::KEYS;
use crate::settings::global_args::PartialLine;
use crate::ui::Ui;
use crate::{journal, settings};
use links_pages::apply::{JournalStore, RunHeader};

impl CompletionData {
    fn accounts(&self) -> Vec<CompletionCandidate> {
        let load = || AccountsFile::new(self.context()?.config_directory().ok()?).load().ok();
        let known = load().into_iter().flat_map(|it| it.known);
        known.map(|(name, it)| candidate(name.to_string(), &it.user)).collect()
    }

    fn pages(&self) -> Vec<CompletionCandidate> {
        let known = self.names().profiles.values().filter(|it| is_name(&it.login, "._"));
        known.map(|it| candidate(&it.login, &it.title)).collect()
    }

    fn paths_or_pages(&self, typed: &OsStr) -> Vec<CompletionCandidate> {
        let begin = typed.to_string_lossy();
        let is_meant =
            |it: &CompletionCandidate| it.get_value().to_string_lossy().starts_with(&*begin);
        let mut found: Vec<_> = self.pages().into_iter().filter(is_meant).collect();
        found.extend(PathCompleter::any().complete(typed));
        found
    }

    fn operations(&self) -> Vec<CompletionCandidate> {
        let of = |(run, header): &(String, RunHeader)| {
            candidate(run, format!("{} {}", header.command.name, header.login).trim())
        };
        let newest = || {
            let context = self.context()?;
            let (state, service) =
                (context.settings.state_directory()?, journal::service(&context)?);
            let newest = JournalStore::headers(&state, &service).ok()?.rev().take(RUNS);
            Some(newest.map(|(run, header, _)| (run, header)).collect::<Vec<_>>())
        };
        let mut all: BTreeMap<String, (String, RunHeader)> = BTreeMap::new();
        for (run, header) in newest().into_iter().flatten() {
            // The last is the first run of its call, which names the operation.
            let call = header.command.call.as_ref().unwrap_or(&run).clone();
            all.insert(call, (run, header));
        }
        let mut all: Vec<_> = all.into_values().collect();
        all.sort_by(|(one, _), (other, _)| other.cmp(one));
        all.iter().map(of).collect()
    }

    fn slots(&self) -> Vec<CompletionCandidate> {
        let slots = self.names().slots_of(self.page());
        let description = |it: &NamedSlot| format!("{} {}", it.kind, it.data.label);
        slots.iter().map(|it| candidate(it.id.to_string(), description(it).trim())).collect()
    }

    fn forms(&self) -> Vec<CompletionCandidate> {
        let known = self.names().forms.iter().filter(|(id, _)| is_name(id, "-"));
        known.map(|(id, title)| candidate(id, title)).collect()
    }

    fn types(&self) -> Vec<CompletionCandidate> {
        let Some(types) = self.slot_types() else { return Vec::new() };
        let title = |name: &str| types.get(name).map(|it| it.title.clone()).unwrap_or_default();
        types
            .creatable()
            .filter(|it| is_name(it, "_-"))
            .map(|name| candidate(name, &title(name)))
            .collect()
    }

    /// Returns the fields of the slot type that the line is about; after `field=` the values of that field.
    fn fields(&self, typed: &str) -> Vec<CompletionCandidate> {
        let of_sign = |sign| Some((typed.split_once(sign)?, sign));
        let named = of_sign("=@").or_else(|| of_sign("@").filter(|((it, _), _)| !it.contains('=')));
        if let Some(((field, path), sign)) = named {
            let start = |it: CompletionCandidate| it.add_prefix(format!("{field}{sign}"));
            return PathCompleter::any()
                .complete(OsStr::new(path))
                .into_iter()
                .map(start)
                .collect();
        }
        if !self.words.iter().any(|it| it == "slots") {
            return Vec::new();
        }
        let kind = self.kind().and_then(|kind| self.slot_types()?.get(&kind));
        let properties = kind.and_then(|it| it.schema.0.get("properties")?.as_object());
        let Some(properties) = properties else { return Vec::new() };
        let mut found = Vec::new();
        for (name, schema) in properties.iter().filter(|(name, _)| is_name(name, "_-")) {
            let is_text = schema["type"] == "string" || schema["type"][0] == "string";
            let sign = if is_text { "=" } else { ":=" };
            let start = format!("{name}{sign}");
            let values = schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
            if typed.starts_with(&start) {
                found.extend(
                    values
                        .filter(|it| is_plain(it))
                        .map(|it| candidate(format!("{start}{it}"), "")),
                );
            } else {
                found.push(candidate(start, schema["description"].as_str().unwrap_or_default()));
            }
        }
        found.retain(|it| it.get_value().to_string_lossy().starts_with(typed));
        found
    }
}

/// Returns the command tree below a noun, which is empty for the root, with completers attached to its arguments.
pub(super) fn offered(command: Command, noun: &str, known: &Arc<CompletionData>) -> Command {
    let command = command.mut_args(|arg| with_candidates(arg, noun, known));
    command.mut_subcommands(|sub| {
        let name = if noun.is_empty() { sub.get_name().to_owned() } else { noun.to_owned() };
        offered(sub, &name, known)
    })
}

fn with_candidates(arg: Arg, noun: &str, known: &Arc<CompletionData>) -> Arg {
    let Some(name) = arg.get_value_names().and_then(|it| it.first()) else { return arg };
    let list: fn(&CompletionData) -> Vec<CompletionCandidate> = match (name.as_str(), noun) {
        ("KEY" | "KEY|PATH" | "PROFILE", _) => CompletionData::pages,
        ("ID", "slots" | "music") => CompletionData::slots,
        ("ID" | "FORM", _) => CompletionData::forms,
        ("NAME", "" | "auth") => CompletionData::accounts,
        ("NAME", "config") => |_| KEYS.iter().map(|it| candidate(it.name, it.variable)).collect(),
        ("TYPE", "slots" | "schema") => CompletionData::types,
        ("OPERATION", _) => CompletionData::operations,
        ("METHOD", _) => |_| METHODS.iter().map(|it| candidate(*it, "")).collect(),
        ("TOPIC|COMMAND", _) => |_| TOPICS.iter().map(|(name, _)| candidate(*name, "")).collect(),
        ("PATH|KEY", _) => {
            let known = known.clone();
            return arg
                .add(ArgValueCompleter::new(move |typed: &OsStr| known.paths_or_pages(typed)));
        }
        (name, _) if name.contains("FIELD=VALUE") => {
            let known = known.clone();
            return arg.add(ArgValueCompleter::new(move |typed: &OsStr| {
                known.fields(&typed.to_string_lossy())
            }));
        }
        _ => return arg,
    };
    let known = known.clone();
    arg.add(ArgValueCandidates::new(move || list(&known)))
}

/// Tells whether a string of the service can be a name: it needs no quotes in any shell, and is not an option.
fn is_name(text: &str, more: &str) -> bool {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || more.contains(c);
    !text.is_empty() && !text.starts_with('-') && text.chars().all(is_fine)
}

/// HTTP methods that `links api` takes.
const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

fn candidate(value: impl Into<OsString>, description: &str) -> CompletionCandidate {
    let description = sanitize::line(description).into_owned();
    let description = (!description.is_empty()).then(|| description.into());
    // Without a tag the engine writes the usage of the argument out for each candidate.
    CompletionCandidate::new(value).help(description).tag(Some("known".into()))
}

/// Returns the selected command with its arguments and the names of its commands, below those above it. Each word that is the name of a
/// command selects it, as it does for the engine that completes.
pub(super) fn selected(command: &Command, words: &[OsString]) -> Command {
    let found = words
        .iter()
        .enumerate()
        .find_map(|(at, word)| Some((command.find_subcommand(word.to_str()?)?, &words[at + 1..])));
    let Some((sub, rest)) = found else { return with_names_of_commands(command.clone()) };
    let options = command.get_arguments().filter(|it| it.is_global_set()).cloned();
    let above = Command::new(command.get_name().to_owned());
    above.disable_help_subcommand(true).args(options).subcommand(selected(sub, rest))
}

fn with_names_of_commands(command: Command) -> Command {
    let mut order = 0;
    command.mut_subcommands(|sub| {
        order += 1;
        let name = Command::new(sub.get_name().to_owned()).display_order(order);
        name.hide(sub.is_hide_set()).about(sub.get_about().cloned().unwrap_or_default())
    })
}

/// Maximum number of runs that are offered.
const RUNS: usize = 20;

/// Data for completion. A part that cannot be read is empty.
pub(super) struct CompletionData {
    words: Vec<String>,
    command: fn() -> Command,
    names: OnceLock<ResourceNames>,
    types: OnceLock<Option<SlotTypeCatalog>>,
}

impl CompletionData {
    /// Reads nothing yet.
    pub(super) fn new(words: &[OsString], command: fn() -> Command) -> Self {
        Self {
            words: words.iter().map(|it| it.to_string_lossy().into_owned()).collect(),
            command,
            names: OnceLock::new(),
            types: OnceLock::new(),
        }
    }

    /// Names of pages, slots and forms.
    fn names(&self) -> &ResourceNames {
        let file = || self.context()?.names_file();
        self.names.get_or_init(|| file().map(|path| ResourceNames::load(&path)).unwrap_or_default())
    }

    /// Slot types.
    fn slot_types(&self) -> Option<&SlotTypeCatalog> {
        let load = || load_slot_types(&self.context()?.slot_types_file()?, None);
        self.types.get_or_init(load).as_ref()
    }

    /// Returns a context for the service of the line, which knows the files of earlier commands.
    fn context(&self) -> Option<Context> {
        let settings = settings::of_process(&PartialLine::read(&self.words).global).ok()?;
        Some(Context::new(settings, Ui::plain(Format::Table), self.command))
    }

    /// Returns the page that the line names, if it is known.
    fn page(&self) -> Option<&str> {
        self.words.iter().skip(3).map(|word| key(word)).find(|key| self.names().has_page(key))
    }

    /// Returns the slot type that the line names, by its own name or by the id of a slot.
    fn kind(&self) -> Option<String> {
        let types = self.slot_types()?;
        self.words.iter().skip(3).find_map(|word| {
            if let Some(found) = types.get(word) {
                return Some(found.kind.clone());
            }
            let id: i64 = word.parse().ok()?;
            let slots = self.names().slots_of(self.page());
            Some(slots.into_iter().find(|it| it.id == id)?.kind)
        })
    }
}

/// Returns the key of a page in a word: the whole word, or the end of a URL.
fn key(word: &str) -> &str {
    word.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use clap::ValueHint;
    use clap_complete::engine;

    use super::*;

    /// Names of values that only the user knows, or that no cached file holds.
    const FREE: &[&str] = &[
        "ARTIST",
        "CHAR",
        "COMMAND",
        "DATE",
        "FIELD",
        "FIELDS",
        "FILTER",
        "LOGIN",
        "MAP",
        "N",
        "NAME",
        "NAME:VALUE",
        "NEW",
        "PATH",
        "PATTERN",
        "PORT",
        "QUERY",
        "REV",
        "RUN",
        "SECONDS",
        "URL",
        "VALUE",
    ];

    fn each_leaf(command: &Command, look: &mut impl FnMut(&Command)) {
        look(command);
        command.get_subcommands().for_each(|sub| each_leaf(sub, look));
    }

    /// Checks that each argument is completed, or is listed in `FREE`.
    #[test]
    fn every_argument_is_completed_or_listed_as_free() {
        let known = CompletionData::new(&[], crate::command);
        let tree = offered(crate::command(), "", &Arc::new(known));
        let mut forgotten = Vec::new();
        each_leaf(&tree, &mut |command| {
            for arg in command.get_arguments().filter(|it| it.get_action().takes_values()) {
                let is_completed = arg.get::<ArgValueCandidates>().is_some()
                    || arg.get::<ArgValueCompleter>().is_some()
                    || !arg.get_possible_values().is_empty()
                    || arg.get_value_hint() != ValueHint::Unknown;
                let names = arg.get_value_names().unwrap_or_default();
                let is_free = names.iter().all(|it| FREE.contains(&it.as_str()));
                if !is_completed && (names.is_empty() || !is_free) {
                    forgotten.push(format!("{} {}", command.get_name(), arg.get_id()));
                }
            }
        });
        assert!(forgotten.is_empty(), "{forgotten:#?}");
    }

    fn each_path(command: &Command, path: &[String], look: &mut impl FnMut(&[String])) {
        look(path);
        for sub in command.get_subcommands() {
            let path = [path, &[sub.get_name().to_owned()]].concat();
            each_path(sub, &path, look);
        }
    }

    /// Returns the candidates for the last word, with their descriptions.
    fn candidates(mut command: Command, words: &[String]) -> Vec<(OsString, Option<String>)> {
        let args: Vec<OsString> = words.iter().map(OsString::from).collect();
        let found = engine::complete(&mut command, args, words.len() - 1, None).unwrap();
        let help = |it: &engine::CompletionCandidate| it.get_help().map(ToString::to_string);
        found.iter().map(|it| (it.get_value().to_owned(), help(it))).collect()
    }

    #[test]
    fn the_selected_command_has_the_candidates_of_the_whole_command_line() {
        let whole = crate::command();
        let mut lines: Vec<Vec<String>> = Vec::new();
        each_path(&whole, &["links".to_owned()], &mut |path| {
            for last in ["", "-", "--ba"] {
                lines.push([path, &[last.to_owned()]].concat());
            }
        });
        for line in ["-o json slots li", "slots --output ", "slots get --output=j", "slots slots "]
        {
            lines.push(format!("links {line}").split(' ').map(str::to_owned).collect());
        }
        assert!(lines.len() > 100);
        for line in lines {
            let words: Vec<OsString> = line.iter().map(OsString::from).collect();
            let mut selected = selected(&whole, &words[1..words.len() - 1]);
            selected.build();
            assert_eq!(candidates(selected, &line), candidates(whole.clone(), &line), "{line:?}");
        }
    }
}
