//! Parser of JSON into a tree without spans, which takes a tenth of the time of the parser of YAML. The spans are found when a diagnostic
//! needs them.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::compose::{MAX_DEPTH, MAX_KEYS};
use super::node::{Key, Node, Tree};

/// Parses a JSON object without repeated keys and fractions, whose spelling counts. `None` for any other text.
pub(super) fn parse(text: &str) -> Option<Node> {
    if !text.trim_ascii_start().starts_with('{') {
        return None;
    }
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let root = AtDepth(0).deserialize(&mut deserializer).ok()?;
    deserializer.end().ok()?;
    Some(root)
}

/// Seed of a node at a depth.
#[derive(Clone, Copy)]
struct AtDepth(usize);

impl<'de> DeserializeSeed<'de> for AtDepth {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        if self.0 > MAX_DEPTH {
            return Err(D::Error::custom("nested too deep"));
        }
        let tree = deserializer.deserialize_any(self)?;
        Ok(Node { span: 0..0, tree })
    }
}

impl<'de> Visitor<'de> for AtDepth {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value other than a fraction")
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Tree, E> {
        Ok(Tree::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Tree, E> {
        Ok(Tree::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Tree, E> {
        Ok(Tree::Number(value.into()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Tree, E> {
        Ok(Tree::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Tree, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(Self(self.0 + 1))? {
            items.push(item);
        }
        Ok(Tree::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tree, A::Error> {
        let mut entries: Vec<(Key, Node)> = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            if entries.len() == MAX_KEYS || entries.iter().any(|(key, _)| key.name == name) {
                return Err(A::Error::custom("a repeated key, or too many"));
            }
            let key = Key { span: 0..0, name, is_literal: false };
            entries.push((key, map.next_value_seed(Self(self.0 + 1))?));
        }
        Ok(Tree::Map(entries))
    }
}
