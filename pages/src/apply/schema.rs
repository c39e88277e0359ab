//! Slot types of the service, as far as planning needs them.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use super::same;
use super::schema_weight::{is_bounded_schema, referred};
use links_sdk::types::SlotType;
use links_sdk::{Client, Error, Slot};

/// The slot types of the service: whether they can be written, and the JSON Schema of their data. From `listSlotTypes`.
///
/// The list can be empty. Then only `event` counts as read-only, any other type can be created, any key can be cleared with `null`, and the
/// values that identify a slot are recognized by their format.
///
/// ```
/// use links_pages::apply::SlotTypes;
///
/// let mut types = SlotTypes::default();
/// types.insert("text", true, serde_json::json!({"properties": {"title": {"type": "string"}}}));
/// assert!(types.is_creatable("text") && !types.is_creatable("hologram"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct SlotTypes(Arc<BTreeMap<String, SlotTypeRules>>);

#[derive(Clone, Debug)]
struct SlotTypeRules {
    writable: bool,
    schema: Value,
    /// The keys that the service computes, if it says which.
    computed: Option<BTreeSet<String>>,
}

/// Way to clear the value of a key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Clearing<'s> {
    Null,
    Default(&'s Value),
    Impossible,
}

/// Event slots are read-only whatever a list of types says.
const EVENT: &str = "event";

impl SlotTypes {
    /// Reads the slot types from the service.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_pages::apply::{Apply, DesiredPage, SlotTypes};
    ///
    /// let types = SlotTypes::fetch(&client).await?;
    /// assert!(types.is_creatable("button") && types.is_read_only("event"));
    ///
    /// let desired: DesiredPage =
    ///     serde_json::from_str(r#"{"slots": [{"type": "text", "data": {"title": "Closed today"}}]}"#)?;
    /// Apply::new(&client.profile("cafe"), desired).types(types).await?;
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`Client::slot_types`].
    pub async fn fetch(client: &Client) -> Result<Self, Error> {
        Ok(client.slot_types().await?.into_iter().collect())
    }

    /// Adds a type with its `writable` flag and its `schema`, as the service describes it. A schema that is
    /// [not bounded](super::is_bounded_schema) is ignored.
    pub fn insert(&mut self, kind: impl Into<String>, writable: bool, schema: Value) {
        let schema = if is_bounded_schema(&schema) { schema } else { Value::Null };
        Arc::make_mut(&mut self.0)
            .insert(kind.into(), SlotTypeRules { writable, schema, computed: None });
    }

    /// Sets the keys that the service computes for a type that was added. A key that an open schema does not declare then counts as
    /// content, unless it is computed. Without this call it does not count, because it may be computed.
    pub fn computes<K: Into<String>>(&mut self, kind: &str, keys: impl IntoIterator<Item = K>) {
        if let Some(rules) = Arc::make_mut(&mut self.0).get_mut(kind) {
            rules.computed = Some(keys.into_iter().map(Into::into).collect());
        }
    }

    /// Returns whether no type is known.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether the keys of slots of this type are known.
    pub(super) fn knows(&self, kind: &str) -> bool {
        self.schema(kind).is_some_and(SchemaNode::has_properties)
    }

    /// Returns whether slots of this type can only be read and moved, not created, changed or deleted.
    pub fn is_read_only(&self, kind: &str) -> bool {
        kind == EVENT || self.0.get(kind).is_some_and(|rules| !rules.writable)
    }

    /// Returns whether a slot can be changed.
    pub(crate) fn is_editable(&self, slot: &Slot) -> bool {
        slot.supported && !self.is_read_only(&slot.kind)
    }

    /// Returns whether slots of this type can be created.
    pub fn is_creatable(&self, kind: &str) -> bool {
        !self.is_read_only(kind) && (self.0.is_empty() || self.0.contains_key(kind))
    }

    pub(crate) fn is_writable_key(&self, kind: &str, key: &str) -> bool {
        let Some(schema) = self.schema(kind).filter(|schema| schema.has_properties()) else {
            return true;
        };
        let computed = self.0.get(kind).and_then(|rules| rules.computed.as_ref());
        match schema.property(key) {
            Some(property) => !property.is("readOnly"),
            None => schema.is_open() && computed.is_some_and(|computed| !computed.contains(key)),
        }
    }

    pub(super) fn clearing(&self, kind: &str, key: &str) -> Clearing<'_> {
        let Some(property) = self.property(kind, key) else { return Clearing::Null };
        if property.accepts_null() {
            return Clearing::Null;
        }
        property.default_value().map_or(Clearing::Impossible, Clearing::Default)
    }

    /// Returns whether the service puts such a value into a slot by itself: it computes the key, or the value is the default.
    pub(super) fn fills_in(&self, kind: &str, key: &str, value: &Value) -> bool {
        let default = || self.property(kind, key).and_then(SchemaNode::default_value);
        !self.is_writable_key(kind, key) || default().is_some_and(|default| same(default, value))
    }

    /// Returns whether the schema itself, not the lack of one, allows `null`.
    pub(super) fn declares_null(&self, kind: &str, key: &str) -> bool {
        self.property(kind, key).is_some_and(SchemaNode::accepts_null)
    }

    pub(crate) fn schema(&self, kind: &str) -> Option<SchemaNode<'_>> {
        self.0
            .get(kind)
            .map(|rules| SchemaNode { root: &rules.schema, here: &rules.schema }.resolved())
    }

    fn property(&self, kind: &str, key: &str) -> Option<SchemaNode<'_>> {
        self.schema(kind)?.property(key)
    }
}

