//! Concrete syntax of a document: where each value begins and ends, and what is between its key and it.

use granit_parser::{Event, Parser, ScalarStyle, Span as EventSpan, StrInput, StructureStyle, Tag};

use super::lex::{line_end, line_start, skip_blanks, skip_trivia};
use crate::page_file::node::Span;

/// Value in the text.
#[derive(Debug)]
pub(super) struct Syntax {
    /// End of the colon or dash before the value, and of its anchor and tag.
    pub(super) after_head: usize,
    /// Span of the value, without comments and line breaks at its end. A block scalar begins at its `|` or `>`.
    pub(super) span: Span,
    /// Kind of the value.
    pub(super) kind: Kind,
}

/// Kind of a value.
#[derive(Debug)]
pub(super) enum Kind {
    /// Nothing, which is read as `null`.
    Empty,
    /// Scalar.
    Scalar(ScalarStyle),
    /// Block scalar with the column of its content, `None` for a scalar without content.
    Block(ScalarStyle, Option<usize>),
    /// List or mapping.
    Collection(Collection),
}

/// List or mapping.
#[derive(Debug)]
pub(super) struct Collection {
    /// True for a flow collection, false for one in block style.
    pub(super) is_flow: bool,
    /// True for a mapping.
    pub(super) is_map: bool,
    /// False if something else than white space and comments is before a key, such as `?` or an anchor, or if the brackets are left out.
    pub(super) is_regular: bool,
    /// Items or keys with their values, in the written order.
    pub(super) entries: Vec<Entry>,
}

/// Item of a list, or key of a mapping with its value.
#[derive(Debug)]
pub(super) struct Entry {
    /// Start of the key or of the dash.
    pub(super) start: usize,
    /// Key of a mapping.
    pub(super) key: Option<Span>,
    /// True if there is no colon after the key.
    pub(super) lacks_colon: bool,
    /// Value.
    pub(super) value: Syntax,
}

impl Entry {
    /// End of the entry, without its comments.
    pub(super) fn end(&self) -> usize {
        self.value.span.end
    }
}

impl Syntax {
    /// Items or keys of a collection.
    pub(super) fn collection(&self) -> Option<&Collection> {
        match &self.kind {
            Kind::Collection(collection) => Some(collection),
            _ => None,
        }
    }

    /// Tells whether this is a list or mapping in block style.
    pub(super) fn is_block_collection(&self) -> bool {
        self.collection().is_some_and(|it| !it.is_flow)
    }

    /// Tells whether this is a list or mapping in flow style with at least one entry.
    pub(super) fn is_full_flow(&self) -> bool {
        self.collection().is_some_and(|it| it.is_flow && !it.entries.is_empty())
    }
}

/// Concrete syntax of a document, with the spans of all scalars in the order of the text.
#[derive(Debug)]
pub(super) struct Tokens {
    /// Root value.
    pub(super) root: Syntax,
    /// Spans of all keys and scalars.
    pub(super) scalars: Vec<Span>,
}

/// Reads the syntax of a valid document.
///
/// # Errors
///
/// Place of something that is not understood.
pub(super) fn read(text: &str) -> Result<Tokens, usize> {
    let mut reader = Reader { text, events: Parser::new_from_str(text), scalars: Vec::new() };
    let start = loop {
        match reader.next(0)? {
            (Event::DocumentStart(true, _), at) => break reader.bytes(&at)?.end,
            (Event::DocumentStart(false, _), _) => break 0,
            _ => {}
        }
    };
    let (event, at) = reader.next(start)?;
    let root = reader.value(event, &at, start)?;
    Ok(Tokens { root, scalars: reader.scalars })
}

/// Returns the spans of the keys and scalars of a text, up to the first error in it.
pub(super) fn scalars(text: &str) -> Vec<Span> {
    let events = Parser::new_from_str(text).map_while(Result::ok);
    let scalars = events.filter(|(event, _)| matches!(event, Event::Scalar(..)));
    scalars.filter_map(|(_, at)| span(&at)).collect()
}

fn span(at: &EventSpan) -> Option<Span> {
    Some(at.start.byte_offset()?..at.end.byte_offset()?)
}

struct Reader<'t> {
    text: &'t str,
    events: Parser<'t, StrInput<'t>>,
    scalars: Vec<Span>,
}

impl<'t> Reader<'t> {
    fn next(&mut self, at: usize) -> Result<(Event<'t>, EventSpan), usize> {
        match self.events.next() {
            Some(Ok(event)) => Ok(event),
            _ => Err(at),
        }
    }

