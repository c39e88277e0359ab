//! Compilation and execution of jq filters.

use std::io::Write;
use std::thread;

use jaq_core::data::JustLut;
use jaq_core::load::{Arena, File, Loader};
use jaq_core::{Compiler, Ctx, Filter, Vars, load};
use jaq_json::Val;

/// Stack size in bytes for compiling and running filters.
const STACK: usize = 256 << 20;

/// Formatters of jq that the library lacks.
const FORMATTERS: &str = include_str!("formatters.jq");

/// Runs a function on a thread with a larger stack.
///
/// # Errors
///
/// When the function fails or panics, or the thread cannot be started.
pub(crate) fn on_a_deep_stack<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    let thread = thread::Builder::new().stack_size(STACK);
    let thread = thread.spawn(work).map_err(|error| format!("cannot run the filter: {error}"))?;
    thread.join().map_err(|_| "cannot run the filter".to_owned())?
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
        .map_err(|errors| not_loaded(&errors))?;
    Compiler::default().with_funs(functions).compile(modules).map_err(not_compiled)
}

/// Runs a filter on a document and writes each result on a line.
///
/// # Errors
///
/// When the filter fails, or the output cannot be written.
pub(crate) fn run(code: &str, input: &[u8], output: &mut impl Write) -> Result<(), String> {
    let filter = compile(code)?;
    let input = jaq_json::read::parse_single(input).map_err(|error| error.to_string())?;
    let context = Ctx::<JustLut<Val>>::new(&filter.lut, Vars::new([]));
    for result in filter.id.run((context, input)) {
        match result.map_err(jaq_core::Exn::get_err) {
            Ok(value) => writeln!(output, "{value}").map_err(|error| error.to_string())?,
            Err(Ok(error)) => return Err(shortened(&error.to_string())),
            // `halt` ends the filter.
            Err(Err(_)) => break,
        }
    }
    Ok(())
}

fn not_loaded(errors: &load::Errors<&str, ()>) -> String {
    let expected = |what: &str, found: &str| match found.trim() {
        "" if what == "term" => "the filter ends unexpectedly".to_owned(),
        "" => format!("missing {what}"),
        found => format!("expected {what} {}", at(found)),
    };
    // What follows the first mistake is often only its consequence.
    let first = errors.iter().find_map(|(_, error)| match error {
        load::Error::Io(all) => all.first().map(|(_, why)| why.clone()),
        load::Error::Lex(all) => all.first().map(|(what, found)| expected(what.as_str(), found)),
        load::Error::Parse(all) => all.first().map(|(what, found)| expected(what.as_str(), found)),
    });
    first.unwrap_or_else(|| "invalid filter".to_owned())
}

fn not_compiled(errors: jaq_core::compile::Errors<&str, ()>) -> String {
    let first = errors.into_iter().flat_map(|(_, errors)| errors).next();
    first.map_or_else(
        || "invalid filter".to_owned(),
        |(name, what)| format!("unknown {} `{name}`", what.as_str()),
    )
}

/// Maximum number of characters of a message that are shown.
const MOST_SHOWN: usize = 120;
/// Maximum number of characters of the filter that are shown for the place of a mistake.
const MOST_FOUND: usize = 20;

/// Returns "at `foo`" for the rest of a filter.
fn at(rest: &str) -> String {
    let begin = rest.lines().next().unwrap_or_default().trim_end();
    let found: String = begin.chars().take(MOST_FOUND).collect();
    format!("at `{found}`")
}

/// Shortens a message that quotes values of any length: its beginning, and its end, which says what was done with the value.
pub(crate) fn shortened(why: &str) -> String {
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
    fn a_long_message_keeps_its_beginning_and_its_end() {
        let why = format!("cannot index [{}] with \"title\"", "1,".repeat(500));
        let short = shortened(&why);
        assert!(short.starts_with("cannot index [1,") && short.ends_with("] with \"title\""));
        assert_eq!(short.chars().count(), MOST_SHOWN + 1);
        assert_eq!(shortened("no"), "no");
    }
}
