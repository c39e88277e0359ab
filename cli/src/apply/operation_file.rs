//! Operations as files: what one command wrote, for `links undo --from` on any machine. A file is input of others: its size is bounded, no path
//! in it is used, and it is refused for another service or another account.

use links_pages::fs::{directory_of, private};
use links_pages::undo::PortableRun;
use serde::{Deserialize, Serialize};

use super::operations::Operations;
use super::runs;
use super::write_log::{self, LoggedWrite};
use crate::args::flags::OperationArgs;
use crate::context::prelude::*;
use crate::context::seconds_now;
use crate::journal;
use crate::ui::cut;

/// Value of `format`, which distinguishes the file from others.
const FORMAT: &str = "links-operation";

/// Version that is written, and the newest that is read.
const VERSION: u32 = 1;

/// Maximum size in bytes, as of a saved plan: the file holds the plans and the slots of all pages.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// Maximum width of a text of a file in a message.
const LONGEST: usize = 200;

/// Name that stands for the call of the program in the runs of a file.
const CALL: &str = "file";

/// What one command wrote.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct OperationFile {
    format: String,
    version: u32,
    service: String,
    /// Id of the user of the service.
    user: i64,
    /// Time at which the command ended.
    time: String,
    command: String,
    /// What was written to each page and form, the oldest first.
    runs: Vec<PortableRun>,
}

/// Returns the client for a command that writes, after checking that the operation can be written to the file that the flags name.
pub(crate) async fn writer(context: &mut Context, args: OperationArgs) -> Result<Client> {
    prepare(context, args.operation_out)?;
    context.writer(args.dry_run).await
}

/// Checks, before anything is written, that the operation can be written to this file, and notes it for the end of the command.
fn prepare(context: &mut Context, path: Option<PathBuf>) -> Result<()> {
    let Some(path) = path else { return Ok(()) };
    let name = path.display();
    if path.as_os_str() == "-" || path.is_dir() || !directory_of(&path).is_dir() {
        let message = format!(
            "--operation-out needs a file in a directory that exists, not {name}; nothing was written"
        );
        return Err(CommandError::usage(message));
    }
    if named::read_most(&path, MAX_BYTES).is_ok_and(|(_, bytes)| !has_format(&bytes, FORMAT)) {
        let message =
            format!("{name} already exists and is not an operation file; nothing was written");
        return Err(CommandError::refused(message).with_hint("choose another file"));
    }
    let prepared = named::resolve(&path).and_then(|path| private::prepare(&path));
    prepared.map_err(cannot_begin(&path))?;
    context.operation_out = Some(path);
    Ok(())
}

/// Writes what the command wrote to the file that it names, if it names one. An operation that wrote nothing has no runs.
pub(crate) fn write(context: &Context) -> Result<()> {
    let (Some(path), None) = (&context.operation_out, context.dry_run()) else { return Ok(()) };
    // Without the account nothing was written.
    let Some(user) = context.known_user() else { return Ok(()) };
    let name = path.display();
    let failed = |why: &dyn std::fmt::Display| {
        let message = format!(
            "cannot write the operation to {name}: {why}; the changes themselves were made"
        );
        CommandError::new(Exit::Partial, message)
            .with_hint("to undo the changes, run `links undo` on this machine")
    };
    let service = runs::service(context).unwrap_or_default();
    let state = runs::directory(context)?;
    let (owner, mut written) = (context.owner(), Vec::new());
    for call in context.calls() {
        let of_call = PortableRun::of_call(&state, &service, &call, &owner);
        written.append(&mut of_call.map_err(|why| failed(&why))?);
    }
    written.sort_by(|one, other| one.name().cmp(other.name()));
    let file = OperationFile {
        format: FORMAT.to_owned(),
        version: VERSION,
        service,
        user,
        time: runs::time(seconds_now()),
        command: journal::command(context).words.join(" "),
        runs: written,
    };
    let mut text = serde_json::to_string_pretty(&file).map_err(|why| failed(&why))?;
    text.push('\n');
    if text.len() as u64 > MAX_BYTES {
        return Err(failed(&format!("it is larger than {} MB", MAX_BYTES >> 20)));
    }
    let written = named::resolve(path).and_then(|path| private::write(&path, text.as_bytes()));
    written.map_err(|why| failed(&why))
}

