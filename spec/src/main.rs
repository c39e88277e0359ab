//! `cargo spec`: generates the SDK's client from the document.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use links_spec::{DOCUMENT, Error, generate};
use serde_json::Value;

const HELP: &str = "\
Generates the SDK's client from spec/openapi.json

Usage:
  cargo spec generate                 write sdk/src/generated.rs and fixtures/src/openapi.json from spec/openapi.json
  cargo spec generate FILE            write sdk/src/generated.rs from another document
  cargo spec generate --check [FILE]  fail if a generated file is out of date

To save the document of a live service, run `links api GET /openapi.json > live.json`.

Exit status:
  0  success
  1  failure, or a generated file is out of date
  2  wrong usage
";

const CLIENT: &str = "sdk/src/generated.rs";
const COPY: &str = "fixtures/src/openapi.json";

const USAGE: u8 = 2;

fn main() -> ExitCode {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|text| text.to_string_lossy().into_owned()).collect();
    let (options, words): (Vec<&str>, Vec<&str>) =
        arguments.iter().map(String::as_str).partition(|argument| argument.starts_with('-'));
    let outcome = match (words.as_slice(), options.as_slice()) {
        (_, ["-h" | "--help"]) | (["help"], []) => {
            say(&mut io::stdout(), HELP);
            return ExitCode::SUCCESS;
        }
        (["generate"], []) => generated(None, true),
        (["generate"], ["--check"]) => generated(None, false),
        (["generate", origin], []) => generated(Some(origin), true),
        (["generate", origin], ["--check"]) => generated(Some(origin), false),
        _ => {
            say(&mut io::stderr(), HELP);
            return ExitCode::from(USAGE);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&mut io::stderr(), &format!("error: {error}\n"));
            ExitCode::FAILURE
        }
    }
}

/// Writes the files that follow from another document or from ours, or checks that they are what they would be.
fn generated(origin: Option<&str>, writes: bool) -> Result<(), Error> {
    let document = origin.map_or_else(ours, theirs)?;
    let mut files = vec![(CLIENT, generate(document)?)];
    if origin.is_none() {
        // The package of the contract server has to hold what it answers.
        files.push((COPY, DOCUMENT.to_owned()));
    }
    for (name, text) in files {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
        let failed = |verb, source| Error::File { verb, path: path.clone(), source };
        if writes {
            std::fs::write(&path, text).map_err(|source| failed("write", source))?;
        } else if std::fs::read_to_string(&path).map_err(|source| failed("read", source))? != text {
            return Err(Error::Stale(name));
        }
    }
    Ok(())
}

/// Reads the document in a file.
fn theirs(origin: &str) -> Result<Value, Error> {
    let path = Path::new(origin);
    let failed = |source| Error::File { verb: "read", path: path.to_owned(), source };
    parsed(origin, &std::fs::read_to_string(path).map_err(failed)?)
}

fn ours() -> Result<Value, Error> {
    parsed("spec/openapi.json", DOCUMENT)
}

fn parsed(origin: &str, text: &str) -> Result<Value, Error> {
    serde_json::from_str(text).map_err(|source| Error::Json { origin: origin.to_owned(), source })
}

/// Writes a text. A reader that has gone away is not an error.
fn say(stream: &mut dyn Write, text: &str) {
    let _ = stream.write_all(text.as_bytes());
}
