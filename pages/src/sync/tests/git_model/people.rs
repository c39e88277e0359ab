//! Edits of files, of the lock, and of the page at the service.

use serde_json::{Value, json};

use super::repo::{Doc, Place};
use super::world::{FIELDS, GitWorld, WrittenBy, pick};
use crate::sync::tests::service::stored;
use crate::sync::{HashPair, LineContent, LineKey};
use links_sdk::Object;

impl GitWorld {
    pub(super) fn edit_file(&mut self, m: usize, n: u16, b: u16, c: u16) -> Option<String> {
        let nth = usize::from(c.is_multiple_of(4));
        let mut doc = self.clones[m].files.docs[nth].clone();
        let tags = doc.tags();
        let (edits, did) = match b % 8 {
            0 => {
                let field = FIELDS[usize::from(n % 2) * (1 - nth)];
                let value = self.word();
                (
                    self.set(nth, &mut doc, Place::Field(field.into()), value),
                    format!("edits {field} of file {nth}"),
                )
            }
            _ if nth == 1 => {
                let value = self.word();
                (
                    self.set(1, &mut doc, Place::Field("title".into()), value),
                    "edits the form file".to_owned(),
                )
            }
            1..=3 => {
                let tag = tags[pick(tags.len(), n)?];
                let key = ["title", "link"][usize::from(c / 4 % 2)];
                let value = self.word();
                (
                    self.set(0, &mut doc, Place::Value(tag, key.into()), value),
                    format!("edits {key} of item {tag}"),
                )
            }
            4 | 5 => {
                (self.new_item(&mut doc, usize::from(n % 3)), format!("adds item {}", self.tags))
            }
            6 => {
                let tag = tags[pick(tags.len(), n)?];
                (
                    self.set(0, &mut doc, Place::Item(tag), false.into()),
                    format!("removes item {tag}"),
                )
            }
            _ => {
                let from = pick(tags.len(), n)?;
                let at = doc.order.iter().position(|tag| *tag == tags[from])?;
                let to = pick(doc.order.len(), c)?;
                let before = doc.tags();
                let tag = doc.order.remove(at);
                doc.order.insert(to, tag);
                if doc.tags() == before {
                    return None;
                }
                (self.set(0, &mut doc, Place::Order, Value::Null), format!("moves item {tag}"))
            }
        };
        self.clones[m].files.docs[nth] = doc;
        self.clones[m].edits |= edits;
        Some(did)
    }

    pub(super) fn rename(&mut self, m: usize, n: u16) -> Option<String> {
        let mut doc = self.clones[m].files.docs[0].clone();
        let path = json!(n % 3);
        if doc.path() == path {
            return None;
        }
        self.clones[m].edits |= self.set(0, &mut doc, Place::Path, path.clone());
        self.clones[m].files.docs[0] = doc;
        Some(format!("renames the page file to {path}"))
    }

    /// Somebody writes a line of the year 9999 into the lock.
    pub(super) fn tamper(&mut self, m: usize, n: u16) -> Option<String> {
        let lines = &mut self.clones[m].files.locks[usize::from(n % 2)];
        let nth = pick(lines.len(), n / 2)?;
        let (key, lines) = lines.iter_mut().nth(nth)?;
        let mut line = lines.first()?.clone();
        line.moved = 253_402_300_799_000;
        if let LineContent::Pair(HashPair { file, page }) = &mut line.content {
            (*file, *page) = (Some(*page), file.unwrap_or(*page));
        } else if matches!(key, LineKey::Slot(_)) {
            line.content = LineContent::Gone;
        }
        lines.insert(line);
        Some(format!("tampers with the lock: {key:?}"))
    }

    pub(super) fn dashboard(&mut self, n: u16, b: u16, c: u16) -> Option<String> {
        let value = self.word();
        let doc = usize::from(c.is_multiple_of(4));
        let live = &mut self.live[doc];
        let by = WrittenBy::Dashboard(live.syncs.len());
        let slot = pick(live.page.slots.len(), n).map(|nth| live.page.slots[nth].id);
        match b % 7 {
            0 | 1 => {
                let field = FIELDS[usize::from(n % 2) * (1 - doc)];
                live.page.fields.insert(field.into(), stored(field, &value));
                live.writers.insert(LineKey::Field(field.into()), by);
                Some(format!("the dashboard sets {field} of {doc}"))
            }
            _ if doc == 1 => None,
            2 | 3 => {
                let (id, key) = (slot?, ["title", "link"][usize::from(c / 4 % 2)]);
                live.page.update(id, key, &value);
                live.writers.insert(LineKey::Key(id, key.into()), by);
                Some(format!("the dashboard sets {key} of slot {id}"))
            }
            4 => {
                let data: Object = [("title".to_owned(), value)].into_iter().collect();
                let id = live.page.create("button", &data, usize::from(n % 3));
                live.writers.insert(LineKey::Slot(id), by);
                for key in ["title", "link", "style"] {
                    live.writers.insert(LineKey::Key(id, key.into()), by);
                }
                Some(format!("the dashboard makes slot {id}"))
            }
            5 => {
                let id = slot?;
                live.page.delete(id);
                live.writers.insert(LineKey::Slot(id), by);
                Some(format!("the dashboard deletes slot {id}"))
            }
            _ => {
                let at = pick(live.page.slots.len(), n)?;
                let to = pick(live.page.slots.len(), c)?;
                if at == to {
                    return None;
                }
                let slot = live.page.slots.remove(at);
                live.page.slots.insert(to, slot);
                live.writers.insert(LineKey::Order, by);
                Some("the dashboard moves a slot".to_owned())
            }
        }
    }
    pub(super) fn set(&mut self, doc: usize, into: &mut Doc, place: Place, value: Value) -> u128 {
        let edit = self.edit(doc, place.clone(), value.clone());
        into.values.insert(place, (value, edit));
        1 << edit
    }

    pub(super) fn new_item(&mut self, into: &mut Doc, at: usize) -> u128 {
        self.tags += 1;
        let tag = self.tags;
        let mut edits = self.set(0, into, Place::Item(tag), true.into());
        for key in ["title", "link"] {
            let value = self.word();
            edits |= self.set(0, into, Place::Value(tag, key.into()), value);
        }
        into.order.insert(at.min(into.order.len()), tag);
        into.kinds.insert(tag, "button");
        edits
    }
}
