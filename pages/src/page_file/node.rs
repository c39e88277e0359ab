//! Tree of a parsed document in which every value and every key has its span in the text.

use std::borrow::Cow;
use std::ops::Range;

use crate::apply::literal_key;
use granit_parser::ScalarStyle;
use serde_json::{Number, Value};

/// Byte range of a value or a key in the document.
pub type Span = Range<usize>;

/// Returns a span further on by a number of bytes.
pub(super) fn moved(span: &Span, by: usize) -> Span {
    span.start + by..span.end + by
}

/// Value with its span. The span of a list or mapping in block style begins at its first entry.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// Span of the value.
    pub span: Span,
    /// Value.
    pub tree: Tree,
    /// How it is written, in a tree that was read from a text.
    pub(super) layout: Layout,
}

/// How a value is written in the text: what is between its key and it, and where it ends.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// Start of its key or dash.
    pub(super) start: usize,
    /// End of the colon or dash before it.
    pub(super) after_head: usize,
    /// Value without comments and line breaks at its end. A block scalar begins at its `|` or `>`.
    pub(super) extent: Span,
    /// Notation.
    pub(super) style: Notation,
}

/// Notation of a value.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Notation {
    /// Nothing, which is read as `null`.
    #[default]
    Empty,
    /// Scalar without or with quotes.
    Scalar(ScalarStyle),
    /// Block scalar with the column of its content, `None` for a scalar without content.
    Block(Option<usize>),
    /// List or mapping.
    Collection {
        /// True for a flow collection, false for one in block style.
        is_flow: bool,
    },
}

/// Key of a mapping with its span.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// Span of the key.
    pub span: Span,
    /// Name of the key.
    pub name: String,
    /// True if the key was written with one more leading `$`, so that it is not a reference.
    pub is_literal: bool,
}

impl Key {
    /// Returns the name as a page file writes it, with its escape.
    pub(super) fn written(&self) -> Cow<'_, str> {
        let is_escaped = self.is_literal && self.name.starts_with('$');
        if is_escaped { format!("${}", self.name).into() } else { self.name.as_str().into() }
    }
}

