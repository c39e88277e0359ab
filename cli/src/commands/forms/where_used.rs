//! Pages that show a form: as the cache knows them, or as all pages are read.

use links_pages::apply::PageSnapshot;
use links_sdk::{Client, ProfileId, ProfileKey, SlotId};
use serde_json::{Value, json};

use crate::account::{estimate, live_page};
use crate::cache::resource_names::ResourceNames;
use crate::context::{Context, seconds_now};
use crate::error::CommandError;
use crate::output::Style;

/// Page that shows a form.
pub(super) struct FormUse {
    id: ProfileId,
    login: String,
    url: Option<String>,
    /// Slots that show it.
    slots: Vec<SlotId>,
}

impl FormUse {
    /// Returns the page as a record.
    pub(super) fn json(&self) -> Value {
        json!({ "id": self.id, "login": self.login, "url": self.url, "slots": self.slots })
    }
}

/// Names the pages that show a form as this machine has seen them, without a request.
pub(super) fn say_known(context: &Context, form: &str) {
    let names = context.names_file().map(|path| ResourceNames::load(&path)).unwrap_or_default();
    let text = match names.pages_with(form) {
        None => "the pages that show the form are not known yet".to_owned(),
        Some(known) => {
            let age = age_words(seconds_now().saturating_sub(known.as_of));
            let pages = known.pages.iter().map(|(login, slots)| (login.as_str(), slots.as_slice()));
            match shown_on(pages) {
                Some(shown) => format!("{shown}, as seen {age}"),
                None => format!("no page that this machine has seen shows the form, as seen {age}"),
            }
        }
    };
    let text = format!("{text}; --where-used reads all pages");
    context.ui.tell(Style::Faint, text);
}

/// Reads all pages, after announcing the cost, and names those that show a form.
pub(super) async fn read_all(
    context: &Context,
    client: &Client,
    form: &str,
) -> Result<Vec<FormUse>, CommandError> {
    let pages = client.profiles().list().await?.items;
    estimate::announce_all(&context.ui, pages.len(), pages.len() + 1);
    let progress = context.ui.progress(pages.len());
    let mut uses = Vec::new();
    for page in &pages {
        progress.now(&page.login);
        let page = PageSnapshot::read(client, &ProfileKey::Id(page.id)).await?;
        let shows = |slot: &&links_sdk::Slot| live_page::form_of(slot) == Some(form);
        let slots: Vec<SlotId> = page.slots.iter().filter(shows).map(|slot| slot.id).collect();
        if !slots.is_empty() {
            uses.push(FormUse { id: page.id, login: page.login, url: page.url, slots });
        }
        progress.step();
    }
    drop(progress);
    let shown = shown_on(uses.iter().map(|it| (it.login.as_str(), it.slots.as_slice())));
    let text = shown.unwrap_or_else(|| "no page shows the form".to_owned());
    context.ui.tell(Style::Plain, text);
    Ok(uses)
}

/// Returns the words for pages with their slots: `shown on cafe (slot 1004), bar (slots 7, 8)`.
fn shown_on<'p>(pages: impl Iterator<Item = (&'p str, &'p [SlotId])>) -> Option<String> {
    let page = |(login, slots): (&str, &[SlotId])| {
        let ids: Vec<String> = slots.iter().map(ToString::to_string).collect();
        let what = if ids.len() == 1 { "slot" } else { "slots" };
        format!("{login} ({what} {})", ids.join(", "))
    };
    let pages: Vec<String> = pages.map(page).collect();
    (!pages.is_empty()).then(|| format!("shown on {}", pages.join(", ")))
}

/// Returns the words for an age in seconds: `5 min ago`.
fn age_words(seconds: u64) -> String {
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    match (minutes, hours) {
        (0, _) => "less than a minute ago".to_owned(),
        (_, 0) => format!("{minutes} min ago"),
        (_, 1..=47) => format!("{hours} h ago"),
        (_, hours) => format!("{} days ago", hours / 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_named_with_their_slots() {
        assert_eq!(shown_on(std::iter::empty()), None);
        let pages: [(&str, &[SlotId]); 2] =
            [("cafe", &[1004.into()]), ("bar", &[7.into(), 8.into()])];
        let shown = shown_on(pages.into_iter());
        assert_eq!(shown.unwrap(), "shown on cafe (slot 1004), bar (slots 7, 8)");
    }

    #[test]
    fn an_age_has_one_unit() {
        let words = [0, 59, 60, 3599, 3600, 47 * 3600, 48 * 3600].map(age_words);
        assert_eq!(
            words,
            [
                "less than a minute ago",
                "less than a minute ago",
                "1 min ago",
                "59 min ago",
                "1 h ago",
                "47 h ago",
                "2 days ago"
            ]
        );
    }
}