/// Tells whether a file is JSON with this `format`, as this program writes it.
pub(crate) fn has_format(bytes: &[u8], format: &str) -> bool {
    #[derive(Deserialize)]
    struct Header {
        format: String,
    }
    let header = || serde_json::from_slice::<Header>(bytes).ok();
    bytes.trim_ascii_start().starts_with(b"{") && header().is_some_and(|it| it.format == format)
}

impl OperationFile {
    /// Reads the operation in a file (`-`: standard input). Refuses one of another service or another account.
    pub(crate) async fn read(context: &Context, client: &Client, path: &Path) -> Result<Self> {
        let (name, bytes) = named::read_most(path, MAX_BYTES)?;
        let unusable = |why: &dyn std::fmt::Display| {
            let why = cut(&why.to_string(), LONGEST);
            let message = format!("cannot use the operation {name}: {why}; nothing was written");
            CommandError::invalid(message)
        };
        if !has_format(&bytes, FORMAT) {
            let message = format!("{name} is not an operation file; nothing was written");
            return Err(CommandError::invalid(message)
                .with_hint("create one with `links apply --operation-out FILE`"));
        }
        let value: Value = serde_json::from_slice(&bytes).map_err(|why| unusable(&why))?;
        let version = &value["version"];
        if *version != VERSION {
            let why = format!("it has version {version}, but `links` reads only version {VERSION}");
            return Err(unusable(&why).with_hint("update `links`"));
        }
        let file: Self = serde_json::from_value(value).map_err(|why| unusable(&why))?;
        let service = runs::service(context).unwrap_or_default();
        if file.service != service {
            let message = format!(
                "{name} is an operation on {}, not on {service}; nothing was written",
                cut(&file.service, LONGEST)
            );
            return Err(CommandError::refused(message)
                .with_hint("set the service with --base-url or --account"));
        }
        let user = context.me(client).await?.user_id;
        if file.user != user {
            let message = format!(
                "{name} was recorded for user {}, but the token is for user {user}; nothing was written",
                file.user
            );
            return Err(CommandError::refused(message).with_hint(format!(
                "use a token of user {}, or choose an account with --account",
                file.user
            )));
        }
        let mut seen = BTreeSet::new();
        if let Some(twice) = file.runs.iter().find(|run| !seen.insert(run.name())) {
            return Err(unusable(&format!("duplicate run {}", twice.name())));
        }
        if file.runs.is_empty() {
            let message = format!(
                "nothing to undo: `links {}` from {} wrote nothing",
                cut(&file.command, LONGEST),
                cut(&file.time, LONGEST)
            );
            return Err(CommandError::not_found(message));
        }
        Ok(file)
    }

    /// Returns the operations of this machine with that of the file, and the index of that one.
    pub(crate) fn among(self, context: &Context, name: &str) -> Result<(Operations, usize)> {
        let (state, service) =
            (runs::directory(context)?, runs::service(context).unwrap_or_default());
        let mut local: BTreeMap<String, LoggedWrite> = BTreeMap::new();
        let own = write_log::all(context)?.into_iter();
        local.extend(own.map(|write| (write.run().to_owned(), write)));
        let mut first = None;
        for run in self.runs {
            let run_name = run.name().to_owned();
            let recorded = run.recorded(&state, &service, context.owner(), CALL);
            let (store, mut recorded, before) = recorded.map_err(|why| {
                let message = format!(
                    "cannot use the operation {name}: run {run_name}: {why}; nothing was written"
                );
                CommandError::invalid(message)
            })?;
            // The file of the page is known where the operation was made.
            let known = local.get(&run_name).map(LoggedWrite::opening);
            if let (Some(opening), Ok(log)) = (known, &mut recorded.log) {
                log.opening.path.clone_from(&opening.path);
            }
            first.get_or_insert_with(|| run_name.clone());
            local.insert(run_name, LoggedWrite { store, recorded, before, is_foreign: false });
        }
        let operations = Operations::of(local.into_values().collect());
        let index = first.and_then(|run| operations.of_run(&run));
        let index = index.ok_or_else(|| CommandError::internal("an operation without runs"))?;
        Ok((operations, index))
    }
}
