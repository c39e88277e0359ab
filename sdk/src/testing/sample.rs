//! Records without a service.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::Slot;
use crate::types::{
    File, LeadForm, LoginCheck, Me, MusicMatch, NotificationChannel, Profile, ProfileSettings,
    SlotType,
};

/// Records of a café, one of each type, as the service answers them.
const SAMPLES: &str = include_str!("samples.json");

/// A record that [`sample`] returns.
pub trait Sample: DeserializeOwned + private::ServiceRecord {
    /// Name of the record in the file of samples.
    #[doc(hidden)]
    const NAME: &'static str;
}

mod private {
    pub trait ServiceRecord {}
}

macro_rules! samples {
    ($($record:ident),*) => {$(
        impl private::ServiceRecord for $record {}
        impl Sample for $record {
            const NAME: &'static str = stringify!($record);
        }
    )*};
}

samples!(
    File,
    LeadForm,
    LoginCheck,
    Me,
    MusicMatch,
    NotificationChannel,
    Profile,
    ProfileSettings,
    Slot,
    SlotType
);

/// Returns a record as the service answers it: a café's page, a button, a form with three fields.
///
/// ```
/// use links_sdk::testing::sample;
/// use links_sdk::types::Profile;
///
/// assert_eq!(sample::<Profile>().login, "cafe");
/// ```
pub fn sample<T: Sample>() -> T {
    sample_with(Value::Object(serde_json::Map::new()))
}

/// Returns a record with other values for some of its fields, under the names that the interface has for them.
///
/// ```
/// use links_sdk::Slot;
/// use links_sdk::testing::sample_with;
/// use serde_json::json;
///
/// let slot = sample_with::<Slot>(json!({"type": "divider", "data": {}, "supported": true}));
/// assert_eq!(slot.kind, "divider");
/// ```
///
/// # Panics
///
/// Panics if `fields` is not an object, or the record cannot have such a value.
pub fn sample_with<T: Sample>(fields: Value) -> T {
    let Value::Object(fields) = fields else { panic!("not an object: {fields}") };
    let samples: Value = serde_json::from_str(SAMPLES).expect("the samples are JSON");
    let mut record = samples[T::NAME].clone();
    let known = record.as_object_mut().expect("each sample is an object");
    known.extend(fields);
    match serde_json::from_value(record) {
        Ok(record) => record,
        Err(error) => panic!("not a {}: {error}", T::NAME),
    }
}
