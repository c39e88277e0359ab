//! Form files among the words of `links forms create` and `links forms update`.

use links_sdk::Client;

use crate::args::fields::FieldValues;
use crate::error::CommandError;
use crate::form_file::FormFile;
use crate::page_file::FileKind;

/// Fields of a form on the command line, and the form file that some of them come from.
pub(super) struct FormWords {
    pub(super) fields: FieldValues,
    file: Option<FormFile>,
}

impl FormWords {
    /// Reads words: at most one file with the fields of a form, which may be a form file, and values.
    ///
    /// # Errors
    ///
    /// When no field is given, or the file is invalid or is a page file.
    pub(super) fn read(words: &[String]) -> Result<Self, CommandError> {
        let fields = FieldValues::read(words)?.some("title=Contact")?;
        let kind = match fields.file() {
            Some(file) => FileKind::of(&file.root).map_err(|it| file.bad(vec![it]))?,
            None => None,
        };
        // A page file is refused by the rules for form files.
        let file =
            fields.file().filter(|_| kind.is_some()).cloned().map(FormFile::of).transpose()?;
        Ok(Self { fields, file })
    }

    /// Id of the form that the file is for, if it has one.
    pub(super) fn id(&self) -> Option<&str> {
        self.file.as_ref()?.form.id.as_deref()
    }

    /// Returns the fields to send, after asking the service for the channels that the file refers to.
    ///
    /// # Errors
    ///
    /// When a reference names no channel, or the channels cannot be read.
    pub(super) async fn resolved(self, client: &Client) -> Result<FieldValues, CommandError> {
        let Self { mut fields, file } = self;
        let Some(mut file) = file else { return Ok(fields) };
        if !file.channels.is_empty() {
            let channels = client.notification_channels().await?;
            file.resolve_channels(&channels.items)?;
        }
        fields.replace_file_fields(file.form.fields);
        Ok(fields)
    }
}
