//! Snapshot of the page that a plan is made for.

use std::time::SystemTime;

use serde::Deserialize;
use serde_json::{Map, Value};
use twox_hash::XxHash3_128;

use super::page_fields::{PAGE_FIELDS, page_fields};
use links_sdk::ProfileId;
use links_sdk::runs::ReadTime;
use links_sdk::{Client, Error, Object, ProfileKey, Slot, runs};

/// Page as it was read, in one request.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PageSnapshot {
    /// Id of the page, which all writes use: a login can change, and a login of digits only reads as an id.
    pub id: ProfileId,
    /// The page's login when it was read.
    pub login: String,
    /// The page's public URL.
    pub url: Option<String>,
    /// Record of the page as the service sent it, without its slots. `languageCode` is that of the settings, if they were read.
    pub record: Object,
    /// Slots in page order.
    pub slots: Vec<Slot>,
    /// Time of the service's answer: by its own clock, or by the client's where it does not report one.
    pub read_at: SystemTime,
    pub(crate) read_time: Option<ReadTime>,
}

/// The answer of the service.
#[derive(Deserialize)]
struct PageEnvelope {
    data: PageRecord,
}

#[derive(Deserialize)]
struct PageRecord {
    slots: Option<Vec<Slot>>,
    #[serde(flatten)]
    fields: Map<String, Value>,
}

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
        let answer = client.profile(key).get_with_slots().answer().await?;
        let unreadable = |why: String| runs::no_page(&answer, why);
        let PageEnvelope { data: PageRecord { slots, fields } } =
            serde_json::from_slice(answer.body()).map_err(|why| unreadable(why.to_string()))?;
        let missing = |name: &str| unreadable(format!("missing field `{name}`"));
        let id = fields.get("id").and_then(Value::as_i64).ok_or_else(|| missing("id"))?.into();
        let login = fields.get("login").and_then(Value::as_str).ok_or_else(|| missing("login"))?;
        let slots = match slots {
            Some(slots) => slots,
            // An answer without slots must not be taken for an empty page.
            None => client.profile(id).slots().list().await?,
        };
        let date = answer.header("date").and_then(|text| httpdate::parse_http_date(text).ok());
        let url = fields.get("computed").and_then(|computed| computed["url"].as_str());
        Ok(Self {
            id,
            login: login.to_owned(),
            url: url.map(str::to_owned),
            record: fields.into(),
            slots,
            read_at: date.unwrap_or_else(|| runs::clock(client).wall()),
            read_time: Some(ReadTime::now(client)),
        })
    }

    /// Returns a page that is not created yet. Its id is 0.
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
        }
    }

    /// Returns whether the page exists.
    pub fn exists(&self) -> bool {
        self.id != 0
    }

    /// Reads the code of the page's language, of which the record has only the id. Sends nothing where the page has no language of its own.
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
        let is_set = self.record.get("moodText").is_some_and(|text| !text.is_null());
        let active = self.record.get("computed").and_then(|computed| computed.get("moodActive"));
        is_set && active == Some(&Value::Bool(false))
    }

    /// Returns the profile fields as files have them.
    pub fn fields(&self) -> Object {
        page_fields(&self.record)
    }

    /// Returns a hash of all that a file can say of the page, and of its address: what changes by itself does not count.
    pub fn digest(&self) -> String {
        let slots = self.slots.iter().map(|it| (it.id, &it.kind, &it.data, it.supported));
        let slots: Vec<_> = slots.collect();
        let shown = (self.id, &self.login, &self.url, self.fields(), self.has_expired_mood());
        let text = serde_json::to_vec(&(shown, slots)).unwrap_or_default();
        format!("{:032x}", XxHash3_128::oneshot(&text))
    }

    /// Returns the page with other slots.
    pub(crate) fn with_slots(&self, slots: Vec<Slot>) -> Self {
        let Self { id, ref login, ref url, ref record, slots: _, read_at, read_time } = *self;
        let (login, url, record) = (login.clone(), url.clone(), record.clone());
        Self { id, login, url, record, slots, read_at, read_time }
    }

    /// Reads the slots once more, in the other of the two ways that the service offers.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_pages::apply::PageSnapshot;
    /// use links_sdk::types::NewSlot;
    ///
    /// let mut page = PageSnapshot::read(&client, &"cafe".parse()?).await?;
    /// client.profile("cafe").slots().create(NewSlot::of("divider")).await?;
    /// page.read_slots_again(&client).await?;
    /// assert_eq!(page.slots.len(), 15);
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`SlotsHandle::list`](links_sdk::SlotsHandle::list).
    pub async fn read_slots_again(&mut self, client: &Client) -> Result<(), Error> {
        self.slots = client.profile(self.id).slots().list().await?;
        self.read_time = Some(ReadTime::now(client));
        Ok(())
    }
}
