//! `links slots explain` and `template`: a type of slot, its fields, what they take, an example.

use links_sdk::types::SlotType;

use crate::commands::prelude::*;
use crate::schema::{fields as schema_fields, schema_of};
use links_pages::apply::literal;
use links_pages::suggest::suggest;

/// Explains a type of slot, or one field of its data.
pub(super) async fn explain(
    context: &mut Context,
    kind: String,
    field: Option<String>,
) -> CommandResult {
    let (slot_type, answer) = context.client().await?.slot_type(kind).with_answer().await?;
    match field {
        None => Ok(answered(&answer, View::Lines(of_type(&slot_type)?))),
        Some(field) => of_field(&slot_type, &field),
    }
}

/// Returns the lines that explain a type: its description, its fields, an example.
fn of_type(slot_type: &SlotType) -> Result<Vec<StyledLine>> {
    let mut lines = vec![
        plain(format!("{} ({})", slot_type.title, slot_type.kind)),
        plain(&slot_type.description),
    ];
    if !slot_type.writable {
        lines.push(StyledLine::changed(
            "Read-only: slots of this type can be moved, but not created or changed.",
        ));
    }
    let computed = slot_type.computed.iter();
    let computed =
        computed.map(|(name, about)| format!("  {name}  {}", schema_fields::plain(about)));
    let example = yaml(&slot_type.example)?;
    let example = example.lines().filter(|_| !slot_type.example.is_empty());
    for (title, part) in [
        ("Fields", schema_fields::fields(slot_type)),
        ("Set by the service", computed.collect()),
        ("Example", example.map(|line| format!("  {line}")).collect()),
    ] {
        if !part.is_empty() {
            lines.extend([plain(""), plain(title)]);
            lines.extend(part.into_iter().map(plain));
        }
    }
    Ok(lines)
}

/// Returns the output that explains a field of a type.
///
/// # Errors
///
/// When the type has no such field.
fn of_field(slot_type: &SlotType, field: &str) -> CommandResult {
    let schema = schema_of(slot_type);
    let Some(found) = schema_fields::at(&schema, field) else {
        let known = schema_fields::names_beside(&schema, field);
        let known = known.iter().map(String::as_str);
        let message = format!("slot type `{}` has no field `{field}`", slot_type.kind);
        return Err(CommandError::not_found(message).hinted(suggest(field, known)));
    };
    let labels = slot_type.enum_labels.get(field);
    let required = schema_fields::is_required(&schema, field);
    let words = schema_fields::words(found, labels, required);
    let mut lines = vec![plain(format!("{field}: {words}"))];
    lines.extend(schema_fields::below(found).into_iter().map(plain));
    let example = slot_type.example.get(field);
    if let Some(example) = example {
        lines.push(StyledLine::faint(format!("Example: {example}")));
    }
    let data = json!({
        "field": field, "required": required, "schema": found, "enumLabels": labels, "example": example,
    });
    Ok(CommandOutput::own(data, View::Lines(lines)))
}

fn plain(text: impl AsRef<str>) -> StyledLine {
    StyledLine::plain(text.as_ref())
}

/// Prints a slot of a type, ready to be pasted into a page file.
pub(super) async fn template(context: &mut Context, kind: String) -> CommandResult {
    let slot_type = context.client().await?.slot_type(kind).await?;
    if !slot_type.writable {
        let message = format!("{} slots are read-only and can't be created", slot_type.kind);
        return Err(CommandError::conflict(message));
    }
    let mut item = json!({ "type": slot_type.kind });
    if !slot_type.example.is_empty() {
        item["data"] = Value::Object(literal(&slot_type.example).0);
    }
    let text = document(&slot_type, &item)?;
    Ok(CommandOutput::own(item, View::File(text)))
}

/// Returns the item as it is written below `slots:` in a page file, with the allowed values of its fields as comments.
fn document(slot_type: &SlotType, item: &Value) -> Result<String> {
    let page = yaml(&json!({ "slots": [item] }))?;
    let item = page.split_once('\n').map_or("", |(_, item)| item);
    let comments = std::iter::once(format!("{}: {}", slot_type.kind, slot_type.description))
        .chain(schema_fields::fields(slot_type))
        .map(|line| format!("  # {}\n", sanitize::line(line.trim_end())));
    Ok(comments.collect::<String>() + item)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn button() -> SlotType {
        let schema = json!({
            "properties": { "title": { "type": "string" } }, "required": ["title"],
        });
        serde_json::from_value(json!({
            "type": "button", "title": "Button", "description": "A link.", "writable": true,
            "schema": schema, "computed": { "url": "Where it leads" }, "enumLabels": {},
            "example": { "title": "Menu" },
        }))
        .unwrap()
    }

    #[test]
    fn a_type_is_explained_by_its_fields_and_an_example() {
        let lines = of_type(&button()).unwrap();
        let lines: Vec<_> = lines.iter().map(StyledLine::text).collect();
        assert_eq!(lines[..2], ["Button (button)", "A link."]);
        for line in
            ["Fields", "  title  string, required", "  url  Where it leads", "  title: Menu"]
        {
            assert!(lines.contains(&line), "{line:?} is not in {lines:?}");
        }
    }

    #[test]
    fn an_unknown_field_of_a_type_is_not_found() {
        assert_eq!(of_field(&button(), "title").unwrap().exit, Exit::Ok);
        let failure = of_field(&button(), "titel").err();
        assert_eq!(failure.map(|it| it.exit()), Some(Exit::NotFound));
    }
}
