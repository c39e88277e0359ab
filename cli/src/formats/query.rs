//! `--jq FILTER`: a filter of the jq language over the whole body.

use std::fmt;

use jaq_core::data::JustLut;
use jaq_core::load::{Arena, File, Loader, lex, parse};
use jaq_core::{Compiler, Ctx, Filter, Vars, load};
use jaq_json::Val;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::diagnostic::Failure;

/// A filter, ready to run.
pub(crate) struct Query {
    filter: Filter<JustLut<Val>>,
}

impl Query {
    /// Reads a filter. Nothing of the environment can be read with it.
    ///
    /// # Errors
    ///
    /// When it is no filter; the failure names the place.
    pub(crate) fn new(code: &str) -> Result<Self, Failure> {
        let definitions = jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs());
        let functions = jaq_core::funs()
            .chain(jaq_std::funs())
            .chain(jaq_json::funs())
            .filter(|(name, ..)| *name != "env");
        let arena = Arena::default();
        let wrong = |why: String| Failure::usage(format!("--jq: {why}"));
        let modules = Loader::new(definitions)
            .load(&arena, File { code, path: () })
            .map_err(|errors| wrong(not_loaded(code, &errors)))?;
        let filter = Compiler::default()
            .with_funs(functions)
            .compile(modules)
            .map_err(|errors| wrong(not_compiled(errors)))?;
        Ok(Self { filter })
    }

    /// What the filter makes of a body.
    ///
    /// # Errors
    ///
    /// When it fails, or makes something that is not JSON.
    pub(super) fn run(&self, body: &Value) -> Result<Vec<Box<RawValue>>, Failure> {
        let text = body.to_string();
        let input = jaq_json::read::parse_single(text.as_bytes()).map_err(Failure::internal)?;
        let context = Ctx::<JustLut<Val>>::new(&self.filter.lut, Vars::new([]));
        let mut made = Vec::new();
        for result in self.filter.id.run((context, input)) {
            match result.map_err(jaq_core::Exn::get_err) {
                Ok(value) => {
                    let text = value.to_string();
                    let value = RawValue::from_string(text)
                        .map_err(|_| failed(format!("it makes {value}, which is not JSON")))?;
                    made.push(value);
                }
                Err(Ok(error)) => return Err(failed(error)),
                // `halt` ends the filter.
                Err(Err(_)) => break,
            }
        }
        Ok(made)
    }
}

fn failed(why: impl fmt::Display) -> Failure {
    Failure::usage(format!("--jq: {why}")).executed()
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
    let said = errors.iter().flat_map(|(_, error)| match error {
        load::Error::Io(all) => all.iter().map(|(_, why)| why.clone()).collect::<Vec<_>>(),
        load::Error::Lex(all) => all.iter().map(lexed).collect(),
        load::Error::Parse(all) => all.iter().map(parsed).collect(),
    });
    said.collect::<Vec<_>>().join("; ")
}

fn not_compiled(errors: jaq_core::compile::Errors<&str, ()>) -> String {
    let said = errors.into_iter().flat_map(|(_, errors)| errors);
    said.map(|(name, what)| format!("there is no {} `{name}`", what.as_str()))
        .collect::<Vec<_>>()
        .join("; ")
}

impl fmt::Debug for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Query").finish_non_exhaustive()
    }
}
