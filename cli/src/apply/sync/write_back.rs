//! A pull into page files that are made of several files: what changed on the pages is written to where it came from, a block, a value or a row, if every
//! page that has it from there agrees.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use links_pages::apply::{PageSnapshot, SlotTypes};
use links_pages::fs::named;
use links_pages::page_file::patch::{Edit, PathStep, patch};
use links_pages::page_file::{Origins, PageFile, PlacedEdit, file_of, patch_cells};
use links_pages::sync::Pull;
use serde_json::Value;

use super::SyncRecord;
use super::page_path::without_links;
use super::pull_edits::edits;
use super::pulled::{pull_of, unpatched};
use crate::error::{CommandError, Exit};

/// A page that is pulled, with its file.
pub(crate) struct ComposedPage {
    pub(crate) path: PathBuf,
    pub(crate) file: PageFile,
    pub(crate) record: Box<SyncRecord>,
    pub(crate) page: PageSnapshot,
}

/// What a pull makes of the files.
#[derive(Default)]
pub(crate) struct WriteBack {
    /// Texts of the files that change, before and after.
    pub(crate) texts: BTreeMap<PathBuf, (String, String)>,
    /// What is recorded of each page, and what was not taken over; why nothing was, if that is so.
    pub(crate) pages: Vec<Result<(Pull, Vec<String>), CommandError>>,
}

/// Key of an item, or field of the page (`None`), that is not taken over.
type Refused = BTreeSet<(Option<usize>, String)>;

/// Files of a page, and where its values come from.
struct Composed<'p> {
    path: &'p Path,
    file: &'p PageFile,
    origins: Origins<'p>,
    files: Vec<PathBuf>,
}

/// Edit of a page with the edits of its files.
type Placed = (Edit, Option<Vec<PlacedEdit>>);

/// Place in a file that is edited.
type Target = (PathBuf, String);

impl WriteBack {
    /// Decides what is written. `others` are page files that are not pulled, which may use the same files.
    ///
    /// # Errors
    ///
    /// When a file cannot be edited.
    pub(crate) fn of(
        pages: &[ComposedPage],
        others: &[(PathBuf, PageFile)],
        types: &SlotTypes,
    ) -> Result<Self, CommandError> {
        let pulled: Vec<Composed<'_>> =
            pages.iter().map(|page| Composed::of(&page.path, &page.file)).collect();
        let others: Vec<Composed<'_>> =
            others.iter().map(|(path, file)| Composed::of(path, file)).collect();
        let placed = |(page, of): (&ComposedPage, &Composed<'_>), refused: &Refused| {
            let pull = pull_of(&page.record, &page.file, &page.page, types, refused)?;
            let edits = edits(&pull, &page.file.page.content.fields);
            let placed: Vec<Placed> = edits
                .into_iter()
                .map(|edit| (of.origins.place(&edit), edit))
                .map(|(placed, edit)| (edit, placed))
                .collect();
            Ok::<_, CommandError>((pull, placed))
        };
        let first: Vec<_> =
            pages.iter().zip(&pulled).map(|page| placed(page, &Refused::new())).collect();
        let disputed = disputed(&first, &pulled, &others);
        let mut edits: BTreeMap<PathBuf, Vec<Edit>> = BTreeMap::new();
        let mut decided = Vec::new();
        for ((page, of), first) in pages.iter().zip(&pulled).zip(first) {
            decided.push(first.and_then(|(_, all)| {
                let (mut refused, mut notes) = (Refused::new(), Vec::new());
                for (edit, placed) in &all {
                    let Some(why) = of.why_not(edit, placed.as_deref(), &disputed) else {
                        continue;
                    };
                    let Some(key) = key_of(edit) else { return Err(of.refuse(&why)) };
                    notes.push(format!(
                        "{}: `{}` was not merged: {why}",
                        of.path.display(),
                        edit.path()
                    ));
                    refused.insert(key);
                }
                let (pull, all) = placed((page, of), &refused)?;
                let left: Vec<PlacedEdit> =
                    all.into_iter().filter_map(|(_, placed)| placed).flatten().collect();
                Ok((pull, notes, left))
            }));
        }
        let mut written = Self::default();
        for (of, decided) in pulled.iter().zip(decided) {
            written.pages.push(decided.map(|(pull, notes, left)| {
                for placed in left {
                    let all = edits.entry(of.files[placed.file].clone()).or_default();
                    // Pages that agree say the same.
                    if !all.contains(&placed.edit) {
                        all.push(placed.edit);
                    }
                }
                (pull, notes)
            }));
        }
        for (file, edits) in edits {
            written.patch(&file, &edits, &pulled)?;
        }
        Ok(written)
    }

