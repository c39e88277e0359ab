//! One run of the program, from its arguments to the exit code.

mod account_part;
mod account_parts;
pub(crate) mod command_line;
pub(crate) mod hints;
mod parts_progress;
pub(crate) mod unsupported_command;
pub(crate) mod usage_error;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::CommandFactory;
use links_sdk::Outcome;

use self::account_part::OwnPart;
pub use self::command_line::command;
use self::command_line::{Cli, leave};
use crate::apply::operation_file;
use crate::auth::save_logins;
use crate::confine::NamedFiles;
use crate::context::prelude::*;
use crate::context::seconds_now;
use crate::env_vars::RECORD;
use crate::output::dry_run;
use crate::output::format::{Format, OutputOptions, Query, ids_of, run_filter_if_requested};
use crate::settings::Settings;
use crate::signal;
use crate::ui::{self, Ui};
use crate::{git, lint, process, settings};

/// Runs one command line and returns its exit code.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let (args, part) = account_part::own_arguments(args.into_iter().collect());
    exit_on_panic();
    if let [_, flag] = &args[..]
        && (flag == "-V" || flag == "--version")
    {
        // Without the definition of the command line: whatever starts the program to ask for it waits for nothing else.
        ui::print_text(concat!("links ", env!("CARGO_PKG_VERSION"), "\n"));
        return Exit::Ok.into();
    }
    if let Some(exit) = crate::completion::run_if_requested(&args, Cli::command) {
        return exit.into();
    }
    if args.len() < 2 {
        ui::print_text(include_str!("../help/start.txt"));
        return Exit::Ok.into();
    }
    process::no_core_dumps();
    if let Some(exit) = git::run_if_requested(&args).or_else(|| run_filter_if_requested(&args)) {
        return exit.into();
    }
    report_interrupts(Ui::plain(Format::default()));
    let watch = |()| part.as_ref().map_or(Ok(()), |_| signal::stop_with_input());
    if let Err(error) = signal::install().and_then(watch) {
        let failure = CommandError::internal(format!("cannot start: {error}"));
        return Ui::plain(Format::default()).fail(&failure).into();
    }
    // The only provider in this program, and the smallest one. It is taken by every TLS connection.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let exit = execute(&args, part.as_ref());
    if signal::ends(exit) {
        signal::end_by_signal();
    }
    exit.into()
}

/// Parses and runs a command line. Returns its exit code.
pub(crate) fn execute(args: &[OsString], part: Option<&OwnPart>) -> Exit {
    match command_line::parse(args) {
        Ok(cli) => run(cli, args, part),
        Err(error) if error.exit_code() == 0 => usage_error::help(&error, args),
        Err(error) => usage_error::report(error, args),
    }
}

fn run(mut cli: Cli, args: &[OsString], part: Option<&OwnPart>) -> Exit {
    #[cfg(debug_assertions)]
    crate::testing::panic_if_asked();
    let (settings, ui) = match prepare(&cli) {
        Ok(prepared) => prepared,
        Err(failure) => return Ui::plain(usage_error::format(&cli.global)).fail(&failure),
    };
    let messages = ui::message_format(settings.output, cli.global.implies_format());
    report_interrupts(Ui::plain(messages));
    let selects = cli.selects();
    if let Some(words) = cli.command.account_words() {
        let ended = match part {
            Some(part) => {
                account_parts::keep(&part.owner, words).err().map(|failure| ui.fail(&failure))
            }
            None => account_parts::run(&settings, &ui, args, words, selects),
        };
        if let Some(exit) = ended {
            return exit;
        }
    }
    let rules = cli.command.rules();
    if let Some(named) = rules.files {
        confine(&settings, &ui, named, rules.ignores_history);
    }
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            return ui.fail(&CommandError::internal(format!("cannot start: {error}")));
        }
    };
    let exit = runtime.block_on(async {
        let mut context = Context::new(settings, ui, command);
        // The program that has started this one has put the option with the account before the others.
        let words = args.iter().skip(if part.is_some() { 3 } else { 1 });
        context.words = words.map(|it| it.to_string_lossy().into_owned()).collect();
        context.command = cli.name;
        if let Some(part) = part {
            context.continue_call(&part.call);
            if let Some(id) = &part.operation {
                cli.command.name_operation(id);
            }
        } else if let Some(exit) = account_parts::undo(&context, &cli.command, args, selects) {
            return exit;
        }
        let ran = match context.plan_first.begin(rules.plan) {
            Ok(()) => Box::pin(cli.command.run(&mut context)).await,
            Err(failure) => Err(failure),
        };
        let ended = match (ran, context.dry_run()) {
            (Err(failure), Some(how)) if !failure.dry_run_results().is_empty() => {
                Ok(dry_run::outcome(failure.dry_run_results(), how))
            }
            (ended, _) => ended,
        };
        let ended =
            ended.and_then(|outcome| context.plan_first.made(seconds_now()).map(|()| outcome));
        context.remember();
        let not_written = operation_file::write(&context).err();
        let exit = match ended {
            Ok(outcome) => {
                let exit = match (context.ui.show(&outcome), outcome.then) {
                    (Err(failure), _) if context.written().outcome() != Outcome::NotExecuted => {
                        let failure = failure.after_writing(&ids_of(&outcome.body, &outcome.view));
                        context.ui.fail(&failure.after_writes(&context.written()))
                    }
                    (Err(failure), _) => context.ui.fail(&failure),
                    (Ok(()), Some(then)) => then.await,
                    (Ok(()), None) => outcome.exit,
                };
                leave(outcome.rest);
                exit
            }
            Err(failure) => {
                let failure = hints::add_hint(&mut context, failure).await;
                let failure = failure.after_writes(&context.written());
                if failure.may_be_repeated() {
                    context.plan_first.give_back(seconds_now());
                }
                context.ui.fail(&failure)
            }
        };
        match not_written.map(|failure| context.ui.fail(&failure)) {
            Some(own) if exit == Exit::Ok => own,
            _ => exit,
        }
    });
    // Waits for a renewal in progress.
    drop(runtime);
    signal::wait_for_end();
    // What the command has done stays done, so its exit code stays, too.
    for lost in save_logins() {
        Ui::plain(messages).fail(&lost);
    }
    exit
}

