//! The only place that prints: data to stdout, talk to stderr.

pub(crate) mod annotations;
pub(crate) mod chart;
pub(crate) mod confirm;
mod http_trace;
mod markdown;
mod markers;
mod observer;
pub(crate) mod plan;
mod progress;
mod prompt;
mod report;
mod stream;
mod table;
mod tty_mode;

use std::io::{self, IsTerminal};

pub(crate) use observer::RequestObserver;
pub(crate) use plan::cut;
pub(crate) use progress::Progress;
use stream::ContentKind;

use crate::error::CommandError;
use crate::output::format::{Format, OutputOptions, Rendering};
use crate::output::{CommandOutput, Style, StyledLine, View};
use crate::settings::Settings;
use crate::settings::global_args::Color;

/// What this process can show, and how.
#[derive(Debug)]
pub(crate) struct Ui {
    shape: OutputOptions,
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
    pub(crate) fn new(settings: &Settings, shape: OutputOptions) -> Self {
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
            shape: OutputOptions { format, ..OutputOptions::default() },
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
    pub(crate) fn show(&self, outcome: &CommandOutput) -> Result<(), CommandError> {
        let terminal = self.terminal.stdout;
        for note in self.shape.notes(outcome)? {
            self.say(&StyledLine::new(Style::Changed, note));
        }
        let print = |bytes: &[u8], kind| stream::print(bytes, kind, terminal);
        match self.shape.print(outcome)? {
            Rendering::Json(bytes) if bytes.is_empty() => Ok(()),
            Rendering::Json(bytes) => {
                print(&[bytes.trim_ascii_end(), b"\n"].concat(), ContentKind::Json)
            }
            Rendering::Text(text) if self.shape.format == Format::Markdown => {
                print(text.as_bytes(), ContentKind::Document)
            }
            Rendering::Text(text) => print(text.as_bytes(), ContentKind::Data),
            Rendering::Grid(grid) => {
                print(table::render(&grid, terminal).as_bytes(), ContentKind::Text)
            }
            Rendering::View => match &outcome.view {
                View::Document(text) => print(text.as_bytes(), ContentKind::Data),
                View::Markdown(text) if !terminal => print(text.as_bytes(), ContentKind::Document),
                View::Markdown(text) => {
                    let text = markdown::render(text, self.colored(terminal));
                    print(text.as_bytes(), ContentKind::Text)
                }
                View::Lines(lines) | View::FigureTable(lines, _) => {
                    let text: String =
                        lines.iter().map(|it| self.toned(it, terminal) + "\n").collect();
                    print(text.as_bytes(), ContentKind::Text)
                }
                View::Table(_) | View::Record(_) | View::Any => Ok(()),
            },
        }
    }

    /// Says something to the person; scripts that asked for JSON are spared.
    pub(crate) fn say(&self, line: &StyledLine) {
        if !self.shape.format.is_json() {
            self.instruct(line);
        }
    }

    /// Says why the command failed.
    pub(crate) fn fail(&self, failure: &CommandError) {
        if self.shape.format.is_json() {
            stream::say_json(&failure.to_json().to_string());
        } else {
            let options = miette::MietteHandlerOpts::new()
                .color(self.colored(self.terminal.stderr))
                .wrap_lines(self.terminal.stderr)
                .terminal_links(false)
                .without_syntax_highlighting();
            let options =
                if self.terminal.stderr { options } else { options.width(100).unicode(true) };
            stream::say(&report::draw(&options.build(), failure.diagnostic()));
        }
        if let Some(draft) = failure.draft() {
            self.say(&StyledLine::new(Style::Plain, format!("the text is kept in {draft}")));
        }
    }

    /// Ends a line that was begun on the terminal.
    pub(crate) fn break_line(&self) {
        if self.terminal.stderr {
            stream::say("\n");
        }
    }

    /// Progress of work with this many steps, on a terminal only.
    pub(crate) fn progress(&self, steps: usize) -> Progress {
        let shown = self.progress && self.terminal.stderr && !self.shape.format.is_json();
        Progress::new(steps, shown)
    }

    /// Who says why requests wait.
    pub(crate) fn watch(&self) -> RequestObserver {
        RequestObserver::new(self.shape.format.is_json(), self.verbose)
    }

    /// Whether the command only rehearses.
    pub(crate) fn rehearse(&mut self, rehearsing: bool) {
        self.rehearsing = rehearsing;
    }

    /// Asks a yes-or-no question. `None` where there is no one to ask; no one has to be asked in a dry run.
    pub(crate) fn ask(&self, question: &str) -> Option<bool> {
        if self.rehearsing {
            return Some(true);
        }
        self.is_interactive().then(|| prompt::yes(question))
    }

    /// Shows what a yes-or-no question is about, and asks it. `None` where there is no one to ask; no one has to be asked in a dry run.
    pub(crate) fn ask_about(&self, lines: &[StyledLine], question: &str) -> Option<bool> {
        if self.is_interactive() && !self.rehearsing {
            for line in lines {
                self.instruct(line);
            }
        }
        self.ask(question)
    }

    /// Asks for a text. `None` where there is no one to ask.
    pub(crate) fn ask_for(&self, question: &str) -> Option<String> {
        self.is_interactive().then(|| prompt::text(question))
    }

    /// Whether there is someone to ask.
    pub(crate) fn is_interactive(&self) -> bool {
        self.terminal.stdin && self.terminal.stderr
    }

    /// Whether someone reads stdout.
    pub(crate) fn is_read(&self) -> bool {
        self.terminal.stdout
    }

    /// Asks for something that is not to be seen. `None` where no one types.
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
    pub(crate) fn instruct(&self, line: &StyledLine) {
        stream::say(&(self.toned(line, self.terminal.stderr) + "\n"));
    }

    /// Whether a stream takes colour.
    fn colored(&self, terminal: bool) -> bool {
        match self.color {
            Color::Auto => terminal,
            Color::Always => true,
            Color::Never => false,
        }
    }

    fn toned(&self, line: &StyledLine, terminal: bool) -> String {
        use clap::builder::styling::{self, AnsiColor};
        let text = line.text();
        let style = match line.tone {
            Style::Plain => None,
            Style::Added => Some(AnsiColor::Green.on_default()),
            Style::Changed => Some(AnsiColor::Yellow.on_default()),
            Style::Removed => Some(AnsiColor::Red.on_default()),
            Style::Faint => Some(styling::Style::new().dimmed()),
        };
        match style {
            Some(style) if self.colored(terminal) => format!("{style}{text}{style:#}"),
            _ => text.to_owned(),
        }
    }
}

/// Prints help, the version or a mistake in the command line, as clap has laid it out and where it belongs.
pub(crate) fn help(error: &clap::Error, color: Color) {
    let is_mistake = error.use_stderr();
    let terminal = if is_mistake { io::stderr().is_terminal() } else { io::stdout().is_terminal() };
    let is_colored = color == Color::Always || color == Color::Auto && terminal;
    let text = error.render();
    let text = if is_colored { text.ansi().to_string() } else { text.to_string() };
    if is_mistake {
        stream::say(&text);
    } else {
        let _ = stream::print(text.as_bytes(), ContentKind::Text, terminal);
    }
}

/// Writes a note for a CI service, which reads it from stderr.
pub(crate) fn annotate(note: &str) {
    stream::command(note);
}

/// A text for a note, without anything that the CI service would take for a command of its own.
pub(crate) fn unmarked(text: &str) -> std::borrow::Cow<'_, str> {
    markers::broken(text)
}

/// Columns of the terminal, or of a page where there is none.
pub(crate) fn width() -> usize {
    table::terminal_width().unwrap_or(100)
}
