//! Tests of journals on the disk: reading them back, and handling damaged ones.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::time::{Duration, SystemTime};

use serde_json::json;
use tempfile::TempDir;

use super::entries::JournalEntries;
use super::*;
use crate::apply::{DesiredPage, PageSnapshot, Plan, PlanOptions, SlotTypes, Wanted};
use bytes::Bytes;
use links_sdk::IdempotencyKey;
use links_sdk::ProfileId;
use links_sdk::SlotId;
use links_sdk::{Object, Slot};

mod lock_orders;
mod year;

const SERVICE: &str = "https://links.example/api/v1";

/// State directory, a page with one text slot, and a file that asks for another and a divider.
struct JournalEnv {
    state: TempDir,
    runs: JournalStore,
    page: PageSnapshot,
    file: DesiredPage,
    plan: Plan,
}

impl JournalEnv {
    fn new() -> Self {
        Self::with(tempfile::tempdir().unwrap())
    }

    fn with(state: TempDir) -> Self {
        let runs = JournalStore::of(state.path(), SERVICE, 101);
        let slots: Vec<Slot> = serde_json::from_value(
            json!([{"id": 7, "type": "text", "data": {"title": "A", "size": 0.1}, "supported": true}]),
        )
        .unwrap();
        let read_at = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        let page = PageSnapshot {
            id: 101.into(),
            login: "cafe".into(),
            url: None,
            record: Object::default(),
            slots,
            read_at,
            read_time: None,
            body: Bytes::new(),
        };
        let file: DesiredPage = serde_json::from_value(json!({"slots": [
            {"type": "text", "data": {"title": "B", "size": 0.300_000_000_000_000_04, "big": 1e300}},
            {"type": "divider"},
        ]}))
        .unwrap();
        let options = PlanOptions { prune: true, ..PlanOptions::default() };
        let wanted = Wanted::bind(&page.slots, file.clone(), &options).unwrap();
        let plan = Plan::new(&page.slots, &wanted, &options).unwrap();
        Self { state, runs, page, file, plan }
    }

    fn begin(&self, lock: PageLock, opening: RunHeader) -> Journal {
        let (slots, types) = (Some(&self.page.slots[..]), SlotTypes::default());
        let write = |journal: &mut Journal| journal.plan(&self.plan, &self.page, None);
        self.runs.open(Some(lock), opening, slots, &types, write).unwrap()
    }

    fn open(&self) -> Journal {
        let lock = self.runs.lock().unwrap();
        let options = PlanOptions { prune: true, ..PlanOptions::default() };
        let opening = RunHeader::new(SERVICE, &self.page, &self.file, &options);
        self.begin(lock, opening)
    }

    /// Executes a run that is stopped after it has created its slots.
    fn interrupted(&self) -> String {
        let mut journal = self.open();
        journal.begin(0, Some(&IdempotencyKey::random())).unwrap();
        journal.end(0, [(0, 8.into()), (1, 9.into())].into(), 0, None);
        journal.begin(1, None).unwrap();
        journal.log.run.clone()
    }

    fn only(&self) -> Result<JournalEntries, JournalError> {
        let mut all = self.runs.list().unwrap();
        assert_eq!(all.len(), 1);
        all.remove(0).log
    }

    fn append(&self, run: &str, text: &str) {
        let mut file = OpenOptions::new().append(true).open(self.runs.journal(run)).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }
}

#[test]
fn journal_entries_are_read_back_as_written() {
    let env = JournalEnv::new();
    let mut journal = env.open();
    journal.begin(0, Some(&IdempotencyKey::new("key").unwrap())).unwrap();
    assert_eq!(env.only().unwrap().begun().unwrap().key.as_deref(), Some("key"));
    journal.end(0, [(0, 8.into()), (1, 9.into())].into(), 0, None);
    journal.begin(1, None).unwrap();
    journal.end(1, [].into(), 1, None);
    let written = journal.log.clone();
    assert_eq!(env.only().unwrap(), written);
    assert_eq!((written.done.created[&1], written.done.deleted), (SlotId::new(9), 1));
    assert_eq!(written.executed().count(), 2);
    assert_eq!(written.state, RunState::Unfinished);
    assert!(!written.is_unsettled());
    journal.commit(2);
    assert_eq!((env.only().unwrap().state, env.only().unwrap().slots), (RunState::Done, 2));
}

