//! Output of a plan, and of a run that was carried out.

use links_sdk::apply::{AppliedChanges, PageSnapshot};
use serde_json::json;

use super::planned::{Planned, refused};
use crate::error::exit_code::Exit;
use crate::output::{Body, Line, Outcome, Tone, View};

/// A plan as it is shown. Exit code 3 when there is something to do.
pub(crate) fn shown(it: &Planned) -> Outcome {
    let mut lines = it.lines();
    lines.extend(summary(it));
    let body =
        json!({ "data": it.shown(), "meta": { "requests": it.requests(), "refusal": it.refusal } });
    Outcome { body: Body::Own(body), view: View::Lines(lines), exit: exit(it), then: None }
}

/// What it comes to, and whether it would be refused.
pub(crate) fn summary(it: &Planned) -> impl Iterator<Item = Line> {
    let refusal = it.refusal.map(|refusal| {
        Line::new(Tone::Removed, format!("apply would refuse this: {}", refused(refusal)))
    });
    std::iter::once(it.summary()).chain(refusal)
}

/// Whether there is something to do, and `apply` would do it.
pub(crate) fn exit(it: &Planned) -> Exit {
    match it.refusal {
        Some(_) => Exit::Refused,
        None if it.plan.is_empty() => Exit::Ok,
        None => Exit::No,
    }
}

/// What came of it; `run` names it in the history.
pub(crate) fn report(it: &Planned, done: &AppliedChanges, run: Option<&str>) -> Outcome {
    let requests = it.client.requests_sent();
    let counted =
        if requests == 1 { "1 request".to_owned() } else { format!("{requests} requests") };
    let mut lines =
        vec![Line::new(Tone::Plain, format!("{}: {} ({counted})", it.page.login, written(done)))];
    lines.extend(it.came_since());
    lines.extend(it.page.url.clone().map(|url| Line::new(Tone::Faint, url)));
    let PageSnapshot { id, login, url, .. } = &it.page;
    let body = json!({
        "data": { "id": id, "login": login, "url": url, "done": done, "run": run },
        "meta": { "requests": requests },
    });
    Outcome { body: Body::Own(body), view: View::Lines(lines), exit: Exit::Ok, then: None }
}

/// What was done, in a few words.
pub(crate) fn written(done: &AppliedChanges) -> String {
    let counts =
        [(done.updated, "updated"), (done.created.len(), "created"), (done.deleted, "deleted")];
    let mut parts: Vec<_> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    parts.extend(done.reordered.then(|| "put in order".to_owned()));
    if parts.is_empty() { "no changes".to_owned() } else { parts.join(", ") }
}
