//! `links preview`: shows pages as their files would make them.

use super::prelude::*;
use crate::account::file_filter::FileFilter;
use crate::account::files::AccountFiles;
use crate::account::{page_files, summary};
use crate::apply::apply_args::{ApplyArgs, RunOptions, SyncArgs};
use crate::apply::sync::page_path::pages_of;
use crate::lint::rule_file;
use crate::preview::{ApplyWhen, PreviewRequest, previews, serve, shown, written_pages};

#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[derive(Args, Debug)]
#[command(examples = ["links preview cafe.yaml", "links preview cafe.yaml --diff --summary preview.md", "links preview cafe.yaml --serve --apply", "links preview . --html preview"])]
pub(crate) struct PreviewArgs {
    /// Page files, directories of them, or pages that have a file (`-`: standard input); by default, the directory of the closest links.lock
    #[arg(value_name = "PATH|KEY", value_hint = clap::ValueHint::AnyPath)]
    pages: Vec<PageWord>,
    /// Show what changes for readers, and exit with 3 if anything does
    #[arg(long)]
    diff: bool,
    /// Append the preview in Markdown to this file (`-`: print it), for a CI summary or a comment
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    summary: Option<PathBuf>,
    /// Write web pages with before and after to this directory
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    html: Option<PathBuf>,
    /// Exit with 3 if the page would be longer than N language-model tokens
    #[arg(long, value_name = "N", hide_short_help = true)]
    max_tokens: Option<u64>,
    /// Preview without an account or a network connection
    #[arg(long, conflicts_with = "diff")]
    offline: bool,
    /// Show the pages in a browser until Ctrl-C, and reload them on file changes
    #[arg(long, conflicts_with_all = ["diff", "summary", "max_tokens", "html"])]
    serve: bool,
    /// Let the browser apply the file: with a `key`, or also after each `save`
    #[arg(long, value_name = "WHEN", value_enum, hide_possible_values = true, num_args = 0..=1, require_equals = true, default_missing_value = "key", requires = "serve", conflicts_with = "offline")]
    apply: Option<ApplyWhen>,
    /// Port on the loopback address; chosen automatically by default
    #[arg(long, requires = "serve", hide_short_help = true)]
    port: Option<u16>,
    /// Leave out slots that are not in the file
    #[arg(long, hide_short_help = true)]
    prune: bool,
    /// Also allow images in this directory, not only next to the file
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, hide_short_help = true)]
    upload_root: Vec<PathBuf>,
    #[command(flatten)]
    filter: FileFilter,
    #[command(flatten)]
    sync: SyncArgs,
}

impl PreviewArgs {
    pub(super) fn rules(&self) -> CommandRules {
        let writes = self.apply.is_some();
        let mut named = page_files::named(self.pages.clone(), &self.upload_root, writes);
        named.write.extend(summary::file(self.summary.as_ref()));
        named.write.extend(self.html.iter().map(|directory| existing(directory).join("any")));
        let is_ruled = named.read.iter().any(|path| path.ends_with(rule_file::NAME));
        let files = if self.serve && is_ruled {
            Err("the rules of links.toml are checked whenever a file is saved")
        } else {
            Ok(named)
        };
        let plan = if writes { PlanRule::Interactive } else { PlanRule::DryRun };
        CommandRules { plan, ..CommandRules::confined(files) }
    }
}

pub(super) async fn run(context: &mut Context, args: PreviewArgs) -> CommandResult {
    let PreviewArgs { pages, filter, diff, summary, max_tokens, offline, .. } = args;
    let (prune, upload_root, sync) = (args.prune, args.upload_root, args.sync);
    let flags = ApplyArgs { prune, upload_root, unlock: true, ..ApplyArgs::default() };
    let options = RunOptions { flags, sync, ..RunOptions::default() };
    page::check_hosts(context, &pages).await?;
    let paths = page_files::paths(context, pages)?;
    // When pages are served, the rules are checked at each change.
    let is_ruled = |path: &Path| !args.serve && rule_file::of(path).is_some();
    let (paths, mut failures) = match &paths[..] {
        // What it is, is said when it is read.
        [only] if !only.is_dir() && filter.takes_all() && !is_ruled(only) => {
            let rows = if only.as_os_str() == "-" { None } else { pages_of(only) };
            (rows.unwrap_or(paths), Vec::new())
        }
        _ => {
            let roots = &options.flags.upload_root;
            let mut files = AccountFiles::read(context, &paths, roots, &filter)?;
            // What it is, is said when it is read.
            let is_form = paths.len() == 1
                && !paths[0].is_dir()
                && files.pages.is_empty()
                && !files.forms.is_empty();
            files.forms.clear();
            if !args.serve {
                files.check_rules(context)?;
            }
            let pages = files.pages.into_iter().map(|(path, _)| path);
            (if is_form { paths } else { pages.collect() }, files.failures)
        }
    };
    let request = |path| PreviewRequest { path, options: options.clone(), offline };
    if args.serve {
        CommandError::if_any(failures, "files cannot be previewed")?;
        if paths.is_empty() {
            return Err(no_page_file());
        }
        let requests = paths.into_iter().map(request).collect();
        return Box::pin(serve(context, requests, args.port, args.apply)).await;
    }
    summary::check(summary.as_deref(), context.settings.output)?;
    let requests = paths.into_iter().map(request).collect();
    let previews = previews(context, requests, &mut failures).await?;
    if previews.is_empty() && !filter.compares() {
        CommandError::if_any(failures, "files cannot be previewed")?;
        return Err(no_page_file());
    }
    let documents = match &args.html {
        Some(directory) => written_pages::write(directory, &previews, &failures)?,
        None => Vec::new(),
    };
    let failed = CommandError::if_any(failures, "files cannot be previewed");
    let output = shown(context, previews, diff, summary.as_deref(), max_tokens, &documents)?;
    Ok(context.with_failure(output, failed.err()))
}

fn no_page_file() -> CommandError {
    let failure = CommandError::usage("no page file found");
    failure.with_hint("a page file starts with `profile: LOGIN`")
}

/// Returns the closest directory that exists.
fn existing(directory: &Path) -> &Path {
    let existing = directory.ancestors().find(|it| it.is_dir());
    existing.filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