#[test]
fn a_step_that_begins_once_more_was_not_executed_before() {
    let env = JournalEnv::new();
    let mut journal = env.open();
    for made in [[(0, 8.into()), (1, 9.into())], [(0, 10.into()), (1, 11.into())]] {
        journal.begin(0, Some(&IdempotencyKey::random())).unwrap();
        journal.end(0, made.into(), 0, None);
    }
    let log = env.only().unwrap();
    assert_eq!(log.done.created, [(0, 10.into()), (1, 11.into())].into());
    assert_eq!(log.executed().count(), 1);
    journal.begin(0, Some(&IdempotencyKey::random())).unwrap();
    assert!(env.only().unwrap().done.is_nothing());
}

#[test]
fn a_plan_keeps_every_number_of_its_requests() {
    let env = JournalEnv::new();
    let journal = env.open();
    let read = env.only().unwrap();
    assert_eq!(read.plan().unwrap(), &env.plan);
    let body = |plan: &Plan| serde_json::to_string(&plan.creates).unwrap();
    assert_eq!(body(read.plan().unwrap()), body(&env.plan));
    assert!(body(&env.plan).contains("0.30000000000000004"));
    drop(journal);
}

#[test]
fn the_backup_is_the_page_as_a_file() {
    let env = JournalEnv::new();
    let run = env.interrupted();
    let text = fs::read_to_string(env.runs.backup(&run)).unwrap();
    let backup: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        backup,
        json!({"profile": 101, "slots": [{"id": 7, "type": "text", "data": {"title": "A", "size": 0.1}}]})
    );
}

#[test]
fn references_in_data_of_the_service_are_escaped_in_a_backup() {
    let mut env = JournalEnv::new();
    env.page.slots[0].data = serde_json::from_value(
        json!({"image": {"$upload": "/etc/passwd"}, "all": [{"$$form": "x", "$": [{"$form": 1}]}]}),
    )
    .unwrap();
    let run = env.interrupted();
    let backup: serde_json::Value =
        serde_json::from_slice(&fs::read(env.runs.backup(&run)).unwrap()).unwrap();
    assert_eq!(
        backup["slots"][0]["data"],
        json!({"image": {"$$upload": "/etc/passwd"}, "all": [{"$$$form": "x", "$$": [{"$$form": 1}]}]})
    );
}

#[test]
fn a_torn_last_line_counts_as_not_written_and_is_cut_off() {
    let env = JournalEnv::new();
    let run = env.interrupted();
    let whole = fs::read(env.runs.journal(&run)).unwrap();
    let before = env.only().unwrap();
    for torn in [r#"{"end":{"step":1,"del"#, r#"{"end":{"step":1,"deleted":1}}"#, "\0\0\0\n"] {
        fs::write(env.runs.journal(&run), &whole).unwrap();
        env.append(&run, torn);
        assert_eq!(env.only().unwrap(), before, "{torn:?}");
        let mut journal = env.runs.resume(env.runs.lock().ok(), &run).unwrap();
        assert!(journal.log.is_unsettled());
        journal.commit(1);
        assert_eq!(env.only().unwrap().state, RunState::Done, "{torn:?}");
    }
    // Nothing was begun if the first line is incomplete.
    fs::write(env.runs.journal(&run), &whole[..20]).unwrap();
    assert!(matches!(env.only(), Err(JournalError::NotBegun)));
    assert!(!env.runs.list().unwrap()[0].is_open());
}

