//! Terminal input and output, the only module that prints: data to stdout, messages to stderr.

pub(crate) mod annotations;
mod markdown;
mod markers;
mod observer;
mod part_report;
pub(crate) mod plan;
mod progress;
pub(crate) mod recording;
mod relative_time;
mod stream;
mod table;

use std::io::{self, IsTerminal};

pub(crate) use observer::RequestObserver;
pub(crate) use part_report::{PartUpdate, is_part, split_at_mark, update};
pub(crate) use plan::cut;
pub(crate) use progress::Progress;
pub(crate) use relative_time::ago;
pub(crate) use stream::protected;
pub(crate) use table::{aligned, width};

use crate::auth::redacted;
use crate::error::{CommandError, Exit, draw};
use crate::output::format::{ContentKind, Format, OutputOptions, Rendering};
use crate::output::{CommandOutput, Style, StyledLine};
use crate::settings::Settings;
use crate::settings::global_args::Color;

/// Output settings and terminal of this process.
#[derive(Debug)]
pub(crate) struct Ui {
    shape: OutputOptions,
    /// True if stderr is JSON, because a program reads it.
    says_json: bool,
    color: Color,
    /// True if long work shows its progress.
    pub(crate) progress: bool,
    verbose: u8,
    terminal: Terminal,
    /// True in a dry run, where nothing needs confirmation.
    pub(crate) is_dry_run: bool,
}

/// Standard streams that are terminals.
#[derive(Clone, Copy, Debug, Default)]
struct Terminal {
    stdin: bool,
    stdout: bool,
    stderr: bool,
}

impl Ui {
    /// Creates the UI from the settings.
    pub(crate) fn new(settings: &Settings, shape: OutputOptions) -> Self {
        let is_implied = shape.named.is_none() && shape.query.is_some();
        let says_json = says_json(shape.format, is_implied);
        stream::mark_data(settings.marks_data);
        Self {
            shape,
            says_json,
            color: settings.color,
            progress: settings.progress,
            verbose: settings.verbose,
            ..Self::plain(Format::Table)
        }
    }

    /// Creates a UI without settings, for errors that occur before they are read.
    pub(crate) fn plain(format: Format) -> Self {
        let terminal = Terminal {
            // That of one of several processes is a pipe, and is being read: on Windows, the question would wait for its end.
            stdin: !is_part() && io::stdin().is_terminal(),
            stdout: io::stdout().is_terminal(),
            stderr: io::stderr().is_terminal(),
        };
        #[cfg(debug_assertions)]
        let terminal = if crate::testing::is_simulated() { Terminal::default() } else { terminal };
        Self {
            shape: OutputOptions { format, ..OutputOptions::default() },
            says_json: format.is_json(),
            color: Color::Never,
            progress: true,
            verbose: 0,
            terminal,
            is_dry_run: false,
        }
    }

    /// Prints the output of a command.
    ///
    /// # Errors
    ///
    /// When stdout cannot be written; a closed pipe is no error.
    pub(crate) fn show(&self, outcome: &CommandOutput) -> Result<(), CommandError> {
        let terminal = self.terminal.stdout;
        for note in self.shape.notes(outcome)? {
            let note = StyledLine::changed(note);
            match &outcome.then {
                // What follows may be an error, which as JSON is alone on stderr.
                Some(_) => self.say(&note),
                None => self.instruct(&note),
            }
        }
        // IDs of the service are arguments of the next command.
        let is_marked = !outcome.is_own_text && self.shape.format != Format::Ids;
        let print = |text: &str, kind| stream::print(text, kind, terminal, is_marked);
        match self.shape.print(outcome)? {
            Rendering::Text(kind, text) => print(&text, kind),
            Rendering::Grid(grid) => print(&table::render(&grid, terminal), ContentKind::Text),
            Rendering::Markdown(text) if !terminal => print(text, ContentKind::Document),
            Rendering::Markdown(text) => {
                print(&markdown::render(text, self.colored(terminal)), ContentKind::Text)
            }
            Rendering::Lines(lines) => {
                let lines = lines.iter().map(|it| self.styled(it, terminal) + "\n");
                print(&lines.collect::<String>(), ContentKind::Text)
            }
        }
    }