    fn bytes(&self, at: &EventSpan) -> Result<Span, usize> {
        let span = span(at).unwrap_or(0..0);
        if self.text.get(span.clone()).is_some() { Ok(span) } else { Err(0) }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    /// Reads the value that begins with an event, after the colon or dash that ends at `from`.
    fn value(&mut self, event: Event<'t>, at: &EventSpan, from: usize) -> Result<Syntax, usize> {
        let at = self.bytes(at)?;
        match event {
            Event::Scalar(_, style, anchor, tag) => {
                let properties = properties(anchor, tag.as_deref());
                if at.is_empty() && style == ScalarStyle::Plain {
                    let end = self.skip_properties(from, properties, skip_blanks)?;
                    return Ok(Syntax { after_head: end, span: end..end, kind: Kind::Empty });
                }
                let after_head = self.skip_properties(from, properties, skip_trivia)?;
                let start = skip_trivia(self.text, after_head);
                if matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) {
                    let (span, column) = self.block_scalar(start, &at)?;
                    return Ok(Syntax { after_head, span, kind: Kind::Block(style, column) });
                }
                ensure(at.start, start == at.start)?;
                self.scalars.push(at.clone());
                Ok(Syntax { after_head, span: at, kind: Kind::Scalar(style) })
            }
            Event::SequenceStart(style, anchor, tag) => {
                let properties = properties(anchor, tag.as_deref());
                let after_head = self.skip_properties(from, properties, skip_trivia)?;
                let start = skip_trivia(self.text, after_head);
                let is_flow = style == StructureStyle::Flow;
                // The place of a list in the column of its key is that after its dash.
                ensure(start, start == at.start || !is_flow && self.byte(start) == Some(b'-'))?;
                let open = if is_flow { at.end } else { start };
                let (end, entries) = self.items(open, is_flow)?;
                let collection = Collection { is_flow, is_map: false, is_regular: true, entries };
                Ok(Syntax { after_head, span: start..end, kind: Kind::Collection(collection) })
            }
            Event::MappingStart(style, anchor, tag) => {
                let properties = properties(anchor, tag.as_deref());
                let after_head = self.skip_properties(from, properties, skip_trivia)?;
                ensure(at.start, skip_trivia(self.text, after_head) == at.start)?;
                let is_flow = style == StructureStyle::Flow;
                let (end, collection) = self.keys(&at, is_flow)?;
                let kind = Kind::Collection(collection);
                Ok(Syntax { after_head, span: at.start..end, kind })
            }
            _ => Err(at.start),
        }
    }

    fn items(&mut self, open: usize, is_flow: bool) -> Result<(usize, Vec<Entry>), usize> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut end = open;
        loop {
            let (event, place) = self.next(end)?;
            if matches!(event, Event::SequenceEnd) {
                return Ok((if is_flow { self.bytes(&place)?.end } else { end }, entries));
            }
            let mut start = skip_trivia(self.text, end);
            if is_flow && self.byte(start) == Some(b',') {
                start = skip_trivia(self.text, start + 1);
            }
            ensure(start, is_flow || self.byte(start) == Some(b'-'))?;
            let value = self.value(event, &place, if is_flow { start } else { start + 1 })?;
            end = value.span.end;
            entries.push(Entry { start, key: None, lacks_colon: false, value });
        }
    }

    fn keys(&mut self, at: &Span, is_flow: bool) -> Result<(usize, Collection), usize> {
        let has_brackets = is_flow && self.byte(at.start) == Some(b'{');
        let mut is_regular = has_brackets || !is_flow;
        let mut entries: Vec<Entry> = Vec::new();
        let mut end = if has_brackets { at.end } else { at.start };
        loop {
            let (event, place) = self.next(end)?;
            let key = self.bytes(&place)?;
            if matches!(event, Event::MappingEnd) {
                let end = if has_brackets { key.end } else { end };
                return Ok((end, Collection { is_flow, is_map: true, is_regular, entries }));
            }
            ensure(key.start, matches!(event, Event::Scalar(..)) && !key.is_empty())?;
            let mut start = skip_trivia(self.text, end);
            if is_flow && self.byte(start) == Some(b',') {
                start = skip_trivia(self.text, start + 1);
            }
            is_regular &= start == key.start;
            self.scalars.push(key.clone());
            let colon = skip_trivia(self.text, key.end);
            let lacks_colon = self.byte(colon) != Some(b':');
            let from = if lacks_colon { key.end } else { colon + 1 };
            let (event, place) = self.next(from)?;
            let value = self.value(event, &place, from)?;
            end = value.span.end;
            entries.push(Entry { start, key: Some(key), lacks_colon, value });
        }
    }

    /// Returns the end of an anchor and a tag.
    fn skip_properties(
        &self,
        from: usize,
        count: usize,
        skip: fn(&str, usize) -> usize,
    ) -> Result<usize, usize> {
        let mut end = from;
        for _ in 0..count {
            let start = skip(self.text, end);
            ensure(start, matches!(self.byte(start), Some(b'&' | b'!')))?;
            let length = self.text[start..].find(|c: char| {
                c.is_ascii_whitespace() || matches!(c, ',' | '[' | ']' | '{' | '}')
            });
            end = length.map_or(self.text.len(), |length| start + length);
        }
        Ok(end)
    }

    /// Returns the span of a block scalar from its header on, and the column of its content.
    fn block_scalar(
        &mut self,
        header: usize,
        content: &Span,
    ) -> Result<(Span, Option<usize>), usize> {
        ensure(header, matches!(self.byte(header), Some(b'|' | b'>')))?;
        let text = self.text;
        let header_end = line_end(text, header);
        let written = &text[header..header_end];
        let indicators = written.find(char::is_whitespace).unwrap_or(written.len());
        if content.is_empty() || content.start < header_end {
            return Ok((header..header + indicators, None));
        }
        let keeps = written[..indicators].contains('+');
        let first = line_start(text, content.start);
        let indent = content.start - first;
        let mut end = content.end;
        let last = line_start(text, end);
        if last > first && text[last..end].bytes().all(|byte| byte == b' ') {
            end = last;
        }
        loop {
            if text[..end].ends_with('\n') {
                end -= 1;
                end -= usize::from(text[..end].ends_with('\r'));
            }
            let line = line_start(text, end);
            let is_empty = end - line <= indent && text[line..end].trim_ascii().is_empty();
            if keeps || !is_empty || line <= first {
                self.scalars.push(content.start..end);
                return Ok((header..end, Some(indent)));
            }
            end = line;
        }
    }
}

fn ensure(at: usize, is: bool) -> Result<(), usize> {
    if is { Ok(()) } else { Err(at) }
}

fn properties(anchor: usize, tag: Option<&Tag>) -> usize {
    usize::from(anchor != 0) + usize::from(tag.is_some())
}
