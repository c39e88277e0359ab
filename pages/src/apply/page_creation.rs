//! Creation of a page by a run, with a journal of its own: the runs of a page are below its id.

use super::run_settings::JournalSettings;
use super::{CommandJournal, CommandWrites, JournalStore, RecordWrite, RunHeader, SlotTypes};
use links_sdk::NewProfile;
use links_sdk::types::Profile;
use links_sdk::{Client, Error, Object, runs};

/// Creates a page. A journal that cannot be written is no reason to stop: the run of the page needs one that can be.
pub(super) async fn create_page(
    client: &Client,
    login: String,
    record: Option<&JournalSettings>,
) -> Result<Profile, Error> {
    let mut journal = record.and_then(|record| begin(client, &login, record));
    if let Some(journal) = &mut journal {
        journal.begin(0);
    }
    let created = client.profiles().create(NewProfile::with_login(login)).await;
    if let Some(journal) = &mut journal {
        match &created {
            Ok(page) => {
                let id: Object = [("id", page.id)].into_iter().collect();
                journal.end(0, std::collections::BTreeMap::new(), 0, Some(id));
            }
            Err(error) => journal.failed(0, error.outcome()),
        }
        journal.close(created.is_ok());
    }
    created
}

/// Begins the journal, if the command of the run is known.
fn begin(client: &Client, login: &str, record: &JournalSettings) -> Option<CommandJournal> {
    let command = record.command.clone()?;
    let time = runs::clock(client).wall();
    let header = RunHeader::of_command(&record.service, command, (0, login), time)
        .with_owner(record.owner.clone());
    let changed = [("login", login)].into_iter().collect();
    let operation = "createProfile".to_owned();
    let write = RecordWrite { operation, changed, ..RecordWrite::default() };
    let store = JournalStore::of_commands(&record.state, &record.service);
    store.begin_command(header, CommandWrites::Record(&write), &[], &SlotTypes::default()).ok()
}
