//! Number of requests of a run, and the time that they take by the rate limits of the service.

use links_pages::apply::Plan;
use links_sdk::RateLimits;

use super::state::{AccountState, PageState};
use crate::apply::planned::PlannedPage;
use crate::output::{Style, count};
use crate::ui::{PartUpdate, Ui, update};

/// Number of pages from which the time of a run is announced.
const ANNOUNCED: usize = 20;

/// Returns the maximum number of requests of the whole run if nothing fails, including those that were sent. More than the service takes in
/// a second make the run wait, and read a page again before each change.
pub(super) fn requests(state: &AccountState) -> usize {
    let sent = usize::try_from(state.client.requests_sent()).unwrap_or_default();
    // A form is read before it is changed, and the forms are listed again before one is created.
    let creates_form = state.forms.iter().any(|form| form.plan.id.is_none());
    let forms = state.changed_forms().map(|form| if form.plan.id.is_some() { 2 } else { 1 });
    let forms = forms.sum::<usize>() + usize::from(creates_form);
    let has_uploads = state.planned().any(|planned| planned.upload_requests() > 0);
    // After a question the pages are read again, and before it the token is looked at.
    let asks = usize::from(state.asks_first && state.has_changes());
    let is_later = forms > 0 || has_uploads || asks > 0;
    // The languages of the service are read once, before one is set.
    let sets_language =
        state.planned().any(|planned| planned.plan().fields.changed.contains_key("languageCode"));
    let plans = || state.planned().map(PlannedPage::plan);
    // New slots are looked for before something is removed from another page, and once more before slots of their own page are deleted.
    let removing = plans().filter(|it| it.removes()).count();
    let looks = |waits: bool| {
        let is_looked_for = |plan: &&Plan| {
            let others = removing - usize::from(plan.removes());
            // Where the run waits, it is counted with the page.
            let is_own = plan.removes() && (waits || plan.deletes.is_empty());
            others > 0 && !is_own && plan.is_looked_for()
        };
        plans().filter(is_looked_for).count()
    };
    let total = |waits: bool| -> usize {
        let pages = state.pages.iter().map(|page| of_page(page, is_later, waits));
        sent + asks + forms + looks(waits) + pages.sum::<usize>() + usize::from(sets_language)
    };
    let at_once = total(false);
    if at_once > RateLimits::default().per_second { total(true) } else { at_once }
}

/// Returns the number of requests that write a page and read it again.
fn of_page(page: &PageState, is_later: bool, waits: bool) -> usize {
    let Some(planned) = &page.planned else { return 0 };
    let (plan, uploads) = (planned.plan(), planned.upload_requests());
    // It is created and read. Its login, as a new one of another page, was checked before.
    let created = if page.is_new { 2 } else { 0 };
    if plan.is_empty() && !page.is_new {
        return 0;
    }
    let writes = plan.requests(waits);
    let is_read_again = if waits {
        // Where the first write reads the page itself, that is counted with it.
        !plan.is_compared_when_written()
    } else {
        is_later && uploads == 0 && !page.is_new
    };
    let read = 1 + usize::from(has_language(planned));
    // What a page is created with is known then only; it is verified even if nothing is to be written.
    let writes = if plan.is_empty() { 1 } else { writes - 1 + usize::from(has_language(planned)) };
    uploads + created + writes + usize::from(is_read_again) * read
}

/// Returns whether the page is read together with its settings.
fn has_language(planned: &PlannedPage) -> bool {
    let said = &planned.file.page.content.fields;
    !planned.plan().fields.is_empty() && said.contains_key("languageCode")
}

/// Returns the number of seconds that requests take if nothing else is sent: as many as a minute allows at once, the others in the minutes
/// after it.
fn seconds(requests: usize) -> usize {
    let (limits, last) = (RateLimits::default(), requests.saturating_sub(1));
    last / limits.per_minute * 60 + last % limits.per_minute / limits.per_second
}

/// Announces the requests of a command that reads many pages.
pub(crate) fn announce(ui: &Ui, pages: usize, requests: usize) {
    update(PartUpdate::Pages(pages));
    if pages >= ANNOUNCED {
        announce_all(ui, pages, requests);
    }
}

/// Announces the requests of an option that reads all pages, however many they are.
pub(crate) fn announce_all(ui: &Ui, pages: usize, requests: usize) {
    let text = format!("reading {}: at least {}", count(pages, "page"), words(requests));
    ui.tell(Style::Faint, text);
}

/// Describes a number of requests and their time: `14 requests, about 2 s`.
pub(crate) fn words(requests: usize) -> String {
    let seconds = seconds(requests);
    let counted = count(requests, "request");
    match seconds {
        0..=1 => counted,
        2..=99 => format!("{counted}, about {seconds} s"),
        _ => format!("{counted}, about {} min", seconds.div_ceil(60)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minute_passes_after_as_many_requests_as_it_allows() {
        let times = [0, 1, 5, 6, 60, 61, 102, 121].map(seconds);
        assert_eq!(times, [0, 0, 0, 1, 11, 60, 68, 120]);
        assert_eq!(words(1), "1 request");
        assert_eq!(words(102), "102 requests, about 68 s");
        assert_eq!(words(400), "400 requests, about 7 min");
    }
}
