//! Content of slots, as types for the slot types whose fields the interface shows.
//!
//! Reading never fails: a missing field is `None`. A field that the interface does not show, or that is not a string, is kept in `extra`.
//! Only fields that are set are written, so the same types serve for new slots and for changes.

use serde_json::Value;

use crate::generated::types::{MusicSlot, NewSlot};
use crate::ids::FormId;
use crate::slot::Slot;
use crate::tolerant::Object;

/// The content of a slot. From [`Slot::content`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SlotContent {
    /// A link.
    Button(Button),
    /// A text with a heading.
    Text(Text),
    /// A lead form.
    Form(Form),
    /// A type whose fields the interface does not show. [`Slot::data`] has them as the service sent them.
    Other,
}

macro_rules! content {
    ($(#[$doc:meta])* $name:ident, $kind:literal $(, $(#[$field_doc:meta])* $field:ident: $type:ty = $key:literal)*) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        #[non_exhaustive]
        pub struct $name {
            $($(#[$field_doc])* pub $field: Option<$type>,)*
            /// Every other field of the data.
            pub extra: Object,
        }

        impl $name {
            /// Name of the slot type.
            const KIND: &'static str = $kind;

            $(
                $(#[$field_doc])*
                #[must_use]
                pub fn $field(mut self, $field: impl Into<$type>) -> Self {
                    self.$field = Some($field.into());
                    self
                }
            )*

            /// Sets a field that the interface does not show.
            #[must_use]
            pub fn with(mut self, field: impl Into<String>, value: impl Into<Value>) -> Self {
                self.extra.insert(field.into(), value.into());
                self
            }

            fn read(data: &Object) -> Self {
                let mut extra = data.clone();
                Self { $($field: take_text(&mut extra, $key).map(Into::into),)* extra }
            }
        }

        impl From<$name> for Object {
            fn from(content: $name) -> Self {
                let mut data = content.extra;
                $(if let Some(value) = content.$field {
                    data.insert($key.to_owned(), value.into());
                })*
                data
            }
        }

        impl From<$name> for NewSlot {
            fn from(content: $name) -> Self {
                let data = Object::from(content);
                Self { data: (!data.is_empty()).then_some(data), ..Self::of($kind) }
            }
        }
    };
}

content! {
    /// The content of a `button` slot.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_sdk::content::Button;
    ///
    /// let slots = client.profile("cafe").slots();
    /// let menu = Button::new("Menu", "https://cafe.example/menu").style("primary");
    /// let made = slots.create(menu).await?;
    /// let changed = slots.update(made.id, Button::default().title("Menu in English")).await?;
    /// assert_eq!(changed.data["link"], "https://cafe.example/menu");
    /// # Ok(()) });
    /// ```
    Button, "button",
    /// The text on the button.
    title: String = "title",
    /// The URL that the button opens.
    link: String = "link",
    /// The style of the button: `primary`, or another value that the schema of the slot type lists.
    style: String = "style"
}

content! {
    /// The content of a `text` slot.
    ///
    /// ```
    /// use links_sdk::content::Text;
    /// use links_sdk::types::NewSlot;
    ///
    /// let hours = NewSlot::from(Text::new("Hours").description("8 to 20, every day")).at(0);
    /// assert_eq!(hours, NewSlot::of("text").with("title", "Hours").with("description", "8 to 20, every day").at(0));
    /// ```
    Text, "text",
    /// The heading.
    title: String = "title",
    /// The text under the heading.
    description: String = "description"
}

content! {
    /// The content of a `form` slot, which shows a lead form.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_sdk::content::Form;
    ///
    /// let form = client.forms().list().await?.items.remove(0);
    /// let slot = Form::new(&form.id).view("button").button_text("Write to us");
    /// client.profile("cafe").slots().create(slot).await?;
    /// # Ok(()) });
    /// ```
    Form, "form",
    /// ID of the lead form.
    form_id: FormId = "formId",
    /// How the form is shown: `button`, or another value that the schema of the slot type lists.
    view: String = "view",
    /// The text of the button that opens the form.
    button_text: String = "buttonText"
}

impl Button {
    /// Returns a button with this text, which opens this URL.
    pub fn new(title: impl Into<String>, link: impl Into<String>) -> Self {
        Self::default().title(title).link(link)
    }
}

impl Text {
    /// Returns a text with this heading.
    pub fn new(title: impl Into<String>) -> Self {
        Self::default().title(title)
    }
}

impl Form {
    /// Returns the content of a slot that shows this lead form.
    pub fn new(form: impl Into<FormId>) -> Self {
        Self::default().form_id(form)
    }
}

impl From<MusicSlot> for NewSlot {
    fn from(found: MusicSlot) -> Self {
        Self { data: Some(found.data), ..Self::of(found.kind) }
    }
}

impl Slot {
    /// Returns the content according to the type of the slot.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_sdk::content::SlotContent;
    ///
    /// for slot in client.profile("cafe").slots().list().await? {
    ///     match slot.content() {
    ///         SlotContent::Button(button) => println!("{:?} opens {:?}", button.title, button.link),
    ///         SlotContent::Text(text) => println!("{:?}", text.title),
    ///         _ => println!("{}: {} fields", slot.kind, slot.data.len()),
    ///     }
    /// }
    /// # Ok(()) });
    /// ```
    pub fn content(&self) -> SlotContent {
        match self.kind.as_str() {
            Button::KIND => SlotContent::Button(Button::read(&self.data)),
            Text::KIND => SlotContent::Text(Text::read(&self.data)),
            Form::KIND => SlotContent::Form(Form::read(&self.data)),
            _ => SlotContent::Other,
        }
    }
}

/// Takes a field out of the data if it is a string.
fn take_text(data: &mut Object, key: &str) -> Option<String> {
    let text = data.get(key)?.as_str()?.to_owned();
    data.remove(key);
    Some(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn slot(kind: &str, data: &Value) -> Slot {
        serde_json::from_value(json!({"id": 1, "type": kind, "data": data})).unwrap()
    }

    #[test]
    fn fields_that_are_not_shown_or_are_no_strings_are_kept() {
        let data = json!({"title": "Menu", "link": null, "style": 3, "badge": {"text": "new"}});
        let SlotContent::Button(button) = slot("button", &data).content() else {
            panic!("not a button")
        };
        assert_eq!((button.title.as_deref(), &button.link), (Some("Menu"), &None));
        assert_eq!(button.extra["badge"]["text"], "new");
        assert_eq!(Value::Object(Object::from(button).0), data);
    }

    #[test]
    fn every_shown_field_is_read_and_written_by_its_name() {
        let form = json!({"formId": "a-b", "view": "button", "buttonText": "Write"});
        let expected = Form::new("a-b").view("button").button_text("Write");
        assert_eq!(slot("form", &form).content(), SlotContent::Form(expected.clone()));
        assert_eq!(Value::Object(Object::from(expected).0), form);
        let text = json!({"title": "Hours", "description": "8 to 20"});
        let expected = Text::new("Hours").description("8 to 20");
        assert_eq!(slot("text", &text).content(), SlotContent::Text(expected));
        assert_eq!(slot("faq", &json!({"title": "x"})).content(), SlotContent::Other);
    }

    #[test]
    fn a_field_that_is_set_replaces_a_value_that_was_no_string() {
        let button = Button::read(&Object::from_iter([("title", Value::Null)])).title("Menu");
        assert_eq!(Object::from(button)["title"], "Menu");
    }
}
