//! `links profile preview`: prints a page in Markdown, or compares it with a file.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use links_sdk::{Markdown, ProfileKey};
use serde_json::{Value, json};
use similar::TextDiff;

use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::fs::atomic;
use crate::output::{CommandOutput, Style, StyledLine, View};
use crate::ui::annotations::Annotate;
use crate::{page_file, profile_key, sanitize};

/// Arguments of `links profile preview`.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  links profile preview cafe\n  links profile preview cafe --expect cafe.md --update\n  \
    links profile preview cafe --expect cafe.md --max-tokens 2000 --annotate github"
)]
pub(crate) struct ProfilePreviewArgs {
    /// Id, login or URL of the page
    #[arg(value_name = "KEY", value_parser = profile_key::parse)]
    profile: ProfileKey,
    /// Compare the page with this file; exit code 3 when they differ
    #[arg(long, value_name = "FILE")]
    expect: Option<PathBuf>,
    /// Write the page to the file instead
    #[arg(long, requires = "expect")]
    update: bool,
    /// Exit code 3 when the page is longer than this for a language model
    #[arg(long, value_name = "N")]
    max_tokens: Option<u64>,
    /// Say for a CI service where the page differs
    #[arg(long, value_name = "SERVICE")]
    annotate: Option<Annotate>,
}

pub(crate) async fn run(
    context: &mut Context,
    args: ProfilePreviewArgs,
) -> Result<CommandOutput, CommandError> {
    let page = context.client().await?.profile(args.profile).markdown().await?;
    let too_long = is_too_long(&page, args.max_tokens)?;
    if let Some(message) = &too_long {
        context.ui.say(&StyledLine::new(Style::Removed, message.clone()));
        if let Some(annotate) = args.annotate {
            annotate.error(None, message);
        }
    }
    let mut data = json!({ "markdown": page.text, "tokens": page.tokens });
    if too_long.is_some() {
        data["maxTokens"] = json!(args.max_tokens);
    }
    let outcome = match &args.expect {
        None => CommandOutput::own(data, View::Markdown(page.text)),
        Some(file) if args.update => update(file, &page, data)?,
        Some(file) => compare(file, &page, data, args.annotate)?,
    };
    Ok(if too_long.is_some() { outcome.exit(Exit::No) } else { outcome })
}

fn is_too_long(page: &Markdown, most: Option<u64>) -> Result<Option<String>, CommandError> {
    match (page.tokens, most) {
        (_, None) => Ok(None),
        (Some(tokens), Some(most)) => {
            Ok((tokens > most).then(|| format!("the page has {tokens} tokens, more than {most}")))
        }
        (None, Some(_)) => {
            Err(CommandError::unreadable("the service did not say how many tokens the page has"))
        }
    }
}

fn update(file: &Path, page: &Markdown, data: Value) -> Result<CommandOutput, CommandError> {
    atomic::write(file, &page.text, true).map_err(|error| {
        CommandError::usage(format!("cannot write {}: {error}", file.display()))
    })?;
    let said = StyledLine::new(Style::Plain, format!("{} is as the page is", file.display()));
    Ok(CommandOutput::own(data, View::Lines(vec![said])))
}

fn compare(
    file: &Path,
    page: &Markdown,
    mut data: Value,
    annotate: Option<Annotate>,
) -> Result<CommandOutput, CommandError> {
    let (name, bytes) = page_file::read(file).map_err(|why| {
        let absent = matches!(&why, page_file::ReadError::Io(_, error) if error.kind() == io::ErrorKind::NotFound);
        let failure = CommandError::from(why);
        if absent { failure.hint("--update writes it") } else { failure }
    })?;
    // Git may have converted the line ends of the file.
    let lines = |text: &str| text.replace("\r\n", "\n");
    let (expected, found) = (lines(&String::from_utf8_lossy(&bytes)), lines(&page.text));
    if expected == found {
        data["differs"] = json!(false);
        let said = StyledLine::new(Style::Plain, format!("the page is as {name} says"));
        return Ok(CommandOutput::own(data, View::Lines(vec![said])));
    }
    let diff = TextDiff::from_lines(&expected, &found);
    let mut unified = diff.unified_diff();
    let text = unified.context_radius(3).header(&sanitize::line(&name), "the page").to_string();
    if let Some(annotate) = annotate {
        let message = "the page differs from here on; `links profile preview --expect FILE --update` takes it over";
        for group in diff.grouped_ops(0) {
            let line = group.first().map_or(0, |op| op.old_range().start) + 1;
            annotate.error(Some((&name, line)), message);
        }
    }
    data["differs"] = json!(true);
    data["diff"] = json!(text);
    let view = View::Lines(text.lines().map(toned).collect());
    Ok(CommandOutput::own(data, view).exit(Exit::No))
}

fn toned(line: &str) -> StyledLine {
    let tone = match line.as_bytes().first() {
        Some(b'+') => Style::Added,
        Some(b'-') => Style::Removed,
        Some(b'@') => Style::Faint,
        _ => Style::Plain,
    };
    StyledLine::new(tone, line)
}
