//! `--jq FILTER`: a jq filter over the data of a body, which is what `--fields` selects from.
//!
//! A filter is a program that may recurse without end or use more memory than there is. The filter is compiled before anything is sent, and
//! runs in a separate process, which is also started then and whose time, memory and output are limited. If that process fails, this one
//! continues and can report what the command has done.

mod contained;
mod filter;

use std::sync::Mutex;

pub(crate) use contained::{Process, run_filter_if_requested};
use serde_json::Value;
use serde_json::value::RawValue;

pub(crate) use filter::shortened;

use crate::error::{CommandError, Result};
use crate::signal::lock;

/// Maximum size of a filter in bytes; the nesting in a filter of this size cannot exhaust the stack of the compiler.
const MOST_CODE: usize = 16 * 1024;

/// Maximum number of characters of a result in a message.
const MOST_SHOWN: usize = 200;

/// Hint for a filter that takes a list for a record.
pub(crate) const LIST: &str = "the data is a list; use `.[]` to select its records";

/// Compiled filter.
#[derive(Debug)]
pub(crate) struct Query {
    code: String,
    /// Process that was started and not used yet. `None` in unit tests, whose executable cannot run filters.
    process: Mutex<Option<Process>>,
}

impl Query {
    /// Compiles a filter. Filters cannot read the environment or files.
    ///
    /// # Errors
    ///
    /// When the filter is invalid; the message names the place.
    pub(crate) fn new(code: &str) -> Result<Self> {
        check(code).map_err(failed)?;
        let process = if cfg!(test) { None } else { Some(Process::start().map_err(failed)?) };
        Ok(Self { code: code.to_owned(), process: Mutex::new(process) })
    }

    /// Returns the results of the filter on the data of a body.
    ///
    /// # Errors
    ///
    /// When the filter fails, exceeds a limit, or produces a value that is not JSON.
    pub(crate) fn run(&self, data: &Value) -> Result<Vec<Box<RawValue>>> {
        let process = lock(&self.process).take();
        let text = run(&self.code, data, process).map_err(|why| {
            let is_list = data.is_array() && why.starts_with("cannot index [");
            failed(why).hinted(is_list.then_some(LIST))
        })?;
        text.lines()
            .map(|line| RawValue::from_string(line.to_owned()).map_err(|_| failed(not_json(line))))
            .collect()
    }
}

/// Returns an error if a filter is invalid; the message names the place.
pub(crate) fn check(code: &str) -> Result<(), String> {
    if code.len() > MOST_CODE {
        return Err(format!("must be at most {MOST_CODE} bytes"));
    }
    let code = code.to_owned();
    filter::on_a_deep_stack(move || filter::compile(&code).map(drop))
}

/// Returns the results of a filter on a document, of a process that may have been started before. A result that is not JSON, such as `nan`, is an
/// error of its own.
///
/// # Errors
///
/// When the filter fails or exceeds a limit.
pub(crate) fn results(
    code: &str,
    input: &Value,
    process: Option<Process>,
) -> Result<Vec<Result<Value, String>>, String> {
    let value = |line: &str| serde_json::from_str(line).map_err(|_| not_json(line));
    Ok(run(code, input, process)?.lines().map(value).collect())
}

/// Runs a filter in a process, which may have been started before.
fn run(code: &str, data: &Value, process: Option<Process>) -> Result<String, String> {
    let input = data.to_string();
    let text = match process {
        Some(process) => process.run(code, input),
        None => run_in_new_process(code, input),
    };
    String::from_utf8(text?).map_err(|error| error.to_string())
}

fn not_json(line: &str) -> String {
    let begin: String = line.chars().take(MOST_SHOWN).collect();
    let more = if begin.len() < line.len() { "…" } else { "" };
    format!("the filter returned {begin}{more}, which is not JSON")
}

#[cfg(not(test))]
fn run_in_new_process(code: &str, input: String) -> Result<Vec<u8>, String> {
    Process::start().and_then(|process| process.run(code, input))
}

/// Runs the filter in this process: the executable of unit tests cannot run filters.
#[cfg(test)]
fn run_in_new_process(code: &str, input: String) -> Result<Vec<u8>, String> {
    let (code, mut text) = (code.to_owned(), Vec::new());
    filter::on_a_deep_stack(move || filter::run(&code, input.as_bytes(), &mut text).map(|()| text))
}

pub(crate) fn failed(why: impl std::fmt::Display) -> CommandError {
    CommandError::usage(format!("--jq: {why}"))
}
