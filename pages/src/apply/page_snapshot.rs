//! Snapshot of the page that a plan is made for.

use std::borrow::Cow;
use std::time::SystemTime;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use twox_hash::XxHash3_128;

use super::page_fields::{PAGE_FIELDS, has_expired_mood, page_fields};
use links_sdk::runs::{self, ReadTime};
use links_sdk::{Client, Error, Object, ProfileId, ProfileKey, Slot, SlotId};

/// A page as read in one request.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PageSnapshot {
    /// ID of the page. All writes use it, because the login can change, and a login of only digits would be read as an ID.
    pub id: ProfileId,
    /// The page's login when it was read.
    pub login: String,
    /// The page's public URL.
    pub url: Option<String>,
    /// Record of the page as the service sent it, without its slots. `languageCode` is from the settings, if they were read.
    pub record: Object,
    /// Slots in page order.
    pub slots: Vec<Slot>,
    /// Time of the service's response, by the service's clock, or by the client's clock if the service does not report its time.
    pub read_at: SystemTime,
    pub(crate) read_time: Option<ReadTime>,
    /// The answer that it was read from, as long as its slots are those.
    pub(crate) body: Bytes,
}

/// The answer of the service, with its slots in one form or another.
#[derive(Deserialize)]
struct PageEnvelope<S> {
    data: PageRecord<S>,
}

#[derive(Deserialize)]
struct PageRecord<S> {
    slots: Option<Vec<S>>,
    #[serde(flatten)]
    fields: Map<String, Value>,
}

/// A slot of which the content is compared as it was sent.
#[derive(Deserialize)]
struct RawSlot<'a> {
    id: SlotId,
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
    supported: Option<bool>,
}

/// A page that was read to see whether it has changed. Its slots are decoded only where it has.
#[derive(Clone, Debug)]
pub struct ReadPage {
    /// The page without its slots.
    head: PageSnapshot,
    digest: Option<String>,
}

impl ReadPage {
    /// Reads a page, with the code of its language if it is asked for.
    pub(super) async fn read(
        client: &Client,
        key: &ProfileKey,
        with_language: bool,
    ) -> Result<Self, Error> {
        let (mut head, digest) = PageSnapshot::received(client, key, digest_of).await?;
        if with_language {
            head.read_language(client).await?;
        }
        Ok(Self { digest: digest.map(|slots| head.digest_with(&slots)), head })
    }

    /// Returns the page without its slots.
    pub fn head(&self) -> &PageSnapshot {
        &self.head
    }

    /// Returns a hash of all that a file can say of the page, and of its address: what changes by itself does not count. There is none
    /// for an answer without slots, which is not that of an empty page.
    pub fn digest(&self) -> Option<&str> {
        self.digest.as_deref()
    }

    /// Returns the page, if its slots can be read.
    pub fn snapshot(&self) -> Option<PageSnapshot> {
        let page: PageEnvelope<Slot> = serde_json::from_slice(&self.head.body).ok()?;
        Some(PageSnapshot { slots: page.data.slots?, ..self.head.clone() })
    }
}

