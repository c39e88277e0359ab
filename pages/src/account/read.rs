//! Page files and form files as what an account shall be.

use std::path::Path;

use super::{AccountPage, DesiredAccount, DesiredForm};
use crate::form_file::FormFile;
use crate::fs::named;
use crate::page_file::local_image::ImageRoots;
use crate::page_file::patch::refuse_marks;
use crate::page_file::{
    At, Document, DocumentError, FileKind, PageFile, ReferenceTarget, expand, file_of,
};
use crate::sanitize;
use crate::sync::FileSlot;

/// Reason why a file cannot be used, with one line per problem and its place in the file.
#[derive(Debug, thiserror::Error)]
#[error("{}", lines(.0))]
pub struct FileError(DocumentError);

impl DesiredAccount {
    /// Reads page files and form files; `-` stands for standard input. Nothing is sent.
    ///
    /// Upload local images first, and name notification channels by their IDs. The content of the files replaces changes that others made
    /// on the pages, unless [`AccountPage::base`] has a record of the last sync.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_pages::account::{ApplyAccount, DesiredAccount};
    /// use links_pages::apply::{Apply, RunSettings};
    ///
    /// # let (directory, before) = (tempfile::tempdir()?, client.profile("cafe").get().await?.title);
    /// # let (path, state) = (directory.path().join("cafe.yaml"), directory.path().join("state"));
    /// std::fs::write(&path, "profile: cafe\ntitle: Closed on Mondays\n")?;
    /// let pages = DesiredAccount::read([&path])?;
    /// let plan = ApplyAccount::new(&client, pages.clone()).plan().await?;
    /// println!("{} requests", plan.pages[0].plan.request_count());
    /// let settings = RunSettings::new().journal(&state);
    /// let apply = ApplyAccount::new(&client, pages);
    /// ApplyAccount { planned: Some(plan), settings: settings.clone(), ..apply }.run().await?;
    /// let undo = Apply::undo(&client.profile("cafe"), settings).await?;
    /// undo.ok_or("nothing was written")?.await?;
    /// # assert_eq!(client.profile("cafe").get().await?.title, before);
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// When a file cannot be read, is neither a page nor a form, or contains an unresolved conflict mark.
    pub fn read(paths: impl IntoIterator<Item = impl AsRef<Path>>) -> Result<Self, FileError> {
        Self::read_within(None, paths)
    }

    /// Reads page files and form files as [`read`](Self::read) does. The page files may use blocks, values and tables beneath `root`; without one,
    /// beneath their own directories.
    ///
    /// A page file with a table (`each`) stands for a page for each row. Name a single one as `FILE#KEY`.
    ///
    /// # Errors
    ///
    /// Those of [`read`](Self::read), also when a file that a page file uses does not exist or is outside of `root`.
    pub fn read_within(
        root: Option<&Path>,
        paths: impl IntoIterator<Item = impl AsRef<Path>>,
    ) -> Result<Self, FileError> {
        let mut account = Self::default();
        for path in paths {
            let path = path.as_ref();
            let (mut name, bytes) = named::read(file_of(path)).map_err(DocumentError::from)?;
            if file_of(path) != path {
                name = path.display().to_string();
            }
            let document = Document::of_page_or_form(&name, bytes)?;
            refuse_marks(&document)?;
            let kind = FileKind::required(&document.root);
            if kind.map_err(|problem| document.bad(vec![problem]))? == FileKind::Form {
                account.forms.push(form(document)?);
                continue;
            }
            let directory = path.parent().unwrap_or(Path::new(""));
            // Without more directories, nothing is opened that could fail.
            let roots = ImageRoots::new(directory, &[]).unwrap_or_else(|_| ImageRoots::none());
            let roots = roots.with_project(root);
            let rows = document.row_keys(&roots)?.filter(|_| file_of(path) == path);
            let documents = match rows {
                Some(rows) => rows.iter().map(|row| document.clone().of_row(row)).collect(),
                None => vec![document],
            };
            for document in documents {
                let own = (path.as_os_str() != "-").then(|| document.name().to_owned());
                account.pages.push(AccountPage { path: own, ..page(document, &roots)? });
            }
        }
        Ok(account)
    }
}

