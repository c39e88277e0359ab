//! The only place that prints: data to stdout, talk to stderr.

pub(crate) mod clean;
pub(crate) mod plan;
mod progress;
mod prompt;
mod record;
mod table;

use std::io::{self, IsTerminal, Write};

use serde_json::Value;

pub(crate) use progress::Progress;

use crate::args::Format;
use crate::diagnostic::Failure;
use crate::outcome::{Body, Line, Outcome, Tone, View};
use crate::settings::Settings;

/// What this process can show, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ui {
    format: Format,
    color: bool,
    stdin_is_terminal: bool,
    stdout_is_terminal: bool,
    stderr_is_terminal: bool,
}

impl Ui {
    /// Looks at the three standard streams.
    pub(crate) fn new(settings: &Settings) -> Self {
        Self { format: settings.output, color: settings.color, ..Self::plain(settings.output) }
    }

    /// Without settings, for a failure that comes before them.
    pub(crate) fn plain(format: Format) -> Self {
        Self {
            format,
            color: false,
            stdin_is_terminal: io::stdin().is_terminal(),
            stdout_is_terminal: io::stdout().is_terminal(),
            stderr_is_terminal: io::stderr().is_terminal(),
        }
    }

    /// Prints the data of an outcome.
    ///
    /// # Errors
    ///
    /// When stdout cannot take it; a reader that has gone away is no error.
    pub(crate) fn show(&self, outcome: &Outcome) -> Result<(), Failure> {
        match self.format {
            Format::Json => self.json(&outcome.body),
            Format::Table => self.view(outcome),
        }
    }

    /// Says something to the person; scripts that asked for JSON are spared.
    pub(crate) fn say(&self, line: &Line) {
        if self.format == Format::Table {
            let text = self.toned(line, self.stderr_is_terminal);
            let _ = writeln!(io::stderr().lock(), "{text}");
        }
    }

    /// Says why the command failed.
    pub(crate) fn fail(&self, failure: &Failure) {
        let text = match self.format {
            Format::Json => failure.to_json().to_string() + "\n",
            Format::Table => {
                let options = miette::MietteHandlerOpts::new()
                    .color(self.color && self.stderr_is_terminal)
                    .wrap_lines(self.stderr_is_terminal)
                    .terminal_links(false)
                    .without_syntax_highlighting();
                let options = if self.stderr_is_terminal {
                    options
                } else {
                    options.width(100).unicode(true)
                };
                let diagnostic = failure.diagnostic();
                format!("{:?}", Rendered(&options.build(), diagnostic))
            }
        };
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }

    /// Prints help or the version, as clap has laid it out.
    pub(crate) fn help(&self, error: &clap::Error) {
        let _ = error.print();
    }

    /// Progress of work with this many steps, on a terminal only.
    pub(crate) fn progress(&self, steps: usize) -> Progress {
        Progress::new(steps, self.stderr_is_terminal && self.format == Format::Table)
    }

    /// Asks a yes-or-no question. `None` where there is nobody to ask.
    pub(crate) fn ask(&self, question: &str) -> Option<bool> {
        (self.stdin_is_terminal && self.stderr_is_terminal).then(|| prompt::yes(question))
    }

    fn json(&self, body: &Body) -> Result<(), Failure> {
        match body {
            Body::Service(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) if self.stdout_is_terminal => {
                    out(&[clean::json(text).trim_end().as_bytes(), b"\n"])
                }
                _ => out(&[bytes.trim_ascii_end(), b"\n"]),
            },
            Body::Own(value) => {
                let text = value.to_string();
                let text =
                    if self.stdout_is_terminal { clean::json(&text) } else { text.as_str().into() };
                out(&[text.as_bytes(), b"\n"])
            }
        }
    }

    fn view(&self, outcome: &Outcome) -> Result<(), Failure> {
        match &outcome.view {
            View::Document(text) if self.stdout_is_terminal => out(&[clean::text(text).as_bytes()]),
            View::Document(text) => out(&[text.as_bytes()]),
            View::Lines(lines) => {
                let text: String =
                    lines.iter().map(|it| self.toned(it, self.stdout_is_terminal) + "\n").collect();
                out(&[text.as_bytes()])
            }
            View::Table(columns) => {
                out(&[table::render(&data(&outcome.body)?, columns, self.stdout_is_terminal)
                    .as_bytes()])
            }
            View::Record(first) => {
                out(&[record::render(&data(&outcome.body)?, first, self.stdout_is_terminal)
                    .as_bytes()])
            }
        }
    }

    fn toned(&self, line: &Line, terminal: bool) -> String {
        use clap::builder::styling::{AnsiColor, Style};
        let text = clean::text(&line.text);
        let style = match line.tone {
            Tone::Plain => None,
            Tone::Added => Some(AnsiColor::Green.on_default()),
            Tone::Changed => Some(AnsiColor::Yellow.on_default()),
            Tone::Removed => Some(AnsiColor::Red.on_default()),
            Tone::Faint => Some(Style::new().dimmed()),
        };
        match style {
            Some(style) if terminal && self.color => format!("{style}{text}{style:#}"),
            _ => text.into_owned(),
        }
    }
}

/// The `data` of a body, or the body itself where it has no envelope.
fn data(body: &Body) -> Result<Value, Failure> {
    let mut value = match body {
        Body::Own(value) => value.clone(),
        Body::Service(bytes) => serde_json::from_slice(bytes).map_err(|error| {
            Failure::new(crate::exit::Exit::Server, format!("the answer is not JSON: {error}"))
        })?,
    };
    Ok(match value.get_mut("data") {
        Some(data) => data.take(),
        None => value,
    })
}

fn out(parts: &[&[u8]]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match parts.iter().try_for_each(|part| stdout.write_all(part)).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::new(
            crate::exit::Exit::Internal,
            format!("cannot write to stdout: {error}"),
        )),
        _ => Ok(()),
    }
}

/// What miette draws goes through `Debug`.
struct Rendered<'a>(&'a miette::MietteHandler, &'a dyn miette::Diagnostic);

impl std::fmt::Debug for Rendered<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        miette::ReportHandler::debug(self.0, self.1, f)
    }
}
