//! Tree of a parsed document in which every value and every key has its span in the text.

use std::fmt;
use std::ops::Range;

use links_sdk::apply::literal_key;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use serde_saphyr::{Location, Spanned};

/// Byte range of a value or a key in the document.
pub(crate) type Span = Range<usize>;

/// Value with its span. The span of a list or mapping in block style begins at its first entry.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    /// Span of the value.
    pub(crate) span: Span,
    /// Value.
    pub(crate) tree: Tree,
}

/// Key of a mapping with its span.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Key {
    /// Span of the key.
    pub(crate) span: Span,
    /// Name of the key.
    pub(crate) name: String,
    /// True if the key was written with one more leading `$`, so that it is not a reference.
    pub(crate) is_literal: bool,
}

/// Value of one of the six JSON types.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tree {
    /// `null`, `~`, or an empty value.
    Null,
    /// `true` or `false`; no other word.
    Bool(bool),
    /// 64-bit integer or finite floating-point number.
    Number(Number),
    /// String.
    Text(String),
    /// List.
    List(Vec<Node>),
    /// Mapping in the written order, without duplicate keys.
    Map(Vec<(Key, Node)>),
}

impl Node {
    /// Value of a key, if this is a mapping with that key.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        self.entry(name).map(|(_, value)| value)
    }

    /// Span to report for a path such as `slots.2.data.link`: the value, its key if the value has more than one line, or the closest
    /// existing ancestor.
    pub(crate) fn locate<'p>(&self, text: &str, path: impl IntoIterator<Item = &'p str>) -> Span {
        let mut span = self.span.clone();
        let mut node = self;
        for name in path {
            let (key, value) = match &node.tree {
                Tree::List(items) => (None, name.parse().ok().and_then(|at: usize| items.get(at))),
                _ => node.entry(name).map_or((None, None), |(key, value)| (Some(key), Some(value))),
            };
            let Some(value) = value else { break };
            let many_lines =
                text.get(value.span.clone()).is_none_or(|it| it.trim_end().contains('\n'));
            span = match key {
                Some(key) if many_lines || !value.is_scalar() || value.span.is_empty() => {
                    key.span.clone()
                }
                _ => value.span.clone(),
            };
            node = value;
        }
        span
    }

    /// Span of the key of the last name in a path, if it is the key of a mapping.
    pub(crate) fn key_span<'p>(&self, path: impl IntoIterator<Item = &'p str>) -> Option<Span> {
        let mut node = self;
        let mut span = None;
        for name in path {
            (span, node) = match &node.tree {
                Tree::List(items) => (None, items.get(name.parse::<usize>().ok()?)?),
                _ => node.entry(name).map(|(key, value)| (Some(key.span.clone()), value))?,
            };
        }
        span
    }

    /// Converts a JSON value to a node without spans.
    pub(crate) fn of_json(value: &Value) -> Self {
        let key = |name: &String| Key { span: 0..0, name: name.clone(), is_literal: true };
        let tree = match value {
            Value::Null => Tree::Null,
            Value::Bool(value) => Tree::Bool(*value),
            Value::Number(number) => Tree::Number(number.clone()),
            Value::String(text) => Tree::Text(text.clone()),
            Value::Array(items) => Tree::List(items.iter().map(Self::of_json).collect()),
            Value::Object(entries) => Tree::Map(
                entries.iter().map(|(name, value)| (key(name), Self::of_json(value))).collect(),
            ),
        };
        Self { span: 0..0, tree }
    }

    /// Converts the value to JSON.
    pub(crate) fn to_json(&self) -> Value {
        match &self.tree {
            Tree::Null => Value::Null,
            Tree::Bool(value) => Value::Bool(*value),
            Tree::Number(number) => Value::Number(number.clone()),
            Tree::Text(text) => Value::String(text.clone()),
            Tree::List(items) => items.iter().map(Self::to_json).collect(),
            Tree::Map(entries) => Value::Object(
                entries
                    .iter()
                    .map(|(key, value)| (key.name.clone(), value.to_json()))
                    .collect::<Map<_, _>>(),
            ),
        }
    }

    /// Replaces every escaped key below, such as `$$upload`, by its literal name.
    pub(crate) fn unescape(&mut self) {
        match &mut self.tree {
            Tree::List(items) => items.iter_mut().for_each(Self::unescape),
            Tree::Map(entries) => {
                for (key, value) in entries {
                    if let Some(name) = literal_key(&key.name) {
                        *key = Key { name: name.to_owned(), is_literal: true, ..key.clone() };
                    }
                    value.unescape();
                }
            }
            _ => {}
        }
    }

    /// Name of the type of the value in messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self.tree {
            Tree::Null => "nothing",
            Tree::Bool(_) => "a boolean",
            Tree::Number(_) => "a number",
            Tree::Text(_) => "a string",
            Tree::List(_) => "a list",
            Tree::Map(_) => "a mapping",
        }
    }

    fn get_mut(&mut self, name: &str) -> Option<&mut Self> {
        match &mut self.tree {
            Tree::Map(entries) => {
                entries.iter_mut().find(|(key, _)| key.name == name).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// Data of each slot, if this is a page file.
    pub(crate) fn slot_data_mut(&mut self) -> impl Iterator<Item = &mut Self> {
        let items = match self.get_mut("slots").map(|slots| &mut slots.tree) {
            Some(Tree::List(items)) => &mut items[..],
            _ => &mut [],
        };
        items.iter_mut().filter_map(|item| item.get_mut("data"))
    }

    /// Entries, if this is a mapping.
    pub(crate) fn entries(&self) -> Option<&[(Key, Self)]> {
        match &self.tree {
            Tree::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// Key and value, if this is a mapping with that key.
    pub(crate) fn entry(&self, name: &str) -> Option<&(Key, Self)> {
        match &self.tree {
            Tree::Map(entries) => entries.iter().find(|(key, _)| key.name == name),
            _ => None,
        }
    }

    /// Tells whether the value is neither a list nor a mapping.
    pub(crate) fn is_scalar(&self) -> bool {
        !matches!(self.tree, Tree::List(_) | Tree::Map(_))
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<Tree>::deserialize(deserializer)?;
        Ok(Self { span: bytes(&spanned.referenced), tree: spanned.value })
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<String>::deserialize(deserializer)?;
        Ok(Self { span: bytes(&spanned.referenced), name: spanned.value, is_literal: false })
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value that JSON has too")
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

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Tree, E> {
        Number::from_f64(value)
            .map(Tree::Number)
            .ok_or_else(|| E::custom("a number that is not finite"))
    }

    fn visit_str<E>(self, text: &str) -> Result<Tree, E> {
        Ok(Tree::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Tree, E> {
        Ok(Tree::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Tree, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Tree::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tree, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Tree::Map(entries))
    }
}

/// Byte range of a location; the parser always counts bytes for a text in memory.
fn bytes(location: &Location) -> Span {
    let size = |it: Option<u64>| it.and_then(|it| usize::try_from(it).ok()).unwrap_or(0);
    let span = location.span();
    let start = size(span.byte_offset());
    start..start + size(span.byte_len())
}
