//! Compilation and execution of jq filters.

use std::io::Write;
use std::thread;

use jaq_core::data::JustLut;
use jaq_core::load::lex::{Lexer, Tok};
use jaq_core::load::{Arena, File, Loader};
use jaq_core::{Compiler, Ctx, Filter, Vars, load};
use jaq_json::Val;

/// Stack size in bytes for compiling and running filters.
const STACK: usize = 256 << 20;

/// Maximum number of results for which the step that fails is looked for.
const MOST_RESULTS: usize = 1000;

/// Formatters of jq that the library lacks.
const FORMATTERS: &str = include_str!("formatters.jq");

/// Runs a function on a thread with a larger stack.
///
/// # Errors
///
/// When the function panics, or the thread cannot be started.
pub(crate) fn on_a_deep_stack<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, String> {
    let thread = thread::Builder::new().stack_size(STACK);
    let thread = thread.spawn(work).map_err(|error| format!("cannot run it: {error}"))?;
    thread.join().map_err(|_| "it cannot be run".to_owned())
}

/// Compiles a filter.
///
/// # Errors
///
/// When the filter is invalid; the message names the place.
pub(crate) fn compile(code: &str) -> Result<Filter<JustLut<Val>>, String> {
    let formatters = load::parse(FORMATTERS, |parser| parser.defs()).unwrap_or_default();
    let definitions =
        jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs()).chain(formatters);
    let functions = jaq_core::funs()
        .chain(jaq_std::funs())
        .chain(jaq_json::funs())
        .filter(|(name, ..)| *name != "env");
    let arena = Arena::default();
    let modules = Loader::new(definitions)
        .load(&arena, File { code, path: () })
        .map_err(|errors| not_loaded(code, &errors))?;
    Compiler::default()
        .with_funs(functions)
        .compile(modules)
        .map_err(|errors| not_compiled(code, errors))
}

/// Runs a filter on a document and writes each result on a line.
///
/// # Errors
///
/// When the filter fails, or the output cannot be written.
pub(crate) fn run(code: &str, input: &[u8], output: &mut impl Write) -> Result<(), String> {
    let filter = compile(code)?;
    let input = jaq_json::read::parse_single(input).map_err(|error| error.to_string())?;
    let mut written = Ok(());
    let ended = results(&filter, input.clone(), |value| {
        written = writeln!(output, "{value}");
        written.is_ok()
    });
    written.map_err(|error| error.to_string())?;
    ended.map_err(|why| {
        let place = failed_step(code, &input, &why).map(|step| format!(", in `{step}`"));
        shortened(&why) + &place.unwrap_or_default()
    })
}

/// Passes the results of a filter to a function until that returns false.
///
/// # Errors
///
/// When the filter fails.
fn results(
    filter: &Filter<JustLut<Val>>,
    input: Val,
    mut pass: impl FnMut(Val) -> bool,
) -> Result<(), String> {
    let context = Ctx::<JustLut<Val>>::new(&filter.lut, Vars::new([]));
    for result in filter.id.run((context, input)) {
        match result.map_err(jaq_core::Exn::get_err) {
            Ok(value) => {
                if !pass(value) {
                    break;
                }
            }
            Err(Ok(error)) => return Err(error.to_string()),
            // `halt` ends the filter.
            Err(Err(_)) => break,
        }
    }
    Ok(())
}

/// Returns the step of a filter of several steps that fails: the first one with which the filter fails in the same way if it ends there.
fn failed_step(code: &str, input: &Val, why: &str) -> Option<String> {
    let steps = steps(code);
    if steps.len() < 2 {
        return None;
    }
    let fails = |beginning: &str| {
        let mut left = MOST_RESULTS;
        let ended = compile(beginning).ok().map(|filter| {
            results(&filter, input.clone(), |_| {
                left -= 1;
                left > 0
            })
        });
        ended == Some(Err(why.to_owned()))
    };
    let (_, step) = steps.into_iter().find(|(beginning, _)| fails(beginning))?;
    Some(shortened(step))
}

fn not_loaded(code: &str, errors: &load::Errors<&str, ()>) -> String {
    let expected = |what: &str, found| format!("{what} expected {}", at(code, found));
    // What follows the first mistake is often only its consequence.
    let first = errors.iter().find_map(|(_, error)| match error {
        load::Error::Io(all) => all.first().map(|(_, why)| why.clone()),
        load::Error::Lex(all) => all.first().map(|(what, found)| expected(what.as_str(), found)),
        load::Error::Parse(all) => all.first().map(|(what, found)| expected(what.as_str(), found)),
    });
    first.unwrap_or_else(|| "it is invalid".to_owned())
}

