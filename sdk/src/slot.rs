//! A slot as the service returns it.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::ids::SlotId;
use crate::tolerant::Object;

/// A slot of a page.
///
/// Reading is tolerant: it keeps a type that is not one of the 12 known types, `data` that is written as `[]`, and fields that the
/// interface does not describe.
///
/// ```
/// let slot: links_sdk::Slot =
///     serde_json::from_str(r#"{"id": 7, "type": "divider", "data": [], "supported": true, "clicks": 3}"#)?;
/// assert_eq!(slot.kind, "divider");
/// assert_eq!(slot.extra["clicks"], 3);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Slot {
    /// ID of the slot, a positive number, as used in paths and batch bodies.
    pub id: SlotId,
    /// `button`, `text`, ..., or a type that can no longer be edited. Never changes after creation.
    #[serde(rename = "type")]
    pub kind: String,
    /// The content. Its fields depend on the type; see [`Client::slot_types`](crate::Client::slot_types).
    pub data: Object,
    /// `false` for legacy slots. They can be listed, reordered and deleted, but not edited.
    pub supported: bool,
    /// Every other field of the record, as the service sent it.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Slots of which nobody reads the content: decoding a page of them costs a fraction of decoding [`Slot`]s.
#[derive(Deserialize)]
#[expect(dead_code, reason = "decoded to check an answer")]
pub(crate) struct SlotHeads {
    data: Vec<SlotHead>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "decoded to check an answer")]
struct SlotHead {
    id: SlotId,
    #[serde(rename = "type")]
    kind: String,
}

/// Name of a field, borrowed where the text has it as it is.
#[derive(Deserialize)]
struct Key<'k>(#[serde(borrow)] Cow<'k, str>);

// By hand because a flattened map would make serde buffer the whole record first.
impl<'de> Deserialize<'de> for Slot {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SlotVisitor;

        impl<'de> Visitor<'de> for SlotVisitor {
            type Value = Slot;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a slot")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Slot, A::Error> {
                let (mut id, mut kind, mut data, mut supported) = (None, None, None, None);
                let mut extra = Map::new();
                while let Some(Key(key)) = map.next_key()? {
                    match &*key {
                        "id" => id = Some(map.next_value()?),
                        "type" => kind = Some(map.next_value()?),
                        "data" => data = Some(map.next_value()?),
                        "supported" => supported = Some(map.next_value()?),
                        _ => {
                            extra.insert(key.into_owned(), map.next_value()?);
                        }
                    }
                }
                Ok(Slot {
                    id: id.ok_or_else(|| A::Error::missing_field("id"))?,
                    kind: kind.ok_or_else(|| A::Error::missing_field("type"))?,
                    data: data.unwrap_or_default(),
                    supported: supported.unwrap_or(true),
                    extra,
                })
            }
        }

        deserializer.deserialize_map(SlotVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_types_and_fields_are_kept() {
        let json = r#"{"id":9,"type":"hologram","data":{"a":2,"b":1},"supported":false,"order":3}"#;
        let slot: Slot = serde_json::from_str(json).unwrap();
        assert_eq!(serde_json::to_string(&slot).unwrap(), json);
    }

    #[test]
    fn missing_optional_fields_get_defaults_and_missing_required_ones_are_named() {
        let slot: Slot = serde_json::from_str(r#"{"id":9,"type":"divider"}"#).unwrap();
        assert!(slot.supported && slot.data.is_empty());
        let error = serde_json::from_str::<Slot>(r#"{"type":"divider"}"#).unwrap_err();
        assert!(error.to_string().contains("`id`"), "{error}");
    }
}
