//! Output of `links lint`: lines, records, and annotations.

use links_pages::page_file::{Document, FilePlace, Places};

use super::broken_rule::{BrokenRule, CheckedFile};
use super::rule_file;
use crate::context::prelude::*;
use crate::output::Instead;
use crate::ui::aligned;
use crate::ui::annotations::{Annotate, Level};

/// Maximum widths to which columns are aligned; longer cells push the rest of their line.
const WIDTHS: [usize; 1] = [40];

/// Returns the output. `found` has the broken rules of each file.
pub(crate) fn output(
    files: &[CheckedFile<'_>],
    found: Vec<Vec<BrokenRule>>,
    strict: bool,
    annotate: Option<Annotate>,
) -> CommandOutput {
    let all = found.len();
    let documents = files.iter().map(|file| file.document);
    let mut placed: Vec<Placed<'_>> =
        documents.zip(found).flat_map(|(document, found)| placed(document, found)).collect();
    // A mistake in a block is one, however many pages use it.
    let mut seen = BTreeSet::new();
    placed.retain(|found| {
        let mut is_new = || seen.insert((found.place.to_string(), found.broken.rule.clone()));
        !found.is_shared || is_new()
    });
    if let Some(annotate) = annotate {
        for Placed { place, broken, .. } in &placed {
            annotate.note(broken.level, (place.file, place.line), &broken.problem.message);
        }
    }
    let count_of = |level| placed.iter().filter(|it| it.broken.level == level).count();
    let (errors, warnings) = (count_of(Level::Error), count_of(Level::Warning));
    let places: Vec<[String; 1]> = placed.iter().map(|it| [it.place.to_string()]).collect();
    let mut lines: Vec<_> =
        placed.iter().zip(aligned(&places, WIDTHS)).map(|(it, place)| it.styled(&place)).collect();
    let counted = [(errors, "error"), (warnings, "warning")];
    let counted = crate::output::counts(&counted);
    let has_rules = files.iter().any(|file| rule_file::of(file.path).is_some());
    let words = match &counted[..] {
        [] if files.is_empty() => "nothing checked".to_owned(),
        [] if has_rules => "no rule broken".to_owned(),
        [] => format!("no rules (no {} found)", rule_file::NAME),
        counted => counted.join(", "),
    };
    lines.push(StyledLine::plain(format!("{}: {words}", count(all, "file"))));
    let data: Vec<Value> = placed.iter().map(Placed::json).collect();
    let meta = json!({ "files": all, "errors": errors, "warnings": warnings });
    let view = View::Listing(lines, Instead::Id("rule"));
    CommandOutput::with_meta(data, meta, view).no_if(errors > 0 || strict && warnings > 0)
}

/// A broken rule with its place.
struct Placed<'f> {
    place: FilePlace<'f>,
    /// True in a file that several pages may use.
    is_shared: bool,
    broken: BrokenRule,
}

/// Returns what a file breaks, in the order of its text.
fn placed(document: &Document, mut found: Vec<BrokenRule>) -> Vec<Placed<'_>> {
    found.sort_by_key(|it| it.problem.span.start);
    let mut places = Places::new(&document.sources);
    let placed = |broken: BrokenRule| {
        let at = broken.problem.span.start;
        Placed { place: places.of(at), is_shared: document.sources.file_of(at) > 0, broken }
    };
    found.into_iter().map(placed).collect()
}

impl Placed<'_> {
    fn styled(&self, place: &str) -> StyledLine {
        let (sign, style) = match self.broken.level {
            Level::Error => ("x", Style::Removed),
            Level::Warning | Level::Notice => ("!", Style::Changed),
        };
        let BrokenRule { rule, problem, .. } = &self.broken;
        StyledLine::new(style, format!("{sign} {place}{} ({rule})", problem.message))
    }

    fn json(&self) -> Value {
        let BrokenRule { rule, level, problem } = &self.broken;
        json!({
            "file": self.place.file,
            "line": self.place.line,
            "column": self.place.column,
            "path": problem.path,
            "rule": rule,
            "level": level.name(),
            "message": problem.message,
        })
    }
}