/// Sets how a Ctrl-C is reported.
fn report_interrupts(ui: Ui) {
    signal::report_by(move |end| match end {
        None => {
            let text = "stopping as soon as it is safe; press Ctrl-C again to stop at once";
            ui.tell(Style::Changed, text);
        }
        Some(failure) => {
            ui.break_line();
            ui.fail(&failure);
        }
    });
}

/// Starts the programs that a command needs, then confines it to its files, if the system can do so.
fn confine(
    settings: &Settings,
    ui: &Ui,
    mut named: Result<NamedFiles, &'static str>,
    ignores_history: bool,
) {
    if let Ok(named) = &mut named
        && !ignores_history
    {
        for directory in named.directories() {
            git::prepare(&directory);
            // A link would widen the confinement to where it leads.
            let files = git::branch_files(&directory).into_iter();
            named.read.extend(files.filter(|file| !file.is_symlink()));
        }
    }
    lint::prepare(named.as_ref().map_or(&[], |named| &named.read));
    #[cfg(debug_assertions)]
    if crate::testing::is_simulated() {
        // The other machines are in this process, too.
        return;
    }
    let confined =
        named.map_err(str::to_owned).and_then(|named| crate::confine::command(settings, named));
    if let Err(why) = confined
        && settings.verbose > 0
    {
        ui.tell(Style::Faint, format!("not confined by Landlock: {why}"));
    }
    #[cfg(debug_assertions)]
    if let Some(is_open) = crate::testing::is_probe_open() {
        ui.tell(Style::Faint, format!("probe: open {is_open}"));
    }
}

/// Resolves the settings and the output before anything is sent, so that mistakes in them are reported first.
fn prepare(cli: &Cli) -> Result<(Settings, Ui)> {
    let global = &cli.global;
    let mut settings = match settings::of_process(global) {
        Err(_) if cli.command.rules().accepts_invalid_config => settings::without_config(global)?,
        settings => settings?,
    };
    if ui::is_part() && settings.output == Format::Yaml && !cli.selects() {
        // The process that started this one makes a single document of those of all accounts.
        settings.output = Format::Json;
    }
    if let Some(list) = &settings.safe_directory {
        links_pages::fs::named::trust(list);
    }
    let shape = OutputOptions {
        format: settings.output,
        named: global.output,
        fields: global.fields.clone(),
        query: global.jq.as_deref().map(Query::new).transpose()?,
        raw: global.raw,
        csv_safe: global.csv_safe,
    };
    if let Some(path) = &settings.record {
        ui::recording::begin(path).map_err(|error| {
            CommandError::usage(format!("cannot write {RECORD} {}: {error}", path.display()))
        })?;
    }
    let ui = Ui::new(&settings, shape);
    Ok((settings, ui))
}

/// Makes a panic of any thread end the process.
#[expect(clippy::exit, reason = "the state of the program is not known any more")]
fn exit_on_panic() {
    std::panic::set_hook(Box::new(|panic| {
        let _ = io::stderr().write_all(report(&panic.to_string()).as_bytes());
        std::process::exit(Exit::Internal.code().into())
    }));
}

fn report(panic: &str) -> String {
    let text = format!(
        "error: a bug in links stopped the command: {}\n  help: the command may have written something; run `links slots apply --status` to find an interrupted apply, and check the pages for other changes\n",
        sanitize::one_line(panic)
    );
    ui::protected(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use links_sdk::Token;

    use super::report;
    use crate::auth::known_secrets;

    #[test]
    fn a_panic_repeats_no_token() {
        known_secrets().add(&Token::new("lnk_of_a_panic").unwrap());
        let text = report("index out of bounds: lnk_of_a_panic and 6c6e6b5f6f665f615f70616e6963");
        assert!(text.contains("index out of bounds: *** and ***"), "{text}");
    }
}
