//! History over an account, as data. Pages, slots and fields are named by their position at the time, modulo how many there are.

use serde::{Deserialize, Serialize};

use crate::history::{Fault, Kill, SlotContent, When};

/// One case: pages with files, and the steps on them.
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct AccountHistory {
    /// Seed of the service's [`Choices`](links_fixtures::Choices); 0 stands for the default.
    pub(crate) choices: u64,
    /// The slots of each page that exists at the start.
    pub(crate) pages: Vec<Vec<SlotContent>>,
    /// Set if the first files name the ids of the slots.
    pub(crate) has_ids: bool,
    /// Set if a `links.lock` governs the files.
    pub(crate) has_lock: bool,
    /// Set if each person has a clone of a Git repository; otherwise both have the same files.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) has_git: bool,
    /// Set if the page files are made of blocks, values and tables.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_composed: bool,
    pub(crate) account_steps: Vec<AccountStep>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum AccountStep {
    /// The files are changed, for both people.
    Change(Vec<FileChange>),
    /// Somebody works in a clone, on the machine of this number.
    Git(usize, GitAction),
    /// Another client edits.
    Edit(AccountEdit),
    Run(AccountRun),
    /// Two commands run at once: on one machine if the number of the machine is the same.
    Both(AccountRun, AccountRun),
    /// The files are applied without faults until that succeeds, and then nothing is left to do.
    Settle(usize, Flags),
    /// The lock of a machine replaces that of the other.
    Share(usize),
    /// A machine loses its state and its cache.
    Forget(usize),
}

/// A command with all of its faults. Requests are counted from 1.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct AccountRun {
    pub(crate) machine: usize,
    pub(crate) command: AccountCommand,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) faults: Vec<(usize, Fault)>,
    /// Edits by another client before a request is executed, or after it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) edits: Vec<(usize, When, AccountEdit)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) kill: Option<Kill>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) enum AccountCommand {
    Plan(Flags),
    Apply(Flags),
    Undo(Undoing),
    Redo(Undoing),
    /// Takes what others changed in a form into one of the form files.
    Pull(usize),
    /// Takes what others changed on the pages into the page files.
    PullPages,
}

/// How an operation is taken back.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Undoing {
    /// Only on this page.
    pub(crate) page: Option<usize>,
    pub(crate) keep_changed: bool,
    pub(crate) overwrite: bool,
}

/// Work in a clone. What is not committed is committed before Git changes files.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum GitAction {
    Change(Vec<FileChange>),
    Commit,
    /// Another branch is checked out; it is begun here if it does not exist.
    Switch(usize),
    /// A branch of this clone is merged. Where both changed the same lines, either side wins.
    Merge {
        branch: usize,
        ours: bool,
    },
    /// A branch of the other clone is merged.
    Pull {
        branch: usize,
        ours: bool,
    },
    /// The last commit is reverted.
    Revert,
}

impl GitAction {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Change(_) => "change",
            Self::Commit => "commit",
            Self::Switch(_) => "switch",
            Self::Merge { .. } => "merge",
            Self::Pull { .. } => "pull",
            Self::Revert => "revert",
        }
    }
}

/// Flags of a plan or an apply, besides those without which nothing is confirmed.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Flags {
    pub(crate) overwrite: bool,
    pub(crate) prune: bool,
    pub(crate) locked: bool,
    pub(crate) rename: bool,
    /// The output is text for people, not JSON.
    pub(crate) text: bool,
}

/// A change of the files. New values are numbered, so that each is seen to come from a certain change.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum FileChange {
    /// A field of a page.
    Field(usize, String, usize),
    /// The language of a page.
    Language(usize, String),
    /// The login of a page, which it had not changed before.
    Rename(usize),
    /// The description of a text, or the link of a button.
    Set(usize, usize, usize),
    Insert(usize, usize, SlotContent),
    Remove(usize, usize),
    Move(usize, usize, usize),
    /// A slot moves from one page to another.
    MoveTo {
        page: usize,
        slot: usize,
        to: usize,
        at: usize,
    },
    /// A slot that shows one of the forms of the files.
    Show {
        page: usize,
        at: usize,
        form: usize,
        mark: usize,
    },
    NewPage(usize),
    NewForm(usize),
    /// The text of a form's button.
    FormButton(usize, usize),
    FormField(usize, usize),
    FormFieldRemove(usize, usize),
}

