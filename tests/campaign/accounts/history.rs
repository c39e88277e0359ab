//! History over an account, as data. Pages, slots and fields are named by their position at the time, modulo how many there are.

use serde::{Deserialize, Serialize};

use crate::history::{Fault, Kill, SlotContent, When};

/// One case: pages with files, and the steps on them.
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
    pub(crate) account_steps: Vec<AccountStep>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum AccountStep {
    /// The files are changed, for both people.
    Change(Vec<FileChange>),
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
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Plan(_) => "account plan",
            Self::Apply(Flags { prune: true, .. }) => "account apply --prune",
            Self::Apply(Flags { overwrite: true, .. }) => "account apply --overwrite",
            Self::Apply(Flags { locked: true, .. }) => "account apply --locked",
            Self::Apply(_) => "account apply",
        }
    }

    /// Returns the command line.
    pub(crate) fn args(self) -> Vec<String> {
        let Flags { overwrite, prune, locked, rename, text } = self.flags();
        let is_apply = matches!(self, Self::Apply(_));
        let words = [
            (true, if is_apply { "apply" } else { "plan" }),
            (true, "pages forms --max-deletes 500 --allow-empty -o"),
            (true, if text { "table" } else { "json" }),
            (is_apply, "--yes --allow-create 9"),
            (overwrite, "--overwrite"),
            (prune, "--prune"),
            (is_apply && locked, "--locked"),
            (is_apply && rename, "--allow-rename"),
        ];
        let words = words.into_iter().filter(|(is_used, _)| *is_used);
        words.flat_map(|(_, words)| words.split(' ')).map(str::to_owned).collect()
    }
}
