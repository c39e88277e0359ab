//! Explanation of a type of slot, or of one field of its data.

use links_sdk::types::SlotType;
use serde_json::{Value, json};

use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::output::{CommandOutput, Style, StyledLine, View, yaml};
use crate::schema::fields as schema_fields;
use crate::suggest::suggest;

/// Returns the lines that explain a type: its description, its fields, an example.
pub(super) fn of_type(slot_type: &SlotType) -> Result<Vec<StyledLine>, CommandError> {
    let mut lines = vec![
        plain(format!("{} ({})", slot_type.title, slot_type.kind)),
        plain(&slot_type.description),
    ];
    if !slot_type.writable {
        lines.push(StyledLine::new(
            Style::Changed,
            "Read-only: it can be moved, not created or changed.",
        ));
    }
    let fields = schema_fields::fields(slot_type);
    if !fields.is_empty() {
        lines.extend([plain(""), plain("Fields")]);
        lines.extend(fields.into_iter().map(plain));
    }
    if !slot_type.computed.is_empty() {
        lines.extend([plain(""), plain("Set by the service")]);
        let line = |(name, about): (&String, &Value)| {
            let about = about.as_str().map_or_else(|| about.to_string(), str::to_owned);
            plain(format!("  {name}  {about}"))
        };
        lines.extend(slot_type.computed.iter().map(line));
    }
    if !slot_type.example.is_empty() {
        lines.extend([plain(""), plain("Example")]);
        lines.extend(
            yaml::write(&slot_type.example)?.lines().map(|line| plain(format!("  {line}"))),
        );
    }
    Ok(lines)
}

/// Returns the output that explains a field of a type.
///
/// # Errors
///
/// When the type has no such field.
pub(super) fn of_field(slot_type: &SlotType, field: &str) -> Result<CommandOutput, CommandError> {
    let schema = Value::Object(slot_type.schema.0.clone());
    let Some(found) = schema_fields::at(&schema, field) else {
        let known = schema_fields::names(&schema);
        let message = format!("a slot of type {} has no field `{field}`", slot_type.kind);
        let failure = CommandError::new(Exit::NotFound, message);
        return Err(match suggest(field, known) {
            Some(hint) => failure.with_hint(hint),
            None => failure,
        });
    };
    let labels = slot_type.enum_labels.get(field);
    let required = schema_fields::is_required(&schema, field);
    let words = schema_fields::words(found, labels, required);
    let mut lines = vec![plain(format!("{field}: {words}"))];
    lines.extend(schema_fields::below(found).into_iter().map(plain));
    let example = slot_type.example.get(field);
    if let Some(example) = example {
        lines.push(StyledLine::new(Style::Faint, format!("Example: {example}")));
    }
    let data = json!({
        "field": field, "required": required, "schema": found, "enumLabels": labels, "example": example,
    });
    Ok(CommandOutput::own(data, View::Lines(lines)))
}

fn plain(text: impl AsRef<str>) -> StyledLine {
    StyledLine::new(Style::Plain, text.as_ref())
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
        assert_eq!(of_field(&button(), "titel").unwrap_err().exit(), Exit::NotFound);
    }
}