impl<T: Borrow<SlotType>> FromIterator<T> for SlotTypes {
    fn from_iter<I: IntoIterator<Item = T>>(types: I) -> Self {
        let mut rules = Self::default();
        for described in types {
            let SlotType { kind, writable, schema, computed, .. } = described.borrow();
            rules.insert(kind.as_str(), *writable, Value::Object(schema.0.clone()));
            rules.computes(kind, computed.0.keys());
        }
        rules
    }
}

/// A place in a JSON Schema. Reads local references and the branches of `allOf`, `anyOf` and `oneOf`.
#[derive(Clone, Copy)]
pub(crate) struct SchemaNode<'s> {
    root: &'s Value,
    here: &'s Value,
}

/// Maximum nesting of references or branches: a deeper one may be a loop.
const DEPTH: usize = 5;

impl<'s> SchemaNode<'s> {
    pub(crate) fn property(self, key: &str) -> Option<Self> {
        self.find(DEPTH, |schema| schema.at(schema.here.get("properties")?.get(key)?))
    }

    pub(super) fn items(self) -> Option<Self> {
        self.find(DEPTH, |schema| {
            schema.at(schema.here.get("items").filter(|items| items.is_object())?)
        })
    }

    /// Returns whether the schema describes one of a fixed set of values, so that an equal value says little about a slot.
    pub(super) fn is_option(self) -> bool {
        self.find(DEPTH, |schema| {
            (schema.is_set("enum") || schema.is_set("const")).then_some(schema)
        })
        .is_some()
    }

    fn has_properties(self) -> bool {
        self.find(DEPTH, |schema| schema.here.get("properties")).is_some()
    }

    /// Returns whether the schema allows keys that it does not declare.
    fn is_open(self) -> bool {
        let closed = |schema: Self| {
            let closes = |name| schema.here.get(name) == Some(&Value::Bool(false));
            (closes("additionalProperties") || closes("unevaluatedProperties")).then_some(())
        };
        self.find(DEPTH, closed).is_none()
    }

    fn accepts_null(self) -> bool {
        self.null_is_legal(DEPTH)
    }

    fn null_is_legal(self, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        if self.is("nullable") {
            return true;
        }
        let null_in = |list: &Value| match list {
            Value::Array(list) => list.iter().any(|item| item.is_null() || item == "null"),
            other => other.is_null() || other == "null",
        };
        let is_legal = |branch: Self| branch.null_is_legal(depth);
        ["type", "enum", "const"].iter().all(|name| self.here.get(name).is_none_or(null_in))
            && self.branches("allOf").all(is_legal)
            && ["anyOf", "oneOf"]
                .iter()
                .all(|name| !self.is_set(name) || self.branches(name).any(is_legal))
    }

