//! A pull into page files that are made of several files: what changed on the pages is written to where it came from, a block, a value or a row, if every
//! page that has it from there agrees.

use std::ops::Range;

use links_pages::apply::{DesiredSlot, SlotTypes};
use links_pages::page_file::patch::{Edit, PathStep, patch};
use links_pages::page_file::{Origins, PageContent, PlacedEdit, file_of, patch_cells};
use links_pages::sync::{Pull, PulledItem};

use super::SyncRecord;
use super::history::page_with;
use super::page_path::without_links;
use super::pull_edits::edits;
use super::pulled::unpatched;
use crate::context::prelude::*;

/// A page that is pulled, with its file.
pub(crate) struct ComposedPage {
    pub(crate) path: PathBuf,
    pub(crate) file: PageFile,
    pub(crate) record: Box<SyncRecord>,
    pub(crate) page: PageSnapshot,
}

impl ComposedPage {
    /// Refuses a page whose record or files changed since they were read.
    pub(crate) fn check_unchanged(&self, context: &Context) -> Result<()> {
        self.record.check_unchanged(context)?;
        for (nth, file) in files_of(&self.path, &self.file).iter().enumerate() {
            let (_, bytes) = named::read(file)?;
            let text = String::from_utf8_lossy(&bytes);
            let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
            if self.file.document.sources.text_of(nth) != text {
                return Err(CommandError::changed(super::from_here(file).display()));
            }
        }
        Ok(())
    }
}

/// What a pull makes of the files.
#[derive(Default)]
pub(crate) struct WriteBack {
    /// Texts of the files that change, before and after.
    pub(crate) texts: BTreeMap<PathBuf, (String, String)>,
    /// What is recorded of each page, and what was not taken over; why nothing was, if that is so.
    pub(crate) pages: Vec<Result<(Pull, Vec<String>)>>,
}

const BY_HAND: &str =
    "change the files by hand, or make the pages as the files say with `links apply --exact`";

/// Key of an item, or field of the page (`None`), that is not taken over.
type NotTaken = BTreeSet<(Option<usize>, String)>;

/// Files of a page, and where its values come from.
struct Composed<'p> {
    path: &'p Path,
    file: &'p PageFile,
    origins: Origins<'p>,
    files: Vec<PathBuf>,
}

/// Edits of the files of a page for an edit of it.
type PlacedEdits = (Option<Vec<PlacedEdit>>, Edit);

/// Place in a file that is edited.
type Target = (PathBuf, String);

impl WriteBack {
    /// Decides what is written. `others` are page files that are not pulled, which may use the same files, and `unread` those that cannot be read.
    ///
    /// # Errors
    ///
    /// When a file cannot be edited, or pages would then differ in something else.
    pub(crate) fn of(
        pages: &[ComposedPage],
        others: &[(PathBuf, PageFile)],
        unread: &[PathBuf],
        types: &SlotTypes,
    ) -> Result<Self> {
        let pulled = pages.iter().map(|page| Composed::of(&page.path, &page.file));
        let others = others.iter().map(|(path, file)| Composed::of(path, file));
        let all: Vec<Composed<'_>> = pulled.chain(others).collect();
        // A text that is made of a value may change with it as it did on the page.
        if let Ok(written) = Self::written(pages, &all, unread, types, false)
            && written.differs(&all).is_none()
        {
            return Ok(written);
        }
        let written = Self::written(pages, &all, unread, types, true)?;
        let Some(path) = written.differs(&all) else { return Ok(written) };
        let message = format!(
            "the changes cannot be written to the files without changing {} otherwise; nothing was written",
            path.display()
        );
        Err(CommandError::conflict(message).with_hint(BY_HAND))
    }

