//! Output of a pull.

use crate::context::prelude::*;
use crate::ui::Ui;

/// What a pull has done so far.
#[derive(Default)]
pub(super) struct Report {
    pub(super) lines: Vec<StyledLine>,
    pub(super) pages: Vec<Value>,
    pub(super) forms: Vec<Value>,
    pub(super) conflicts: usize,
    /// Number of changes that were not taken over, because they have no single place in the files.
    pub(super) left: usize,
    pub(super) failures: Vec<CommandError>,
    /// True once a file was written.
    pub(super) is_written: bool,
    /// True once a page got a file in the directory.
    pub(super) adds_page: bool,
    /// Number of pages that were not read, because a failure would have been theirs, too.
    pub(super) not_begun: usize,
}

impl Report {
    pub(super) fn say(&mut self, text: impl Into<String>) {
        self.lines.push(StyledLine::plain(text.into()));
    }

    pub(super) fn note(&mut self, text: impl Into<String>) {
        self.lines.push(StyledLine::faint(text.into()));
    }

    /// Returns the output of the command.
    pub(super) fn output(mut self, ui: &Ui, all: usize, requests: u64) -> Result<CommandOutput> {
        if self.conflicts > 0 {
            self.lines.push(StyledLine::changed(
                "resolve the conflicts (lines starting with `# <<<`) and delete those lines; the file can't be applied until then",
            ));
        }
        if self.left > 0 {
            self.lines.push(StyledLine::changed(
                "change the files by hand, or make the pages as the files say with `links apply --exact`",
            ));
        }
        if !self.failures.is_empty() {
            if self.pages.is_empty() && self.forms.is_empty() && !self.is_written {
                let message = "no page or form could be pulled; no page or form file was written";
                return Err(CommandError::of_several(self.failures, message));
            }
            for line in &self.lines {
                ui.say(line);
            }
            let files = self.pages.iter().chain(&self.forms).filter_map(|it| it["file"].as_str());
            let files = files.collect::<Vec<_>>().join(", ");
            let not_begun = match self.not_begun {
                0 => String::new(),
                count => format!("; skipped the other {count}"),
            };
            let count = self.pages.len() + self.forms.len();
            let pulled = format!("{count} of {all} pages and forms pulled{not_begun}");
            if !self.is_written {
                let message = format!("some files failed, and the others had no changes: {pulled}");
                let failure = CommandError::of_some(self.failures, &message);
                return Err(failure.partly_written(format!("no changes for {files}")));
            }
            let message = format!("some files were written, others failed: {pulled}");
            return Err(CommandError::of_some(self.failures, &message)
                .partial(&files)
                .with_hint("run the same command again; it merges changes into existing files"));
        }
        if self.lines.is_empty() {
            self.note("this account has no pages and no forms");
        }
        let exit = if self.conflicts + self.left > 0 { Exit::Conflict } else { Exit::Ok };
        let data = json!({ "pages": self.pages, "forms": self.forms });
        let (meta, view) = (json!({ "requests": requests }), View::Lines(self.lines));
        Ok(CommandOutput::with_meta(data, meta, view).exit(exit))
    }
}

/// Returns a line about fields that no file can hold, if there are any.
pub(super) fn left_out_line(what: &str, fields: &[String]) -> Option<StyledLine> {
    (!fields.is_empty()).then(|| {
        StyledLine::changed(format!(
            "{what}: left out, because the value cannot be written to a file: {}",
            fields.join(", ")
        ))
    })
}