    fn default_value(self) -> Option<&'s Value> {
        self.find(DEPTH, |schema| schema.here.get("default"))
    }

    /// Returns the first result for this place or for one of its branches.
    fn find<T>(self, depth: usize, ask: impl Fn(Self) -> Option<T> + Copy) -> Option<T> {
        let depth = depth.checked_sub(1)?;
        ask(self).or_else(|| {
            ["allOf", "anyOf", "oneOf"]
                .iter()
                .flat_map(|name| self.branches(name))
                .find_map(|branch| branch.find(depth, ask))
        })
    }

    fn branches(self, name: &str) -> impl Iterator<Item = Self> {
        let branches = self.here.get(name).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        branches.iter().filter_map(move |branch| self.at(branch))
    }

    fn at(self, here: &'s Value) -> Option<Self> {
        here.is_object().then(|| Self { here, ..self }.resolved())
    }

    fn resolved(mut self) -> Self {
        for _ in 0..DEPTH {
            let Some(target) = referred(self.root, self.here) else { break };
            self.here = target;
        }
        self
    }

    fn is(self, flag: &str) -> bool {
        self.here.get(flag) == Some(&Value::Bool(true))
    }

    fn is_set(self, name: &str) -> bool {
        self.here.get(name).is_some()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn button(schema: Value) -> SlotTypes {
        let mut types = SlotTypes::default();
        types.insert("button", true, schema);
        types
    }

    #[test]
    fn how_a_key_is_cleared_follows_from_its_schema() {
        let default = json!("primary");
        for (property, expected) in [
            (json!({"type": "string"}), Clearing::Impossible),
            (json!({"type": ["string", "null"]}), Clearing::Null),
            (json!({"type": "string", "nullable": true}), Clearing::Null),
            (json!({}), Clearing::Null),
            (json!({"enum": ["primary", null]}), Clearing::Null),
            (json!({"type": ["string", "null"], "enum": ["primary"]}), Clearing::Impossible),
            (json!({"enum": ["primary"], "default": "primary"}), Clearing::Default(&default)),
            (json!({"anyOf": [{"type": "string"}, {"type": "null"}]}), Clearing::Null),
            (
                json!({"oneOf": [{"type": "string", "default": "primary"}, {"type": "number"}]}),
                Clearing::Default(&default),
            ),
            (json!({"allOf": [{"type": "string"}, {}]}), Clearing::Impossible),
            (json!({"$ref": "#/$defs/text"}), Clearing::Null),
            (json!({"$ref": "#/$defs/loop"}), Clearing::Null),
            // An endless reference is ignored.
            (json!({"allOf": [{"$ref": "#/properties/style"}]}), Clearing::Null),
        ] {
            let schema = json!({
                "properties": {"style": property},
                "$defs": {"text": {"type": ["string", "null"]}, "loop": {"$ref": "#/$defs/loop"}},
            });
            assert_eq!(button(schema).clearing("button", "style"), expected, "{property}");
        }
        assert_eq!(SlotTypes::default().clearing("button", "style"), Clearing::Null);
        assert!(!SlotTypes::default().declares_null("button", "style"));
    }

    #[test]
    fn options_are_told_from_free_values_at_any_depth() {
        let types = button(json!({
            "properties": {
                "title": {"type": "string"},
                "style": {"enum": ["primary"]},
                "items": {"type": "array", "items": {"properties": {"size": {"anyOf": [{"const": "s"}, {"const": "m"}]}, "link": {}}}},
            },
        }));
        let schema = types.schema("button").unwrap();
        assert!(!schema.property("title").unwrap().is_option());
        assert!(schema.property("style").unwrap().is_option());
        let item = schema.property("items").unwrap().items().unwrap();
        assert!(item.property("size").unwrap().is_option());
        assert!(!item.property("link").unwrap().is_option());
        assert!(item.property("other").is_none());
    }

    #[test]
    fn creatable_types_and_writable_keys_follow_from_the_slot_types() {
        let mut types = SlotTypes::default();
        assert!(types.is_creatable("anything") && !types.is_creatable("event"));
        types.insert("event", true, json!({}));
        types.insert("poll", false, json!({}));
        types.insert(
            "text",
            true,
            json!({"properties": {"title": {}, "html": {"readOnly": true}}}),
        );
        for (kind, creatable, read_only) in [
            ("text", true, false),
            ("event", false, true),
            ("poll", false, true),
            ("hologram", false, false),
        ] {
            assert_eq!(
                (types.is_creatable(kind), types.is_read_only(kind)),
                (creatable, read_only),
                "{kind}"
            );
        }
        for (kind, key, writable) in [
            ("text", "title", true),
            ("text", "html", false),
            ("text", "x", false),
            ("hologram", "x", true),
            ("poll", "x", true),
        ] {
            assert_eq!(types.is_writable_key(kind, key), writable, "{kind}.{key}");
        }
    }

    #[test]
    fn a_key_that_an_open_schema_does_not_declare_is_content_unless_it_is_computed() {
        let mut types = SlotTypes::default();
        types.insert("faq", true, json!({"properties": {"title": {}}}));
        types.insert(
            "text",
            true,
            json!({"properties": {"title": {}}, "additionalProperties": false}),
        );
        for kind in ["faq", "text"] {
            types.computes(kind, ["clicks"]);
        }
        for (kind, key, writable) in [
            ("faq", "title", true),
            ("faq", "placeholder", true),
            ("faq", "clicks", false),
            ("text", "placeholder", false),
        ] {
            assert_eq!(types.is_writable_key(kind, key), writable, "{kind}.{key}");
        }
    }
}
