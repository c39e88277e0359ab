//! Strings in a page file that are paths of images on this machine, which sent unchanged would show nothing.

use links_pages::apply::Plan;

use crate::context::prelude::*;
use links_pages::page_file::fields::local_file;
use links_pages::page_file::{At, FieldDiagnostic};

/// Diagnostics of the strings in the data that would be sent which name an image that the file could upload, or are surely paths of images on
/// this machine.
pub(crate) fn problems(plan: &Plan, file: &PageFile) -> Vec<FieldDiagnostic> {
    let created = plan.creates.iter().map(|it| (it.index, &it.data));
    let updated = plan.updates.iter().map(|it| (it.index, &it.changed));
    let mut problems = Vec::new();
    for (index, data) in created.chain(updated) {
        let mut path = vec!["slots".to_owned(), index.to_string(), "data".to_owned()];
        // A reference to an image that cannot be uploaded is still there as written.
        let is_reference = |path: &[String]| {
            let mut places = file.references.iter().map(|it| &it.place);
            places.any(|it| it.item == Some(index) && path[3..].starts_with(&it.path))
        };
        for (name, value) in data.iter() {
            find_strings(name, value, &mut path, &mut |path, text| {
                if is_reference(path) || !file.roots.is_local_image(text) {
                    return;
                }
                let (message, help) = local_file(text);
                problems.push(file.document.locate(path, At::Value, message).help(help));
            });
        }
    }
    problems
}

/// Calls a function for each string in a value, with its path.
pub(crate) fn find_strings<'v>(
    name: &str,
    value: &'v Value,
    path: &mut Vec<String>,
    found: &mut impl FnMut(&[String], &'v str),
) {
    path.push(name.to_owned());
    match value {
        Value::String(text) => found(path, text),
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                find_strings(&at.to_string(), item, path, found);
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                find_strings(name, value, path, found);
            }
        }
        _ => {}
    }
    path.pop();
}
