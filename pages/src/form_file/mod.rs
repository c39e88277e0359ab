//! Form files: a lead form in YAML or JSON, written by users.

mod channels;
pub mod fields;
#[cfg(test)]
mod tests;
mod validate;

pub use channels::ChannelReference;
use fields::CHANNELS;
use links_sdk::types::NotificationChannel;
use validate::FormContent;

use crate::page_file::{Document, FileDiagnostics};

/// Parsed form file.
#[derive(Debug)]
pub struct FormFile {
    /// Content of the form.
    pub form: FormContent,
    /// Document with the text and its spans.
    pub document: Document,
    /// References to notification channels, to be resolved by [`resolve_channels`](Self::resolve_channels).
    pub channels: Vec<ChannelReference>,
}

impl FormFile {
    /// Converts a document to a form file. Reports all problems that can be found without the service together.
    pub fn of(document: Document) -> Result<Self, FileDiagnostics> {
        match validate::check(&document.root) {
            Ok(form) => {
                let channels = channels::find(&document.root);
                Ok(Self { form, document, channels })
            }
            Err(problems) => Err(document.bad(problems)),
        }
    }

    /// Replaces the references to channels by ids: a reference names the only channel of that label, otherwise the channel of that id.
    ///
    /// # Errors
    ///
    /// When a reference names no channel, or several.
    pub fn resolve_channels(
        &mut self,
        channels: &[NotificationChannel],
    ) -> Result<(), FileDiagnostics> {
        let Some(list) = self.form.fields.get_mut(CHANNELS) else { return Ok(()) };
        let problems = channels::resolve(&self.channels, list, channels, &self.document);
        if problems.is_empty() {
            self.channels.clear();
            return Ok(());
        }
        Err(self.document.bad(problems))
    }
}