/// Edit by another client.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum AccountEdit {
    Field(usize, String, usize),
    Set(usize, usize, usize),
    Add(usize, usize, SlotContent),
    Delete(usize, usize),
    Move(usize, usize, usize),
    FormButton(usize, usize),
    FormField(usize, usize),
    FormFieldRemove(usize, usize),
}

impl AccountRun {
    /// Returns a command without faults.
    pub(crate) fn plain(machine: usize, command: AccountCommand) -> Self {
        Self { machine, command, faults: Vec::new(), edits: Vec::new(), kill: None }
    }

    /// Returns whether nothing interferes with the command.
    pub(crate) fn is_plain(&self) -> bool {
        self.faults.is_empty() && self.edits.is_empty() && self.kill.is_none()
    }
}

impl AccountCommand {
    pub(crate) fn flags(self) -> Flags {
        match self {
            Self::Plan(flags) | Self::Apply(flags) => flags,
            Self::Undo(how) | Self::Redo(how) => {
                Flags { overwrite: how.overwrite, ..Flags::default() }
            }
            Self::Pull(_) | Self::PullPages => Flags { text: true, ..Flags::default() },
        }
    }

    /// Returns how the command takes an operation back, if it does.
    pub(crate) fn undoing(self) -> Option<Undoing> {
        match self {
            Self::Undo(how) | Self::Redo(how) => Some(how),
            _ => None,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Plan(_) => "account plan",
            Self::Apply(Flags { prune: true, .. }) => "account apply --prune",
            Self::Apply(Flags { overwrite: true, .. }) => "account apply --force",
            Self::Apply(Flags { locked: true, .. }) => "account apply --locked",
            Self::Apply(_) => "account apply",
            Self::Undo(Undoing { page: Some(_), .. }) => "account undo --page",
            Self::Undo(Undoing { keep_changed: true, .. }) => "account undo --keep-changed",
            Self::Undo(Undoing { overwrite: true, .. }) => "account undo --force",
            Self::Undo(_) => "account undo",
            Self::Redo(_) => "account redo",
            Self::Pull(_) => "account pull FORM",
            Self::PullPages => "account pull pages",
        }
    }

    /// Returns the command line. `pages` are the ids of the pages of the account, and `forms` the names of the form files; `None` if there is
    /// nothing that the command could be for.
    pub(crate) fn args(self, pages: &[u64], forms: &[&String]) -> Option<Vec<String>> {
        let line = match self {
            Self::Plan(flags) | Self::Apply(flags) => {
                return Some(flags.args(matches!(self, Self::Apply(_))));
            }
            Self::Undo(how) | Self::Redo(how) => {
                let name = if matches!(self, Self::Undo(_)) { "undo" } else { "redo" };
                let page = how.page.map(|nth| format!(" --page {}", pages[nth % pages.len()]));
                let keep = if how.keep_changed { " --keep-changed" } else { "" };
                let overwrite = if how.overwrite { " --force" } else { "" };
                format!("{name} --yes -o json{}{keep}{overwrite}", page.unwrap_or_default())
            }
            Self::Pull(nth) => {
                format!("pull forms/{}.yaml", forms.get(nth % forms.len().max(1))?)
            }
            Self::PullPages => "pull pages".to_owned(),
        };
        Some(line.split(' ').map(str::to_owned).collect())
    }
}

impl Flags {
    /// Returns the command line of a plan or an apply.
    fn args(self, is_apply: bool) -> Vec<String> {
        let Self { overwrite, prune, locked, rename, text } = self;
        let words = [
            (true, if is_apply { "apply" } else { "plan" }),
            (true, "pages forms --max-deletes 500 --allow-empty -o"),
            (true, if text { "table" } else { "json" }),
            (is_apply, "--yes --allow-create 9"),
            (overwrite, "--force"),
            (prune, "--prune"),
            (is_apply && locked, "--locked"),
            (is_apply && rename, "--allow-rename"),
        ];
        let words = words.into_iter().filter(|(is_used, _)| *is_used);
        words.flat_map(|(_, words)| words.split(' ')).map(str::to_owned).collect()
    }
}
