//! `links profile preview`: prints a page in Markdown, or compares it with a file.

use std::path::PathBuf;

use clap::Args;
use links_sdk::ProfileKey;
use serde_json::json;

use super::expected_page::{compare, update};
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::help::HelpText;
use crate::output::{CommandOutput, Style, StyledLine, View};
use crate::profile_key;
use crate::ui::annotations::Annotate;

#[derive(Args, Debug)]
#[command(
    examples = ["links profile preview cafe", "links profile preview cafe --expect cafe.md --update", "links profile preview cafe --expect cafe.md --max-tokens 2000 --annotate github"]
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
    /// Annotate the places where the page differs, for a CI service
    #[arg(long, value_name = "SERVICE")]
    annotate: Option<Annotate>,
}

pub(crate) async fn run(
    context: &mut Context,
    args: ProfilePreviewArgs,
) -> Result<CommandOutput, CommandError> {
    let page = context.client().await?.profile(args.profile).markdown().await?;
    let too_long = too_long(page.tokens, args.max_tokens)?;
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

/// Returns the message about a page that is longer than the limit.
fn too_long(tokens: Option<u64>, limit: Option<u64>) -> Result<Option<String>, CommandError> {
    match (tokens, limit) {
        (_, None) => Ok(None),
        (Some(tokens), Some(limit)) => {
            Ok((tokens > limit).then(|| format!("the page has {tokens} tokens, more than {limit}")))
        }
        (None, Some(_)) => {
            Err(CommandError::unreadable("the service did not say how many tokens the page has"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_may_have_as_many_tokens_as_the_limit() {
        assert_eq!(too_long(Some(10), Some(10)).unwrap(), None);
        assert_eq!(too_long(None, None).unwrap(), None);
        let expected = "the page has 11 tokens, more than 10";
        assert_eq!(too_long(Some(11), Some(10)).unwrap().as_deref(), Some(expected));
        assert_eq!(too_long(None, Some(10)).unwrap_err().exit(), Exit::Server);
    }
}
