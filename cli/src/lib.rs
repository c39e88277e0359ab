//! The command-line tool for public link pages.
//!
//! A command is one file under `commands`: its arguments, and a `run` that returns an [`Outcome`](outcome::Outcome) or a
//! [`Failure`](diagnostic::Failure). What is printed, in which format and with which exit code is decided here and in [`ui`].

mod agreement;
mod annotate;
mod args;
mod child;
mod commands;
mod context;
mod credentials;
mod diagnostic;
mod draft;
mod dry_run;
mod editor;
mod exit;
mod fields;
mod folders;
mod formats;
#[cfg(debug_assertions)]
mod hurry;
mod json_schema;
mod key;
mod login;
mod manifest;
mod nearest;
mod outcome;
mod place;
mod program;
#[cfg(feature = "sandbox")]
mod sandbox;
mod schema;
mod schema_words;
mod settings;
mod slot_types;
mod ui;
mod uploads;
mod values;
mod write_file;
mod yaml;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

pub use crate::exit::Exit;

use crate::args::{Cli, Global};
use crate::context::Context;
use crate::credentials::{Accounts, AccountsFile};
use crate::diagnostic::Failure;
use crate::formats::{Format, Query, Shape};
use crate::settings::{Settings, Target};
use crate::ui::Ui;

/// The whole command line, for scripts and tests that walk it.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Runs one command line to its end.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<_> = args.into_iter().collect();
    let ended = std::panic::catch_unwind(|| match Cli::try_parse_from(&args) {
        Ok(cli) => run(cli),
        Err(error) => not_parsed(&args, &error),
    });
    ended.unwrap_or(Exit::Internal).into()
}

fn run(cli: Cli) -> Exit {
    let (settings, ui) = match prepare(&cli.global) {
        Ok(prepared) => prepared,
        Err(failure) => return failed(&Ui::plain(cli.global.output.unwrap_or_default()), &failure),
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&ui, &Failure::internal(format!("cannot start: {error}"))),
    };
    runtime.block_on(async {
        let mut context = Context::new(settings, ui);
        let ended = commands::run(&mut context, cli.command).await;
        let ended = ended.or_else(|failure| match (failure.rehearsal(), context.dry_run()) {
            (Some(rehearsal), Some(how)) => Ok(rehearsal.outcome(how)),
            _ => Err(failure),
        });
        match ended {
            Ok(outcome) => match (context.ui.show(&outcome), outcome.then) {
                (Err(failure), _) => failed(&context.ui, &failure),
                (Ok(()), Some(then)) => then.await,
                (Ok(()), None) => outcome.exit,
            },
            Err(failure) => failed(&context.ui, &failure),
        }
    })
}

/// Settles what can be wrong before anything is sent.
fn prepare(global: &Global) -> Result<(Settings, Ui), Failure> {
    let settings = settings::resolve(global, &|name| std::env::var(name).ok())?;
    let accounts = match (&settings.target, folders::config(&settings)) {
        (Target::Sandbox, _) | (_, None) => Accounts::default(),
        (_, Some(folder)) => AccountsFile::new(folder).load()?,
    };
    let settings = settings.with(&accounts);
    let shape = Shape {
        format: settings.output,
        fields: global.fields.clone(),
        query: global.jq.as_deref().map(Query::new).transpose()?,
        raw: global.raw,
    };
    let ui = Ui::new(&settings, shape);
    Ok((settings, ui))
}

/// Other users of the machine and the history of the shell see what stands on a command line.
fn no_token_flag() -> Failure {
    Failure::usage("there is no flag for the token, because everybody can read a command line").hint(
        "`links auth login --token-stdin` keeps it, LINKS_TOKEN and LINKS_TOKEN_FILE give it to one command",
    )
}

fn failed(ui: &Ui, failure: &Failure) -> Exit {
    ui.fail(failure);
    failure.exit()
}

/// Help and the version are what was asked for; the rest is a mistake, in the format that the line asks for as far as it can be read.
fn not_parsed(args: &[OsString], error: &clap::Error) -> Exit {
    let words: Vec<_> = args.iter().map(|it| it.to_string_lossy()).collect();
    let json = words.windows(2).any(|it| matches!(&*it[0], "-o" | "--output") && it[1] == "json")
        || words.iter().any(|it| matches!(&**it, "-ojson" | "-o=json" | "--output=json"))
        || std::env::var("LINKS_OUTPUT").is_ok_and(|it| it == "json");
    if error.exit_code() == 0 {
        ui::help(error);
        return Exit::Ok;
    }
    if words.iter().any(|it| &**it == "--token" || it.starts_with("--token=")) {
        let format = if json { Format::Json } else { Format::Table };
        return failed(&Ui::plain(format), &no_token_flag());
    }
    if json {
        let text = error.render().to_string();
        let message = match error.kind() {
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => "a command is missing",
            _ => text.split("\n\n").next().unwrap_or_default().trim(),
        };
        let message = message.strip_prefix("error: ").unwrap_or(message);
        return failed(&Ui::plain(Format::Json), &Failure::usage(message));
    }
    ui::help(error);
    Exit::Usage
}
