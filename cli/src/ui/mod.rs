//! The only place that prints: data to stdout, talk to stderr.

pub(crate) mod chart;
pub(crate) mod clean;
mod markdown;
mod modes;
pub(crate) mod plan;
mod progress;
mod prompt;
mod report;
mod table;
mod trace;
mod watch;

use std::io::{self, IsTerminal, Write};

use serde_json::{Map, Value};

pub(crate) use plan::cut;
pub(crate) use progress::Progress;
pub(crate) use watch::{Seen, Watch};

use crate::args::Color;
use crate::diagnostic::Failure;
use crate::formats::{Format, Printed, Shape};
use crate::outcome::{Line, Outcome, Tone, View};
use crate::settings::Settings;

/// What this process can show, and how.
#[derive(Debug)]
pub(crate) struct Ui {
    shape: Shape,
    color: Color,
    progress: bool,
    verbose: u8,
    terminal: Terminal,
    /// Whether nothing can be changed, so that nothing has to be agreed to.
    rehearsing: bool,
}

/// Which of the standard streams lead to a person.
#[derive(Clone, Copy, Debug)]
struct Terminal {
    stdin: bool,
    stdout: bool,
    stderr: bool,
}

impl Ui {
    /// As the settings say.
    pub(crate) fn new(settings: &Settings, shape: Shape) -> Self {
        Self {
            shape,
            color: settings.color,
            progress: settings.progress,
            verbose: settings.verbose,
            ..Self::plain(Format::Table)
        }
    }

    /// Without settings, for a failure that comes before them.
    pub(crate) fn plain(format: Format) -> Self {
        let terminal = Terminal {
            stdin: io::stdin().is_terminal(),
            stdout: io::stdout().is_terminal(),
            stderr: io::stderr().is_terminal(),
        };
        Self {
            shape: Shape { format, ..Shape::default() },
            color: Color::Never,
            progress: true,
            verbose: 0,
            terminal,
            rehearsing: false,
        }
    }

    /// Prints the data of an outcome.
    ///
    /// # Errors
    ///
    /// When stdout cannot take it; a reader that has gone away is no error.
    pub(crate) fn show(&self, outcome: &Outcome) -> Result<(), Failure> {
        let terminal = self.terminal.stdout;
        for note in self.shape.notes(outcome)? {
            self.say(&Line::new(Tone::Changed, note));
        }
        match self.shape.print(outcome)? {
            Printed::Json(bytes) if bytes.is_empty() => Ok(()),
            Printed::Json(bytes) => match std::str::from_utf8(&bytes) {
                Ok(text) if terminal => out(&[clean::json(text).trim_end().as_bytes(), b"\n"]),
                _ => out(&[bytes.trim_ascii_end(), b"\n"]),
            },
            Printed::Text(text) if terminal => out(&[clean::text(&text).as_bytes()]),
            Printed::Text(text) => out(&[text.as_bytes()]),
            Printed::Grid(grid) => out(&[table::render(&grid, terminal).as_bytes()]),
            Printed::View => out(&[self.view(&outcome.view).as_bytes()]),
        }
    }

    /// Says something to the person; scripts that asked for JSON are spared.
    pub(crate) fn say(&self, line: &Line) {
        if !self.shape.format.is_json() {
            let text = self.toned(line, self.terminal.stderr);
            let _ = progress::beside(|| writeln!(io::stderr().lock(), "{text}"));
        }
    }

    /// Says why the command failed.
    pub(crate) fn fail(&self, failure: &Failure) {
        let text = if self.shape.format.is_json() {
            clean::json(&failure.to_json().to_string()).into_owned() + "\n"
        } else {
            let options = miette::MietteHandlerOpts::new()
                .color(self.colored(self.terminal.stderr))
                .wrap_lines(self.terminal.stderr)
                .terminal_links(false)
                .without_syntax_highlighting();
            let options =
                if self.terminal.stderr { options } else { options.width(100).unicode(true) };
            report::draw(&options.build(), failure.diagnostic())
        };
        let _ = io::stderr().lock().write_all(text.as_bytes());
        if let Some(draft) = failure.draft() {
            self.say(&Line::new(Tone::Plain, format!("the text is kept in {draft}")));
        }
    }

    /// Ends a line that was begun on the terminal.
    pub(crate) fn break_line(&self) {
        if self.terminal.stderr {
            let _ = writeln!(io::stderr().lock());
        }
    }