    /// Makes the texts. The pages that are pulled come first among `all`. With `parts`, a value is not changed while texts are made of it.
    fn written(
        pages: &[ComposedPage],
        all: &[Composed<'_>],
        unread: &[PathBuf],
        types: &SlotTypes,
        parts: bool,
    ) -> Result<Self> {
        let placed = |(page, of): (&ComposedPage, &Composed<'_>), refused: &NotTaken| {
            let pull = page.record.pull(&page.file, &page.page, types, refused)?;
            let edits = edits(&pull, &page.file.page.content.fields);
            let placed = edits.into_iter().map(|edit| (of.origins.place(&edit), edit));
            Ok::<_, CommandError>((pull, placed.collect::<Vec<PlacedEdits>>()))
        };
        let first: Vec<_> =
            pages.iter().zip(all).map(|page| placed(page, &NotTaken::new())).collect();
        let disputed = disputed(&first, all, parts);
        let mut edits: BTreeMap<PathBuf, Vec<(usize, PlacedEdit)>> = BTreeMap::new();
        let mut written = Self::default();
        for (nth, ((page, of), first)) in pages.iter().zip(all).zip(first).enumerate() {
            let decided = first.and_then(|(_, edited)| {
                let (mut refused, mut notes) = (NotTaken::new(), Vec::new());
                for (placed, edit) in &edited {
                    if placed.is_none() && !parts && matches!(edit, Edit::Set { .. }) {
                        continue;
                    }
                    let why = of.why_not(edit, placed.as_deref(), &disputed, unread);
                    let Some(why) = why else { continue };
                    let Some(key) = key_of(edit) else { return Err(of.refuse(&why)) };
                    let (file, path) = (of.path.display(), edit.path());
                    notes.push(format!("{file}: `{path}` was not merged: {why}"));
                    refused.insert(key);
                }
                let (pull, edited) = placed((page, of), &refused)?;
                for placed in edited.into_iter().filter_map(|(placed, _)| placed).flatten() {
                    let of_file = edits.entry(of.files[placed.file].clone()).or_default();
                    // Pages that agree say the same. One page may insert the same item twice.
                    let is_same = |(page, other): &(usize, PlacedEdit)| {
                        other.edit == placed.edit && !is_one_list((*page, other), (nth, &placed))
                    };
                    if !of_file.iter().any(is_same) {
                        of_file.push((nth, placed));
                    }
                }
                Ok((pull, notes))
            });
            written.pages.push(decided);
        }
        for (file, edits) in edits {
            let edits: Vec<PlacedEdit> = edits.into_iter().map(|(_, placed)| placed).collect();
            written.patch(&file, &edits, all)?;
        }
        Ok(written)
    }

    /// Returns a page that would not be what it shall be: as it is on the service, as far as it is pulled, and else as it was.
    fn differs(&self, all: &[Composed<'_>]) -> Option<PathBuf> {
        let differs = |(nth, of): &(usize, &Composed<'_>)| {
            let pull = self.pages.get(*nth).and_then(|page| Some(&page.as_ref().ok()?.0));
            if pull.is_none() && of.files.iter().all(|it| self.after(it).is_none()) {
                return false;
            }
            // References are as they are written.
            let (Some(before), Some(after)) = (of.read(|_| None), of.read(|file| self.after(file)))
            else {
                return true;
            };
            let (profile, fields, slots) = expected(&before, pull);
            let said = after.content.slots.iter().map(content_of);
            after.profile.to_string() != profile
                || after.content.fields != fields
                || said.collect::<Vec<_>>() != slots
        };
        all.iter().enumerate().find(differs).map(|(_, of)| of.path.to_owned())
    }

    fn after(&self, file: &Path) -> Option<&str> {
        self.texts.get(file).map(|(_, after)| after.as_str())
    }

    fn patch(&mut self, file: &Path, edits: &[PlacedEdit], all: &[Composed<'_>]) -> Result<()> {
        let (_, bytes) = named::read(file)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let read = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let is_same = |of: &Composed<'_>| {
            let mut files = of.files.iter().enumerate().filter(|(_, it)| *it == file);
            files.all(|(nth, _)| of.file.document.sources.text_of(nth) == read)
        };
        if !all.iter().all(is_same) {
            return Err(CommandError::changed(file.display()));
        }
        let is_table = edits.iter().any(|edit| edit.is_table);
        let edits: Vec<Edit> = edits.iter().map(|placed| placed.edit.clone()).collect();
        let after = if is_table {
            let mark = &text[..text.len() - read.len()];
            let patched = patch_cells(read, &edits).ok_or_else(|| {
                let message =
                    format!("{} cannot be edited in place; nothing was written", file.display());
                CommandError::refused(message).with_hint(BY_HAND)
            })?;
            format!("{mark}{patched}")
        } else {
            patch(&text, &edits).map_err(|error| unpatched(&error, file))?
        };
        if after != text {
            self.texts.insert(file.to_owned(), (text, after));
        }
        Ok(())
    }
}

/// Returns the files of a page, in the order of its sources.
fn files_of(path: &Path, file: &PageFile) -> Vec<PathBuf> {
    let used = file.used_files().map(|it| without_links(&it));
    std::iter::once(without_links(file_of(path))).chain(used).collect()
}

/// Returns the places of which the pages that have a value from there do not say the same, each with the names of those pages.
fn disputed(
    pages: &[Result<(Pull, Vec<PlacedEdits>)>],
    all: &[Composed<'_>],
    parts: bool,
) -> BTreeMap<Target, Vec<String>> {
    let mut wanted: BTreeMap<Target, Vec<(usize, &PlacedEdit)>> = BTreeMap::new();
    for (nth, page) in pages.iter().enumerate() {
        let Ok((_, edited)) = page else { continue };
        for placed in edited.iter().filter_map(|(placed, _)| placed.as_ref()).flatten() {
            let target = (all[nth].files[placed.file].clone(), name_of(&placed.edit));
            wanted.entry(target).or_default().push((nth, placed));
        }
    }
    let mut disputed = BTreeMap::new();
    for (target, edits) in wanted {
        let span = &edits[0].1.span;
        // A page says with all its edits of a list what it makes of it.
        let of_lists = edits.chunk_by(|one, other| is_one_list(*one, *other));
        let edits_of = |list: &[(usize, &PlacedEdit)]| -> Vec<Edit> {
            list.iter().map(|(_, placed)| placed.edit.clone()).collect()
        };
        let said: Vec<Vec<Edit>> = of_lists.map(edits_of).collect();
        let is_agreed = said.iter().all(|edits| *edits == said[0]);
        let users: usize = all.iter().map(|of| of.usages(&target.0, span, parts)).sum();
        if is_agreed && users <= said.len() {
            continue;
        }
        let users = all.iter().filter(|of| of.usages(&target.0, span, parts) > 0);
        let names = users.map(|of| of.path.display().to_string()).collect();
        disputed.insert(target, names);
    }
    disputed
}

impl<'p> Composed<'p> {
    fn of(path: &'p Path, file: &'p PageFile) -> Self {
        let origins = Origins::new(&file.document.root, &file.document.sources);
        Self { path, file, origins, files: files_of(path, file) }
    }

    /// Number of values that the page has from a place in a file.
    fn usages(&self, file: &Path, span: &Range<usize>, parts: bool) -> usize {
        self.origins.usages(span, parts, |nth| self.files[nth] == file)
    }

    /// Reads the page from its texts, of which some are others; `None` if it cannot be read.
    fn read<'t>(&self, other: impl Fn(&Path) -> Option<&'t str>) -> Option<PageContent> {
        let text = |nth: usize| {
            let own = self.file.document.sources.text_of(nth);
            other(&self.files[nth])
                .map_or(own, |text| text.strip_prefix('\u{feff}').unwrap_or(text))
        };
        let read = |used: &Path| {
            let file = without_links(used);
            let nth = self.files.iter().position(|known| *known == file)?;
            Some(text(nth).as_bytes().to_vec())
        };
        let page = page_with(&without_links(self.path), text(0).as_bytes(), read);
        page.ok().map(|file| file.page)
    }

    /// Returns why an edit is not made.
    fn why_not(
        &self,
        edit: &Edit,
        placed: Option<&[PlacedEdit]>,
        disputed: &BTreeMap<Target, Vec<String>>,
        unread: &[PathBuf],
    ) -> Option<String> {
        let Some(placed) = placed else {
            let why = match edit {
                Edit::Move { .. } => "slots can't be moved to another file",
                _ => "the text is made of several values",
            };
            return Some(why.to_owned());
        };
        placed.iter().find_map(|placed| {
            let file = &self.files[placed.file];
            let shown = super::from_here(file).display().to_string();
            let is_shared = placed.file > 0;
            // JSON has no comments.
            let is_json = self.file.document.text().trim_start().starts_with('{');
            if (is_shared || is_json) && matches!(edit, Edit::Mark { .. }) {
                return Some(format!("{shown} has another value"));
            }
            if let Some(other) = unread.first().filter(|_| is_shared) {
                let other = super::from_here(other);
                return Some(format!("{}, which may use {shown}, cannot be read", other.display()));
            }
            let is_cell = |text: &str| !text.trim().is_empty() && !text.contains("\r\n");
            let fits = !placed.is_table
                || matches!(&placed.edit, Edit::Set { value: Value::String(text), .. } if is_cell(text));
            if !fits {
                return Some(format!(
                    "{shown} cannot hold the line break `\\r\\n`, nor values that are empty or no texts"
                ));
            }
            let names = disputed.get(&(file.clone(), name_of(&placed.edit)))?;
            Some(match &names[..] {
                [first @ .., last] if !first.is_empty() => {
                    format!("it is from {shown}, which {} and {last} use", first.join(", "))
                }
                _ => format!("it is from {shown}, which the page uses several times"),
            })
        })
    }

    fn refuse(&self, why: &str) -> CommandError {
        let message = format!(
            "{}: slots were added, moved or deleted on the page, but {why}; nothing was written",
            self.path.display()
        );
        CommandError::conflict(message).with_hint(BY_HAND)
    }
}

/// Returns what a page file says after a pull: its page, its fields, and the types and data of its items.
fn expected(before: &PageContent, pull: Option<&Pull>) -> (String, Object, Vec<(String, Object)>) {
    let (mut profile, mut fields) = (before.profile.to_string(), before.content.fields.clone());
    let mut items: Vec<(String, Object)> = before.content.slots.iter().map(content_of).collect();
    let Some(pull) = pull else { return (profile, fields, items) };
    for (name, value) in pull.fields.iter() {
        match (name.as_str(), value) {
            ("profile", Value::String(login)) => profile.clone_from(login),
            _ => drop(fields.insert(name.clone(), value.clone())),
        }
    }
    for taken in &pull.keys {
        if let Some((_, data)) = items.get_mut(taken.item) {
            data.insert(taken.key.clone(), taken.value.clone());
        }
    }
    let placed = pull.order.iter().filter_map(|placed| match placed {
        PulledItem::Item(nth) => items.get(*nth).cloned(),
        PulledItem::Inserted(nth) => pull.inserted.get(*nth).map(content_of),
    });
    let items = placed.collect();
    (profile, fields, items)
}

/// Returns the type and the data of a slot.
fn content_of(slot: &DesiredSlot) -> (String, Object) {
    (slot.kind.clone(), slot.data.clone())
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

/// Returns whether two edits, each with the number of its page, add or move items of one list of one page.
fn is_one_list((page, one): (usize, &PlacedEdit), (other, two): (usize, &PlacedEdit)) -> bool {
    let is_of_list = matches!(one.edit, Edit::Insert { .. } | Edit::Move { .. });
    is_of_list && (page, one.file) == (other, two.file)
}

/// Returns the name of what an edit changes in its file.
fn name_of(edit: &Edit) -> String {
    let path = edit.path();
    match edit {
        Edit::Set { .. } => format!("= {path}"),
        Edit::Remove { .. } => format!("- {path}"),
        Edit::Insert { after, .. } => format!("+ {path} {after:?}"),
        Edit::Move { .. } => format!("> {path}"),
        Edit::Mark { .. } => format!("# {path}"),
    }
}