    fn patch(
        &mut self,
        file: &Path,
        edits: &[Edit],
        pulled: &[Composed<'_>],
    ) -> Result<(), CommandError> {
        let (_, bytes) = named::read(file)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let read = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let is_same = |of: &Composed<'_>| {
            let mut files = of.files.iter().enumerate().filter(|(_, it)| *it == file);
            files.all(|(nth, _)| of.file.document.sources.text_of(nth) == read)
        };
        if !pulled.iter().all(is_same) {
            let message =
                format!("{} changed in the meantime; nothing was written", file.display());
            return Err(
                CommandError::new(Exit::Conflict, message).with_hint("run the same command again")
            );
        }
        let is_table = file.extension().is_some_and(|it| it.eq_ignore_ascii_case("csv"));
        let after = if is_table {
            let mark = &text[..text.len() - read.len()];
            format!("{mark}{}", patch_cells(read, edits))
        } else {
            patch(&text, edits).map_err(|error| unpatched(&error, file))?
        };
        if after != text {
            self.texts.insert(file.to_owned(), (text, after));
        }
        Ok(())
    }
}

/// Returns the places of which the pages that have a value from there do not say the same, each with the names of those pages.
fn disputed(
    pages: &[Result<(Pull, Vec<Placed>), CommandError>],
    pulled: &[Composed<'_>],
    others: &[Composed<'_>],
) -> BTreeMap<Target, Vec<String>> {
    let mut wanted: BTreeMap<Target, Vec<(usize, &PlacedEdit)>> = BTreeMap::new();
    for (nth, page) in pages.iter().enumerate() {
        let Ok((_, all)) = page else { continue };
        for placed in all.iter().filter_map(|(_, placed)| placed.as_ref()).flatten() {
            let target = (pulled[nth].files[placed.file].clone(), name_of(&placed.edit));
            wanted.entry(target).or_default().push((nth, placed));
        }
    }
    let mut disputed = BTreeMap::new();
    for (target, edits) in wanted {
        let span = &edits[0].1.span;
        let is_agreed = edits.iter().all(|(_, placed)| placed.edit == edits[0].1.edit);
        let all = || pulled.iter().chain(others);
        let users: usize = all().map(|of| of.usages(&target.0, span)).sum();
        if is_agreed && users <= edits.len() {
            continue;
        }
        let users = all().filter(|of| of.usages(&target.0, span) > 0);
        let names = users.map(|of| of.path.display().to_string()).collect();
        disputed.insert(target, names);
    }
    disputed
}

impl<'p> Composed<'p> {
    fn of(path: &'p Path, file: &'p PageFile) -> Self {
        let used = file.used_files().map(|it| without_links(&it));
        let files = std::iter::once(without_links(file_of(path))).chain(used).collect();
        Self { path, file, origins: Origins::of(&file.document), files }
    }

    /// Number of values that the page has from a place in a file.
    fn usages(&self, file: &Path, span: &std::ops::Range<usize>) -> usize {
        self.origins.usages(span, |nth| self.files[nth] == file)
    }

    /// Returns why an edit is not made.
    fn why_not(
        &self,
        edit: &Edit,
        placed: Option<&[PlacedEdit]>,
        disputed: &BTreeMap<Target, Vec<String>>,
    ) -> Option<String> {
        let Some(placed) = placed else {
            return Some("the text is made of several values".to_owned());
        };
        placed.iter().find_map(|placed| {
            let file = &self.files[placed.file];
            let shown = super::from_here(file).display().to_string();
            let is_shared = placed.file > 0;
            if is_shared && matches!(edit, Edit::Mark { .. }) {
                return Some(format!("{shown} has another value"));
            }
            if file.extension().is_some_and(|it| it.eq_ignore_ascii_case("csv"))
                && !matches!(&placed.edit, Edit::Set { value: Value::String(text), .. } if !text.trim().is_empty())
            {
                return Some(format!("{shown} can hold only texts"));
            }
            let names = disputed.get(&(file.clone(), name_of(&placed.edit)))?;
            Some(match &names[..] {
                [_] => format!("it is from {shown}, which the page uses several times"),
                names => format!("it is from {shown}, which {} use", names.join(" and ")),
            })
        })
    }

    fn refuse(&self, why: &str) -> CommandError {
        let message = format!(
            "{}: slots were added, moved or deleted on the page, but {why}; nothing was written",
            self.path.display()
        );
        CommandError::new(Exit::Conflict, message)
            .with_hint("change the files by hand, or make the page as the files say with `links apply --exact`")
    }
}

/// Returns the key or field that an edit sets or marks; `None` for an edit of the list of slots.
fn key_of(edit: &Edit) -> Option<(Option<usize>, String)> {
    match &edit.path().0[..] {
        [PathStep::Key(slots), PathStep::Item(nth), PathStep::Key(_), PathStep::Key(key), ..]
            if slots == "slots" =>
        {
            let key = key.strip_prefix("$$").map_or(key.clone(), |key| format!("${key}"));
            Some((Some(*nth), key))
        }
        [PathStep::Key(slots), ..] if slots == "slots" => None,
        [PathStep::Key(field), ..] => Some((None, field.clone())),
        _ => None,
    }
}

/// Returns the name of what an edit changes in its file.
fn name_of(edit: &Edit) -> String {
    let path = edit.path();
    match edit {
        Edit::Set { .. } | Edit::SetAbove { .. } => format!("= {path}"),
        Edit::Remove { .. } => format!("- {path}"),
        Edit::Insert { after, .. } => format!("+ {path} {after:?}"),
        Edit::Move { .. } => format!("> {path}"),
        Edit::Mark { .. } => format!("# {path}"),
    }
}
