//! `links pull` and `links slots pull`: write pages and forms to files.

use super::prelude::*;
use crate::account::pull::{self, PullOptions};
use crate::args::page::{self, PageWord};
use links_pages::page_file::FileScope;
use links_pages::sanitize::quoted;

#[derive(Args, Debug)]
#[command(examples = ["links pull cafe -O cafe.yaml", "links pull --all -O site"])]
pub(crate) struct PullArgs {
    /// Ids, logins or URLs of pages; page files, form files and directories of them
    #[arg(value_name = "KEY|PATH", value_parser = page::parse)]
    profiles: Vec<PageWord>,
    /// Every page and every form of the account
    #[arg(long, conflicts_with = "profiles")]
    all: bool,
    /// Write one page to this file (.json for JSON), or pages into this directory
    ///
    /// By default a single page goes to standard output, and several into the directory of the closest links.lock, else into the current one.
    #[arg(short = 'O', long, value_name = "FILE|DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    how: PullOptions,
}

#[derive(Args, Debug)]
#[command(examples = ["links slots pull cafe -O cafe.yaml"])]
pub(crate) struct SlotsPullArgs {
    /// Id, login or URL of the page
    key: PageKey,
    /// Write to this file, as JSON if its name ends in .json (`-`: standard output)
    #[arg(short = 'O', long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace the file if it exists. Without it, a file below a `links.lock` takes over what changed on the page, and keeps all else
    #[arg(long, requires = "out")]
    force: bool,
    /// Refer to this schema, which `links schema page` prints, in the first line, for editors that validate and complete YAML; the path is
    /// written as given and is relative to the file's directory. A `page.schema.json` there is used by default
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    schema: Option<String>,
}

pub(super) async fn run(context: &mut Context, args: PullArgs) -> CommandResult {
    let PullArgs { profiles, all, out, how } = args;
    let (paths, keys) = page::split(profiles);
    if !paths.is_empty() {
        if let Some(key) = keys.first() {
            let message = format!(
                "files and the page {key} are pulled by separate commands; nothing was written"
            );
            let key = quoted(&key.to_string());
            return Err(CommandError::usage(message)
                .with_hint(format!("`links pull FILE...`, and `links pull {key} -O FILE`")));
        }
        if out.is_some() || how.portable {
            let message =
                "files are pulled where they are, without -O and --portable; nothing was written";
            return Err(CommandError::usage(message)
                .with_hint("name the page by its login: `links pull LOGIN -O FILE`"));
        }
        return pull::pull_files(context, &paths, how).await;
    }
    if keys.is_empty() && !all {
        return Err(CommandError::usage("no page is named").with_hint(
            "name pages: `links pull LOGIN -O FILE`; `links pull --all` writes every page and every form of the account",
        ));
    }
    pull::pull(context, keys, out, how, FileScope::Page).await
}

pub(super) async fn slots(context: &mut Context, args: SlotsPullArgs) -> CommandResult {
    let SlotsPullArgs { key, out, force, schema } = args;
    let how = PullOptions { force, images: false, portable: false, schema };
    pull::pull(context, vec![(*key).clone()], out, how, FileScope::Slots).await
}
