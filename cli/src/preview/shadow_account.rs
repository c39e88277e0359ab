//! Records of the service in the model's own types.

use jiff::{SignedDuration, Timestamp};
use links_fixtures::{Account, Form, FormField, Language, Profile, Slot, Social, World};

use super::live_account::LiveAccount;
use crate::account::files::AccountFiles;
use crate::account::shadow_run::KNOWN_TYPES;
use crate::context::prelude::*;
use links_pages::page_file::ReferenceTarget;

/// Language of which only the id is known.
const UNREAD_LANGUAGE: &str = "unread";

/// First id that the shadow gives to a new page or slot, beyond those that a service has.
const FIRST_ID: u64 = 1 << 52;

/// Returns the account with the page and the forms that were read.
pub(super) fn of_live(live: &LiveAccount, files: &AccountFiles) -> Account {
    let mut account = empty();
    account.profiles.extend(live.page.as_ref().map(profile));
    account.forms = live.forms.iter().flatten().map(form).collect();
    let read = live.languages.iter().flatten();
    account.languages = read.map(|it| language(it.id.unsigned_abs(), &it.code)).collect();
    if account.languages.is_empty() {
        account.languages = languages_of(files);
        let used = account.profiles.iter().filter_map(|page| page.language_id);
        account.languages.extend(used.map(|id| language(id, UNREAD_LANGUAGE)));
    }
    account
}

/// Returns the account of a file alone: its page with the slots that the file identifies, and the forms that it refers to.
pub(super) fn of_file(files: &AccountFiles) -> Account {
    let mut account = empty();
    account.languages = languages_of(files);
    let Some((_, file)) = files.pages.first() else { return account };
    account.forms = forms_of(file);
    let (id, login) = match &file.page.profile {
        ProfileKey::Id(id) => (id.get().unsigned_abs(), "page".to_owned()),
        ProfileKey::Login(login) => (FIRST_ID - 1, login.clone()),
    };
    let mut page = Profile::new(id, login, Timestamp::UNIX_EPOCH);
    let items = file.page.content.slots.iter();
    page.slots = items
        .filter_map(|item| {
            let id = item.id?.get().unsigned_abs();
            let mut slot = Slot::new(id, item.kind.clone(), serde_json::Map::new());
            slot.supported = KNOWN_TYPES.contains(&item.kind.as_str());
            Some(slot)
        })
        .collect();
    account.profiles.push(page);
    account
}

fn empty() -> Account {
    let mut account = World::empty().with_random_tokens().into_account();
    account.taken_logins.clear();
    account.next_id = FIRST_ID;
    account
}

/// Returns the language that a file names.
fn languages_of(files: &AccountFiles) -> Vec<Language> {
    let fields = files.pages.iter().map(|(_, file)| &file.page.content.fields);
    let codes = fields.filter_map(|fields| fields.get("languageCode")?.as_str());
    codes.map(|code| language(FIRST_ID, code)).collect()
}

fn language(id: u64, code: &str) -> Language {
    Language { id, code: code.to_owned(), name: code.to_owned() }
}

/// Returns a form for each one that a file refers to by its name or by its id.
fn forms_of(file: &PageFile) -> Vec<Form> {
    let named = file.references.iter().filter_map(|reference| match &reference.target {
        ReferenceTarget::Form(name) => Some(name.clone()),
        ReferenceTarget::Upload(_) => None,
    });
    let named: BTreeSet<String> = named.collect();
    let nth_id = |nth: usize| format!("00000000-0000-4000-8000-{nth:012}");
    let named = named.into_iter().enumerate().map(|(nth, name)| untold(nth_id(nth), name));
    let slots = file.page.content.slots.iter().filter(|slot| slot.kind == "form");
    let ids: BTreeSet<&str> = slots.filter_map(|slot| slot.data.get("formId")?.as_str()).collect();
    named.chain(ids.into_iter().map(|id| untold(id.to_owned(), "Form".to_owned()))).collect()
}

/// Returns a form of which only the title is known.
fn untold(id: String, title: String) -> Form {
    Form { success_message: String::new(), ..Form::new(id, title, Timestamp::UNIX_EPOCH) }
}

