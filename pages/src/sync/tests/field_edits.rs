//! Edits of profile fields, in the file and on the page.

use serde_json::{Value, json};

use super::service::{FIELDS, stored};
use super::world::{World, plain};

impl World {
    pub(super) fn edit_field(&mut self, b: u16, c: u16) {
        let key = FIELDS[usize::from(b % 4)];
        if c.is_multiple_of(7) {
            let said = self.here.file.fields.remove(key);
            self.here.forgotten_fields.extend(said.map(|said| (key.to_owned(), said)));
            self.here.field_edits.remove(key);
            return;
        }
        let is_mentioned = self.here.file.fields.contains_key(key);
        let once_said = self.here.once_said_fields.get(key).filter(|_| !is_mentioned);
        let value = match once_said {
            Some(value) if c.is_multiple_of(2) => value.clone(),
            _ if c.is_multiple_of(5) => Value::Null,
            _ => self.field_word(key),
        };
        let was = self.here.file.fields.insert(key.into(), value.clone());
        let before = was.or_else(|| self.service.fields.get(key).cloned()).unwrap_or_default();
        self.here.note_field_edit(key, &before, &value);
    }

    pub(super) fn edit_page_field(&mut self, a: u16, b: u16, c: u16) {
        let key = FIELDS[usize::from(b % 4)];
        let value = if c.is_multiple_of(5) { Value::Null } else { self.field_word(key) };
        let value = stored(key, &value);
        let was = self.service.fields.insert(key.into(), value.clone()).unwrap_or_default();
        self.each(|copy| copy.note_foreign_field(key, &was, &value));
        self.reads_all_fields = !a.is_multiple_of(3);
    }

    /// Returns a value for a profile field that was never used.
    fn field_word(&mut self, key: &str) -> Value {
        match key {
            "socials" => (0..=self.words % 2).map(|_| self.word("link")).collect(),
            "avatar" => json!({"$upload": plain(self.word("title").as_str().unwrap_or_default())}),
            key => self.word(key),
        }
    }
}
