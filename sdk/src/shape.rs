//! What an answer is that counts as a success, and the shape of the record in it.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

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
    needs: Presence,
    shape: Shape,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Presence {
    /// The field has to be there.
    Value,
    /// The field may be missing.
    Nothing,
    /// The field may be missing or `null`.
    Null,
}

impl Field {
    /// Returns a field that is always there.
    pub(crate) const fn of(name: &'static str, shape: Shape) -> Self {
        Self { name, needs: Presence::Value, shape }
    }

    /// Returns a field that may be missing.
    pub(crate) const fn optional(name: &'static str, shape: Shape) -> Self {
        Self { name, needs: Presence::Nothing, shape }
    }

    /// Returns a field that may be missing or `null`.
    pub(crate) const fn nullable(name: &'static str, shape: Shape) -> Self {
        Self { name, needs: Presence::Null, shape }
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
        self.deserialize(&mut deserializer)?;
        deserializer.end()
    }
}

impl<'de> DeserializeSeed<'de> for &'static Shape {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &'static Shape {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Shape::Flag => "true or false",
            Shape::Integer => "a whole number",
            Shape::Text => "a string",
            Shape::Open | Shape::Map(_) | Shape::Record(_) => "an object",
            Shape::List(_) => "a list",
            Shape::Numbers => "a list of whole numbers",
        })
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        match self {
            Shape::Flag => Ok(()),
            _ => Err(E::invalid_type(serde::de::Unexpected::Bool(value), &self)),
        }
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        match self {
            Shape::Integer => Ok(()),
            _ => Err(E::invalid_type(serde::de::Unexpected::Signed(value), &self)),
        }
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        match self {
            Shape::Integer if i64::try_from(value).is_ok() => Ok(()),
            _ => Err(E::invalid_type(serde::de::Unexpected::Unsigned(value), &self)),
        }
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<(), E> {
        match self {
            Shape::Text => Ok(()),
            _ => Err(E::invalid_type(serde::de::Unexpected::Str(value), &self)),
        }
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        match self {
            Shape::Open | Shape::Numbers => Ok(()),
            _ => Err(E::invalid_type(serde::de::Unexpected::Unit, &self)),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let item = match self {
            Shape::List(item) => *item,
            Shape::Numbers => &Shape::Integer,
            Shape::Open => {
                return match seq.next_element::<IgnoredAny>()? {
                    None => Ok(()),
                    Some(_) => Err(A::Error::invalid_type(serde::de::Unexpected::Seq, &self)),
                };
            }
            _ => return Err(A::Error::invalid_type(serde::de::Unexpected::Seq, &self)),
        };
        while seq.next_element_seed(item)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let value = match self {
            Shape::Record(fields) => return record(fields, map),
            Shape::Map(value) => *value,
            Shape::Numbers => &Shape::Integer,
            Shape::Open => {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                return Ok(());
            }
            _ => return Err(A::Error::invalid_type(serde::de::Unexpected::Map, &self)),
        };
        while map.next_key::<IgnoredAny>()?.is_some() {
            map.next_value_seed(value)?;
        }
        Ok(())
    }
}

fn record<'de, A: MapAccess<'de>>(fields: &'static [Field], mut map: A) -> Result<(), A::Error> {
    let mut seen = 0_u64;
    let mut next = 0;
    while let Some(known) = map.next_key_seed(FieldName { fields, next })? {
        match known {
            None => {
                map.next_value::<IgnoredAny>()?;
            }
            Some(at) => {
                seen |= 1 << at;
                next = at + 1;
                map.next_value_seed(FieldValue(&fields[at]))?;
            }
        }
    }
    let is_missing =
        |(at, field): &(usize, &Field)| field.needs == Presence::Value && seen & (1 << at) == 0;
    match fields.iter().enumerate().find(is_missing) {
        None => Ok(()),
        Some((_, field)) => Err(A::Error::missing_field(field.name)),
    }
}

/// Reads the name of a field as its index among the known fields.
struct FieldName {
    fields: &'static [Field],
    /// Index of the field that is compared first: the service sends fields in the order of the interface.
    next: usize,
}

impl<'de> DeserializeSeed<'de> for FieldName {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for FieldName {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        let is_next = self.fields.get(self.next).is_some_and(|field| field.name == name);
        Ok(if is_next {
            Some(self.next)
        } else {
            self.fields.iter().position(|field| field.name == name)
        })
    }
}

/// Reads the value of a field.
struct FieldValue(&'static Field);

impl<'de> DeserializeSeed<'de> for FieldValue {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match self.0.needs {
            Presence::Null => deserializer.deserialize_option(self),
            Presence::Value | Presence::Nothing => self.0.shape.deserialize(deserializer),
        }
    }
}

impl<'de> Visitor<'de> for FieldValue {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Visitor::expecting(&&self.0.shape, f)
    }

    fn visit_none<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.0.shape.deserialize(deserializer)
    }
}