#[test]
fn a_broken_line_in_the_middle_is_an_error_and_can_be_put_aside() {
    let env = JournalEnv::new();
    let run = env.interrupted();
    for line in ["what?\n", "{\"begin\":{\"step\":77}}\n", "{\"open\":{\"format\":1}}\n"] {
        let whole = fs::read(env.runs.journal(&run)).unwrap();
        env.append(&run, line);
        env.append(&run, "{\"commit\":{\"slots\":1}}\n");
        assert!(matches!(env.only(), Err(JournalError::Damaged(6))), "{line}");
        fs::write(env.runs.journal(&run), whole).unwrap();
    }
    env.append(&run, "what?\n{}\n");
    env.runs.abort(env.runs.lock().ok(), &run).unwrap();
    assert!(matches!(env.only(), Err(JournalError::PutAside)));
    assert_eq!(env.runs.list().unwrap()[0].opening.login, "cafe");
    drop(env.open());
}

#[test]
fn only_runs_that_have_surely_ended_are_left_out_of_the_unended_ones() {
    let env = JournalEnv::new();
    let run = env.interrupted();
    let whole = fs::read(env.runs.journal(&run)).unwrap();
    let newer = r#"{"open":{"format":9}}"#.to_owned() + "\n";
    let commit = "{\"commit\":{\"slots\":1}}\n";
    for (before, after, is_listed) in [
        ("", String::new(), true),
        ("", commit.to_owned(), false),
        ("", "{\"close\":{\"ending\":\"stopped\"}}\n".to_owned(), false),
        ("", commit.trim_end().to_owned(), true),
        ("", format!("what?\n{commit}"), true),
        (newer.as_str(), commit.to_owned(), true),
    ] {
        fs::write(env.runs.journal(&run), [before.as_bytes(), &whole, after.as_bytes()].concat())
            .unwrap();
        let unended = env.runs.unended().unwrap();
        assert_eq!(!unended.is_empty(), is_listed, "{before}{after}");
        assert!(is_listed || !env.runs.list().unwrap()[0].is_open(), "{before}{after}");
    }
}

#[test]
fn a_journal_of_a_newer_version_is_not_guessed_at() {
    let env = JournalEnv::new();
    let run = env.interrupted();
    let text = fs::read_to_string(env.runs.journal(&run)).unwrap();
    let text = text.replacen("\"format\":1", "\"format\":2,\"wings\":true", 1);
    fs::write(env.runs.journal(&run), &text).unwrap();
    assert!(matches!(env.only(), Err(JournalError::Newer(2))));
    let first = text.lines().next().unwrap();
    fs::write(env.runs.journal(&run), format!("{first}\n")).unwrap();
    assert!(matches!(env.only(), Err(JournalError::Newer(2))));
}

#[test]
fn any_bytes_are_read_without_a_panic() {
    let env = JournalEnv::new();
    let run = env.interrupted();
    let whole = fs::read(env.runs.journal(&run)).unwrap();
    for at in 0..whole.len() {
        let cut = JournalEntries::read(&run, &whole[..at]);
        assert!(matches!(cut, Ok(_) | Err(JournalError::NotBegun)), "cut at {at}: {cut:?}");
        let mut bent = whole.clone();
        bent[at] ^= 0x15;
        let _ = JournalEntries::read(&run, &bent);
    }
}

#[cfg(unix)]
#[test]
fn other_users_cannot_read_the_files() {
    use std::os::unix::fs::PermissionsExt;
    let env = JournalEnv::new();
    let run = env.interrupted();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let journal = env.runs.journal(&run);
    for path in [&journal, &env.runs.backup(&run), &journal.with_file_name("lock")] {
        assert_eq!(mode(path), 0o600, "{}", path.display());
    }
    for directory in journal.ancestors().skip(1).take_while(|it| *it != env.state.path()) {
        assert_eq!(mode(directory), 0o700, "{}", directory.display());
    }
}

#[test]
fn a_page_belongs_to_one_run_at_a_time() {
    let env = JournalEnv::new();
    let journal = env.open();
    let pid = std::process::id();
    let taken = env.runs.lock().unwrap_err();
    assert!(matches!(taken, LockError::Taken(Some(other)) if other == pid), "{taken}");
    assert!(taken.to_string().contains(&pid.to_string()));
    assert!(JournalStore::of(env.state.path(), SERVICE, 102).lock().is_ok());
    drop(journal);
    assert!(!env.runs.lock().unwrap().was_awaited);
}

