//! JSON Schemas of page files and form files for editors: the parts that are always the same are data beside this file, to which the
//! service's description of its slot types is added. The tests hold them against the validation.

use links_sdk::types::SlotType;
use serde_json::{Map, Value, json};

const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Returns the schema of a type's data.
pub(crate) fn slot(slot_type: &SlotType) -> Value {
    let mut schema = data(slot_type);
    let own = [
        ("$schema", DRAFT),
        ("title", slot_type.title.as_str()),
        ("description", slot_type.description.as_str()),
    ];
    for (name, value) in own {
        schema.entry(name).or_insert_with(|| json!(value));
    }
    if !slot_type.example.is_empty() {
        schema.entry("examples").or_insert_with(|| json!([slot_type.example]));
    }
    Value::Object(schema)
}

/// Returns the schema of a page file. A slot with an `id`, which is on the page already, requires only the fields that change.
pub(crate) fn page(types: &[SlotType]) -> Value {
    let mut page = parsed(include_str!("page.schema.json"));
    let mut rules = Vec::new();
    let mut definitions = Map::new();
    for slot_type in types {
        let mut schema = data(slot_type);
        referable(&mut schema);
        let required = schema.remove("required");
        let is_it =
            json!({ "properties": { "type": { "const": slot_type.kind } }, "required": ["type"] });
        let reference = format!("#/$defs/{}", slot_type.kind);
        rules.push(
            json!({ "if": is_it, "then": { "properties": { "data": { "$ref": reference } } } }),
        );
        if let Some(required) = required.filter(|it| it.as_array().is_some_and(|it| !it.is_empty()))
        {
            let new = json!({ "allOf": [is_it, is_new()] });
            let then =
                json!({ "properties": { "data": { "required": required } }, "required": ["data"] });
            rules.push(json!({ "if": new, "then": then }));
        }
        definitions.insert(slot_type.kind.clone(), Value::Object(schema));
    }
    let (names, about) = described(types.iter());
    let (new_names, new_about) = described(types.iter().filter(|it| it.writable));
    rules.push(json!({
        "if": is_new(),
        "then": { "properties": { "type": { "enum": new_names, "markdownEnumDescriptions": new_about } } },
    }));
    let mut slot = page["$defs"]["slot"].take();
    slot["properties"]["type"]["anyOf"][0] =
        json!({ "enum": names, "markdownEnumDescriptions": about });
    slot["allOf"] = rules.into();
    if let Value::Object(fields) = &mut page["properties"] {
        let fields = fields.iter_mut().filter(|(name, _)| !WHOLE.contains(&name.as_str()));
        fields.for_each(|(_, field)| or_value(field));
    }
    definitions.insert("slot".to_owned(), slot);
    page["$defs"] = definitions.into();
    page
}

/// Returns the schema of a form file.
pub(crate) fn form() -> Value {
    parsed(include_str!("form.schema.json"))
}

fn parsed(schema: &str) -> Value {
    serde_json::from_str(schema).expect("the tests read both schemas")
}

/// Returns the schema of a slot that is not on the page.
fn is_new() -> Value {
    json!({ "not": { "properties": { "id": { "type": "integer" } }, "required": ["id"] } })
}

fn described<'t>(types: impl Iterator<Item = &'t SlotType>) -> (Vec<&'t str>, Vec<&'t str>) {
    types.map(|it| (it.kind.as_str(), it.description.as_str())).unzip()
}

/// Returns the schema of the service, with the labels of enum values where editors look for them.
fn data(slot_type: &SlotType) -> Map<String, Value> {
    let mut schema = slot_type.schema.0.clone();
    // With an `$id`, references of the schema to itself keep their meaning wherever it is embedded.
    if Value::Object(schema.clone()).to_string().contains("\"$ref\":\"#") {
        schema.entry("$id").or_insert_with(|| json!(format!("slot-type:{}", slot_type.kind)));
    }
    for (field, labels) in slot_type.enum_labels.iter() {
        let Some(place) = schema.get_mut("properties").and_then(|it| it.get_mut(field)) else {
            continue;
        };
        let Some(values) = place["enum"].as_array() else { continue };
        place["markdownEnumDescriptions"] = values
            .iter()
            .map(|value| value.as_str().and_then(|it| labels[it].as_str()).unwrap_or_default())
            .collect();
    }
    schema
}

/// Fields of a page file that are not values of the page.
const WHOLE: [&str; 3] = ["slots", "values", "each"];

/// Allows a reference wherever the schema wants a string of any kind, and a value of another file anywhere.
fn referable(schema: &mut Map<String, Value>) {
    let mut allow = |place: &mut Value| {
        or_reference(place);
        or_value(place);
    };
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.values_mut().for_each(&mut allow);
    }
    if let Some(items) = schema.get_mut("items") {
        allow(items);
    }
}

