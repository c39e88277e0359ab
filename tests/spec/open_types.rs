//! Test of the public types of the crates for programs: what a later version may extend is `#[non_exhaustive]`, so that extending it breaks
//! no program.

use crate::repository::read;

/// Enumerations that are complete: a case more would be another answer to the question.
const COMPLETE: [&str; 1] = ["Outcome"];

/// Records that a program writes out to give them to the SDK.
const GIVEN: [&str; 23] = [
    "account::AccountPage",
    "account::ApplyAccount",
    "account::DesiredAccount",
    "apply::BoundItem",
    "apply::DeleteLimits",
    "apply::DesiredPage",
    "apply::DesiredSlot",
    "apply::PageRequest",
    "apply::PlanOptions",
    "apply::Proposal",
    "apply::RecordWrite",
    "apply::RunCommand",
    "apply::RunSettings",
    "apply::SyncedRun",
    "apply::Wanted",
    "sync::FilePage",
    "sync::FileSlot",
    "sync::HashPair",
    "sync::LivePage",
    "sync::Lock",
    "sync::PageBase",
    "sync::SlotBase",
    "undo::UndoSource",
];

/// Returns the types with this keyword that have public variants or fields and are not `#[non_exhaustive]`.
fn closed<'i>(items: &'i str, keyword: &str, library: &str) -> Vec<&'i str> {
    let start = format!("pub {keyword} {library}::");
    let names = items.lines().filter_map(|line| line.strip_prefix(&start));
    let names = names.map(|rest| rest.split('<').next().unwrap_or_default());
    let has_members = |name: &&str| items.contains(&format!("\npub {library}::{name}::"));
    let mut found: Vec<_> = names.filter(has_members).collect();
    found.sort_unstable();
    found
}

#[test]
fn what_a_later_version_may_extend_is_not_exhaustive() {
    // The public items, as `.ci/full api` writes them.
    for (directory, library, complete, given) in
        [("sdk", "links_sdk", &COMPLETE[..], &[][..]), ("pages", "links_pages", &[], &GIVEN)]
    {
        let items = read(&format!("{directory}/public-api.txt"));
        let open = items.matches("#[non_exhaustive] pub enum ").count();
        assert!(open > 10, "{directory}: {open} were read");
        assert_eq!(closed(&items, "enum", library), complete);
        assert_eq!(closed(&items, "struct", library), given);
    }
}
