//! `links lint`: checks page files and form files against house rules.

use super::prelude::*;
use crate::account::file_filter::FileFilter;
use crate::account::files::{AccountFiles, or_all};
use crate::account::page_files;
use crate::apply::sync::from_here;
use crate::lint::{self, CheckedFile, report, rule_file};
use crate::ui::annotations::Annotate;
use links_pages::fs::directory_of;

#[derive(Args, Debug)]
#[command(
    after_help = "Checks the files against the rules of the closest links.toml, without the network. Exits with 3 if a rule of the level error is broken.",
    long_examples = ["links lint cafe.yaml", "links lint . --annotate github"]
)]
pub(crate) struct LintArgs {
    /// Files, directories, or pages that have a file; by default, all files in the directory of links.lock
    #[arg(value_name = "PATH|KEY", value_hint = clap::ValueHint::AnyPath)]
    paths: Vec<PageWord>,
    /// Also exit with 3 if a rule of the level warning is broken
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    filter: FileFilter,
    /// Also allow images in this directory, not only next to the file
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, hide_short_help = true)]
    upload_root: Vec<PathBuf>,
    /// Print an annotation for a CI service at the line of each broken rule
    #[arg(long, value_name = "FORMAT")]
    annotate: Option<Annotate>,
}

impl LintArgs {
    pub(super) fn rules(&self) -> CommandRules {
        let words = or_governed(self.paths.clone());
        let named = page_files::named(words, &self.upload_root, false);
        CommandRules {
            ignores_history: !self.filter.compares(),
            ..CommandRules::confined(Ok(named))
        }
    }
}

/// Returns the words; without any and without a lock, the directory of the closest `links.toml`.
fn or_governed(words: Vec<PageWord>) -> Vec<PageWord> {
    match rule_file::of(Path::new(rule_file::NAME)) {
        Some(rules) if words.is_empty() && or_all(&[]).is_err() => {
            vec![PageWord::Path(from_here(directory_of(&rules)))]
        }
        _ => words,
    }
}

pub(super) fn run(context: &Context, args: LintArgs) -> CommandResult {
    let LintArgs { paths, strict, filter, upload_root, annotate } = args;
    let paths = page_files::paths(context, or_governed(paths))?;
    let mut files = AccountFiles::read(context, &paths, &upload_root, &filter)?;
    let failures = std::mem::take(&mut files.failures);
    if let Some(annotate) = annotate {
        for failure in &failures {
            annotate.failure(failure);
        }
    }
    if files.is_empty() && !filter.compares() {
        CommandError::if_any(failures, "files cannot be used")?;
        return Err(CommandError::usage("no page or form file found"));
    }
    let checked: Vec<CheckedFile<'_>> = files.to_check().collect();
    let found = lint::check(checked.iter().copied())?;
    let output = report::output(&checked, found, strict, annotate);
    let failed = CommandError::if_any(failures, "files cannot be used");
    Ok(context.with_failure(output, failed.err()))
}
