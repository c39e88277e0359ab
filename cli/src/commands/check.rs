//! `links check`: finds the links of pages that are dead.

use super::prelude::*;
use crate::account::file_filter::FileFilter;
use crate::check::baseline::BaselineArgs;
use crate::check::checked_link::CheckedLink;
use crate::check::report::{self, ReportOptions};
use crate::check::visits::{VisitOptions, verdicts};
use crate::check::{self, CheckedPage, checked_links, fix};
use crate::ui::annotations::Annotate;

#[derive(Args, Debug)]
#[command(
    after_help = "An argument is a path if it contains `/`, ends in .yaml, .yml or .json, or is a directory; otherwise it is a page. Exits with 3 if a link is broken.",
    long_examples = ["links check cafe.yaml", "links check pages/ --fix", "links check --all --baseline known.json"]
)]
pub(crate) struct CheckArgs {
    /// Page files, form files, directories of them, or pages; by default, the directory of the closest links.lock
    #[arg(value_name = "PATH|KEY", value_hint = clap::ValueHint::AnyPath)]
    pages: Vec<PageWord>,
    /// Check all pages and forms in the account
    #[arg(long)]
    all: bool,
    /// Replace permanently moved links in the files with their new URLs
    #[arg(long, conflicts_with = "all")]
    fix: bool,
    /// Also exit with 3 if a link is reported as unsure
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    filter: FileFilter,
    #[command(flatten)]
    how: VisitOptions,
    #[command(flatten)]
    baseline: BaselineArgs,
    /// Print an annotation for a CI service at the line of each reported link
    #[arg(long, value_name = "FORMAT")]
    annotate: Option<Annotate>,
}

impl CheckArgs {
    pub(super) fn rules(&self) -> CommandRules {
        let (paths, keys) = page::split(self.pages.clone());
        let is_live = self.all || !keys.is_empty();
        let mut named = if is_live && paths.is_empty() {
            NamedFiles::default()
        } else {
            named_files(&paths, &[], false)
        };
        if self.fix {
            // A file is replaced within its directory, and a symbolic link where it leads to.
            let within =
                |path: &PathBuf| if path.is_dir() { path.join("any") } else { path.clone() };
            named.write.extend(named.read.iter().map(within));
        }
        let BaselineArgs { baseline, update_baseline } = &self.baseline;
        let files = if *update_baseline { &mut named.write } else { &mut named.read };
        files.extend(baseline.clone());
        CommandRules {
            ignores_history: !self.filter.compares(),
            ..CommandRules::confined(Ok(named))
        }
    }
}

pub(super) async fn run(context: &mut Context, args: CheckArgs) -> CommandResult {
    let CheckArgs { pages, all, fix, strict, filter, how, baseline: known, annotate } = args;
    page::check_hosts(context, &pages).await?;
    let (paths, keys) = page::split(pages);
    if fix && !keys.is_empty() {
        return Err(CommandError::usage("--fix only changes page files, not pages in the account")
            .with_hint("write the page to a file with `links pull KEY -O FILE`"));
    }
    if fix && paths.iter().any(|path| path.as_os_str() == "-") {
        return Err(CommandError::usage("--fix cannot change standard input; pass the file"));
    }
    let baseline = known.read()?;
    let pages = check::read(context, &paths, &keys, all, &filter).await?;
    let urls = pages.iter().flat_map(|page| &page.links).map(|link| link.url.as_str());
    let (verdicts, requested) = verdicts(context, urls, how).await?;
    let mut links = checked_links(&pages, &verdicts, &baseline);
    let failures = if fix { fix::write_all(&pages, &mut links) } else { Vec::new() };
    if let Some(path) = known.to_update() {
        let checked = pages.iter().map(CheckedPage::holder).collect();
        baseline.update(path, &checked, &links)?;
        links.iter_mut().for_each(CheckedLink::accept);
        let text = format!("wrote {}", path.display());
        context.ui.tell(Style::Faint, text);
    }
    if let Some(annotate) = annotate {
        report::annotate(annotate, &links, !fix);
    }
    let has_baseline = known.baseline.is_some();
    let options = ReportOptions { strict, offers_fix: !fix, has_baseline, requested };
    let failed = CommandError::if_any(failures, "files could not be written");
    Ok(context.with_failure(report::output(links, options), failed.err()))
}
