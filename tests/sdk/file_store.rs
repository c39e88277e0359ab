//! Tests of the store of credentials in a file.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use links_fixtures::{ContractServer, World};
use links_sdk::oauth::{CredentialStore, Credentials, RefreshingTokenSource, file_store};
use links_sdk::{Client, RateLimits};
use links_test_support::clock::shared_clock;
use serde_json::json;
use tempfile::TempDir;

use crate::connector::connect;

fn credentials(token: &str) -> Credentials {
    let value = json!({
        "accessToken": token, "refreshToken": format!("refresh of {token}"), "clientId": "c",
        "resource": "https://links.example/mcp", "issuer": "https://links.example",
        "tokenEndpoint": "https://links.example/oauth/token",
    });
    serde_json::from_value(value).unwrap()
}

/// Returns a store in a directory that does not exist yet, and its file.
fn store() -> (TempDir, Arc<dyn CredentialStore>, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("planner/login.json");
    (directory, file_store(&path), path)
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<_> =
        entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn two_processes_renew_a_login_in_turn_and_keep_the_last_one() {
    let (clock, service) = shared_clock();
    let builder = ContractServer::builder(World::cafe()).no_limits().clock(service);
    let server = builder.start().await.unwrap();
    let (_directory, store, path) = store();
    let mut login = connect(&server).await;
    login.expires_at = Some(1);
    store.save(&login).unwrap();
    let client = || {
        let source = RefreshingTokenSource::new(file_store(&path));
        let builder = Client::builder(server.base_url()).token(source.clock(clock.clone()));
        builder.rate_limits(RateLimits::unlimited()).build().unwrap()
    };
    let (first, second) = (client(), client());
    let (one, two) = tokio::join!(first.me(), second.me());
    one.unwrap();
    two.unwrap();
    let renewals = server.requests().iter().filter(|it| it.path == "/oauth/token").count();
    assert_eq!(renewals, 2, "the login, and one renewal");
    assert!(store.load().unwrap().unwrap().access_token != login.access_token);
    assert_eq!(names(path.parent().unwrap()), ["login.json", "login.json.lock"]);
}

#[test]
fn credentials_are_kept_until_they_are_forgotten() {
    let (_directory, store, _) = store();
    assert_eq!(store.load().unwrap(), None);
    store.forget().unwrap();
    for token in ["first", "second"] {
        store.save(&credentials(token)).unwrap();
        assert_eq!(store.load().unwrap(), Some(credentials(token)));
    }
    store.forget().unwrap();
    assert_eq!(store.load().unwrap(), None);
}

#[test]
fn a_reader_sees_the_old_credentials_or_the_new_ones() {
    let (_directory, store, _) = store();
    let long = |letter: &str| credentials(&letter.repeat(100_000));
    store.save(&long("a")).unwrap();
    let is_done = Arc::new(AtomicBool::new(false));
    let (reading, ended) = (store.clone(), is_done.clone());
    let reader = std::thread::spawn(move || {
        let mut reads = 0;
        while !ended.load(Ordering::Relaxed) || reads == 0 {
            let read = reading.load().unwrap().unwrap();
            assert!([long("a"), long("b")].contains(&read));
            reads += 1;
        }
    });
    for _ in 0..20 {
        store.save(&long("b")).unwrap();
        store.save(&long("a")).unwrap();
    }
    is_done.store(true, Ordering::Relaxed);
    reader.join().unwrap();
}

#[test]
fn one_holds_the_lock_at_a_time_and_what_was_interrupted_is_removed() {
    let (_directory, store, path) = store();
    let directory = path.parent().unwrap();
    let lock = store.try_lock().unwrap().unwrap();
    assert!(file_store(&path).try_lock().unwrap().is_none());
    store.save(&credentials("while it is locked")).unwrap();
    drop(lock);
    let interrupted = directory.join("login.json.00000000000040008000000000000000.new");
    let interrupted = fs::File::create(interrupted).unwrap();
    interrupted.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    fs::write(directory.join("login.json.mine.new"), "of somebody else").unwrap();
    let lock = file_store(&path).try_lock().unwrap();
    assert!(lock.is_some());
    assert_eq!(names(directory), ["login.json", "login.json.lock", "login.json.mine.new"]);
}

#[test]
fn a_lock_leaves_the_save_of_another_process_alone() {
    let (_directory, store, path) = store();
    store.save(&credentials("first")).unwrap();
    let directory = path.parent().unwrap();
    let begun = "login.json.00000000000040008000000000000000.new";
    fs::write(directory.join(begun), "").unwrap();
    drop(store.try_lock().unwrap().unwrap());
    assert_eq!(names(directory), ["login.json", begun, "login.json.lock"]);

    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                drop(store.try_lock().unwrap());
            }
        });
        let saved = (0..100).try_for_each(|_| store.save(&credentials("again")));
        is_done.store(true, Ordering::Relaxed);
        saved.unwrap();
    });
}