    /// Progress of work with this many steps, on a terminal only.
    pub(crate) fn progress(&self, steps: usize) -> Progress {
        let shown = self.progress && self.terminal.stderr && !self.shape.format.is_json();
        Progress::new(steps, shown)
    }

    /// Who says why requests wait.
    pub(crate) fn watch(&self) -> Watch {
        Watch::new(self.shape.format.is_json(), self.verbose)
    }

    /// Whether the command only rehearses.
    pub(crate) fn rehearse(&mut self, rehearsing: bool) {
        self.rehearsing = rehearsing;
    }

    /// Asks a yes-or-no question. `None` where there is nobody to ask; nobody has to be asked in a dry run.
    pub(crate) fn ask(&self, question: &str) -> Option<bool> {
        if self.rehearsing {
            return Some(true);
        }
        self.is_interactive().then(|| prompt::yes(question))
    }

    /// Asks for a text. `None` where there is nobody to ask.
    pub(crate) fn ask_for(&self, question: &str) -> Option<String> {
        self.is_interactive().then(|| prompt::text(question))
    }

    /// Whether there is somebody to ask.
    pub(crate) fn is_interactive(&self) -> bool {
        self.terminal.stdin && self.terminal.stderr
    }

    /// Whether somebody reads stdout.
    pub(crate) fn is_read(&self) -> bool {
        self.terminal.stdout
    }

    /// Asks for something that is not to be seen. `None` where nobody types.
    pub(crate) fn ask_secret(&self, question: &str) -> Option<io::Result<String>> {
        let unasked = "standard error is no terminal, and what is typed would be seen";
        self.terminal.stdin.then(|| {
            if self.terminal.stderr {
                prompt::secret(question)
            } else {
                Err(io::Error::other(unasked))
            }
        })
    }

    /// Says what the person has to do, whatever the format: the command cannot go on without it.
    pub(crate) fn instruct(&self, line: &Line) {
        let text = self.toned(line, self.terminal.stderr);
        let _ = writeln!(io::stderr().lock(), "{text}");
    }

    /// What people see of a view that is no grid.
    fn view(&self, view: &View) -> String {
        let terminal = self.terminal.stdout;
        match view {
            View::Document(text) if terminal => clean::text(text).into_owned(),
            View::Markdown(text) if terminal => markdown::render(text, self.colored(terminal)),
            View::Document(text) | View::Markdown(text) => text.clone(),
            View::Lines(lines) | View::Figures(lines, _) => {
                lines.iter().map(|it| self.toned(it, terminal) + "\n").collect()
            }
            View::Table(_) | View::Record(_) | View::Any => String::new(),
        }
    }

    /// Whether a stream takes colour.
    fn colored(&self, terminal: bool) -> bool {
        match self.color {
            Color::Auto => terminal,
            Color::Always => true,
            Color::Never => false,
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
            Some(style) if self.colored(terminal) => format!("{style}{text}{style:#}"),
            _ => text.into_owned(),
        }
    }
}

/// Prints help, the version or a mistake in the command line, as clap has laid it out and where it belongs.
pub(crate) fn help(error: &clap::Error, color: Option<Color>) {
    let text = error.render();
    let text = match color {
        Some(Color::Always) => text.ansi().to_string(),
        Some(Color::Never) => text.to_string(),
        Some(Color::Auto) | None => {
            let _ = error.print();
            return;
        }
    };
    if error.use_stderr() {
        let _ = io::stderr().lock().write_all(text.as_bytes());
    } else {
        let _ = io::stdout().lock().write_all(text.as_bytes());
    }
}

/// Writes a note for a CI service, which reads it from stderr.
pub(crate) fn annotate(note: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", clean::line(note));
}

fn out(parts: &[&[u8]]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match parts.iter().try_for_each(|part| stdout.write_all(part)).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::internal(format!("cannot write to stdout: {error}")))
        }
        _ => Ok(()),
    }
}

/// Columns of the terminal, or of a page where there is none.
pub(crate) fn width() -> usize {
    table::terminal_width().unwrap_or(100)
}

/// What people would call a block with this content: its title, else its first text. No list of fields is kept here, for the service
/// has it.
pub(crate) fn label(data: &Map<String, Value>) -> Option<&str> {
    let text = |value| Value::as_str(value).filter(|it| !it.trim().is_empty());
    let named = ["title", "buttonText"].iter().filter_map(|key| data.get(*key));
    named.chain(data.values()).find_map(text)
}
