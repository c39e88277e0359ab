//! History of one case of the campaign, as data: it can be shortened, stored and replayed.
//!
//! Slots, items and fields are named by their position at the time, modulo how many there are, so that a history stays meaningful
//! when something before is left out.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One case: a page, and the steps on it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct History {
    /// Seed of the service's [`Choices`](links_fixtures::Choices); 0 stands for the default.
    pub(crate) choices: u64,
    /// The slots at the start.
    pub(crate) page: Vec<SlotContent>,
    pub(crate) steps: Vec<Step>,
}

/// A slot without its id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SlotContent {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) data: Map<String, Value>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) legacy: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Step {
    /// Another client edits.
    Edit(Edit),
    /// A command runs.
    Run(CommandRun),
    /// Two commands run at once: on one machine if the number of the machine is the same.
    Both(Box<(CommandRun, CommandRun)>),
    /// The last page file of a machine is applied without faults until it succeeds, and once more.
    Settle(usize),
    /// A machine loses its state and its cache.
    Forget(usize),
}

/// A command with all of its faults. Requests are counted from 1 for each step.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct CommandRun {
    /// 0 or 1; each machine has directories and a token of its own.
    pub(crate) machine: usize,
    pub(crate) command: Command,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) faults: Vec<(usize, Fault)>,
    /// Edits by another client before a request is executed, or after it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) edits: Vec<(usize, When, Edit)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) kill: Option<Kill>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum When {
    Before,
    After,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Command {
    Apply {
        changes: Vec<Change>,
        ids: Ids,
        prune: Prune,
    },
    /// Applies the last page file of the machine once more.
    Again,
    Resume,
    Abort,
    /// Undoes the last run of the machine.
    Undo,
    Edit {
        changes: Vec<Change>,
        prune: Prune,
    },
    Add {
        new_slot: SlotContent,
        at: Option<usize>,
    },
    Set {
        slot: usize,
        key: String,
        value: Value,
    },
    Delete {
        slots: Vec<usize>,
    },
    Move {
        slot: usize,
        to: usize,
    },
    Reorder {
        seed: u64,
    },
    /// Rewrites slots with a jq filter.
    Rewrite(Rewrite),
    /// Creates a slot for each row of a CSV file.
    Import(Import),
    /// Runs the last rewrite or import of the machine once more.
    BulkAgain,
    FieldAdd {
        label: String,
        at: Option<usize>,
    },
    FieldSet {
        field: usize,
        label: String,
    },
    FieldRemove {
        field: usize,
    },
}

/// Rewrite of the slots of a type that have the key of the edit, or of all that have it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Rewrite {
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<String>,
    pub(crate) edit: RewriteEdit,
}

/// Edit of a rewrite. The first two change their own result once more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum RewriteEdit {
    Append(String),
    Prepend(String),
    /// The key gets this value.
    Put(String, Value),
    /// The key is removed.
    Clear(String),
}

/// Rows of a CSV file, with the type of their slots.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Import {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) rows: Vec<Map<String, Value>>,
    pub(crate) at_top: bool,
}

/// Choice of the items of a page file that name their slot.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Ids {
    All,
    None,
    /// The items whose bits are set.
    Some(u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Prune {
    No,
    Supported,
    All,
}

/// A change of a page file that was made from the page.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Change {
    /// The item is not mentioned.
    Omit(usize),
    /// A key gets a value; `null` clears it.
    Set(usize, String, Value),
    /// The item does not mention this key any more.
    Unmention(usize),
    Insert(usize, SlotContent),
    /// The same content appears once more, without the id.
    Copy(usize, usize),
    Move(usize, usize),
    /// The item loses its id.
    Anonymous(usize),
}

/// Edit by another client.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Edit {
    Add(usize, SlotContent),
    Set(usize, String, Value),
    Delete(usize),
    Move(usize, usize),
    /// A field of the form is added.
    FieldAdd(String),
    /// A field of the form gets another label.
    FieldSet(usize, String),
    FieldRemove(usize),
}

/// Fault of one request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Fault {
    /// The connection is closed, before or after the request is executed.
    Dropped(When),
    /// The request is executed, and the answer is cut off in its body.
    Truncated(usize),
    /// Another answer is sent; the request is executed if `When` is `After`.
    Answer(When, u16, String, Body),
    /// 429 with this `Retry-After` is sent.
    TooMany(Option<String>),
    /// The answer is sent this many milliseconds later.
    Slow(u64),
    /// The service counts the key as being in use: 409 with `Retry-After: 1`.
    InFlight,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Body {
    Empty,
    EmptyObject,
    Html,
    Error,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Kill {
    /// At one of the crash points of a debug build.
    Place(String),
    /// When this request arrives, before it is executed.
    Before(usize),
    /// After this request was executed, before its answer.
    After(usize),
    /// After this many microseconds.
    Micros(u64),
    /// Ctrl-C, when this request arrives, before it is executed.
    Interrupt(usize),
}

impl Kill {
    /// Moves the kill behind so many requests or crash points more.
    pub(crate) fn delay(&mut self, by: usize) {
        match self {
            Self::Before(nth) | Self::After(nth) | Self::Interrupt(nth) => *nth += by,
            Self::Place(place) => {
                if let Some(nth) =
                    place.strip_prefix("any:").and_then(|it| it.parse::<usize>().ok())
                {
                    *place = format!("any:{}", nth + by);
                }
            }
            Self::Micros(micros) => *micros += by as u64 * 2_000,
        }
    }
}

impl CommandRun {
    /// Returns a command without faults.
    pub(crate) fn plain(machine: usize, command: Command) -> Self {
        Self { machine, command, faults: Vec::new(), edits: Vec::new(), kill: None }
    }
}

impl Command {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Apply { prune: Prune::No, .. } => "apply",
            Self::Apply { .. } => "apply --prune",
            Self::Again => "apply again",
            Self::Resume => "apply --resume",
            Self::Abort => "apply --abort",
            Self::Undo => "undo",
            Self::Edit { .. } => "edit",
            Self::Add { .. } => "add",
            Self::Set { .. } => "set",
            Self::Delete { .. } => "delete",
            Self::Move { .. } => "move",
            Self::Reorder { .. } => "reorder",
            Self::Rewrite(_) => "rewrite",
            Self::Import(_) => "import",
            Self::BulkAgain => "rewrite or import again",
            Self::FieldAdd { .. } => "forms field add",
            Self::FieldSet { .. } => "forms field set",
            Self::FieldRemove { .. } => "forms field remove",
        }
    }
}

impl Fault {
    /// Returns whether the client still gets the service's own answer to its request. A key in flight says that a request with the same key is
    /// still at work, and nothing of what becomes of it.
    pub(crate) fn is_harmless(&self) -> bool {
        matches!(self, Self::Slow(_))
    }

    pub(crate) fn name(&self) -> String {
        match self {
            Self::Dropped(When::Before) => "dropped before".to_owned(),
            Self::Dropped(When::After) => "dropped after".to_owned(),
            Self::Truncated(_) => "truncated".to_owned(),
            Self::Answer(when, status, _, body) => format!("{status} {body:?} {when:?}"),
            Self::TooMany(None) => "429".to_owned(),
            Self::TooMany(Some(_)) => "429 with Retry-After".to_owned(),
            Self::Slow(_) => "slow".to_owned(),
            Self::InFlight => "409 in flight".to_owned(),
        }
    }
}
