//! Snapshot of the page that a plan is made for.

use std::time::SystemTime;

use serde::Deserialize;

use crate::conditional_write::ReadTime;
use crate::{Client, Error, ProfileKey, Slot, operation};

/// Page as it was read, in one request.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PageSnapshot {
    /// Id of the page, which all writes use: a login can change, and a login of digits only reads as an id.
    pub id: i64,
    /// The page's login when it was read.
    pub login: String,
    /// The page's public URL.
    pub url: Option<String>,
    /// Slots in page order.
    pub slots: Vec<Slot>,
    /// Time of the service's answer: by its own clock, or by the client's where it does not report one.
    pub read_at: SystemTime,
    pub(crate) read_time: Option<ReadTime>,
}

#[derive(Deserialize)]
struct PageEnvelope {
    data: PageRecord,
}

#[derive(Deserialize)]
struct PageRecord {
    id: i64,
    login: String,
    computed: Option<PageComputed>,
    slots: Option<Vec<Slot>>,
}

#[derive(Deserialize)]
struct PageComputed {
    url: Option<String>,
}

impl PageSnapshot {
    /// Reads a page and its slots.
    ///
    /// # Errors
    ///
    /// The errors of [`ProfileHandle::get_with_slots`](crate::ProfileHandle::get_with_slots).
    pub async fn read(client: &Client, key: &ProfileKey) -> Result<Self, Error> {
        let answer = client.profile(key).get_with_slots().answer().await?;
        let record =
            serde_json::from_slice::<PageEnvelope>(answer.body()).map(|envelope| envelope.data);
        let record = match record {
            Ok(record) => record,
            Err(why) => {
                return Err(Error::unreadable(operation::GET_PROFILE, &answer, why.to_string()));
            }
        };
        let slots = match record.slots {
            Some(slots) => slots,
            // An answer without slots must not be taken for an empty page.
            None => client.profile(record.id).slots().list().await?,
        };
        let date = answer.header("date").and_then(|text| httpdate::parse_http_date(text).ok());
        Ok(Self {
            id: record.id,
            login: record.login,
            url: record.computed.and_then(|computed| computed.url),
            slots,
            read_at: date.unwrap_or_else(|| client.shared.clock.wall()),
            read_time: Some(ReadTime::now(&client.shared)),
        })
    }

    /// Returns the page with other slots.
    pub(crate) fn with_slots(&self, slots: Vec<Slot>) -> Self {
        let Self { id, ref login, ref url, slots: _, read_at, read_time } = *self;
        Self { id, login: login.clone(), url: url.clone(), slots, read_at, read_time }
    }

    /// Reads the slots once more, in the other of the two ways that the service offers.
    ///
    /// # Errors
    ///
    /// The errors of [`SlotsHandle::list`](crate::SlotsHandle::list).
    pub async fn read_slots_again(&mut self, client: &Client) -> Result<(), Error> {
        self.slots = client.profile(self.id).slots().list().await?;
        self.read_time = Some(ReadTime::now(&client.shared));
        Ok(())
    }
}
