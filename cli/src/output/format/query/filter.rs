//! Compilation and execution of jq filters.

use std::io::Write;
use std::thread;

use jaq_core::data::JustLut;
use jaq_core::load::{Arena, File, Loader, lex, parse};
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
            Err(Ok(error)) => return Err(error.to_string()),
            // `halt` ends the filter.
            Err(Err(_)) => break,
        }
    }
    Ok(())
}

fn not_loaded(code: &str, errors: &load::Errors<&str, ()>) -> String {
    let at = |rest: &str| {
        let offset = (rest.as_ptr() as usize).checked_sub(code.as_ptr() as usize);
        match offset.filter(|_| !rest.is_empty()).and_then(|it| code.get(it..)) {
            Some(found) => format!("at `{}`", found.chars().take(20).collect::<String>()),
            None => "at its end".to_owned(),
        }
    };
    let lexed = |(expected, found): &lex::Error<&str>| {
        format!("{} expected {}", expected.as_str(), at(found))
    };
    let parsed = |(expected, found): &parse::Error<&str>| {
        format!("{} expected {}", expected.as_str(), at(found))
    };
    let messages = errors.iter().flat_map(|(_, error)| match error {
        load::Error::Io(all) => all.iter().map(|(_, why)| why.clone()).collect::<Vec<_>>(),
        load::Error::Lex(all) => all.iter().map(lexed).collect(),
        load::Error::Parse(all) => all.iter().map(parsed).collect(),
    });
    messages.collect::<Vec<_>>().join("; ")
}

fn not_compiled(errors: jaq_core::compile::Errors<&str, ()>) -> String {
    let names = errors.into_iter().flat_map(|(_, errors)| errors);
    names
        .map(|(name, what)| format!("there is no {} `{name}`", what.as_str()))
        .collect::<Vec<_>>()
        .join("; ")
}