#[test]
fn what_holds_no_credentials_is_an_error_that_quotes_nothing() {
    let (_directory, store, path) = store();
    store.save(&credentials("a")).unwrap();
    for content in ["", "{", "canary", r#"{"accessToken": "canary"}"#, &"canary".repeat(100_000)] {
        fs::write(&path, content).unwrap();
        let error = store.load().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        assert!(error.to_string().ends_with("login.json: not a credentials file"), "{error}");
    }
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
    use std::process::Command;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o777
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Asserts that nothing can be done with the store, and why.
    fn assert_refused(store: &Arc<dyn CredentialStore>, why: &str) {
        for error in [
            store.load().map(drop).unwrap_err(),
            store.save(&credentials("canary")).unwrap_err(),
            store.try_lock().map(drop).unwrap_err(),
        ] {
            assert!(error.to_string().ends_with(why), "{why}: {error}");
        }
    }

    #[test]
    fn a_login_is_not_locked_where_its_successor_has_no_space() {
        const STORE: &str = "LINKS_TEST_STORE";
        if let Some(path) = std::env::var_os(STORE) {
            let error = file_store(path).try_lock().map(drop).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::FileTooLarge, "{error}");
            return;
        }
        let (_directory, store, path) = store();
        store.save(&credentials("a")).unwrap();
        // A limit of the size of files stands for a full disk: an empty file can be created. It is one of a whole process.
        let mut limited = Command::new("sh");
        limited.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" --exact \"$1\""]);
        limited.arg(std::env::current_exe().unwrap());
        limited.arg("file_store::unix::a_login_is_not_locked_where_its_successor_has_no_space");
        let output = limited.env(STORE, &path).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{said}");
        assert_eq!(names(path.parent().unwrap()), ["login.json", "login.json.lock"]);
        assert!(store.try_lock().unwrap().is_some());
    }

    #[test]
    fn the_file_is_its_owners_alone() {
        let (_directory, store, path) = store();
        drop(store.try_lock().unwrap());
        store.save(&credentials("a")).unwrap();
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(&path.with_extension("json.lock")), 0o600);
        assert_eq!(mode(path.parent().unwrap()), 0o700);

        for public in [0o640, 0o604, 0o620] {
            set_mode(&path, public);
            let error = store.load().unwrap_err().to_string();
            assert!(error.contains("other users have access"), "{error}");
        }
        store.save(&credentials("b")).unwrap();
        assert_eq!((mode(&path), store.load().unwrap()), (0o600, Some(credentials("b"))));
    }

    #[test]
    fn a_link_a_pipe_and_a_directory_are_refused_and_stay() {
        let (directory, store, path) = store();
        let other = directory.path().join("other");
        store.save(&credentials("a")).unwrap();
        fs::rename(&path, &other).unwrap();
        for target in [other.clone(), directory.path().join("missing")] {
            symlink(&target, &path).unwrap();
            assert_refused(&store, "must not be a symbolic link");
            assert!(store.forget().is_err());
            assert_eq!(fs::read_link(&path).unwrap(), target);
            fs::remove_file(&path).unwrap();
        }
        assert!(!directory.path().join("missing").exists());
        assert!(fs::read_to_string(&other).unwrap().contains("refresh of a"));

        make_pipe(&path);
        assert_refused(&store, "must be a regular file");
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert_refused(&store, "must be a regular file");
        fs::remove_dir(&path).unwrap();

        let lock = path.with_extension("json.lock");
        symlink(&other, &lock).unwrap();
        assert!(store.try_lock().map(drop).unwrap_err().to_string().contains("symbolic link"));
    }

    fn make_pipe(path: &Path) {
        let made = Command::new("mkfifo").arg(path).status().unwrap();
        assert!(made.success());
    }

    #[test]
    fn a_directory_in_which_others_can_replace_the_file_is_refused() {
        let (_directory, store, path) = store();
        store.save(&credentials("a")).unwrap();
        let directory = path.parent().unwrap();
        for writable in [0o777, 0o770, 0o720, 0o702] {
            set_mode(directory, writable);
            assert_refused(&store, "other users can replace files in its directory");
        }
        // As the directory for temporary files is.
        for harmless in [0o1777, 0o1770, 0o755] {
            set_mode(directory, harmless);
            assert_eq!(store.load().unwrap(), Some(credentials("a")));
        }
    }

    #[test]
    fn a_file_or_a_directory_of_another_user_is_refused() {
        let (_directory, store, path) = store();
        store.save(&credentials("a")).unwrap();
        // Only the administrator can give files away.
        if chown(&path, Some(12345), None).is_err() {
            println!("skipped: only the administrator can give a file to another user");
            return;
        }
        assert_refused(&store, "belongs to another user");
        assert!(store.forget().is_err() && path.exists());
        chown(&path, Some(0), None).unwrap();
        chown(path.parent().unwrap(), Some(12345), None).unwrap();
        assert_refused(&store, "other users can replace files in its directory");
    }
}
