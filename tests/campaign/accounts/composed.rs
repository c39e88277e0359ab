//! Page files that are made of blocks, values and tables, and what a file says after a pull.

use std::fs;
use std::path::Path;

use links_pages::page_file::local_image::ImageRoots;
use links_pages::page_file::{Document, PageFile};
use serde_json::{Map, Value, json};

use super::repository::PageText;
use super::world::changing;

/// Key of the only row of a table.
const ROW: &str = "one";

/// Returns the name of a file as a part of the name of a value.
fn short(name: &str) -> String {
    name.replace('.', "-")
}

/// Returns whether the file of this name is a table. The others have a block.
fn is_table(name: &str) -> bool {
    name.len().is_multiple_of(2)
}

/// Returns the lines of `values.yaml`, which all pages use: a description of each that has a block.
pub(super) fn values<'p>(pages: impl Iterator<Item = (&'p String, &'p PageText)>) -> String {
    let mut values = Map::new();
    for (name, page) in pages.filter(|(name, _)| !is_table(name)) {
        if let Some(description) = page.fields.get("description") {
            values.insert(short(name), description.clone());
        }
    }
    format!("descriptions: {}\n", Value::Object(values))
}

/// Writes a page file with the files that it uses: a table of one row, or a page with values and a block with its second half.
pub(super) fn write(directory: &Path, name: &str, page: &PageText) {
    let used = directory.join("used");
    fs::create_dir_all(&used).unwrap();
    let (mut fields, mut slots) = (page.fields.clone(), page.slots.clone());
    let mut file = Map::from_iter([("profile".to_owned(), page.profile.as_str().into())]);
    file.extend(page.login.clone().map(|login| ("login".to_owned(), login.into())));
    if is_table(name) {
        let mut row = vec![("key".to_owned(), ROW.to_owned())];
        let mut cell = |value: &mut Value| {
            let column = format!("c{}", row.len());
            if let Some(text) = value.as_str().map(str::to_owned) {
                *value = json!({ "$value": column });
                row.push((column, text));
            }
        };
        fields.values_mut().for_each(&mut cell);
        changing_values(&mut slots).for_each(&mut cell);
        let line = |part: fn(&(String, String)) -> &String| {
            row.iter().map(part).map(String::as_str).collect::<Vec<_>>().join(",")
        };
        let csv = format!("{}\n{}\n", line(|cell| &cell.0), line(|cell| &cell.1));
        fs::write(used.join(format!("{name}.csv")), csv).unwrap();
        file.insert("each".to_owned(), format!("../used/{name}.csv").into());
    } else {
        let mut values = Map::new();
        if let Some(title) = fields.get_mut("title") {
            values
                .insert("title".to_owned(), std::mem::replace(title, json!({ "$value": "title" })));
        }
        if let Some(description) = fields.get_mut("description") {
            *description = json!({ "$value": format!("descriptions.{}", short(name)) });
        }
        let half = slots.split_off(slots.len() / 2);
        for (nth, value) in changing_values(&mut slots).enumerate() {
            let key = format!("s{nth}");
            let own = std::mem::replace(value, json!({ "$value": key }));
            values.insert(key, own);
        }
        let block = used.join(format!("{name}.yaml"));
        fs::write(block, serde_json::to_string_pretty(&half).unwrap()).unwrap();
        slots.push(json!({ "$include": format!("../used/{name}.yaml") }));
        file.insert("values".to_owned(), values.into());
    }
    file.extend(fields);
    file.insert("slots".to_owned(), slots.into());
    let text = serde_json::to_string_pretty(&file).unwrap();
    fs::write(directory.join("pages").join(format!("{name}.yaml")), text).unwrap();
}

fn changing_values(slots: &mut [Value]) -> impl Iterator<Item = &mut Value> {
    slots.iter_mut().filter_map(|item| {
        let (key, _) = changing(item["type"].as_str()?, "")?;
        item["data"].get_mut(key).filter(|value| value.is_string())
    })
}

/// Reads a page file that the program may have changed.
pub(super) fn read(directory: &Path, name: &str) -> PageText {
    let pages = directory.join("pages");
    let path = pages.join(format!("{name}.yaml"));
    let roots = ImageRoots::new(&pages, &[]).unwrap().with_project(Some(directory));
    let bytes = fs::read(&path).unwrap();
    let is_doubled = String::from_utf8_lossy(&bytes).contains("(also created on the page;");
    let mut document = Document::of_page_or_form(&path.display().to_string(), bytes).unwrap();
    if document.row_keys(&roots).unwrap().is_some() {
        document = document.of_row(ROW);
    }
    let page = PageFile::of(document, &roots).unwrap_or_else(|why| panic!("{why:?}")).page;
    let item = |slot: &links_pages::apply::DesiredSlot| {
        let mut item = json!({ "type": slot.kind, "data": slot.data });
        if let Some(id) = slot.id {
            item["id"] = id.into();
        }
        item
    };
    let mut slots: Vec<Value> = page.content.slots.iter().map(item).collect();
    if is_doubled {
        // A person leaves the item that is on the page, as the mark says.
        let title = |slot: &Value| slot["data"]["title"].clone();
        let pulled: Vec<Value> = slots.iter().filter(|it| it["id"].is_u64()).map(title).collect();
        slots.retain(|slot| slot["id"].is_u64() || !pulled.contains(&title(slot)));
    }
    PageText {
        profile: page.profile.to_string(),
        login: page.login.clone(),
        fields: page.content.fields.0.clone().into_iter().collect(),
        slots,
    }
}
