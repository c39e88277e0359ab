//! What a run is made from: page files and form files, a saved plan of such files, or a text.

use std::rc::Rc;

use super::absent_files::AbsentFile;
use super::edit::SlotsEdit;
use super::file_filter::FileFilter;
use super::files::{AccountFiles, read_page};
use super::forms::PlannedForm;
use super::saved_plan::SavedPlan;
use crate::apply::apply_args::RunOptions;
use crate::apply::sync::OpenedText;
use crate::context::prelude::*;
use crate::ui::{self, PartUpdate};

/// Files of a run, with what they come from, or an edit of pages without files.
#[derive(Default)]
pub(crate) struct RunSource {
    pub(crate) files: AccountFiles,
    /// The only plans that may be carried out.
    pub(crate) saved: Option<SavedPlan>,
    /// The text that was opened in an editor, if the page file is what a user made of it.
    pub(crate) opened: Option<OpenedText>,
    /// An edit of pages without files.
    pub(crate) edit: Option<Rc<SlotsEdit>>,
    /// Edits of forms without files.
    pub(crate) form_edits: Vec<PlannedForm>,
}

impl RunSource {
    /// Returns the text that stands for a page file.
    pub(crate) fn text(file: PageFile) -> Self {
        let mut source = Self::default();
        source.files.pages.push((PathBuf::from(file.document.name()), file));
        source
    }

    /// Reads the slots of one page file (`-`: standard input).
    pub(crate) fn slots(context: &Context, path: &Path, options: &RunOptions) -> Result<Self> {
        let mut files = AccountFiles::default();
        let (file, _) = read_page(path, &options.flags.upload_root)?;
        files.pages.push((path.to_owned(), file.slots_only()?));
        files.check_rules(context)?;
        Ok(Self { files: files.all_usable()?, ..Self::default() })
    }

    /// Reads a saved plan (`-`: standard input), and sets the options that it was made with.
    pub(crate) fn plan(context: &Context, path: &Path, options: &mut RunOptions) -> Result<Self> {
        let (saved, mut files) = SavedPlan::read(path, options)?;
        files.check_rules(context)?;
        let files = files.all_usable()?;
        Ok(Self { files, saved: Some(saved), ..Self::default() })
    }

    /// Reads files, and those of directories. Keeps why files cannot be used, if others can be.
    ///
    /// # Errors
    ///
    /// When there is no file that can be used, unless the others have not changed.
    pub(crate) fn files(
        context: &Context,
        paths: &[PathBuf],
        roots: &[PathBuf],
        filter: &FileFilter,
    ) -> Result<Self> {
        let mut files = AccountFiles::read(context, paths, roots, filter)?.without_repeated();
        files.check_rules(context)?;
        if files.is_empty() {
            let files = files.all_usable()?;
            // Of several accounts, a pattern may leave out all files of one.
            let is_left_out = !filter.takes_all() && ui::is_part();
            if is_left_out && !filter.compares() {
                ui::update(PartUpdate::NoFile);
            }
            if filter.compares() || is_left_out {
                return Ok(Self { files, ..Self::default() });
            }
            let failure = CommandError::usage("no page or form file found");
            let absent = AbsentFile::below(context, &files.directories)?;
            let words = absent.first().map(AbsentFile::words);
            return Err(failure.with_hint(words.unwrap_or_else(|| {
                "write one with `links pull LOGIN -O FILE`; a page file starts with `profile: LOGIN`, a form file with `form: NAME`".to_owned()
            })));
        }
        Ok(Self { files, ..Self::default() })
    }

    /// Returns the source if all files can be used.
    pub(crate) fn all_usable(self) -> Result<Self> {
        Ok(Self { files: self.files.all_usable()?, ..self })
    }

    /// Returns the only page file.
    pub(crate) fn page(&self) -> Option<&PageFile> {
        self.files.pages.first().map(|(_, file)| file)
    }
}