fn profile(page: &PageSnapshot) -> Profile {
    let record = &page.record;
    let text = |name: &str| record.get(name).and_then(Value::as_str).map(str::to_owned);
    let computed = |name: &str| record.get("computed").and_then(|it| it.get(name));
    let mut profile =
        Profile::new(page.id.get().unsigned_abs(), page.login.clone(), Timestamp::UNIX_EPOCH);
    profile.title = text("title");
    profile.description = text("description");
    profile.avatar = text("avatar");
    profile.bg_image = text("bgImage");
    profile.socials = record.get("socials").map(socials).unwrap_or_default();
    profile.theme_id = record.get("themeId").and_then(Value::as_u64).unwrap_or(1);
    profile.language_id = record.get("languageId").and_then(Value::as_u64);
    profile.mood_text = text("moodText");
    profile.mood_hours = record.get("moodHours").and_then(Value::as_i64);
    let is_active = computed("moodActive").and_then(Value::as_bool) != Some(false);
    let expires = computed("moodExpiresAt").and_then(Value::as_str);
    profile.mood_set_at = mood_set_at(
        profile.mood_hours,
        is_active,
        expires.and_then(|text| text.parse().ok()),
        (page.read_at.try_into().unwrap_or_default(), Timestamp::now()),
    );
    profile.is_main = computed("isMain").and_then(Value::as_bool).unwrap_or_default();
    profile.status = computed("status").and_then(Value::as_bool).unwrap_or(true);
    profile.slots = page.slots.iter().map(slot).collect();
    profile
}

/// Returns a time at which the status was set, so that it is shown as long as the service shows it. `read_at` is a time of the service, and
/// `now` the time of this machine, by which the preview goes: a page that was read earlier is shown as it was then.
fn mood_set_at(
    hours: Option<i64>,
    is_active: bool,
    expires: Option<Timestamp>,
    (read_at, now): (Timestamp, Timestamp),
) -> Option<Timestamp> {
    let shown = hours.and_then(SignedDuration::try_from_hours);
    match (shown, expires) {
        _ if !is_active => Some(Timestamp::UNIX_EPOCH),
        (Some(shown), Some(expires)) => {
            now.checked_add(expires.duration_since(read_at)).ok()?.checked_sub(shown).ok()
        }
        _ => Some(now),
    }
}

fn socials(list: &Value) -> Vec<Social> {
    let social = |(nth, item): (usize, &Value)| {
        let order = item["order"].as_i64().or_else(|| i64::try_from(nth).ok())?;
        Some(Social { link: item["link"].as_str()?.to_owned(), order })
    };
    let items = list.as_array().into_iter().flatten().enumerate();
    let mut socials: Vec<Social> = items.filter_map(social).collect();
    socials.sort_by_key(|social| social.order);
    socials
}

fn slot(slot: &links_sdk::Slot) -> Slot {
    let mut copy = Slot::new(slot.id.get().unsigned_abs(), slot.kind.clone(), slot.data.0.clone());
    copy.supported = slot.supported;
    copy
}

/// Returns a form with what is shown of it on a page.
fn form(form: &LeadForm) -> Form {
    Form {
        description: form.description.clone(),
        button_text: form.button_text.clone(),
        fields: form
            .fields
            .iter()
            .map(|field| FormField {
                label: field.label.clone(),
                placeholder: field.placeholder.clone(),
                required: field.required,
                ..FormField::default()
            })
            .collect(),
        // Whether the form is shown as closed is what the service says.
        enabled: form.active,
        ..untold(form.id.to_string(), form.title.clone())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_status_is_shown_as_long_as_the_service_shows_it() {
        let now = Timestamp::from_second(1_000_000).unwrap();
        let later = Timestamp::from_second(1_003_600).unwrap();
        for skew in [0, -7200, 7200, 86_400] {
            let read_at = Timestamp::from_second(1_000_000 - skew).unwrap();
            let expires = Timestamp::from_second(1_003_600 - skew).unwrap();
            let set_at = mood_set_at(Some(2), true, Some(expires), (read_at, now));
            assert_eq!(set_at, Timestamp::from_second(996_400).ok(), "{skew}");
        }
        let set_at = |is_active, expires| mood_set_at(Some(2), is_active, expires, (now, now));
        assert_eq!(set_at(true, None), Some(now));
        assert_eq!(set_at(false, Some(later)), Some(Timestamp::UNIX_EPOCH));
    }

    #[test]
    fn socials_are_read_in_their_order() {
        let list = json!([{"link": "https://b.example", "order": 2}, {"link": "https://a.example", "order": 1}, {"order": 3}]);
        let links: Vec<String> = socials(&list).into_iter().map(|social| social.link).collect();
        assert_eq!(links, ["https://a.example", "https://b.example"]);
    }
}
