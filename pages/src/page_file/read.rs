//! Reader of YAML 1.2, and of JSON as its subset. One pass over the events of the parser makes the tree, with the place of every key and
//! value and how it is written: validation, diagnostics and edits in place all work on it.

use std::collections::HashSet;

use granit_parser::{
    ErrorKind, Event, Parser, ScalarStyle, ScanError, Span as EventSpan, StrInput, StructureStyle,
    options,
};
use serde::de::IgnoredAny;
use serde_json::Number;

use super::lex::{line_end, line_start, skip_trivia};
use super::node::{Key, Layout, Node, Notation, Span, Tree};
use super::report::{FieldDiagnostic, FileDiagnostics};
use super::sources::Sources;

/// Number of keys of a mapping from which on a repeated one is looked up instead of compared with all others.
const MANY_KEYS: usize = 32;

/// Maximum nesting depth.
const MAX_DEPTH: usize = 32;

/// Maximum number of keys and values, which bounds the memory for a hostile file.
const MAX_NODES: usize = 250_000;

/// Decodes the text of a file with this name: UTF-8, without a byte order mark and NUL characters.
///
/// # Errors
///
/// A diagnostic, with invalid bytes replaced in the text.
pub(super) fn decode(name: &str, bytes: Vec<u8>) -> Result<String, FileDiagnostics> {
    let refused = |text: &str, at: Span, message: &str, help: Option<&str>| {
        let sources = Sources::new(name, text.to_owned());
        let problem = FieldDiagnostic::new("", at, message).help_if(help);
        FileDiagnostics::new(&sources, vec![problem])
    };
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(error.as_bytes());
        let at = at..at + '\u{fffd}'.len_utf8();
        refused(&text, at, "the file is not UTF-8 from here on", Some("save it as UTF-8"))
    })?;
    let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
    if let Some(at) = text.find('\0') {
        return Err(refused(&text, at..at + 1, "unexpected NUL character", None));
    }
    let may_be_json = text.trim_ascii_start().starts_with('{') && text.contains(is_no_yaml);
    if !may_be_json || serde_json::from_str::<IgnoredAny>(&text).is_err() {
        return Ok(text);
    }
    // YAML allows these characters in strings only as escape sequences.
    let escaped = |c: char| format!("\\u{:04x}", u32::from(c));
    Ok(text.chars().map(|c| if is_no_yaml(c) { escaped(c) } else { c.to_string() }).collect())
}

fn is_no_yaml(c: char) -> bool {
    matches!(c, '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}')
}

/// Reads one document.
///
/// # Errors
///
/// Diagnostics, if the text is not exactly one YAML or JSON document of plain values.
pub(super) fn read(text: &str) -> Result<Node, Vec<FieldDiagnostic>> {
    read_with_layout(text).map(|(root, _)| root)
}

/// Reads one document as [`read`] does. The second value is the first place of which the [`Layout`] is not understood.
pub(super) fn read_with_layout(text: &str) -> Result<(Node, Option<usize>), Vec<FieldDiagnostic>> {
    let events =
        Parser::new_from_str_with_options(text, options! { emit_unresolved_aliases: true });
    let mut reader =
        Reader { text, events, nodes: 0, path: String::new(), misread: Vec::new(), odd: None };
    let root = reader.document().map_err(|problem| vec![problem])?;
    if reader.misread.is_empty() { Ok((root, reader.odd)) } else { Err(reader.misread) }
}

/// Returns the value of a scalar without quotes by the core schema of YAML 1.2. `None` for a number that JSON cannot represent.
pub(super) fn resolved(text: &str) -> Option<Tree> {
    Some(match text {
        _ if is_null(text) => Tree::Null,
        "true" | "True" | "TRUE" => Tree::Bool(true),
        "false" | "False" | "FALSE" => Tree::Bool(false),
        _ if text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) => {
            let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
            if matches!(unsigned, ".inf" | ".Inf" | ".INF")
                || matches!(text, ".nan" | ".NaN" | ".NAN")
            {
                return None;
            }
            match whole_number(text) {
                Some(number) => Tree::Number(number),
                None => match float(text) {
                    Some(float) => Tree::Number(Number::from_f64(float)?),
                    None => Tree::Text(text.to_owned()),
                },
            }
        }
        _ => Tree::Text(text.to_owned()),
    })
}

fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

/// Reads `12`, `0o14` or `0xc`, if it has 64 bits.
fn whole_number(text: &str) -> Option<Number> {
    let based = text.strip_prefix("0x").map(|digits| (digits, 16));
    let based = based.or_else(|| text.strip_prefix("0o").map(|digits| (digits, 8)));
    match (based, text.parse::<i64>()) {
        (Some((digits, _)), _) if digits.starts_with('+') => None,
        (Some((digits, radix)), _) => u64::from_str_radix(digits, radix).ok().map(Number::from),
        (None, Ok(number)) => Some(number.into()),
        (None, Err(_)) => text.parse::<u64>().ok().map(Number::from),
    }
}

/// Reads a number with a fraction or an exponent, or a whole number of more than 64 bits.
fn float(text: &str) -> Option<f64> {
    // Rust also reads `inf` and `nan`.
    let may_be_number = |c: char| c.is_ascii_digit() || "+-.eE".contains(c);
    if text.chars().all(may_be_number) { text.parse().ok() } else { None }
}

struct Reader<'t> {
    text: &'t str,
    events: Parser<'t, StrInput<'t>>,
    nodes: usize,
    /// Path of the value that is read.
    path: String,
    /// Numbers that would be written differently.
    misread: Vec<FieldDiagnostic>,
    odd: Option<usize>,
}

type Read<T> = Result<T, FieldDiagnostic>;

impl<'t> Reader<'t> {
    fn next(&mut self) -> Read<(Event<'t>, Span)> {
        match self.events.next() {
            Some(Ok((event, at))) => Ok((event, self.span(&at))),
            Some(Err(error)) => Err(scan_problem(&error, self.text)),
            None => Err(problem(self.text.len()..self.text.len(), "unexpected end of the file")),
        }
    }

    fn span(&mut self, at: &EventSpan) -> Span {
        let span = at.byte_range().filter(|span| self.text.get(span.clone()).is_some());
        self.expect(0, span.is_some());
        span.unwrap_or(0..0)
    }

    /// Takes down a place if what is there is not what the layout needs.
    fn expect(&mut self, at: usize, is: bool) {
        if !is {
            self.odd.get_or_insert(at);
        }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn document(&mut self) -> Read<Node> {
        let start = loop {
            match self.next()? {
                (Event::StreamStart, _) => {}
                (Event::DocumentStart(is_explicit, _), at) => {
                    break if is_explicit { at.end } else { 0 };
                }
                _ => {
                    self.expect(0, false);
                    return Ok(Node::default());
                }
            }
        };
        let (event, at) = self.next()?;
        let mut root = self.value(event, at, start, 1)?;
        root.layout.start = root.layout.extent.start;
        loop {
            match self.next()? {
                (Event::DocumentEnd, _) => {}
                (Event::StreamEnd, _) => return Ok(root),
                (_, at) => {
                    return Err(problem(at, "unexpected second document")
                        .help("a file describes one page; remove the `---`"));
                }
            }
        }
    }

    /// Reads the value that begins with an event, after the colon or dash that ends at `from`.
    fn value(&mut self, event: Event<'t>, at: Span, from: usize, depth: usize) -> Read<Node> {
        self.count(&event, &at)?;
        self.expect(at.start, event.anchor_id().is_none());
        match event {
            Event::Scalar(text, style, ..) => {
                let tree = self.scalar(&text, style, &at)?;
                let layout = self.scalar_layout(style, &at, from);
                Ok(Node { span: at, tree, layout })
            }
            Event::SequenceStart(..) | Event::MappingStart(..) if depth > MAX_DEPTH => {
                Err(too_deep(at))
            }
            Event::SequenceStart(style, ..) => {
                self.list(at, from, style == StructureStyle::Flow, depth)
            }
            Event::MappingStart(style, ..) => {
                self.map(at, from, style == StructureStyle::Flow, depth)
            }
            _ => {
                let problem = problem(at, "aliases (`*name`) are not supported");
                Err(problem.help("write the value out"))
            }
        }
    }

    /// Counts a key or a value. Refuses a tag.
    fn count(&mut self, event: &Event<'t>, at: &Span) -> Read<()> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            let message = format!("the file has more than {MAX_NODES} keys and values");
            return Err(problem(at.clone(), message));
        }
        let Some(tag) = event.tag() else { return Ok(()) };
        let message = format!("the tag `{}` is not supported", tag.original());
        Err(problem(at.clone(), message).help("remove it, and quote strings"))
    }

