//! Output of a check: lines, records, and annotations.

use super::checked_link::CheckedLink;
use super::web::verdict::Verdict;
use crate::context::prelude::*;
use crate::output::Instead;
use crate::ui::aligned;
use crate::ui::annotations::{Annotate, Level};

/// Maximum widths to which columns are aligned; longer cells push the rest of their line.
const WIDTHS: [usize; 3] = [40, 32, 60];

/// What a check reports besides its links.
pub(crate) struct ReportOptions {
    pub(crate) strict: bool,
    /// `--fix` can be named as the way to write a move.
    pub(crate) offers_fix: bool,
    /// The links were compared with a baseline.
    pub(crate) has_baseline: bool,
    /// Number of URLs that were requested.
    pub(crate) requested: usize,
}

/// Returns the output of a check.
pub(crate) fn output(links: Vec<CheckedLink>, options: ReportOptions) -> CommandOutput {
    let count = |is: &dyn Fn(&CheckedLink) -> bool| links.iter().filter(|it| is(it)).count();
    let counts = [
        (count(&|it| it.judgement.verdict == Verdict::Broken), "broken"),
        (count(&|it| it.judgement.verdict == Verdict::Unsure), "unsure"),
        (count(&|it| it.judgement.moved_to.is_some() && !it.is_fixed), "moved"),
        (count(&|it| it.is_fixed), "fixed"),
    ];
    // These decide the exit code.
    let new = count(&|it| it.fails(options.strict));
    let mut meta = json!({ "links": links.len(), "requested": options.requested });
    for (count, what) in counts {
        meta[what] = count.into();
    }
    meta["new"] = new.into();
    let mut lines = lines(&links, options.offers_fix);
    let counted = counts.iter().filter(|(count, _)| *count > 0);
    let mut words: Vec<_> = counted.map(|(count, what)| format!("{count} {what}")).collect();
    if words.is_empty() {
        words.push("all fine".to_owned());
    } else if options.has_baseline {
        words.push(format!("{new} new"));
    }
    let words = words.join(", ");
    lines.push(StyledLine::plain(match links.len() {
        0 => "no links".to_owned(),
        all => format!("{}: {words}", crate::output::count(all, "link")),
    }));
    let data: Vec<Value> = links.iter().map(CheckedLink::json).collect();
    let view = View::Listing(lines, Instead::Id("url"));
    CommandOutput::with_meta(data, meta, view).no_if(new > 0)
}

/// Writes an annotation for each link that has a file and something to be said about it.
pub(crate) fn annotate(annotate: Annotate, links: &[CheckedLink], offers_fix: bool) {
    for link in links.iter().filter(|link| link.is_notable()) {
        let level = match link.judgement.verdict {
            _ if link.is_known => Level::Notice,
            Verdict::Broken => Level::Error,
            Verdict::Unsure => Level::Warning,
            Verdict::Fine => Level::Notice,
        };
        let message = format!("{} {}: {}", link.owner(), link.found.url, link.message(offers_fix));
        match &link.place {
            Some((file, line, _)) => {
                annotate.note(level, (&file.display().to_string(), *line), &message);
            }
            None if level == Level::Error => annotate.error(None, &message),
            None => {}
        }
    }
}