#[cfg(target_os = "linux")]
#[test]
fn on_a_full_disk_nothing_more_is_begun() {
    let env = JournalEnv::new();
    let log = env.open().log.clone();
    let full = OpenOptions::new().append(true).open("/dev/full").unwrap();
    let mut journal = Journal::new(full, log, env.runs.lock().ok());
    journal.end(0, [(0, 8.into())].into(), 0, None);
    assert_eq!(journal.log.done.created[&0], 8, "what was done is known all the same");
    assert!(journal.begin(1, None).is_err());
    assert_eq!(journal.write_error.unwrap().kind(), std::io::ErrorKind::StorageFull);
}

#[test]
fn old_runs_make_room_for_new_ones_but_unfinished_ones_stay() {
    let mut env = JournalEnv::new();
    let unfinished = env.interrupted();
    for _ in 0..55 {
        env.page.read_at += Duration::from_secs(1);
        env.open().close(RunEnding::Stopped);
    }
    let runs = env.runs.list().unwrap();
    assert_eq!(runs.len(), 51);
    assert_eq!(runs[0].run, unfinished);
    assert!(runs.iter().all(|run| env.runs.backup(&run.run).exists()));
    assert_eq!(fs::read_dir(runs[0].path.parent().unwrap()).unwrap().count(), 2 * 51 + 1);
}

#[test]
fn runs_that_were_not_begun_displace_only_runs_that_were_not_begun() {
    let mut env = JournalEnv::new();
    env.open().close(RunEnding::Stopped);
    let ended = env.runs.list().unwrap().remove(0).run;
    for _ in 0..60 {
        env.page.read_at += Duration::from_secs(1);
        let run = env.open().log.run.clone();
        fs::write(env.runs.journal(&run), "{\"open").unwrap();
    }
    let runs = env.runs.list().unwrap();
    assert_eq!(runs.len(), 51);
    assert_eq!(runs[0].run, ended);
    assert!(runs[1..].iter().all(|run| matches!(run.log, Err(JournalError::NotBegun))));
    assert!(runs.iter().all(|run| env.runs.backup(&run.run).exists()));
    assert_eq!(fs::read_dir(runs[0].path.parent().unwrap()).unwrap().count(), 2 * 51 + 1);
}

#[test]
fn the_runs_of_every_page_are_found() {
    let env = JournalEnv::new();
    let run = env.interrupted();
    fs::write(env.state.path().join("runs/stray"), "").unwrap();
    let all = JournalStore::all(env.state.path(), None).unwrap();
    assert_eq!(all.iter().map(JournalStore::profile).collect::<Vec<_>>(), [Some(101.into())]);
    assert_eq!(all[0].list().unwrap()[0].run, run);
    assert_eq!(JournalStore::all(env.state.path(), Some(SERVICE)).unwrap().len(), 1);
    assert!(JournalStore::all(env.state.path(), Some("another")).unwrap().is_empty());
    assert!(JournalStore::all(&env.state.path().join("absent"), None).unwrap().is_empty());
}

#[test]
fn a_run_marks_the_journals_of_its_own_pages() {
    let env = JournalEnv::new();
    env.interrupted();
    let (own, other) = (ProfileId::new(101), ProfileId::new(102));
    let marks = |page| JournalStore::marks(env.state.path(), SERVICE, &[page]);
    assert!(env.runs.mark().is_some());
    assert_eq!(marks(Some(own)), [(own, env.runs.mark())].into());
    assert_eq!(marks(Some(other)), [(other, None)].into());
    assert_eq!(marks(None), marks(Some(own)), "a login may be that of any page");
    for page in 1001..=2000 {
        fs::create_dir(env.runs.service[0].join(page.to_string())).unwrap();
    }
    assert!(marks(None).is_empty(), "there are too many pages");
    assert_eq!(marks(Some(own)), [(own, env.runs.mark())].into());
}