    fn list(&mut self, at: Span, after_head: usize, is_flow: bool, depth: usize) -> Read<Node> {
        let first = skip_trivia(self.text, after_head);
        // The place of a list in the column of its key is that after its dash.
        self.expect(first, first == at.start || !is_flow && self.byte(first) == Some(b'-'));
        let mut items: Vec<Node> = Vec::new();
        let mut end = if is_flow { at.end } else { first };
        loop {
            let (event, place) = self.next()?;
            if matches!(event, Event::SequenceEnd) {
                let extent = first..if is_flow { place.end } else { end };
                return Ok(collection(Tree::List(items), at, extent, after_head, is_flow));
            }
            let start = self.after_comma(end, is_flow);
            self.expect(start, is_flow || self.byte(start) == Some(b'-'));
            let from = if is_flow { start } else { start + 1 };
            let name = items.len().to_string();
            let mut item = self.below(&name, event, place, from, depth + 1)?;
            item.layout.start = start;
            end = item.layout.extent.end;
            items.push(item);
        }
    }

    fn map(&mut self, at: Span, after_head: usize, is_flow: bool, depth: usize) -> Read<Node> {
        self.expect(at.start, skip_trivia(self.text, after_head) == at.start);
        let has_brackets = is_flow && self.byte(at.start) == Some(b'{');
        self.expect(at.start, has_brackets || !is_flow);
        let mut entries: Vec<(Key, Node)> = Vec::new();
        let mut names = HashSet::new();
        let mut end = if has_brackets { at.end } else { at.start };
        loop {
            let (event, place) = self.next()?;
            if matches!(event, Event::MappingEnd) {
                let extent = at.start..if has_brackets { place.end } else { end };
                return Ok(collection(Tree::Map(entries), at, extent, after_head, is_flow));
            }
            let name = self.key(event, &place)?;
            let is_repeated = if entries.len() < MANY_KEYS {
                entries.iter().any(|(key, _)| key.name == name)
            } else {
                if names.is_empty() {
                    names.extend(entries.iter().map(|(key, _)| key.name.clone()));
                }
                !names.insert(name.clone())
            };
            if is_repeated {
                return Err(
                    problem(place, format!("duplicate key `{name}`")).help("remove one of them")
                );
            }
            self.expect(place.start, !place.is_empty());
            let start = self.after_comma(end, is_flow);
            self.expect(start, start == place.start);
            let colon = skip_trivia(self.text, place.end);
            let has_colon = self.byte(colon) == Some(b':');
            self.expect(place.end, has_colon);
            let from = if has_colon { colon + 1 } else { place.end };
            let (event, at) = self.next()?;
            let mut value = self.below(&name, event, at, from, depth + 1)?;
            value.layout.start = start;
            end = value.layout.extent.end;
            entries.push((Key { span: place, name, is_literal: false }, value));
        }
    }