fn lines(links: &[CheckedLink], offers_fix: bool) -> Vec<StyledLine> {
    let notable: Vec<&CheckedLink> = links.iter().filter(|link| link.is_notable()).collect();
    let rows: Vec<[String; 3]> =
        notable.iter().map(|link| [link.place(), link.owner(), link.found.url.clone()]).collect();
    let line = |(link, row): (&&CheckedLink, String)| {
        let (sign, style) = match link.judgement.verdict {
            Verdict::Broken => ("x", Style::Removed),
            Verdict::Unsure => ("?", Style::Changed),
            Verdict::Fine => (">", Style::Plain),
        };
        let style = if link.is_known { Style::Faint } else { style };
        StyledLine::new(style, format!("{sign} {row}{}", link.message(offers_fix)))
    };
    notable.iter().zip(aligned(&rows, WIDTHS)).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::super::web::verdict::{Judgement, MOVED};

    use super::super::checked_link::LinkHolder;
    use super::super::collect::{FoundLink, LinkedValue};
    use super::*;
    use crate::search::texts::Owner;
    use links_pages::page_file::patch::Path;

    fn link(line: usize, owner: Option<&str>, url: &str, judgement: Judgement) -> CheckedLink {
        let slot = owner.map(|title| {
            let (kind, title) = (Some("button".to_owned()), Some(title.to_owned()));
            Owner { id: None, kind, title }.into()
        });
        let found = FoundLink {
            value: LinkedValue {
                path: Path::root().key("socials").item(0),
                written_at: None,
                text: url.to_owned(),
                span: 0..0,
                base: 0,
            }
            .into(),
            slot,
            url: url.to_owned(),
            part: None,
            is_escaped: false,
            offset: 0,
        };
        CheckedLink {
            holder: LinkHolder::Page("cafe".to_owned()),
            place: Some(("cafe.yaml".into(), line, 13)),
            found,
            judgement,
            is_cached: false,
            is_known: false,
            is_fixed: false,
            fix_error: None,
        }
    }

    fn moved(to: &str) -> Judgement {
        let notes = vec![(MOVED, format!("moved to {to}"))];
        Judgement { notes, moved_to: Some(to.to_owned()), ..Judgement::default() }
    }

    fn shown(links: &[CheckedLink], has_baseline: bool) -> (Vec<String>, Exit) {
        let options = ReportOptions { strict: false, offers_fix: true, has_baseline, requested: 3 };
        let output = output(links.to_vec(), options);
        let View::Listing(lines, _) = output.view else { panic!() };
        (lines.iter().map(|line| line.text().to_owned()).collect(), output.exit)
    }

    #[test]
    fn links_are_shown_with_their_places_aligned() {
        let mut links = [
            link(12, Some("Menu"), "https://qara.example/menu", Judgement::broken("status", "404")),
            link(
                31,
                None,
                "https://www.linkedin.com/qara",
                Judgement::unsure("status", "999: blocks bots; check in a browser"),
            ),
            link(18, Some("Map"), "http://maps.example/q", moved("https://maps.example/q")),
            link(40, None, "https://fine.example/", Judgement::default()),
        ];
        let (lines, exit) = shown(&links, false);
        assert_eq!(
            lines,
            [
                "x cafe.yaml:12:13  button \"Menu\"  https://qara.example/menu      404",
                "? cafe.yaml:31:13  social         https://www.linkedin.com/qara  999: blocks bots; check in a browser",
                "> cafe.yaml:18:13  button \"Map\"   http://maps.example/q          moved to https://maps.example/q (use --fix)",
                "4 links: 1 broken, 1 unsure, 1 moved",
            ]
        );
        assert_eq!(exit, Exit::No);
        (links[0].is_known, links[2].is_fixed) = (true, true);
        let (lines, exit) = shown(&links, true);
        assert!(lines[0].ends_with(" 404 (in the baseline)"), "{lines:?}");
        assert!(lines[2].ends_with(" moved to https://maps.example/q (fixed)"), "{lines:?}");
        assert_eq!(lines[3], "4 links: 1 broken, 1 unsure, 1 fixed, 0 new");
        assert_eq!(exit, Exit::Ok);
        assert_eq!(shown(&links[3..], false).0, ["1 link: all fine"]);
        assert_eq!(shown(&[], false), (vec!["no links".to_owned()], Exit::Ok));
    }

    #[test]
    fn a_move_that_gives_up_encryption_is_shown_and_not_written() {
        let moved = |from: &str, to: &str| link(1, None, from, moved(to));
        let safe = moved("https://a.example/", "http://a.example/");
        assert_eq!(safe.fix(), None);
        assert_eq!(safe.message(true), "moved to http://a.example/ (not encrypted)");
        for (from, to) in
            [("http://a.example", "http://b.example"), ("http://a.example", "HTTPS://b.example")]
        {
            assert_eq!(moved(from, to).fix(), Some(to));
        }
    }

    #[test]
    fn unsure_links_fail_only_where_that_is_asked_for() {
        let unsure = Judgement::unsure("timeout", "no answer");
        let mut link = link(1, None, "https://a.example", unsure);
        assert!(!link.fails(false) && link.fails(true));
        link.is_known = true;
        assert!(!link.fails(true));
    }

    #[test]
    fn what_a_site_says_cannot_drive_the_terminal() {
        let hostile = Judgement::unsure("connection", "\u{1b}[2J\nforged");
        let lines = lines(&[link(1, None, "https://a.example/\u{202e}", hostile)], true);
        let text = lines[0].text();
        assert!(!text.contains(['\u{1b}', '\n', '\u{202e}']), "{text:?}");
    }
}
