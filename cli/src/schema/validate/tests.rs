use serde_json::json;

use super::*;

fn described(schema: &Value) -> SlotTypeCatalog {
    let described = json!({
        "type": "button", "title": "", "description": "", "writable": true, "schema": schema,
        "computed": {"clicks": "How often it was opened."}, "enumLabels": {}, "example": {},
    });
    SlotTypeCatalog::of(vec![serde_json::from_value(described).unwrap()], true)
}

fn shown(fault: &SchemaViolation) -> String {
    let at = if fault.at == At::Key { "key " } else { "" };
    let help = fault.help.as_ref().map(|it| format!(" ({it})")).unwrap_or_default();
    format!("{at}{}: {}{help}", fault.path.join("."), fault.message)
}

fn faults(schema: &Value, data: &Value, written: Option<&Map<String, Value>>) -> Vec<String> {
    let described = described(schema);
    let schemas = Schemas::new(&described);
    let mut found: Vec<_> = schemas
        .check("button", data.as_object().unwrap().clone(), written)
        .iter()
        .map(shown)
        .collect();
    found.sort();
    found
}

fn button() -> Value {
    json!({
        "type": "object",
        "properties": {
            "title": {"type": "string", "minLength": 1, "maxLength": 5},
            "link": {"type": "string", "format": "uri"},
            "style": {"enum": ["primary", "secondary"]},
            "size": {"type": ["integer", "null"], "minimum": 1},
            "items": {
                "type": "array", "maxItems": 2,
                "items": {"type": "object", "properties": {"question": {"type": "string"}}, "required": ["question"], "additionalProperties": false},
            },
            "image": {"anyOf": [{"type": "null"}, {"type": "object", "properties": {"path": {"type": "string"}}}]},
        },
        "required": ["title", "link"],
        "additionalProperties": false,
    })
}

#[test]
fn every_violation_is_reported_at_its_key_or_value() {
    let data = json!({
        "titel": "Shop", "link": "no link", "style": "primray", "size": "x", "clicks": 3,
        "items": [{"question": 1}, {"answer": "x"}, "text"], "image": {"path": 7},
    });
    let found = faults(&button(), &data, None);
    assert_eq!(
        found,
        [
            ": `title` is missing",
            "image.path: `path` must be a string, not a number",
            "items.0.question: `question` must be a string, not a number",
            "items.1: `question` is missing",
            "items.2: entry 3 of `items` must be a mapping, not a string",
            "items: `items` must have at most 2 entries, not 3",
            "key clicks: `clicks` is set by the service and cannot be written (leave it out)",
            "key items.1.answer: unknown field `answer` (available: `question`)",
            "key titel: a button has no field `titel` (did you mean `title`?)",
            "link: `link` must be a URL (it must start with https://)",
            "size: `size` must be a whole number or null, not a string",
            "style: `style` must be one of primary, secondary (did you mean primary?)",
        ]
    );
}

#[test]
fn only_written_fields_of_an_existing_slot_are_validated() {
    let on_page = json!({"title": "Much too long", "old": true, "style": "primray", "size": 0});
    let written = json!({"size": 0, "colour": "red"});
    let mut merged = on_page.clone();
    merged.as_object_mut().unwrap().extend(written.as_object().unwrap().clone());
    let found = faults(&button(), &merged, written.as_object());
    assert_eq!(
        found,
        [
            "key colour: a button has no field `colour` (available: `image`, `items`, `link`, `size`, `style`, `title`)",
            "size: `size` must be at least 1",
        ]
    );
}

#[test]
fn a_url_field_accepts_any_absolute_url_and_nothing_else() {
    for (link, good) in [
        ("https://cafe.example/мәзір?a=ә", true),
        ("tel:+77011234567", true),
        ("mailto:a@b.example", true),
        (" https://cafe.example ", true),
        ("no link", false),
        ("cafe.example", false),
        ("https:", false),
        ("1:2", false),
        ("https://a b", false),
    ] {
        let found = faults(&button(), &json!({"title": "a", "link": link}), None);
        assert_eq!(found.is_empty(), good, "{link}: {found:?}");
    }
}

#[test]
fn every_key_is_reported_where_the_schema_allows_none() {
    let keys = ["key x: a button has no field `x`", "key y: a button has no field `y`"];
    let data = json!({"x": 1, "y": {}});
    for schema in [
        json!({"type": ["object", "array"], "maxItems": 0, "additionalProperties": false}),
        json!({"maxProperties": 0}),
        json!({"unevaluatedProperties": false}),
    ] {
        assert_eq!(faults(&schema, &data, None), keys, "{schema}");
        assert!(faults(&schema, &json!({}), None).is_empty());
    }
}

