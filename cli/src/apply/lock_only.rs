//! Deletes and forms for which only `links.lock` speaks. A pull request that changes the lock alone could name slots that the page file never
//! held, or another form, and nobody reads a lock. So a lock is believed where commits of the file agree with it, or where a run on this machine
//! wrote what it says. Without Git there is no pull request either.

use links_pages::apply::{Plan, PlannedDelete};
use links_pages::sync::{DeletionReason, FilePage, LivePage, Lock, RecordOf, held_slots};

use super::plan_target::PlanTarget;
use super::sync::history::said;
use super::sync::{LockStore, MergedPage, SyncRecord};
use crate::context::prelude::*;
use crate::git::{self, History};
use crate::output::named_slot;
use crate::ui::Ui;
use links_pages::account::KnownForms;
use links_pages::page_file::node::Tree;
use links_pages::page_file::{Document, Reference, ReferenceTarget};

/// What only a lock says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LockOnly {
    /// Slots to delete.
    pub(crate) slots: BTreeSet<SlotId>,
    /// Forms that only the lock names, by the names in the file; of a page file, without those that the page shows.
    pub(crate) forms: BTreeMap<String, String>,
    /// Why the history could not be read to its beginning.
    reason: Option<String>,
}

impl LockOnly {
    /// Finds the slots to delete that no committed version of the page file held.
    pub(super) fn of_page(
        record: Option<&SyncRecord>,
        target: &PlanTarget,
        page: &PageSnapshot,
        plan: &Plan,
    ) -> Self {
        let Some((record, MergedPage { base: Some(base), merge, recorded, .. })) =
            record.zip(target.merged.as_deref())
        else {
            return Self::default();
        };
        let Some((store, _)) = record.lock() else { return Self::default() };
        let by_record = merge.deletions.iter().filter(|it| it.reason != DeletionReason::MadeThere);
        let is_own = |id: &SlotId| {
            let mut entries = base.slots.iter().filter(|entry| entry.id == *id);
            entries.any(|it| !recorded.contains(it) || record.is_written_here(page.id, it))
        };
        let is_planned = |id: &SlotId| plan.deletes.iter().any(|delete| delete.id == *id);
        let planned = by_record.map(|it| it.id).filter(is_planned);
        let slots: BTreeSet<SlotId> = planned.filter(|id| !is_own(id)).collect();
        if slots.is_empty() {
            return Self::default();
        }
        let (shown, types) = (LivePage::of(page, &FilePage::default()), &target.options.types);
        let all = Self { slots, ..Self::default() };
        all.searched(store, |history, left| {
            let mut gap = None;
            // The file may have another name there.
            let lock = history.head(&store.path())?;
            let lock = lock.and_then(|lock| Lock::parse(&String::from_utf8_lossy(&lock)).ok());
            let pages = lock.iter().flat_map(|lock| &lock.pages).filter(|(_, it)| it.id == page.id);
            let files = pages.map(|(key, _)| store.path_of(key)).chain([record.file_path()]);
            for file in files.collect::<BTreeSet<_>>() {
                if left.slots.is_empty() {
                    break;
                }
                gap = history.versions(&file, |history, commit, content| {
                    let read = |used: &Path| history.at(commit, used).ok()?;
                    if let Some(said) = said(&RecordOf::Page(page.id), &file, &content, read) {
                        for id in held_slots(&said, base, &shown, types, &left.slots) {
                            left.slots.remove(&id);
                        }
                    }
                    left.slots.is_empty()
                })?;
            }
            Ok(gap)
        })
    }

