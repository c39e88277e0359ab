//! Maps whose keys have to be unique in the text they are read from.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// Reads a map, and refuses one that has a key twice, as a careless merge may leave it.
pub(super) fn unique_map<'de, D, V>(deserializer: D) -> Result<BTreeMap<String, V>, D::Error>
where
    D: Deserializer<'de>,
    V: Deserialize<'de>,
{
    struct UniqueVisitor<V>(PhantomData<V>);

    impl<'de, V: Deserialize<'de>> Visitor<'de> for UniqueVisitor<V> {
        type Value = BTreeMap<String, V>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut unique = BTreeMap::new();
            while let Some(key) = map.next_key::<String>()? {
                if unique.contains_key(&key) {
                    return Err(A::Error::custom(format!("`{key}` is there twice")));
                }
                unique.insert(key, map.next_value()?);
            }
            Ok(unique)
        }
    }

    deserializer.deserialize_map(UniqueVisitor(PhantomData))
}
