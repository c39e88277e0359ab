//! `cargo spec`: generates the SDK's client from the document.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use links_spec::{DOCUMENT, Error, generate};

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
        (["generate"], [] | ["--check"]) => generated(None, options.is_empty()),
        (["generate", origin], [] | ["--check"]) => generated(Some(origin), options.is_empty()),
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
    let text = origin.map_or_else(|| Ok(DOCUMENT.to_owned()), |file| read(Path::new(file)))?;
    let document = serde_json::from_str(&text).map_err(|error| {
        format!("{} is not JSON: {error}", origin.unwrap_or("spec/openapi.json"))
    })?;
    let mut files = vec![(CLIENT, generate(document)?)];
    if origin.is_none() {
        // The package of the contract server has to hold what it answers.
        files.push((COPY, DOCUMENT.to_owned()));
    }
    for (name, text) in files {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
        if writes {
            fs::write(&path, text)
                .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        } else if read(&path)? != text {
            return Err(format!(
                "{name} does not match spec/openapi.json: run `cargo spec generate` and commit the file"
            )
            .into());
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<String, Error> {
    Ok(fs::read_to_string(path)
        .map_err(|error| format!("cannot read {}: {error}", path.display()))?)
}

/// Writes a text. A reader that has gone away is not an error.
fn say(stream: &mut dyn Write, text: &str) {
    let _ = stream.write_all(text.as_bytes());
}