    /// Tells whether only a lock of somebody else says that a form file is for a form: no committed version of the file, nor the file itself, has the
    /// title of the form, or another form of the account has it too.
    pub(crate) fn of_form(
        store: &LockStore,
        path: &Path,
        title: Option<&str>,
        (name, form): (&str, &LeadForm),
        all: &[LeadForm],
    ) -> Self {
        let has_title = |title: &str| title.trim() == form.title.trim();
        let is_only = all.iter().filter(|it| has_title(&it.title)).count() == 1;
        let is_same = |title: Option<&str>| is_only && title.is_some_and(has_title);
        if is_same(title) {
            return Self::default();
        }
        let shown = format!("\"{}\" ({})", form.title, form.id);
        let forms = BTreeMap::from([(name.to_owned(), shown)]);
        let all = Self { forms, ..Self::default() };
        all.searched(store, |history, left| {
            history.versions(path, |_, _, content| {
                let document = Document::from_bytes("", content).ok();
                let title = document.as_ref().and_then(|document| {
                    match &document.root.get("title")?.tree {
                        Tree::Text(title) => Some(title.as_str()),
                        _ => None,
                    }
                });
                let is_known = is_same(title);
                if is_known {
                    left.forms.clear();
                }
                is_known
            })
        })
    }

    /// Returns what is left after a search, which removes what commits say: nothing where there is no history, and all where it cannot be
    /// read.
    fn searched(
        self,
        store: &LockStore,
        search: impl FnOnce(&mut History, &mut Self) -> io::Result<Option<&'static str>>,
    ) -> Self {
        let mut left = self.clone();
        match git::with(store.directory(), |history| search(history, &mut left)) {
            None => Self::default(),
            Some(Ok(_)) if left.slots.is_empty() && left.forms.is_empty() => Self::default(),
            Some(Ok(gap)) => Self { reason: gap.map(str::to_owned), ..left },
            Some(Err(error)) => {
                Self { reason: Some(format!("cannot read the Git history: {error}")), ..self }
            }
        }
    }

    /// Lines about each slot and form, and about what could not be read. `deletes` are those of the page of the file.
    pub(crate) fn lines(&self, deletes: &[PlannedDelete], file: &str) -> Vec<StyledLine> {
        let slots = deletes.iter().filter(|slot| self.slots.contains(&slot.id)).map(|slot| {
            let slot = named_slot(&slot.kind, slot.id, slot.label.as_deref());
            format!("{slot} was in {file}")
        });
        let forms = self.forms.iter().map(|(name, form)| format!("form {name} is {form}"));
        let line = |what| StyledLine::removed(format!("! only links.lock says that {what}"));
        let reason = self
            .reason
            .iter()
            .map(|reason| StyledLine::faint(format!("! earlier commits were not read: {reason}")));
        slots.chain(forms).map(line).chain(reason).collect()
    }
}

/// Returns the forms that a page file refers to for which only a lock of somebody else speaks. A form file of the same run shows itself, and a
/// form that the page shows stays as it is.
pub(super) fn forms(
    record: &SyncRecord,
    file: &PageFile,
    page: &PageSnapshot,
    known: &KnownForms,
) -> BTreeMap<String, String> {
    let is_shown = |id: &str| {
        let mut values = page.slots.iter().filter_map(|slot| slot.data.get("formId")?.as_str());
        values.any(|shown| shown == id)
    };
    let form = |reference: &Reference| {
        let ReferenceTarget::Form(name) = &reference.target else { return None };
        let id = record.form(name).filter(|_| !known.is_local(name))?;
        let is_meant = !is_shown(id) && record.is_form_of_others(name, id);
        is_meant.then(|| (name.clone(), id.to_owned()))
    };
    file.references.iter().filter_map(form).collect()
}

/// Asks about what only the lock says, which `--yes` does not confirm. `lines` name it.
pub(crate) fn confirm(ui: &Ui, lines: &[StyledLine], is_trusted: bool) -> Result<()> {
    if lines.is_empty() || is_trusted {
        return Ok(());
    }
    if !ui.is_interactive() {
        for line in lines {
            ui.say(line);
        }
    }
    let question = "No earlier commit of the files confirms this. Trust links.lock?";
    let what = "deletes and changes that only links.lock knows of";
    let consent = ui.consent(lines, question, what, "--trust-lock");
    consent.map_err(|failure| {
        failure.with_hint(
            "check the latest changes to links.lock; if they are right, pass --trust-lock, otherwise restore links.lock",
        )
    })
}
