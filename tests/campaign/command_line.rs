//! Command line and intent of a command.

use std::collections::BTreeSet;

use links_fixtures::Slot;
use serde_json::{Value, json};

use crate::bulk::{Bulk, BulkProgress};
use crate::content::{self, FORM};
use crate::history::{Change, Command, Prune};
use crate::invariants::{IntendedPage, Intent, Synced};
use crate::machine::{Applied, Machine};
use crate::page_file;
use crate::random::Random;
use crate::world::World;

/// Command line with its intent.
#[derive(Debug)]
pub(crate) struct CommandLine {
    pub(crate) args: Vec<String>,
    pub(crate) intent: Intent,
    /// The changes that are made in an editor.
    pub(crate) editing: Option<Vec<Change>>,
}

/// Lets every delete pass the guards.
const AGREED: &str = "--yes --max-deletes 500 --allow-empty";

/// Writes a page file. Of every third, the second half is a block, and a title is a value.
fn write_page(machine: &mut Machine, items: &[Value]) -> String {
    let (mut slots, mut values) = (items.to_vec(), json!({}));
    if items.len() > 1 && items.len().is_multiple_of(3) {
        let block = slots.split_off(items.len() / 2);
        let block = machine.write("block", &Value::Array(block));
        if let Some(title @ Value::String(_)) = slots[0]["data"].get_mut("title") {
            values["title"] = std::mem::replace(title, json!({ "$value": "title" }));
        }
        slots.push(json!({ "$include": block }));
    }
    machine.write("page", &json!({ "profile": "cafe", "values": values, "slots": slots }))
}

/// Returns the command line for a machine in its current state; `None` if there is nothing that the command could apply to.
pub(crate) fn line(command: &Command, machine: &mut Machine, world: &World) -> Option<CommandLine> {
    let at = |position: usize| {
        let count = world.slots.len();
        (count > 0).then(|| world.slots[position % count].id)
    };
    let mut editing = None;
    let (words, values, intent) = match command {
        Command::Apply { changes, ids, prune } => {
            let mut items = page_file::changed(items(world), changes);
            let is_legacy = |id: u64| world.slot(id).is_some_and(|it| !it.supported);
            page_file::name(&mut items, *ids, |item| {
                item["type"] == "event" || item["id"].as_u64().is_some_and(is_legacy)
            });
            items.truncate(500);
            let name = write_page(machine, &items);
            machine.created.clear();
            machine.synced = Synced::No;
            machine.last = Some(Applied { name, items, prune: *prune });
            again(machine)?
        }
        Command::Again => again(machine)?,
        Command::Resume => {
            let files = machine.open.clone();
            let page = IntendedPage {
                files,
                may_prune: true,
                may_prune_legacy: true,
                synced: machine.to_be_kept(),
                recreates: machine.is_exact,
                ..IntendedPage::default()
            };
            (format!("slots apply --resume {AGREED}"), Vec::new(), Intent::Page(page))
        }
        Command::Abort => ("slots apply --abort".to_owned(), Vec::new(), Intent::Nothing),
        Command::Undo => {
            let (run, before) = machine.backup()?;
            let is_alone = machine.left.as_ref() == Some(world);
            (format!("undo {run} --yes"), Vec::new(), Intent::Undo { before, is_alone })
        }
        Command::Edit { changes, prune } => {
            editing = Some(changes.clone());
            let page = IntendedPage { was_opened: true, ..page(Vec::new(), *prune) };
            (format!("slots edit cafe {}", flags(*prune)), Vec::new(), Intent::Page(page))
        }
        Command::Add { new_slot, at } => {
            let line = format!("slots add cafe {} {}", new_slot.kind, place(*at));
            let is_empty = new_slot.data.is_empty();
            let file =
                (!is_empty).then(|| machine.write("data", &Value::Object(new_slot.data.clone())));
            (line, file.into_iter().collect(), Intent::Add)
        }
        Command::Set { slot, key, value } => {
            let id = at(*slot)?;
            let is_good = world.slot(id).is_some_and(|it| content::takes(&it.kind, key, value));
            if !is_good && slot % 6 != 0 {
                return None;
            }
            let intent = Intent::Set { id, key: key.clone(), value: value.clone() };
            (format!("slots set cafe {id}"), vec![format!("{key}:={value}")], intent)
        }
        Command::Delete { slots } => {
            let ids: BTreeSet<u64> = slots.iter().filter_map(|it| at(*it)).collect();
            let ids: Vec<u64> = ids.into_iter().collect();
            ids.first()?;
            let line = format!("slots delete cafe {} --yes", named(&ids));
            (line, Vec::new(), Intent::Delete { ids })
        }
        Command::Move { slot, to } => {
            let id = at(*slot)?;
            let line = format!("slots move cafe {id} --at {}", to + 1);
            (line, Vec::new(), Intent::Order { moved: Some(id) })
        }
        Command::Reorder { seed } => {
            let ids = shuffled(world.ids(), *seed);
            ids.first().filter(|_| ids.len() <= 60)?;
            let line = format!("slots reorder cafe {}", named(&ids));
            (line, Vec::new(), Intent::Order { moved: None })
        }
        Command::Rewrite(rewrite) => {
            let mut values = vec!["--edit".to_owned(), rewrite.edit_filter()];
            values.extend(["--where".to_owned(), rewrite.where_filter()]);
            bulk(machine, Bulk::Rewrite(rewrite.clone()), values)
        }
        Command::Import(import) => {
            let file = machine.write_text("rows", "csv", &import.csv());
            let mut values = vec![file, format!("--type={}", import.kind)];
            values.extend(import.at_top.then(|| "--top".to_owned()));
            bulk(machine, Bulk::Import(import.clone()), values)
        }
        Command::BulkAgain => {
            let (asked, values) = machine.last_bulk.clone()?;
            bulk(machine, asked, values)
        }
        on_fields => of_fields(on_fields, world)?,
    };
    let words = words.split_whitespace().map(str::to_owned);
    let args = words.chain(values).chain(["-o", "json"].map(str::to_owned)).collect();
    Some(CommandLine { args, intent, editing })
}

