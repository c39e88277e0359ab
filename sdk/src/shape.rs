//! What an answer is that counts as a success, and the shape of the record in it.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{
    DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Unexpected, Visitor,
};

/// Status and content of a successful answer of an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Success {
    pub(crate) status: &'static [u16],
    pub(crate) content: SuccessContent,
}

/// Content of a successful answer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SuccessContent {
    /// No body.
    Nothing,
    /// A page as Markdown.
    Markdown,
    /// A record in its envelope.
    Json(&'static Shape),
    /// Unknown content: the path is not one of the interface.
    Any,
}

impl Success {
    /// An answer with any 2xx status, for a path outside the interface.
    pub(crate) const ANY: Self = Self { status: &[], content: SuccessContent::Any };
}

/// Shape that a value must have for the types of the client to accept it.
#[derive(Debug)]
pub(crate) enum Shape {
    /// `true` or `false`.
    Flag,
    /// A whole number of 64 bits.
    Integer,
    /// A string.
    Text,
    /// An object with any content; `[]` and `null` are empty ones.
    Open,
    /// An object whose values are all of a shape.
    Map(&'static Shape),
    /// A list whose items are all of a shape.
    List(&'static Shape),
    /// Whole numbers, in a list or as the values of an object; `null` is an empty list.
    Numbers,
    /// An object with these fields, among others.
    Record(&'static [Field]),
}

/// A field of a record.
#[derive(Debug)]
pub(crate) struct Field {
    name: &'static str,
    /// Set if the field has to be there.
    is_required: bool,
    /// Set if it may be `null`.
    is_nullable: bool,
    shape: Shape,
}

impl Field {
    /// Returns a field that is always there.
    pub(crate) const fn of(name: &'static str, shape: Shape) -> Self {
        Self { name, is_required: true, is_nullable: false, shape }
    }

    /// Returns a field that may be missing.
    pub(crate) const fn optional(name: &'static str, shape: Shape) -> Self {
        Self { name, is_required: false, is_nullable: false, shape }
    }

    /// Returns a field that may be missing or `null`.
    pub(crate) const fn nullable(name: &'static str, shape: Shape) -> Self {
        Self { name, is_required: false, is_nullable: true, shape }
    }

    #[cfg(test)]
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    #[cfg(test)]
    pub(crate) fn shape(&self) -> &Shape {
        &self.shape
    }
}

impl Shape {
    /// Any object.
    pub(crate) const OBJECT: Self = Self::Record(&[]);

    /// Checks that bytes are JSON of this shape.
    ///
    /// # Errors
    ///
    /// When the bytes are not JSON, or JSON of another shape.
    pub(crate) fn check(&'static self, json: &[u8]) -> serde_json::Result<()> {
        // UTF-8 is checked once for all rather than for each string.
        let Ok(text) = std::str::from_utf8(json) else {
            return self.check_with(serde_json::Deserializer::from_slice(json));
        };
        self.check_with(serde_json::Deserializer::from_str(text))
    }

    fn check_with<'de, R: serde_json::de::Read<'de>>(
        &'static self,
        mut deserializer: serde_json::Deserializer<R>,
    ) -> serde_json::Result<()> {
        Expected { shape: self, is_nullable: false }.deserialize(&mut deserializer)?;
        deserializer.end()
    }
}

/// A value that is to have a shape.
#[derive(Clone, Copy)]
struct Expected {
    shape: &'static Shape,
    is_nullable: bool,
}

impl Expected {
    fn judged<E: Error>(self, fits: bool, found: Unexpected<'_>) -> Result<(), E> {
        if fits { Ok(()) } else { Err(E::invalid_type(found, &self)) }
    }
}

impl<'de> DeserializeSeed<'de> for Expected {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Expected {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.shape {
            Shape::Flag => "true or false",
            Shape::Integer => "a whole number",
            Shape::Text => "a string",
            Shape::Open | Shape::Map(_) | Shape::Record(_) => "an object",
            Shape::List(_) => "a list",
            Shape::Numbers => "a list of whole numbers",
        })
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.judged(matches!(self.shape, Shape::Flag), Unexpected::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        self.judged(matches!(self.shape, Shape::Integer), Unexpected::Signed(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        let fits = matches!(self.shape, Shape::Integer) && i64::try_from(value).is_ok();
        self.judged(fits, Unexpected::Unsigned(value))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<(), E> {
        self.judged(matches!(self.shape, Shape::Text), Unexpected::Str(value))
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        let fits = self.is_nullable || matches!(self.shape, Shape::Open | Shape::Numbers);
        self.judged(fits, Unexpected::Unit)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let shape = match self.shape {
            Shape::List(item) => *item,
            Shape::Numbers => &Shape::Integer,
            shape => {
                let is_empty = seq.next_element::<IgnoredAny>()?.is_none();
                return self.judged(is_empty && matches!(shape, Shape::Open), Unexpected::Seq);
            }
        };
        while seq.next_element_seed(Self { shape, is_nullable: false })?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let shape = match self.shape {
            Shape::Record(fields) => return record(fields, map),
            Shape::Map(value) => *value,
            Shape::Numbers => &Shape::Integer,
            shape => {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                return self.judged(matches!(shape, Shape::Open), Unexpected::Map);
            }
        };
        while map.next_key::<IgnoredAny>()?.is_some() {
            map.next_value_seed(Self { shape, is_nullable: false })?;
        }
        Ok(())
    }
}

/// Name of a field, borrowed where the text has it as it is.
#[derive(Deserialize)]
pub(crate) struct Key<'k>(#[serde(borrow)] pub(crate) Cow<'k, str>);

fn record<'de, A: MapAccess<'de>>(fields: &'static [Field], mut map: A) -> Result<(), A::Error> {
    let mut seen = 0_u64;
    let mut next = 0;
    while let Some(Key(key)) = map.next_key()? {
        // The service sends fields in the order of the interface.
        let mut known = (next..fields.len()).chain(0..next);
        let Some(at) = known.find(|at| fields[*at].name == key) else {
            map.next_value::<IgnoredAny>()?;
            continue;
        };
        seen |= 1 << at;
        next = at + 1;
        let Field { shape, is_nullable, .. } = &fields[at];
        map.next_value_seed(Expected { shape, is_nullable: *is_nullable })?;
    }
    let is_missing = |(at, field): &(usize, &Field)| field.is_required && seen & (1 << at) == 0;
    match fields.iter().enumerate().find(is_missing) {
        None => Ok(()),
        Some((_, field)) => Err(A::Error::missing_field(field.name)),
    }
}
