//! Composer of plain documents, which takes half of the time of the general parser. What nearly all page files consist of is composed
//! here from the events of the YAML parser; a document with anything else is left to the general one, which also finds all errors.

use granit_parser::{Event, Parser, ScalarStyle, Span as EventSpan, StrInput};

use super::node::{Key, Node, Span, Tree};
use super::scalar::scalar;

/// Maximum nesting depth. Deeper documents are left to the general parser, which knows the limit.
pub(super) const MAX_DEPTH: usize = 24;

/// Maximum number of nodes, that of the general parser.
const MAX_NODES: usize = 250_000;

/// Maximum number of keys of a mapping, because each is compared with all others.
pub(super) const MAX_KEYS: usize = 64;

/// Words that some YAML parser reads as another type than a string.
pub(super) const WORDS: [&str; 13] =
    ["null", "true", "false", "yes", "no", "on", "off", "y", "n", "inf", "infinity", "nan", "na"];

/// Composes a document without tags, anchors, aliases, repeated keys and unusual numbers. `None` for any other text.
pub(super) fn compose(text: &str) -> Option<Node> {
    let mut composer = Composer { events: Parser::new_from_str(text), nodes: 0 };
    let (Event::StreamStart, _) = composer.next()? else { return None };
    let (Event::DocumentStart(_, None), _) = composer.next()? else { return None };
    let root = composer.node(0)?;
    let (Event::DocumentEnd, _) = composer.next()? else { return None };
    matches!(composer.next()?, (Event::StreamEnd, _)).then_some(root)
}

struct Composer<'t> {
    events: Parser<'t, StrInput<'t>>,
    nodes: usize,
}

impl<'t> Composer<'t> {
    fn next(&mut self) -> Option<(Event<'t>, EventSpan)> {
        self.events.next()?.ok()
    }

    fn node(&mut self, depth: usize) -> Option<Node> {
        let (event, at) = self.next()?;
        self.node_of(event, &at, depth)
    }

    fn node_of(&mut self, event: Event<'t>, at: &EventSpan, depth: usize) -> Option<Node> {
        self.nodes += 1;
        if depth > MAX_DEPTH || self.nodes > MAX_NODES {
            return None;
        }
        let tree = match event {
            Event::Scalar(text, ScalarStyle::Plain, 0, None) => plain(&text)?,
            Event::Scalar(text, _, 0, None) => Tree::Text(text.into_owned()),
            Event::SequenceStart(_, 0, None) => self.list(depth)?,
            Event::MappingStart(_, 0, None) => self.map(depth)?,
            _ => return None,
        };
        Some(Node { span: bytes(at)?, tree })
    }

    fn list(&mut self, depth: usize) -> Option<Tree> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Some(Tree::List(items)),
                (event, at) => items.push(self.node_of(event, &at, depth + 1)?),
            }
        }
    }

    fn map(&mut self, depth: usize) -> Option<Tree> {
        let mut entries: Vec<(Key, Node)> = Vec::new();
        loop {
            let (event, at) = self.next()?;
            let name = match event {
                Event::MappingEnd => return Some(Tree::Map(entries)),
                Event::Scalar(name, ScalarStyle::Plain, 0, None) if is_word(&name) => name,
                Event::Scalar(
                    name,
                    ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted,
                    0,
                    None,
                ) => name,
                _ => return None,
            };
            if entries.len() == MAX_KEYS || entries.iter().any(|(key, _)| key.name == name) {
                return None;
            }
            self.nodes += 1;
            let key = Key { span: bytes(&at)?, name: name.into_owned(), is_literal: false };
            entries.push((key, self.node(depth + 1)?));
        }
    }
}

/// Returns the value of a scalar without quotes, if it is certain.
fn plain(text: &str) -> Option<Tree> {
    match text {
        "" | "~" | "null" => Some(Tree::Null),
        "true" => Some(Tree::Bool(true)),
        "false" => Some(Tree::Bool(false)),
        word if is_word(word) => Some(Tree::Text(word.to_owned())),
        number if is_whole_number(number) => {
            number.parse::<i64>().ok().map(|number| Tree::Number(number.into()))
        }
        // Only the general parser knows whether this is a number.
        other if other.starts_with(|c: char| c.is_ascii_digit()) => {
            let value = scalar(other)?;
            matches!(value, Tree::Text(_)).then_some(value)
        }
        _ => None,
    }
}

/// Tells whether the text is a string in all versions of YAML, because of its first character.
fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || !c.is_ascii())
        && !WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Tells whether this is a whole number as it would be written.
fn is_whole_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.len() <= 18
        && digits.bytes().all(|c| c.is_ascii_digit())
        && (digits == "0" && text == "0" || digits.starts_with(|c: char| matches!(c, '1'..='9')))
}

fn bytes(at: &EventSpan) -> Option<Span> {
    Some(at.start.byte_offset()?..at.end.byte_offset()?)
}