/// Returns a rewrite or import, which continues the last one if that was the same and has not ended.
fn bulk(machine: &mut Machine, asked: Bulk, values: Vec<String>) -> (String, Vec<String>, Intent) {
    let so_far = machine.bulk.clone().filter(|bulk| bulk.asked == asked);
    let is_known = machine.has_ended_last_run();
    let bulk = so_far.unwrap_or_else(|| BulkProgress::new(asked.clone(), is_known));
    let name = match &asked {
        Bulk::Rewrite(_) => "rewrite",
        Bulk::Import(_) => "import",
    };
    machine.last_bulk = Some((asked, values.clone()));
    (format!("slots {name} cafe --yes"), values, Intent::Bulk(Box::new(bulk)))
}

/// Returns a command that changes the fields of the form.
fn of_fields(command: &Command, world: &World) -> Option<(String, Vec<String>, Intent)> {
    let field = |position: usize| {
        let count = world.fields.len();
        (count > 0).then(|| world.fields[position % count].key.clone())
    };
    Some(match command {
        Command::FieldAdd { label, at } => {
            let line = format!("forms field add {FORM} type=text {}", place(*at));
            let intent = Intent::Fields { changed: Vec::new(), added: 1 };
            (line, vec![format!("label={label}")], intent)
        }
        Command::FieldSet { field: nth, label } => {
            let key = field(*nth)?;
            let line = format!("forms field set {FORM} {key}");
            let intent = Intent::Fields { changed: vec![key], added: 0 };
            (line, vec![format!("label={label}")], intent)
        }
        Command::FieldRemove { field: nth } => {
            let key = field(*nth).filter(|_| world.fields.len() > 1)?;
            let line = format!("forms field remove {FORM} {key} --yes");
            (line, Vec::new(), Intent::Fields { changed: vec![key], added: 0 })
        }
        _ => return None,
    })
}

/// Returns a repetition of the last page file of a machine.
fn again(machine: &Machine) -> Option<(String, Vec<String>, Intent)> {
    let Applied { name, items, prune } = machine.last.as_ref()?;
    let (synced, recreates) = (machine.to_be_kept(), machine.is_exact);
    let intent = IntendedPage { synced, recreates, ..page(vec![items.clone()], *prune) };
    let exact = if machine.is_exact { "--exact" } else { "" };
    let line = format!("slots apply {name} {exact} {}", flags(*prune));
    Some((line, Vec::new(), Intent::Page(intent)))
}

fn page(files: Vec<Vec<Value>>, prune: Prune) -> IntendedPage {
    let (may_prune, may_prune_legacy) = (prune != Prune::No, prune == Prune::All);
    IntendedPage {
        files,
        may_prune,
        may_prune_legacy,
        leaves_none: true,
        ..IntendedPage::default()
    }
}

fn flags(prune: Prune) -> String {
    match prune {
        Prune::No => String::new(),
        Prune::Supported => format!("--prune {AGREED}"),
        Prune::All => format!("--prune --prune-unsupported {AGREED}"),
    }
}

fn place(at: Option<usize>) -> String {
    at.map(|at| format!("--at {}", at + 1)).unwrap_or_default()
}

fn named(ids: &[u64]) -> String {
    ids.iter().map(u64::to_string).collect::<Vec<_>>().join(" ")
}

fn shuffled(mut ids: Vec<u64>, seed: u64) -> Vec<u64> {
    let mut random = Random::new(seed);
    for nth in (1..ids.len()).rev() {
        ids.swap(nth, random.below(nth + 1));
    }
    ids
}

/// Returns the page as a page file. Read-only slots are only named.
fn items(world: &World) -> Vec<Value> {
    let item = |slot: &Slot| {
        let is_read_only = !slot.supported || slot.kind == "event";
        let data = if is_read_only { json!({}) } else { Value::Object(slot.data.clone()) };
        json!({ "id": slot.id, "type": world.kind(slot), "data": data })
    };
    world.slots.iter().map(item).collect()
}