    fn key(&mut self, event: Event<'t>, at: &Span) -> Read<String> {
        self.count(&event, at)?;
        let kind = match event {
            Event::Scalar(name, ScalarStyle::Plain, ..) if name == "<<" => {
                return Err(problem(at.clone(), "merge keys (`<<`) are not supported")
                    .help("write the fields out"));
            }
            Event::Scalar(name, ScalarStyle::Plain, ..) if is_null(&name) => "nothing",
            Event::Scalar(name, ..) => return Ok(name.into_owned()),
            Event::SequenceStart(..) => "a list",
            Event::MappingStart(..) => "a mapping",
            _ => "an alias",
        };
        Err(problem(at.clone(), format!("a key must be a string, not {kind}")))
    }

    /// Reads the [value](Self::value) below a key or an item of this name.
    fn below(
        &mut self,
        name: &str,
        event: Event<'t>,
        at: Span,
        from: usize,
        depth: usize,
    ) -> Read<Node> {
        let end = self.path.len();
        self.path.push_str(if end == 0 { "" } else { "." });
        self.path.push_str(name);
        let value = self.value(event, at, from, depth);
        self.path.truncate(end);
        value
    }

    /// Returns the value of a scalar. Takes down a number that would be written differently, because it may be meant as a string: `+7701`,
    /// `007`, `1.50`, `0x1F`, and numbers with too many digits.
    fn scalar(&mut self, text: &str, style: ScalarStyle, at: &Span) -> Read<Tree> {
        if style != ScalarStyle::Plain {
            return Ok(Tree::Text(text.to_owned()));
        }
        let tree = resolved(text).ok_or_else(|| {
            problem(at.clone(), format!("{text} is not a number that JSON can represent"))
                .help("quote it to keep it a string")
        })?;
        // `1e5` has many spellings.
        let is_scientific =
            text.contains(['e', 'E']) && !text.contains('x') && !text.starts_with('+');
        if let Tree::Number(number) = &tree
            && !is_scientific
            && let read = number.to_string()
            && text != read
        {
            let message = format!("`{text}` is read as the number {read}");
            let help = format!("quote it to keep it a string, or write {read}");
            self.misread
                .push(FieldDiagnostic::new(self.path.clone(), at.clone(), message).help(help));
        }
        Ok(tree)
    }

    fn scalar_layout(&mut self, style: ScalarStyle, at: &Span, after_head: usize) -> Layout {
        let start = skip_trivia(self.text, after_head);
        let (extent, style) = match style {
            ScalarStyle::Plain if at.is_empty() => (after_head..after_head, Notation::Empty),
            ScalarStyle::Literal | ScalarStyle::Folded => {
                let (extent, column) = self.block_scalar(start, at);
                (extent, Notation::Block(column))
            }
            style => {
                self.expect(at.start, start == at.start);
                (at.clone(), Notation::Scalar(style))
            }
        };
        Layout { after_head, extent, style, ..Layout::default() }
    }

    /// Returns the place of the next entry of a collection, after its comma.
    fn after_comma(&self, end: usize, is_flow: bool) -> usize {
        let next = skip_trivia(self.text, end);
        if is_flow && self.byte(next) == Some(b',') {
            skip_trivia(self.text, next + 1)
        } else {
            next
        }
    }

    /// Returns the extent of a block scalar from its header on, and the column of its content; `None` for a scalar without content.
    fn block_scalar(&mut self, header: usize, content: &Span) -> (Span, Option<usize>) {
        self.expect(header, matches!(self.byte(header), Some(b'|' | b'>')));
        let text = self.text;
        let header_end = line_end(text, header);
        let written = &text[header..header_end];
        let indicators = written.find(char::is_whitespace).unwrap_or(written.len());
        if content.is_empty() || content.start < header_end {
            return (header..header + indicators, None);
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
                return (header..end, Some(indent));
            }
            end = line;
        }
    }
}

/// Returns a list or mapping that was read.
fn collection(tree: Tree, span: Span, extent: Span, after_head: usize, is_flow: bool) -> Node {
    let style = Notation::Collection { is_flow };
    let layout = Layout { after_head, extent, style, ..Layout::default() };
    Node { span, tree, layout }
}

