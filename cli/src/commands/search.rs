//! `links search`: finds a text on pages and in lead forms.

use super::prelude::*;
use crate::account::file_filter::FileFilter;
use crate::output::counts;
use crate::search::pattern::Pattern;
use crate::search::sources::{self, Sources};
use crate::search::texts::Area;
use crate::search::{self, Hit, report};

#[derive(Args, Debug)]
#[command(
    after_help = "An argument is a path if it contains `/`, ends in .yaml, .yml or .json, or is a directory; otherwise it is a page. Exits with 3 if nothing was found.",
    long_examples = ["links search menu", "links search qara.example cafe --in slots", "links search --regex 'https?://qara\\.\\S+' cafe.yaml"]
)]
pub(crate) struct SearchCommandArgs {
    /// Text to find (case-insensitive)
    #[arg(value_name = "PATTERN")]
    pattern: String,
    /// Pages, page files, or directories of page files; by default, all pages and forms in the account
    #[arg(value_name = "PATH|KEY", value_hint = clap::ValueHint::AnyPath)]
    pages: Vec<PageWord>,
    /// Treat the pattern as a regular expression; case-sensitive unless it starts with (?i)
    #[arg(long)]
    regex: bool,
    /// Search only these parts of pages
    #[arg(long = "in", value_name = "PART", value_delimiter = ',')]
    areas: Vec<Area>,
}

impl SearchCommandArgs {
    pub(super) fn rules(&self) -> CommandRules {
        let (paths, _) = page::split(self.pages.clone());
        let named =
            if paths.is_empty() { NamedFiles::default() } else { named_files(&paths, &[], false) };
        CommandRules { ignores_history: true, ..CommandRules::confined(Ok(named)) }
    }
}

pub(super) async fn run(context: &mut Context, args: SearchCommandArgs) -> CommandResult {
    let SearchCommandArgs { pattern, pages, regex, areas } = args;
    let compiled = Pattern::new(&pattern, regex).map_err(CommandError::usage)?;
    page::check_hosts(context, &pages).await?;
    let (paths, keys) = page::split(pages);
    let mut sources = Sources::default();
    if !paths.is_empty() {
        sources.read = sources::of_files(context, &paths, &FileFilter::default())?;
    }
    if paths.is_empty() || !keys.is_empty() {
        sources::of_account(context, &keys, &areas, &mut sources).await?;
    }
    let Sources { read, failures, not_begun } = sources;
    if read.is_empty() && !failures.is_empty() {
        let message = "no page could be read";
        return Err(CommandError::of_several(failures, message));
    }
    let hits: Vec<Hit<'_>> =
        read.iter().flat_map(|source| search::hits(source, &compiled, &areas)).collect();
    if hits.is_empty() {
        let text = format!("`{pattern}` was not found in {}", counted(&read));
        context.ui.tell(Style::Faint, text);
    }
    let output = report::output(&hits);
    if failures.is_empty() {
        return Ok(output);
    }
    let more =
        if not_begun > 0 { format!("; skipped the other {not_begun}") } else { String::new() };
    let message = format!("only {} could be searched{more}", counted(&read));
    let failure = CommandError::of_some(failures, &message);
    Ok(context.with_failure(output, failure))
}

/// Returns the number of pages and forms that were read: `3 pages and 1 form`.
fn counted(sources: &[search::Source]) -> String {
    let forms = sources.iter().filter(|source| source.is_form).count();
    let read = counts(&[(sources.len() - forms, "page"), (forms, "form")]);
    if read.is_empty() { "0 pages".to_owned() } else { read.join(" and ") }
}