#[test]
fn rules_of_every_kind_are_reported() {
    let schema = json!({
        "properties": {
            "code": {"pattern": "^\\d{3}$"}, "price": {"multipleOf": 0.01}, "count": {"multipleOf": 5},
            "tags": {"uniqueItems": true, "contains": {"const": "a"}}, "day": {"format": "date"},
            "no": false, "not": {"not": {"type": "string"}}, "kind": {"const": "x"},
            "either": {"oneOf": [{"type": "string"}, {"type": "integer", "maximum": 3}]},
            "a b": {"allOf": [{"minimum": 3}, {"exclusiveMaximum": 2}]},
            "deep": {"$ref": "#/$defs/deep"},
        },
        "$defs": {"deep": {"properties": {"name": {"minLength": 2}}, "unevaluatedProperties": false}},
        "dependentRequired": {"code": ["day2", "day3"]}, "propertyNames": {"maxLength": 6}, "minProperties": 99,
    });
    let data = json!({
        "code": "12x", "price": 19.99, "count": 7, "tags": ["b", "b"], "day": "soon", "no": 1, "not": "x",
        "kind": "y", "either": 5, "a b": 2, "deep": {"name": "x", "nmae": 1}, "toolong": 1,
    });
    let found = faults(&schema, &data, None);
    assert_eq!(
        found,
        [
            ": `day2` is missing",
            ": `day3` is missing",
            ": the data violates its schema: minimum 99 properties required, but got 12 properties",
            "a b: `a b` must be at least 3",
            "a b: `a b` must be less than 2",
            "code: `code` must match ^[0-9]{3}$",
            "day: `day` must be a valid date",
            "deep.name: `name` must have at least 2 characters, not 1",
            "either: `either` does not match any of the allowed forms",
            "key deep.nmae: unknown field `nmae` (did you mean `name`?)",
            "key no: `no` is not allowed here",
            "key toolong: a button has no field `toolong` (available: `a b`, `code`, `count`, `day`, `deep`, `either`, `kind`, `no`, `not`, `price`, `tags`)",
            "kind: `kind` must be x",
            "not: `not` violates its schema: not failed",
            "tags: `tags` must not contain the same entry twice",
            "tags: `tags` violates its schema: no items match contains schema",
        ]
    );
}

#[test]
fn an_unusable_or_unknown_schema_refuses_nothing() {
    for schema in [
        json!({"type": 7}),
        json!({"$ref": "https://elsewhere.example/schema.json"}),
        json!({}),
        json!({"properties": {"title": {"$ref": "#/$defs/none"}}}),
        json!({"$ref": "file:///etc/passwd"}),
        json!({"$schema": "https://elsewhere.example/dialect", "required": ["x"]}),
        json!({"required": ["x"], "properties": {"title": {"minLength": "one"}}}),
        json!({"properties": 7, "required": ["x"]}),
        json!({"required": ["x"], "enum": (0..20_000).collect::<Vec<_>>()}),
    ] {
        assert!(faults(&schema, &json!({"title": 1}), None).is_empty(), "{schema}");
    }
    let described = described(&button());
    assert!(Schemas::new(&described).check("hologram", Map::new(), None).is_empty());
}

#[test]
fn references_that_double_are_not_followed_however_they_are_written() {
    let references: [fn(usize) -> Value; 6] = [
        |to: usize| json!({"$ref": format!("#/$defs/a{to}")}),
        |to: usize| json!({"$ref": format!("#/$defs/%61{to}")}),
        |to: usize| json!({"$ref": format!("#b{to}")}),
        |to: usize| json!({"$dynamicRef": format!("#b{to}")}),
        |to: usize| json!({"$ref": format!("https://json-schema.org/slot-type#/$defs/a{to}")}),
        |to: usize| json!({"$ref": format!("c{to}")}),
    ];
    for reference in references {
        let twice = |at: usize| {
            let all = json!([reference(at + 1), reference(at + 1)]);
            let schema = json!({"$anchor": format!("b{at}"), "$dynamicAnchor": format!("b{at}"), "allOf": all});
            (format!("a{at}"), schema)
        };
        let mut definitions: Map<_, _> = (0..60).map(twice).collect();
        definitions.insert("a60".to_owned(), json!({"$anchor": "b60", "required": ["x"]}));
        let schema = json!({"allOf": [reference(0)], "$defs": definitions});
        assert!(faults(&schema, &json!({}), None).is_empty(), "{schema}");
    }
}

/// A nested resource has its own root, from which the references are counted elsewhere.
#[test]
fn references_of_a_nested_resource_are_not_followed() {
    let twice = |at: usize| {
        let next = json!({"$ref": format!("#/$defs/a{}", at + 1)});
        (format!("a{at}"), json!({"allOf": [next.clone(), next]}))
    };
    let mut definitions: Map<_, _> = (0..60).map(twice).collect();
    definitions.insert("a60".to_owned(), json!({"type": "number"}));
    let nested = json!({"$id": "n", "$ref": "#/$defs/a0", "$defs": definitions});
    let schema = json!({"properties": {"title": nested}});
    assert!(faults(&schema, &json!({"title": "Menu"}), None).is_empty());
    let at_the_root = json!({"$id": "n", "properties": {"title": {"type": "number"}}});
    assert!(!faults(&at_the_root, &json!({"title": "Menu"}), None).is_empty());
}

#[test]
fn each_schema_is_compiled_once_and_only_if_it_is_used() {
    let described = described(&button());
    let schemas = Schemas::new(&described);
    assert!(schemas.compiled.borrow().is_empty());
    for _ in 0..500 {
        schemas.check("button", Map::new(), None);
    }
    let compiled = schemas.compiled.borrow();
    let [Some(only)] = &compiled.values().collect::<Vec<_>>()[..] else { panic!() };
    assert_eq!(Rc::strong_count(only), 1);
}

#[test]
fn a_refused_field_that_cannot_be_written_is_reported_at_its_key_with_help() {
    let described = described(&button());
    let known = described.get("button").unwrap();
    let at = |path: &str| {
        let path: Vec<_> = path.split('.').map(str::to_owned).collect();
        placed(known, &path)
    };
    assert_eq!(at("link"), (At::Value, None));
    assert_eq!(at("clicks"), (At::Key, Some("leave it out".into())));
    assert_eq!(at("lnik"), (At::Key, Some("did you mean `link`?".into())));
    assert_eq!(at("items.0.questoin"), (At::Key, Some("did you mean `question`?".into())));
    for path in ["items.0", "items.0.question", "image.path.x", "elsewhere.x"] {
        assert_eq!(at(path), (At::Value, None), "{path}");
    }
}