fn page(mut document: Document, roots: &ImageRoots) -> Result<AccountPage, DocumentError> {
    let problems = expand(&mut document, roots);
    if !problems.is_empty() {
        return Err(document.bad(problems).into());
    }
    // With the escapes of keys that are no references.
    let written = document.root.to_json();
    let PageFile { page, document, references, .. } = PageFile::of(document, &ImageRoots::none())?;
    let uploads = references.iter().filter(|it| matches!(it.target, ReferenceTarget::Upload(_)));
    let problems: Vec<_> =
        uploads.map(|it| it.problem("this image must be uploaded first")).collect();
    if !problems.is_empty() {
        return Err(document.bad(problems).into());
    }
    let slot = |(index, slot): (usize, &crate::apply::DesiredSlot)| FileSlot {
        id: page.slot_id(index),
        kind: slot.kind.clone(),
        data: written["slots"][index]["data"].as_object().cloned().unwrap_or_default().into(),
        ..FileSlot::default()
    };
    let mut fields = page.content.fields.clone();
    if let Some(login) = &page.login {
        fields.insert("login".to_owned(), login.clone().into());
    }
    let slots = page.content.slots.iter().enumerate().map(slot);
    Ok(AccountPage {
        profile: page.profile.to_string(),
        fields,
        slots: page.has_slots.then(|| slots.collect()),
        ..AccountPage::default()
    })
}

fn form(document: Document) -> Result<DesiredForm, DocumentError> {
    let FormFile { form, document, channels } = FormFile::of(document)?;
    if !channels.is_empty() {
        let place = ["notificationChannelIds"];
        let problem = document.locate(&place, At::Value, "channels must be given by ID");
        return Err(document.bad(vec![problem]).into());
    }
    Ok(form)
}

impl<E: Into<DocumentError>> From<E> for FileError {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

/// Returns the problems of a file, one a line.
fn lines(error: &DocumentError) -> String {
    let DocumentError::Bad(file) = error else {
        return sanitize::line(&error.to_string()).into_owned();
    };
    let lines = file.places().map(|(place, problem)| {
        let help = problem.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
        sanitize::line(&format!("{place}: {}{help}", problem.message)).into_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_file_with_a_table_stands_for_its_rows_and_uses_files_of_the_project_alone() {
        let project = tempfile::tempdir().unwrap();
        let root = project.path();
        std::fs::create_dir_all(root.join("pages")).unwrap();
        let page = "each: [{key: a, login: one.page}, {key: b, login: two.page, title: B}]\nprofile: \"{login}\"\n\
            title: {$value: title}\nslots: [{$include: ../block.yaml}]\n";
        std::fs::write(root.join("pages/all.yaml"), page).unwrap();
        let block = "- {type: text, data: {$$odd: 1, title: {$text: 'of {title}'}}}\n";
        std::fs::write(root.join("block.yaml"), block).unwrap();
        std::fs::write(root.join("values.yaml"), "title: A\n").unwrap();
        let file = root.join("pages/all.yaml");
        let account = DesiredAccount::read_within(Some(root), [&file]).unwrap();
        let shown = |page: &AccountPage| {
            let slots = page.slots.as_ref().unwrap();
            (page.profile.clone(), page.fields["title"].clone(), slots[0].data["title"].clone())
        };
        let expected = [("one.page", "A", "of A"), ("two.page", "B", "of B")];
        let expected =
            expected.map(|(login, title, text)| (login.to_owned(), title.into(), text.into()));
        assert_eq!(account.pages.iter().map(shown).collect::<Vec<_>>(), expected);
        assert_eq!(account.pages[0].slots.as_ref().unwrap()[0].data["$$odd"], 1);
        assert!(account.pages[1].path.as_deref().is_some_and(|path| path.ends_with("all.yaml#b")));
        let one = DesiredAccount::read_within(Some(root), [root.join("pages/all.yaml#b")]).unwrap();
        assert_eq!(one.pages.len(), 1);
        let refused = DesiredAccount::read([&file]).unwrap_err().to_string();
        assert!(
            refused.contains("there is no value `title`") && refused.contains("outside"),
            "{refused}"
        );
    }

    #[test]
    fn a_file_with_the_mark_of_a_conflict_is_refused_at_the_mark() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("cafe.yaml");
        std::fs::write(
            &path,
            "profile: cafe\n# <<< page: title: \"Shop\" (changed)\ntitle: Cafe\n",
        )
        .unwrap();
        let refused = DesiredAccount::read([&path]).unwrap_err().to_string();
        let place = format!("{}:2:1: unresolved conflict with the page", path.display());
        assert!(refused.starts_with(&place), "{refused}");
    }
}
