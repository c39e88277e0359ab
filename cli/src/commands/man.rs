//! `links man`: writes the manual pages, for packagers.

use std::path::{Path, PathBuf};

use clap::{Args, Command};
use serde_json::json;

use crate::context::Context;
use crate::error::CommandError;
use crate::error::file_error::file_error;
use crate::fs::{atomic, named};
use crate::help::HelpText;
use crate::output::{CommandOutput, Style, StyledLine, View};

#[derive(Args, Debug)]
#[command(examples = ["links man ~/.local/share/man/man1"])]
pub(crate) struct ManArgs {
    /// The directory to write the pages into
    #[arg(value_name = "DIRECTORY")]
    directory: PathBuf,
}

pub(crate) fn run(context: &Context, args: &ManArgs) -> Result<CommandOutput, CommandError> {
    let mut command = (context.tree)();
    command.build();
    let mut names = Vec::new();
    let written = named::resolve(&args.directory)
        .and_then(std::fs::create_dir_all)
        .and_then(|()| write(&command, "links", &args.directory, &mut names));
    written.map_err(|error| {
        file_error(&format!("cannot write to {}", args.directory.display()), &error)
    })?;
    let text = format!("{} pages written to {}", names.len(), args.directory.display());
    let data = json!({ "directory": args.directory.display().to_string(), "pages": names });
    Ok(CommandOutput::own(data, View::Lines(vec![StyledLine::new(Style::Plain, text)])))
}

/// Writes one page for each command, such as `links-slots-add.1`.
fn write(
    command: &Command,
    name: &str,
    directory: &Path,
    names: &mut Vec<String>,
) -> std::io::Result<()> {
    let file = format!("{name}.1");
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone().name(name.to_owned())).render(&mut page)?;
    atomic::write_bytes(&directory.join(&file), &page, true)?;
    names.push(file);
    let shown = command.get_subcommands().filter(|it| !it.is_hide_set());
    shown
        .into_iter()
        .try_for_each(|it| write(it, &format!("{name}-{}", it.get_name()), directory, names))
}