    /// Prints what another process of this program has printed to stderr and to stdout, below a heading. Where stdout is no text, or is not
    /// read beside stderr, messages have a heading of their own. They are printed even if stdout cannot be written.
    pub(crate) fn pass(
        &self,
        heading: &str,
        stderr: &[u8],
        stdout: &[u8],
    ) -> Result<(), CommandError> {
        let is_text = self.shows_text();
        let (terminal, mut printed) = (self.terminal.stdout, Ok(()));
        if is_text {
            let heading = format!("{heading}\n");
            printed = stream::print(&heading, ContentKind::Text, terminal, false);
        }
        if !stderr.is_empty() {
            if !is_text || !stream::are_together() {
                self.say(&StyledLine::plain(heading));
            }
            stream::repeat(&String::from_utf8_lossy(stderr));
        }
        // Text may have colours.
        let kind = if is_text { ContentKind::Document } else { ContentKind::Data };
        let stdout = String::from_utf8_lossy(stdout);
        printed.and_then(|()| stream::print(&stdout, kind, terminal, true))
    }

    /// Tells whether what another process of this program prints is to have colours.
    pub(crate) fn passes_colors(&self) -> bool {
        self.shows_text()
            && self.colored(self.terminal.stdout)
            && self.colored(self.terminal.stderr)
    }

    /// Tells whether an output is shown as its text, if it has one, and its data is not used.
    pub(crate) fn shows_text(&self) -> bool {
        self.shape.shows_text()
    }

    /// Tells whether stderr is JSON.
    pub(crate) fn says_json(&self) -> bool {
        self.says_json
    }

    /// Prints a message to stderr, unless the format is JSON.
    pub(crate) fn say(&self, line: &StyledLine) {
        if !self.says_json {
            self.instruct(line);
        }
    }

    /// Prints a message of one line, as [`say`](Self::say) does.
    pub(crate) fn tell(&self, tone: Style, text: impl AsRef<str>) {
        self.say(&StyledLine::new(tone, text));
    }

    /// Prints the error of the command, and returns its exit code.
    pub(crate) fn fail(&self, failure: &CommandError) -> Exit {
        let json = || failure.to_json().to_string();
        if is_part() {
            let text = stream::protected(&self.drawn(failure)).into_owned();
            update(PartUpdate::Failure(text, redacted(&json()).into_owned()));
        } else if self.says_json {
            stream::fail_json(&json());
        } else {
            stream::say(&self.drawn(failure));
        }
        if let Some(draft) = failure.draft() {
            self.say(&StyledLine::plain(format!("your text was saved to {draft}")));
        }
        failure.exit()
    }

    fn drawn(&self, failure: &CommandError) -> String {
        let options = miette::MietteHandlerOpts::new()
            .color(self.colored(self.terminal.stderr))
            .wrap_lines(self.terminal.stderr)
            .terminal_links(false)
            .without_syntax_highlighting();
        let options = if self.terminal.stderr { options } else { options.width(100).unicode(true) };
        draw(&options.build(), failure.diagnostic())
    }

    /// Ends an incomplete line on the terminal.
    pub(crate) fn break_line(&self) {
        if self.terminal.stderr {
            stream::say("\n");
        }
    }

    /// Returns a progress display for this many steps, shown only on a terminal.
    pub(crate) fn progress(&self, steps: usize) -> Progress {
        let is_shown = self.progress && self.terminal.stderr && !self.says_json;
        Progress::new(steps, is_shown)
    }

    /// Returns the observer of requests, which reports waits.
    pub(crate) fn watch(&self) -> RequestObserver {
        RequestObserver::new(self.says_json, self.verbose, self.progress && self.terminal.stderr)
    }

    /// Shows lines and asks a yes-or-no question about them. `None` without a terminal; in a dry run the answer is always yes.
    pub(crate) fn ask_about(&self, lines: &[StyledLine], question: &str) -> Option<bool> {
        if self.is_dry_run {
            return Some(true);
        }
        self.is_interactive().then(|| {
            for line in lines {
                self.instruct(line);
            }
            stream::yes(question)
        })
    }

    /// Asks for confirmation of changes, unless the command line has it.
    ///
    /// # Errors
    ///
    /// When the answer is no, or there is no terminal.
    pub(crate) fn confirm(&self, is_confirmed: bool, question: &str) -> Result<(), CommandError> {
        if is_confirmed { Ok(()) } else { self.consent(&[], question, "the changes", "--yes") }
    }

    /// Shows lines, and asks for the confirmation of `what`, which these flags would have given.
    ///
    /// # Errors
    ///
    /// When the answer is no, or there is no terminal.
    pub(crate) fn consent(
        &self,
        lines: &[StyledLine],
        question: &str,
        what: &str,
        flags: &str,
    ) -> Result<(), CommandError> {
        match self.ask_about(lines, question) {
            Some(true) => Ok(()),
            Some(false) => Err(CommandError::refused("not confirmed; nothing was written")),
            None => Err(CommandError::refused(format!(
                "{what} must be confirmed, but there is no terminal; nothing was written"
            ))
            .with_hint(format!("pass {flags}"))),
        }
    }

