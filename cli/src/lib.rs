//! The command-line tool for public link pages.
//!
//! A command is one file under `commands`: its arguments, and a `run` that returns an [`Outcome`](outcome::Outcome) or a
//! [`Failure`](diagnostic::Failure). What is printed, in which format and with which exit code is decided here and in [`ui`].

mod advice;
mod agreement;
mod annotate;
mod args;
mod child;
mod commands;
mod complete;
mod config;
mod confine;
mod connect;
mod context;
mod credentials;
mod diagnostic;
mod draft;
mod dry_run;
mod editor;
mod examples;
mod exit;
mod fields;
mod folders;
mod formats;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzzing;
mod given_images;
mod hardening;
#[cfg(debug_assertions)]
mod hurry;
mod interrupt;
mod json_schema;
mod kept;
mod key;
mod local_image;
mod login;
mod manifest;
mod merge;
mod mistake;
mod names;
mod nearest;
mod outcome;
mod place;
#[cfg(debug_assertions)]
mod power_cut;
mod private;
#[cfg(debug_assertions)]
mod probe;
mod program;
#[cfg(feature = "sandbox")]
mod sandbox;
mod schema;
mod schema_words;
mod secrets;
mod settings;
mod slot_types;
mod topics;
mod turns;
mod ui;
mod unknown;
mod uploads;
mod values;
mod write_file;
mod yaml;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use links_sdk::Outcome;

pub use crate::exit::Exit;

use crate::args::{Cli, Global};
use crate::confine::NamedFiles;
use crate::context::Context;
use crate::diagnostic::Failure;
use crate::formats::{Query, Shape};
use crate::outcome::{Line, Tone};
use crate::settings::Settings;
use crate::ui::Ui;

/// The whole command line, for scripts and tests that walk it.
pub fn command() -> clap::Command {
    examples::shown(Cli::command())
}

/// Runs one command line to its end.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<_> = args.into_iter().collect();
    if let Some(exit) = complete::asked(&args, Cli::command) {
        return exit.into();
    }
    hardening::no_core_dumps();
    if let Some(exit) = formats::asked_to_filter(&args) {
        return exit.into();
    }
    if let Err(error) = interrupt::install() {
        let failure = Failure::internal(format!("cannot start: {error}"));
        return failed(&Ui::plain(formats::Format::default()), &failure).into();
    }
    let ended = std::panic::catch_unwind(|| match Cli::try_parse_from(&args) {
        Ok(cli) => run(cli, &args),
        Err(_) => mistake::said(&args),
    });
    ended.unwrap_or(Exit::Internal).into()
}

fn run(cli: Cli, args: &[OsString]) -> Exit {
    let (settings, ui) = match prepare(&cli.global, cli.command.mends_config()) {
        Ok(prepared) => prepared,
        Err(failure) => return failed(&Ui::plain(cli.global.output.unwrap_or_default()), &failure),
    };
    interrupt::speak_as(Ui::plain(settings.output));
    if let Some(named) = cli.command.named_files() {
        confined(&settings, &ui, named);
    }
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&ui, &Failure::internal(format!("cannot start: {error}"))),
    };
    let words: Vec<_> = args.iter().map(|it| it.to_string_lossy()).collect();
    runtime.block_on(async {
        let mut context = Context::new(settings, ui);
        let ended = commands::run(&mut context, cli.command).await;
        let ended = ended.or_else(|failure| match (failure.rehearsals(), context.dry_run()) {
            ([], _) | (_, None) => Err(failure),
            (rehearsals, Some(how)) => Ok(dry_run::outcome(rehearsals, how)),
        });
        context.remember();
        let ended = match ended {
            Err(failure) => Err(advice::advised(&mut context, failure, &words).await),
            done => done,
        };
        match ended {
            Ok(outcome) => match (context.ui.show(&outcome), outcome.then) {
                (Err(failure), _) if context.written().outcome() != Outcome::NotExecuted => {
                    let failure = failure.after_writing(&outcome.body.ids());
                    failed(&context.ui, &failure.after_writes(&context.written()))
                }
                (Err(failure), _) => failed(&context.ui, &failure),
                (Ok(()), Some(then)) => then.await,
                (Ok(()), None) => outcome.exit,
            },
            Err(failure) => failed(&context.ui, &failure.after_writes(&context.written())),
        }
    })
}

/// Keeps a command from the files that it does not need, where that can be done.
fn confined(settings: &Settings, ui: &Ui, named: Result<NamedFiles, &'static str>) {
    let confined = named.map_err(str::to_owned).and_then(|named| confine::command(settings, named));
    if let Err(why) = confined
        && settings.verbose > 0
    {
        ui.say(&Line::new(Tone::Faint, format!("not confined by Landlock: {why}")));
    }
    #[cfg(debug_assertions)]
    if let Some(is_open) = probe::is_open() {
        ui.say(&Line::new(Tone::Faint, format!("probe: open {is_open}")));
    }
}

/// Settles what can be wrong before anything is sent.
fn prepare(global: &Global, mends_config: bool) -> Result<(Settings, Ui), Failure> {
    let settings = match settings::of_process(global) {
        Err(_) if mends_config => settings::without_config(global)?,
        settings => settings?,
    };
    let shape = Shape {
        format: settings.output,
        fields: global.fields.clone(),
        query: global.jq.as_deref().map(Query::new).transpose()?,
        raw: global.raw,
        csv_safe: global.csv_safe,
    };
    let ui = Ui::new(&settings, shape);
    Ok((settings, ui))
}

fn failed(ui: &Ui, failure: &Failure) -> Exit {
    ui.fail(failure);
    failure.exit()
}
