//! Public link pages as data. You describe how a page should be. The crate plans the changes, merges them with changes by others, applies
//! and records them, and can undo them. The client of the service is [`links_sdk`].
//!
//! ```no_run
//! use links_pages::account::{ApplyAccount, DesiredAccount};
//! use links_pages::apply::{Apply, RunSettings};
//! use links_sdk::{Client, Token};
//!
//! # async fn program() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::builder("https://links.example/api/v1").token(Token::new("pps_one")?).build()?;
//! let pages = DesiredAccount::read(["cafe.yaml"])?;
//! let plan = ApplyAccount::new(&client, pages.clone()).plan().await?;
//! println!("{} requests", plan.pages[0].plan.request_count());
//! let settings = RunSettings::new().journal("state");
//! let apply = ApplyAccount::new(&client, pages);
//! ApplyAccount { planned: Some(plan), settings: settings.clone(), ..apply }.run().await?;
//! if let Some(undo) = Apply::undo(&client.profile("cafe"), settings).await? {
//!     undo.await?;
//! }
//! # Ok(()) }
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`account`] | pages and forms together, optionally from files |
//! | [`apply`] | one page: its plan, its runs and their journals |
//! | [`sync`] | three-way merges, and the record of the last sync |
//! | [`undo`] | undoing runs |

pub mod account;
pub mod apply;
pub mod sync;
pub mod undo;

// Parts that `links` needs too, which is released with this crate and depends on exactly its version. No part of what a version promises.
#[doc(hidden)]
pub mod form_file;
#[doc(hidden)]
pub mod fs;
#[doc(hidden)]
pub mod page_file;
#[doc(hidden)]
pub mod profile_key;
#[doc(hidden)]
pub mod sanitize;
#[doc(hidden)]
pub mod suggest;

/// Reads a journal, for the fuzz target.
///
/// # Panics
///
/// When its complete lines alone are read differently.
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub fn fuzz_journal(bytes: &[u8]) {
    let Ok((log, whole)) = apply::JournalEntries::read("run", bytes) else { return };
    assert!(whole <= bytes.len(), "{whole} of {} bytes", bytes.len());
    let again = apply::JournalEntries::read("run", &bytes[..whole]);
    assert_eq!(again.ok(), Some((log.clone(), whole)), "the torn end counts");
    let _ = (log.updates().count(), log.has_effect(), log.is_unsettled());
}

#[test]
fn every_journal_of_the_corpus_is_read() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/corpus/journal");
    let inputs = std::fs::read_dir(corpus).map(|files| {
        files.flatten().filter_map(|file| std::fs::read(file.path()).ok()).collect::<Vec<_>>()
    });
    let inputs = inputs.unwrap_or_default();
    assert!(inputs.len() > 3, "{} inputs", inputs.len());
    for input in inputs {
        fuzz_journal(&input);
    }
}

/// Returns a slot of a page.
#[cfg(test)]
fn slot(id: i64, kind: &str, data: links_sdk::Object, supported: bool) -> links_sdk::Slot {
    let slot = serde_json::json!({"id": id, "type": kind, "data": data, "supported": supported});
    serde_json::from_value(slot).unwrap_or_else(|error| panic!("{error}"))
}