fn too_deep(at: Span) -> FieldDiagnostic {
    problem(at, format!("nested more than {MAX_DEPTH} levels deep"))
        .help("look for an unclosed bracket")
}

fn problem(at: Span, message: impl Into<String>) -> FieldDiagnostic {
    FieldDiagnostic::new("", at, message)
}

/// The commonest messages of the parser, by a part of each, with what to say instead and a hint.
const SCAN_ERRORS: &[(&str, &str, &str)] = &[
    ("tab", "tabs can't be used for indentation", "use spaces"),
    ("mapping values", "unexpected `:`", "quote a value that contains a colon"),
    ("expected '-'", "wrong indentation", "items of a list must start in the same column"),
    ("expected key", "wrong indentation", "keys of a mapping must start in the same column"),
    ("simple key expected", "missing `:`", "write `key: value`"),
    (
        "quoted scalar",
        "a quoted value is not closed",
        "look for a missing quote in the lines above",
    ),
    ("EOF", "unexpected end of the file", "look for an unclosed bracket or quote"),
];

/// First characters of the lines with which Git marks a conflict.
const GIT_CONFLICT: &str = "<<<<<<<";

/// Returns the diagnostic of a text that is not YAML. Other messages of the parser are shown as lowercase fragments.
fn scan_problem(error: &ScanError, text: &str) -> FieldDiagnostic {
    let at = error.marker().byte_offset().unwrap_or(0);
    let at = if text.is_char_boundary(at) { at } else { text.len() };
    // The scanner has a limit of its own, which a run of many brackets reaches first.
    if *error.kind() == ErrorKind::RecursionLimitExceeded {
        return too_deep(at..at);
    }
    let mut marks = text.match_indices(GIT_CONFLICT);
    if let Some((start, _)) = marks.find(|(start, _)| line_start(text, *start) == *start) {
        return problem(start..start, "a conflict of Git is not resolved")
            .help("keep one side, and remove the lines `<<<<<<<`, `=======` and `>>>>>>>`");
    }
    // The parser finds out about a line only at the next one.
    let line = line_start(text, at);
    let lines = [line, line_start(text, line.saturating_sub(1))];
    if let Some(missing) = lines.into_iter().find_map(|start| missing_space(text, start)) {
        return missing;
    }
    let message = error.info();
    if let Some((part, message, help)) = SCAN_ERRORS.iter().find(|it| message.contains(it.0)) {
        let is_indent = |tab: &usize| text[line_start(text, *tab)..*tab].trim().is_empty();
        let tabs = text[line..].match_indices('\t');
        let tab = tabs.map(|(below, _)| line + below).find(is_indent);
        let at = tab.filter(|_| *part == "tab").unwrap_or(at);
        return problem(at..at, *message).help(*help);
    }
    let mut chars = message.chars();
    let first = chars.next().into_iter().flat_map(char::to_lowercase);
    problem(at..at, first.chain(chars).collect::<String>())
}

/// Returns the diagnostic of a line that begins with `-item` or `key:value`, without the space that YAML needs there.
fn missing_space(text: &str, start: usize) -> Option<FieldDiagnostic> {
    let line = &text[start..line_end(text, start)];
    let content = line.trim_start();
    let at = start + line.len() - content.len();
    let is_letter = |it: char| it.is_ascii_alphabetic();
    if content.strip_prefix('-').is_some_and(|item| item.starts_with(is_letter)) {
        let missing = problem(at..at + 1, "a space is missing after `-`");
        return Some(missing.help("write `- ` before each item"));
    }
    let key = content.find(':').filter(|end| *end > 0 && content[..*end].chars().all(is_letter))?;
    let value = content[key + 1..].chars().next()?;
    // `https://` in a text of several lines is no key.
    (!value.is_whitespace() && value != '/').then(|| {
        problem(at + key..at + key + 1, "a space is missing after `:`").help("write `key: value`")
    })
}
