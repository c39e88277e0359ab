//! `links pull` and `links slots pull`: write pages and forms to files.

use std::num::NonZeroUsize;

use super::prelude::*;
use crate::account::pull::{self, PullOptions};
use links_pages::page_file::FileScope;
use links_pages::sanitize::quoted;

#[derive(Args, Debug)]
#[command(examples = ["links pull cafe -O cafe.yaml", "links pull --all -O site"])]
pub(crate) struct PullArgs {
    /// Pages (IDs, logins or URLs), page files, form files, or directories of them
    #[arg(value_name = "KEY|PATH")]
    profiles: Vec<PageWord>,
    /// Pull all pages and forms in the account
    #[arg(long, conflicts_with = "profiles")]
    all: bool,
    /// Write one page to this file (.json for JSON), or pages to this directory
    ///
    /// By default, one page is written to standard output. Several pages are written to the directory of the closest links.lock, or to the current directory if there is none.
    #[arg(short = 'O', long, value_name = "FILE|DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    how: PullOptions,
    /// Number of accounts at a time, for the paths of several accounts
    #[arg(long, value_name = "N", default_value_t = JOBS, value_parser = jobs, hide_short_help = true)]
    jobs: NonZeroUsize,
}

impl PullArgs {
    pub(super) fn account_words(&mut self) -> AccountWords<'_> {
        let cannot = self.out.as_ref().map(|_| "-O names one file or directory");
        AccountWords {
            words: &mut self.profiles,
            jobs: self.jobs,
            cannot,
            asks: false,
            summary: None,
        }
    }
}

#[derive(Args, Debug)]
#[command(examples = ["links slots pull cafe -O cafe.yaml"])]
pub(crate) struct SlotsPullArgs {
    /// ID, login or URL of the page
    key: PageKey,
    /// Write to this file, as JSON if its name ends in .json (`-`: standard output)
    #[arg(short = 'O', long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace the file if it exists, instead of merging changes into it
    #[arg(long, requires = "out")]
    force: bool,
    /// Schema for editors to name in the first line: a path relative to the file. By default, `page.schema.json` next to the file, if there is one. `links schema page` prints the schema
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    schema: Option<String>,
}

pub(super) async fn run(context: &mut Context, args: PullArgs) -> CommandResult {
    let PullArgs { profiles, all, out, how, jobs: _ } = args;
    page::check_hosts(context, &profiles).await?;
    let (paths, keys) = page::split(profiles);
    if !paths.is_empty() {
        if let Some(key) = keys.first() {
            let message = format!(
                "files and the page {key} must be pulled by separate commands; nothing was written"
            );
            let key = quoted(&key.to_string());
            return Err(CommandError::usage(message)
                .with_hint(format!("run `links pull FILE...`, then `links pull {key} -O FILE`")));
        }
        if out.is_some() || how.portable {
            let message =
                "-O and --portable cannot be used with existing files; nothing was written";
            return Err(CommandError::usage(message)
                .with_hint("pass the page's login: `links pull LOGIN -O FILE`"));
        }
        return pull::pull_files(context, &paths, how).await;
    }
    if keys.is_empty() && !all {
        return Err(CommandError::usage("no page given").with_hint(
            "pass pages (`links pull LOGIN -O FILE`), or pull every page and form with `links pull --all`",
        ));
    }
    pull::pull(context, keys, out, how, FileScope::Page).await
}

pub(super) async fn slots(context: &mut Context, args: SlotsPullArgs) -> CommandResult {
    let SlotsPullArgs { key, out, force, schema } = args;
    key.check_host(context).await?;
    let how = PullOptions { force, schema, ..PullOptions::default() };
    pull::pull(context, vec![(*key).clone()], out, how, FileScope::Slots).await
}