/// Allows a value, or a text that is made of values, in place of what a schema wants.
fn or_value(place: &mut Value) {
    let about = place.get("description").cloned();
    let name = |description: &str| json!({ "type": "string", "pattern": "\\S", "description": description });
    *place = json!({
        "if": {
            "type": "object",
            "anyOf": [{ "required": ["$value"] }, { "required": ["$text"] }],
        },
        "then": {
            "properties": {
                "$value": name("Name of a value of the row, of `values` in this file, or of values.yaml"),
                "$text": name("Text with the names of values in braces: `Call {phone}`"),
            },
            "maxProperties": 1,
            "additionalProperties": false,
        },
        "else": place,
    });
    if let Some(about) = about {
        place["description"] = about;
    }
}

fn or_reference(place: &mut Value) {
    let Value::Object(schema) = place else { return };
    let is_text = schema.get("type").is_some_and(|kind| match kind {
        Value::Array(types) => types.contains(&json!("string")),
        one => one == "string",
    });
    if !is_text || schema.contains_key("enum") || schema.contains_key("const") {
        return referable(schema);
    }
    let about = schema.get("description").cloned();
    *place = json!({
        "if": { "type": "object" },
        "then": {
            "properties": {
                "$upload": { "type": "string", "description": "Path of an image next to this file, which `apply` uploads" },
                "$form": { "type": "string", "description": "Local name or title of a lead form, replaced by its ID" },
            },
            "minProperties": 1,
            "maxProperties": 1,
            "additionalProperties": false,
        },
        "else": schema,
    });
    if let Some(about) = about {
        place["description"] = about;
    }
}

#[cfg(test)]
mod tests {
    use boon::{Compiler, Schemas};
    use links_sdk::types::SlotType;
    use serde_json::{Value, json};

    fn button() -> SlotType {
        serde_json::from_value(json!({
            "type": "button", "title": "Button", "description": "A link.", "writable": true, "computed": [],
            "schema": {
                "type": "object", "required": ["title"], "additionalProperties": false,
                "properties": { "title": { "$ref": "#/$defs/text" }, "style": { "enum": ["a", "b"] } },
                "$defs": { "text": { "type": "string" } },
            },
            "enumLabels": { "style": { "a": "First" }, "other": { "x": "X" } },
            "example": { "title": "Menu" },
        }))
        .unwrap()
    }

    fn valid(page: &Value) -> bool {
        let schema = super::page(&[button()]);
        let (mut compiler, mut schemas) = (Compiler::new(), Schemas::new());
        compiler.add_resource("https://links.example/page", schema).unwrap();
        let root = compiler.compile("https://links.example/page", &mut schemas).unwrap();
        schemas.validate(page, root).is_ok()
    }

    #[test]
    fn the_editor_schema_accepts_the_pages_that_apply_accepts() {
        let block = |block: Value| json!({ "profile": "cafe", "slots": [block] });
        for good in [
            json!({ "type": "button", "data": { "title": "Menu", "style": "b" } }),
            json!({ "id": 7, "type": "button" }),
            json!({ "id": "new", "type": "button", "data": { "title": "Menu" } }),
            json!({ "id": 7, "type": "button", "data": { "style": "a" } }),
            json!({ "id": 7, "type": "messenger", "data": { "any": 1 } }),
            json!({ "$include": "../footer.yaml" }),
            json!({ "type": "button", "data": { "title": { "$value": "cta" }, "style": { "$value": "style" } } }),
            json!({ "type": "button", "data": { "title": { "$text": "Call {phone}" } } }),
        ] {
            assert!(valid(&block(good.clone())), "{good}");
        }
        for bad in [
            json!({ "type": "button" }),
            json!({ "type": "button", "data": { "style": "a" } }),
            json!({ "type": "button", "data": { "title": 7 } }),
            json!({ "id": 7, "type": "button", "data": { "colour": "red" } }),
            json!({ "type": "messenger" }),
            json!({ "id": "new", "type": "button" }),
            json!({ "id": "other", "type": "button", "data": { "title": "x" } }),
            json!({ "type": "button", "data": { "title": "x" }, "order": 1 }),
            json!({ "$include": "a.yaml", "type": "button" }),
            json!({ "$include": 7 }),
            json!({ "type": "button", "data": { "title": { "$value": 7 } } }),
            json!({ "type": "button", "data": { "title": { "$value": "a", "$text": "b" } } }),
        ] {
            assert!(!valid(&block(bad.clone())), "{bad}");
        }
        assert!(
            !valid(&json!({ "profile": "cafe" })) && valid(&json!({ "profile": 7, "slots": [] }))
        );
        assert!(valid(&json!({ "profile": "cafe", "title": "Qara" })));
        let composed = json!({ "profile": "{slug}", "each": "a.csv", "values": { "a": 1 }, "title": { "$value": "a" } });
        assert!(valid(&composed));
    }

    #[test]
    fn the_schema_of_a_slot_has_enum_labels_and_the_example() {
        let schema = super::slot(&button());
        assert_eq!(schema["properties"]["style"]["markdownEnumDescriptions"], json!(["First", ""]));
        assert_eq!(
            (&schema["title"], &schema["examples"][0]["title"]),
            (&json!("Button"), &json!("Menu"))
        );
        let draft: Value = schema["$schema"].clone();
        assert_eq!(draft, "https://json-schema.org/draft/2020-12/schema");
    }
}