/// Value of one of the six JSON types.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Tree {
    /// `null`, `~`, or an empty value.
    #[default]
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
    pub fn get(&self, name: &str) -> Option<&Self> {
        self.entry(name).map(|(_, value)| value)
    }

    /// Returns the last value of a path such as `slots.2.data.link` that exists, with its key in a mapping, and whether it is that of the whole
    /// path.
    pub(super) fn closest<'p>(
        &self,
        path: impl IntoIterator<Item = &'p str>,
    ) -> (Option<&Key>, &Self, bool) {
        let (mut key, mut node) = (None, self);
        for name in path {
            let below = match &node.tree {
                Tree::List(items) => {
                    name.parse().ok().and_then(|at: usize| items.get(at)).map(|item| (None, item))
                }
                _ => node.entry(name).map(|(key, value)| (Some(key), value)),
            };
            let Some(below) = below else { return (key, node, false) };
            (key, node) = below;
        }
        (key, node, true)
    }

    /// Converts a JSON value to a node without spans.
    pub fn of_json(value: &Value) -> Self {
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
        Self { tree, ..Self::default() }
    }

    /// Converts the value to JSON.
    pub fn to_json(&self) -> Value {
        match &self.tree {
            Tree::Null => Value::Null,
            Tree::Bool(value) => Value::Bool(*value),
            Tree::Number(number) => Value::Number(number.clone()),
            Tree::Text(text) => Value::String(text.clone()),
            Tree::List(items) => items.iter().map(Self::to_json).collect(),
            Tree::Map(entries) => {
                entries.iter().map(|(key, value)| (key.name.clone(), value.to_json())).collect()
            }
        }
    }

    /// Place of the whole value, where it was read from a text; else its span.
    pub(super) fn place(&self) -> &Span {
        if self.layout.extent.is_empty() { &self.span } else { &self.layout.extent }
    }

    /// Moves the spans of the node and of everything below by a number of bytes.
    pub(super) fn shift(&mut self, by: usize) {
        self.span = moved(&self.span, by);
        self.layout.extent = moved(&self.layout.extent, by);
        self.layout.start += by;
        self.layout.after_head += by;
        match &mut self.tree {
            Tree::List(items) => items.iter_mut().for_each(|item| item.shift(by)),
            Tree::Map(entries) => {
                for (key, value) in entries {
                    key.span = moved(&key.span, by);
                    value.shift(by);
                }
            }
            _ => {}
        }
    }

    /// Returns a scalar as a text, as a page shows it; `None` for anything else.
    pub(super) fn text_of_scalar(&self) -> Option<String> {
        match &self.tree {
            Tree::Text(text) => Some(text.clone()),
            Tree::Null | Tree::List(_) | Tree::Map(_) => None,
            _ => Some(self.to_json().to_string()),
        }
    }

    /// Replaces every escaped key below, such as `$$upload`, by its literal name.
    pub fn unescape(&mut self) {
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
    pub fn kind(&self) -> &'static str {
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
    pub fn slot_data_mut(&mut self) -> impl Iterator<Item = &mut Self> {
        let items = match self.get_mut("slots").map(|slots| &mut slots.tree) {
            Some(Tree::List(items)) => &mut items[..],
            _ => &mut [],
        };
        items.iter_mut().filter_map(|item| item.get_mut("data"))
    }

    /// Number of items or entries; 0 for a scalar.
    pub(super) fn count(&self) -> usize {
        match &self.tree {
            Tree::List(items) => items.len(),
            Tree::Map(entries) => entries.len(),
            _ => 0,
        }
    }

    /// Item of a list, or value of an entry of a mapping.
    pub(super) fn child(&self, index: usize) -> Option<&Self> {
        match &self.tree {
            Tree::List(items) => items.get(index),
            Tree::Map(entries) => entries.get(index).map(|(_, value)| value),
            _ => None,
        }
    }

    /// Items of a list, or values of a mapping.
    pub(super) fn children(&self) -> impl Iterator<Item = &Self> + Clone {
        (0..self.count()).filter_map(|index| self.child(index))
    }

    /// Spans of all keys and scalars in the order of the text.
    pub(super) fn scalars(&self) -> Vec<Span> {
        match &self.tree {
            Tree::List(items) => items.iter().flat_map(Self::scalars).collect(),
            Tree::Map(entries) => {
                let spans = |(key, value): &(Key, Self)| {
                    std::iter::once(key.span.clone()).chain(value.scalars())
                };
                entries.iter().flat_map(spans).collect()
            }
            _ if self.layout.style == Notation::Empty => Vec::new(),
            _ => vec![self.layout.extent.clone()],
        }
    }

    /// Tells whether this is a list or mapping in flow style.
    pub(super) fn is_flow(&self) -> bool {
        matches!(self.layout.style, Notation::Collection { is_flow: true })
    }

    /// Tells whether this is a list or mapping in block style.
    pub(super) fn is_block(&self) -> bool {
        matches!(self.layout.style, Notation::Collection { is_flow: false })
    }

    /// Tells whether this is a list or mapping in flow style with at least one entry.
    pub(super) fn is_full_flow(&self) -> bool {
        self.is_flow() && self.count() > 0
    }

    /// Tells whether this is a mapping.
    pub(super) fn is_map(&self) -> bool {
        matches!(self.tree, Tree::Map(_))
    }

    /// Entries, if this is a mapping.
    pub fn entries(&self) -> Option<&[(Key, Self)]> {
        match &self.tree {
            Tree::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// Key and value, if this is a mapping with that key.
    pub fn entry(&self, name: &str) -> Option<&(Key, Self)> {
        self.entries()?.iter().find(|(key, _)| key.name == name)
    }

    /// Tells whether the value is neither a list nor a mapping.
    pub fn is_scalar(&self) -> bool {
        !matches!(self.tree, Tree::List(_) | Tree::Map(_))
    }
}