#[test]
fn backups_and_history_stay_whatever_a_journal_looks_like() {
    let damages: [fn(&JournalEnv, &str); 5] = [
        |env, run| fs::write(env.runs.journal(run), "what?\n{}\n").unwrap(),
        |env, run| fs::write(env.runs.journal(run), "").unwrap(),
        |env, run| fs::write(env.runs.journal(run), "\0\0\0").unwrap(),
        |env, run| fs::remove_file(env.runs.journal(run)).unwrap(),
        |env, run| {
            env.append(run, "what?\n{}\n");
            env.runs.abort(env.runs.lock().ok(), run).unwrap();
        },
    ];
    for (nth, damage) in damages.iter().enumerate() {
        let mut env = JournalEnv::new();
        let run = env.interrupted();
        let backup = fs::read(env.runs.backup(&run)).unwrap();
        damage(&env, &run);
        // More runs than are kept.
        for _ in 0..60 {
            env.page.read_at += Duration::from_secs(1);
            env.open().close(RunEnding::Stopped);
        }
        let first = env.runs.list().unwrap().remove(0);
        assert_eq!((&first.run, first.log.is_err()), (&run, true), "damage {nth}");
        assert_eq!(fs::read(env.runs.backup(&run)).unwrap(), backup, "damage {nth}");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_a_device_or_a_directory_in_place_of_a_journal_is_refused_at_once() {
    use std::os::unix::fs::symlink;
    let places: [fn(&std::path::Path); 3] = [
        |path| {
            rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, 0o600.into(), 0)
                .unwrap();
        },
        |path| symlink("/dev/zero", path).unwrap(),
        |path| fs::create_dir(path).unwrap(),
    ];
    for (nth, place) in places.iter().enumerate() {
        let env = JournalEnv::new();
        let run = env.interrupted();
        fs::remove_file(env.runs.journal(&run)).unwrap();
        place(&env.runs.journal(&run));
        assert!(matches!(env.only(), Err(JournalError::Io(_))), "place {nth}");
        assert!(env.runs.list().unwrap()[0].is_open(), "place {nth}");
        env.runs.resume(env.runs.lock().ok(), &run).unwrap_err();
        drop(env.runs.lock().unwrap());
        env.runs.abort(env.runs.lock().ok(), &run).unwrap();
        assert!(matches!(env.only(), Err(JournalError::PutAside)), "place {nth}");
        drop(env.open());
        assert!(env.runs.backup(&run).exists());
    }
    let env = JournalEnv::new();
    let run = env.interrupted();
    let lock = env.runs.journal(&run).with_file_name("lock");
    fs::remove_file(&lock).unwrap();
    places[0](&lock);
    assert!(matches!(env.runs.lock(), Err(LockError::Io { .. })));
}

#[test]
fn a_journal_names_its_owner_and_one_without_an_owner_is_read() {
    let env = JournalEnv::new();
    let options = PlanOptions::default();
    let mut opening = RunHeader::new(SERVICE, &env.page, &env.file, &options);
    let lock = env.runs.lock().unwrap();
    opening.owner = RunOwner::of_user(7);
    drop(env.begin(lock, opening));
    let read = env.only().unwrap();
    assert_eq!(read.opening.owner, RunOwner::of_user(7));
    let path = env.runs.journal(&read.run);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("\"owner\":{\"user\":7},"), "{text}");
    fs::write(&path, text.replacen("\"owner\":{\"user\":7},", "", 1)).unwrap();
    assert_eq!(env.only().unwrap().opening.owner, RunOwner::default());
}

#[test]
fn a_file_that_differs_only_in_keys_to_clear_is_of_the_same_run() {
    let env = JournalEnv::new();
    let opening = RunHeader::new(SERVICE, &env.page, &env.file, &PlanOptions::default());
    let mut file = env.file.clone();
    file.slots[0].data.insert("note".into(), json!(null));
    assert!(opening.is_of(&file));
    file.slots[0].data.insert("note".into(), json!("x"));
    assert!(!opening.is_of(&file));
}