fn not_compiled(code: &str, errors: jaq_core::compile::Errors<&str, ()>) -> String {
    let first = errors.into_iter().flat_map(|(_, errors)| errors).next();
    let unknown = |(name, what): (&str, jaq_core::compile::Undefined)| {
        format!("there is no {} {}", what.as_str(), named(code, name))
    };
    first.map_or_else(|| "it is invalid".to_owned(), unknown)
}

/// Maximum number of characters of a message that are shown.
const MOST_SHOWN: usize = 120;
/// Maximum number of characters of the filter that are shown for the place of a mistake.
const MOST_FOUND: usize = 20;

/// Returns "at `foo` (character 3)" for the rest of a filter.
fn at(code: &str, rest: &str) -> String {
    let begin = rest.lines().next().unwrap_or_default().trim_end();
    if begin.is_empty() {
        return "at the end of the filter".to_owned();
    }
    let found: String = begin.chars().take(MOST_FOUND).collect();
    let cut = &rest[..found.len()];
    format!("at {}", named(code, cut))
}

/// Returns "`foo` (character 3)" for a part of a filter.
fn named(code: &str, part: &str) -> String {
    let offset = (part.as_ptr() as usize).checked_sub(code.as_ptr() as usize);
    match offset.and_then(|offset| code.get(..offset)) {
        Some(before) => format!("`{part}` ({})", position(code, before)),
        None => format!("`{part}`"),
    }
}

/// Returns the position after a beginning of a filter, with the line if there are several.
fn position(code: &str, before: &str) -> String {
    let line = before.split('\n').next_back().unwrap_or_default();
    let character = format!("character {}", line.chars().count() + 1);
    if code.trim_end().contains('\n') {
        format!("line {}, {character}", before.matches('\n').count() + 1)
    } else {
        character
    }
}

/// Returns the beginnings of a filter that end before a `|`, and the step that each of them ends with; the last is the whole filter.
fn steps(code: &str) -> Vec<(&str, &str)> {
    let tokens = Lexer::new(code).lex().unwrap_or_default();
    let bars = tokens.iter().filter(|it| matches!(it.1, Tok::Sym) && it.0 == "|");
    let ends = bars.map(|bar| bar.0.as_ptr() as usize - code.as_ptr() as usize);
    let mut start = 0;
    let step = |end| {
        let step = code[start..end].trim();
        start = end + 1;
        (&code[..end], step)
    };
    ends.chain([code.len()]).map(step).collect()
}

/// Shortens a message that quotes values of any length: its beginning, and its end, which says what was done with the value.
fn shortened(why: &str) -> String {
    let length = why.chars().count();
    if length <= MOST_SHOWN {
        return why.to_owned();
    }
    let begin = why.chars().take(MOST_SHOWN * 2 / 3);
    let end = why.chars().skip(length - MOST_SHOWN / 3);
    begin.chain(['…']).chain(end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_named_by_its_text_and_its_position() {
        let code = ".[]\n| фу";
        assert_eq!(at(code, &code[6..]), "at `фу` (line 2, character 3)");
        assert_eq!(at(".a | b", &".a | b"[..0]), "at the end of the filter");
        let code = ".a | b";
        assert_eq!(at(code, &code[5..]), "at `b` (character 6)");
    }

    #[test]
    fn steps_are_divided_by_the_bars_outside_of_brackets() {
        let steps: Vec<_> = steps(".[] | map(.a | .b) | \"x|\\(1 | 2)\"");
        let steps: Vec<_> = steps.into_iter().map(|it| it.1).collect();
        assert_eq!(steps, [".[]", "map(.a | .b)", "\"x|\\(1 | 2)\""]);
        assert_eq!(super::steps(".a"), [(".a", ".a")]);
    }

    #[test]
    fn a_long_message_keeps_its_beginning_and_its_end() {
        let why = format!("cannot index [{}] with \"title\"", "1,".repeat(500));
        let short = shortened(&why);
        assert!(short.starts_with("cannot index [1,") && short.ends_with("] with \"title\""));
        assert_eq!(short.chars().count(), MOST_SHOWN + 1);
        assert_eq!(shortened("no"), "no");
    }
}
