//! `links help` explains a topic or a command; `links man` writes the manual pages, for packagers.

use clap::Command;

use super::prelude::*;
use crate::help::{self, TOPICS};
use links_pages::suggest::did_you_mean;

/// Explains a topic, or a command.
pub(super) fn explain(context: &Context, words: &[String], skill: bool) -> CommandResult {
    let topic = match words {
        [word] => TOPICS.iter().find(|(name, _)| name == word),
        _ => None,
    };
    let text = match topic {
        Some(("agents", _)) if skill => help::skill(&(context.tree)()),
        _ if skill => {
            return Err(CommandError::usage("--skill needs the topic `agents`")
                .with_hint("run `links help agents --skill`"));
        }
        Some((_, text)) => text(&(context.tree)()),
        None => of_command(context, words)?,
    };
    let data = json!({ "about": words.join(" "), "text": text });
    Ok(CommandOutput::own_text(data, text))
}

fn of_command(context: &Context, words: &[String]) -> Result<String> {
    let mut command = (context.tree)();
    command.build();
    let mut found = &mut command;
    for (nth, word) in words.iter().enumerate() {
        let topics = TOPICS.iter().filter(|_| nth == 0).map(|(name, _)| (*name).to_owned());
        let known = found.get_subcommands().map(|it| it.get_name().to_owned());
        let known: Vec<String> = known.chain(topics).collect();
        found = found.find_subcommand_mut(word).ok_or_else(|| {
            CommandError::usage(format!("unknown command or topic `{word}`"))
                .with_hint("`links --help` lists the commands")
                .hinted(did_you_mean(word, known))
        })?;
    }
    Ok(found.render_long_help().to_string())
}

/// Writes the manual pages into a directory.
pub(super) fn write_manual(context: &Context, directory: &Path) -> CommandResult {
    let mut command = (context.tree)();
    command.build();
    let mut names = Vec::new();
    let written = named::resolve(directory)
        .and_then(std::fs::create_dir_all)
        .and_then(|()| write_page(&command, "links", directory, &mut names));
    written.map_err(cannot("write to", directory))?;
    let text = format!("wrote {} pages to {}", names.len(), directory.display());
    let data = json!({ "directory": directory.display().to_string(), "pages": names });
    Ok(said(data, text))
}

/// Writes one page for each command, such as `links-slots-add.1`.
fn write_page(
    command: &Command,
    name: &str,
    directory: &Path,
    names: &mut Vec<String>,
) -> std::io::Result<()> {
    let file = format!("{name}.1");
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone().name(name.to_owned())).render(&mut page)?;
    atomic::write(&directory.join(&file), &page, true)?;
    names.push(file);
    let shown = command.get_subcommands().filter(|it| !it.is_hide_set());
    shown
        .into_iter()
        .try_for_each(|it| write_page(it, &format!("{name}-{}", it.get_name()), directory, names))
}