    /// Asks for a text. `None` without a terminal.
    pub(crate) fn ask_for(&self, question: &str) -> Option<String> {
        self.is_interactive().then(|| stream::text(question))
    }

    /// Asks nothing from now on, as without a terminal.
    pub(crate) fn ask_nothing(&mut self) {
        self.terminal.stdin = false;
    }

    /// True if the user can be asked: stdin and stderr are terminals.
    pub(crate) fn is_interactive(&self) -> bool {
        self.terminal.stdin && self.terminal.stderr
    }

    /// True if stdout is a terminal.
    pub(crate) fn is_read(&self) -> bool {
        self.terminal.stdout
    }

    /// True if the output is shown as its text on a terminal.
    pub(crate) fn is_read_as_text(&self) -> bool {
        self.is_read() && self.shows_text()
    }

    /// Asks for a secret without echo. `None` if stdin is not a terminal.
    pub(crate) fn ask_secret(&self, question: &str) -> Option<io::Result<String>> {
        let unasked = "standard error is not a terminal, so the input would be visible";
        self.terminal.stdin.then(|| {
            if self.terminal.stderr {
                stream::secret(question)
            } else {
                Err(io::Error::other(unasked))
            }
        })
    }

    /// Prints an instruction to the user in every format: the command cannot continue without it.
    pub(crate) fn instruct(&self, line: &StyledLine) {
        stream::say(&(self.styled(line, self.terminal.stderr) + "\n"));
    }

    /// Tells whether to use colours on a stream.
    fn colored(&self, terminal: bool) -> bool {
        is_colored(self.color, terminal)
    }

    fn styled(&self, line: &StyledLine, terminal: bool) -> String {
        use clap::builder::styling::{self, AnsiColor};
        let style = match line.tone {
            Style::Plain => None,
            Style::Added => Some(AnsiColor::Green.on_default()),
            Style::Changed => Some(AnsiColor::Yellow.on_default()),
            Style::Removed => Some(AnsiColor::Red.on_default()),
            Style::Faint => Some(styling::Style::new().dimmed()),
        };
        if !self.colored(terminal) {
            return line.text().to_owned();
        }
        let marked = AnsiColor::Red.on_default().bold();
        let part = |(text, is_marked): (&str, bool)| match style {
            _ if text.is_empty() => String::new(),
            _ if is_marked => format!("{marked}{text}{marked:#}"),
            Some(style) => format!("{style}{text}{style:#}"),
            None => text.to_owned(),
        };
        line.parts().map(part).collect()
    }
}

fn is_colored(color: Color, terminal: bool) -> bool {
    color == Color::Always || color == Color::Auto && terminal && shows_colors()
}

/// Tells whether stderr is JSON: with a JSON format, unless only `--jq` implies it and stderr is a terminal.
fn says_json(format: Format, is_implied: bool) -> bool {
    format.is_json() && !(is_implied && io::stderr().is_terminal())
}

/// Format of messages where the output has this format, which `--jq` may imply.
pub(crate) fn message_format(format: Format, is_implied: bool) -> Format {
    if format.is_json() && !says_json(format, is_implied) { Format::Table } else { format }
}

/// Tells whether a terminal shows colours. That of Windows is switched to it, which an old one cannot do.
fn shows_colors() -> bool {
    let shows = |terminal: &console::Term| terminal.features().colors_supported();
    !cfg!(windows) || [console::Term::stdout(), console::Term::stderr()].iter().any(shows)
}

/// Prints a text of the program itself.
pub(crate) fn print_text(text: &str) {
    let _ = stream::print(text, ContentKind::Text, false, false);
}

/// Prints help or a usage error, as formatted by clap and to the stream that clap chooses.
pub(crate) fn help(error: &clap::Error, color: Color) {
    let is_mistake = error.use_stderr();
    let terminal = if is_mistake { io::stderr().is_terminal() } else { io::stdout().is_terminal() };
    let text = error.render();
    let is_colored = is_colored(color, terminal);
    let text = if is_colored { text.ansi().to_string() } else { text.to_string() };
    if is_mistake {
        stream::say(&text);
    } else {
        let _ = stream::print(&text, ContentKind::Text, terminal, false);
    }
}
