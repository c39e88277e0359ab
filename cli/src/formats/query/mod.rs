//! `--jq FILTER`: a filter of the jq language over the whole body.
//!
//! A filter is a program: it can recurse without end, and make more than any memory holds. It is read before anything is sent, and runs
//! in a process of its own, whose time, memory and output are bounded. Whatever becomes of that process, this one goes on and can say
//! what the command has done.

mod contained;
mod filter;

use serde_json::Value;
use serde_json::value::RawValue;

pub(crate) use contained::asked;

use crate::diagnostic::Failure;

/// Most bytes of a filter: what is nested in so few cannot exhaust the stack it is read on.
const MOST_CODE: usize = 16 * 1024;

/// A filter that can run.
#[derive(Debug)]
pub(crate) struct Query {
    code: String,
}

impl Query {
    /// Reads a filter. Nothing of the environment and no file can be read with it.
    ///
    /// # Errors
    ///
    /// When it is no filter; the failure names the place.
    pub(crate) fn new(code: &str) -> Result<Self, Failure> {
        if code.len() > MOST_CODE {
            return Err(failed(format!("it is longer than {MOST_CODE} bytes")));
        }
        let read = code.to_owned();
        let is_filter = filter::on_a_deep_stack(move || filter::compile(&read).map(drop));
        is_filter.and_then(|it| it).map_err(failed)?;
        Ok(Self { code: code.to_owned() })
    }

    /// What the filter makes of a body.
    ///
    /// # Errors
    ///
    /// When it fails, takes too long or too much, or makes something that is not JSON.
    pub(super) fn run(&self, body: &Value) -> Result<Vec<Box<RawValue>>, Failure> {
        let input = body.to_string();
        // The program of a unit test is not this one.
        let text = if cfg!(test) {
            let code = self.code.clone();
            let mut text = Vec::new();
            let ran = filter::on_a_deep_stack(move || {
                filter::run(&code, input.as_bytes(), &mut text).map(|()| text)
            });
            ran.and_then(|it| it)
        } else {
            contained::run(&self.code, input)
        };
        let text = String::from_utf8(text.map_err(failed)?).map_err(Failure::internal)?;
        let made = |line: &str| {
            RawValue::from_string(line.to_owned())
                .map_err(|_| failed(format!("it makes {line}, which is not JSON")))
        };
        text.lines().map(made).collect()
    }
}

pub(super) fn failed(why: impl std::fmt::Display) -> Failure {
    Failure::usage(format!("--jq: {why}"))
}