/// Returns the fields of a page, and a hash of its slots as they were sent, if the answer has them: those that have not changed may have another
/// one, never the reverse.
fn digest_of(body: &[u8]) -> serde_json::Result<(Map<String, Value>, Option<String>)> {
    let PageEnvelope { data: PageRecord::<RawSlot<'_>> { slots, fields } } =
        serde_json::from_slice(body)?;
    let Some(slots) = slots else { return Ok((fields, None)) };
    let mut hash = XxHash3_128::new();
    for slot in slots {
        let content = slot.data.map_or("", RawValue::get);
        hash.write(&slot.id.get().to_le_bytes());
        for text in [&slot.kind, content] {
            hash.write(&text.len().to_le_bytes());
            hash.write(text.as_bytes());
        }
        hash.write(&[u8::from(slot.supported.unwrap_or(true))]);
    }
    Ok((fields, Some(format!("{:032x}", hash.finish_128()))))
}

/// Decodes the fields of a page, and something else of the answer.
type Decode<T> = fn(&[u8]) -> serde_json::Result<(Map<String, Value>, T)>;

impl PageSnapshot {
    /// Reads a page and its slots.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_pages::apply::PageSnapshot;
    ///
    /// let page = PageSnapshot::read(&client, &"cafe".parse()?).await?;
    /// assert_eq!((page.login.as_str(), page.slots.len()), ("cafe", 14));
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`ProfileHandle::get_with_slots`](links_sdk::ProfileHandle::get_with_slots).
    pub async fn read(client: &Client, key: &ProfileKey) -> Result<Self, Error> {
        let decode = |body: &[u8]| {
            let page: PageEnvelope<Slot> = serde_json::from_slice(body)?;
            Ok((page.data.fields, page.data.slots))
        };
        let (page, slots) = Self::received(client, key, decode).await?;
        let slots = match slots {
            Some(slots) => slots,
            // An answer without slots must not be taken for an empty page.
            None => client.profile(page.id).slots().list().await?,
        };
        Ok(Self { slots, ..page })
    }

    /// Reads a page, and returns it without its slots, with what is decoded of the answer beside its fields.
    async fn received<T: Send + 'static>(
        client: &Client,
        key: &ProfileKey,
        decode: Decode<T>,
    ) -> Result<(Self, T), Error> {
        let ((fields, rest), answer) = runs::read_page(&client.profile(key), decode).await?;
        let missing = |name: &str| runs::no_page(&answer, format!("missing field `{name}`"));
        let id = fields.get("id").and_then(Value::as_i64).ok_or_else(|| missing("id"))?.into();
        let login = fields.get("login").and_then(Value::as_str).ok_or_else(|| missing("login"))?;
        let date = answer.header("date").and_then(|text| httpdate::parse_http_date(text).ok());
        let url = fields.get("computed").and_then(|computed| computed["url"].as_str());
        let page = Self {
            id,
            login: login.to_owned(),
            url: url.map(str::to_owned),
            record: fields.into(),
            slots: Vec::new(),
            read_at: date.unwrap_or_else(|| runs::clock(client).wall()),
            read_time: Some(ReadTime::now(client)),
            body: answer.body().clone(),
        };
        Ok((page, rest))
    }

    /// Returns a page that is not created yet. Its ID is 0.
    pub(super) fn not_yet(login: String) -> Self {
        Self {
            id: ProfileId::new(0),
            url: None,
            record: PAGE_FIELDS
                .into_iter()
                .map(|name| match name {
                    "login" => (name, login.clone().into()),
                    _ => (name, Value::Null),
                })
                .collect(),
            login,
            slots: Vec::new(),
            read_at: SystemTime::UNIX_EPOCH,
            read_time: None,
            body: Bytes::new(),
        }
    }

    /// Returns whether the page exists.
    pub fn exists(&self) -> bool {
        self.id != 0
    }

    /// Reads the code of the page's language, because the record has only its ID. Sends nothing if the page has no language of its own.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_pages::apply::PageSnapshot;
    ///
    /// let mut page = PageSnapshot::read(&client, &"cafe".parse()?).await?;
    /// page.read_language(&client).await?;
    /// assert!(page.fields().contains_key("languageCode"));
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`ProfileHandle::settings`](links_sdk::ProfileHandle::settings).
    pub async fn read_language(&mut self, client: &Client) -> Result<(), Error> {
        if page_fields(&self.record).contains_key("languageCode") {
            return Ok(());
        }
        let settings = client.profile(self.id).settings().await?;
        self.record.insert("languageCode".to_owned(), settings.language_code.into());
        Ok(())
    }

    /// Returns whether the page has a status that is not shown any more.
    pub(super) fn has_expired_mood(&self) -> bool {
        has_expired_mood(&self.record)
    }

    /// Returns the profile fields in the format of files.
    pub fn fields(&self) -> Object {
        page_fields(&self.record)
    }

    /// Returns the [digest](ReadPage::digest) of the page, if its slots are those that it was read with.
    pub fn digest(&self) -> Option<String> {
        Some(self.digest_with(&digest_of(&self.body).ok()?.1?))
    }

    /// Returns the digest of a page with this hash of its slots.
    fn digest_with(&self, slots: &str) -> String {
        let shown = (self.id, &self.login, &self.url, self.fields(), self.has_expired_mood());
        let text = serde_json::to_vec(&(shown, slots)).unwrap_or_default();
        format!("{:032x}", XxHash3_128::oneshot(&text))
    }

    /// Returns the page with other slots.
    pub(crate) fn with_slots(&self, slots: Vec<Slot>) -> Self {
        let (login, url) = (self.login.clone(), self.url.clone());
        let (record, body) = (self.record.clone(), Bytes::new());
        Self { login, url, record, slots, body, ..*self }
    }

    /// Returns the page with its slots as they are now, read with the other of the two operations that the service offers.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_pages::apply::PageSnapshot;
    /// use links_sdk::types::NewSlot;
    ///
    /// let page = PageSnapshot::read(&client, &"cafe".parse()?).await?;
    /// client.profile("cafe").slots().create(NewSlot::of("divider")).await?;
    /// assert_eq!(page.with_new_slots(&client).await?.slots.len(), 15);
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`SlotsHandle::list`](links_sdk::SlotsHandle::list).
    pub async fn with_new_slots(&self, client: &Client) -> Result<Self, Error> {
        let mut page = self.with_slots(client.profile(self.id).slots().list().await?);
        page.read_time = Some(ReadTime::now(client));
        Ok(page)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(data: &str) -> Option<String> {
        digest_of(format!(r#"{{"data":{data}}}"#).as_bytes()).unwrap().1
    }

    #[test]
    fn an_answer_without_slots_is_not_that_of_an_empty_page() {
        assert_eq!(hash(r#"{"id":7,"login":"cafe"}"#), None);
        assert_eq!(hash(r#"{"id":7,"login":"cafe","slots":null}"#), None);
        assert!(hash(r#"{"id":7,"login":"cafe","slots":[]}"#).is_some());
    }

    #[test]
    fn what_changes_by_itself_is_not_in_the_hash_and_content_is() {
        let of = |slot: &str| hash(&format!(r#"{{"id":7,"slots":[{slot}]}}"#)).unwrap();
        let slot = of(r#"{"id":1,"type":"text","data":{"title":"A"},"clicks":3}"#);
        assert_eq!(slot, of(r#"{"id":1,"type":"text","data":{"title":"A"},"supported":true}"#));
        for other in [
            r#"{"id":2,"type":"text","data":{"title":"A"}}"#,
            r#"{"id":1,"type":"button","data":{"title":"A"}}"#,
            r#"{"id":1,"type":"text","data":{"title":"B"}}"#,
            r#"{"id":1,"type":"text","data":{"title":"A"},"supported":false}"#,
        ] {
            assert_ne!(slot, of(other), "{other}");
        }
    }
}
