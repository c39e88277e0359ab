//! Tests of commands that find nothing to do, again: they read the pages and end, and notice whatever has changed since.

use std::fs;

use links_fixtures::Slot;
use serde_json::{Map, Value, json};

use crate::steps::{SLOTS, cut_short, edit_slots, ok};
use crate::test_env::{CommandResult, TestEnv, picture};

/// Directory of the caches, in which no page files are searched for.
const CACHE: &str = ".cache/links";

const PAGE: &str = "profile: cafe\ntitle: The café\nlanguageCode: en\n";

/// Returns a café that is as its file says, with a cache and state that outlive a command. Fields are below a lock, as well as slots.
fn synced(has_lock: bool) -> TestEnv {
    let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1").keeping_state();
    let cache = env.home.path().join(CACHE).display().to_string();
    let env = env.env("LINKS_CACHE_DIR", cache);
    edit_slots(&env, Vec::clear);
    if has_lock {
        ok(&env, "init");
    }
    env.file("cafe.yaml", SLOTS.replace("profile: cafe\n", PAGE));
    ok(&env, "apply cafe.yaml --yes");
    env
}

/// Returns what commands have found, with the time at which that was written.
fn found(env: &TestEnv) -> Vec<(String, std::time::SystemTime)> {
    let files = fs::read_dir(env.home.path().join(CACHE)).unwrap().flatten();
    let name = |file: &fs::DirEntry| file.file_name().into_string().unwrap();
    let files = files.filter(|file| name(file).starts_with("unchanged-"));
    files.map(|file| (name(&file), file.metadata().unwrap().modified().unwrap())).collect()
}

/// Returns the number of notes that a command leaves that finds nothing to do: only those that show text leave one.
fn notes_of(line: &str) -> usize {
    usize::from(!line.contains(" -o "))
}

/// Runs a command that has something to say.
fn noticed(env: &TestEnv, line: &str) -> CommandResult {
    let run = env.run(line);
    assert!(run.exit != 0 || !run.stdout.contains("no changes (1 request)"), "{run}");
    run
}

#[test]
fn a_command_says_again_what_it_said_when_nothing_was_to_be_done() {
    for has_lock in [false, true] {
        let env = synced(has_lock);
        env.file("other.yaml", "a: b\n");
        for line in [
            "plan cafe.yaml",
            "plan cafe.yaml --prune",
            "plan cafe.yaml -o json",
            "plan . -o csv",
            "plan cafe.yaml -o ids",
            "apply cafe.yaml",
            "apply . -o json",
            "apply cafe.yaml -o csv",
        ] {
            let run = |env: &TestEnv| {
                env.server.forget_requests();
                let run = ok(env, line);
                let requests = env.server.requests();
                let requests: Vec<String> = requests.iter().map(|it| it.path.clone()).collect();
                (run.stdout, run.stderr, requests)
            };
            let _ = fs::remove_dir_all(env.home.path().join(CACHE));
            run(&env);
            let _ = fs::remove_dir_all(env.home.path().join(CACHE));
            let first = run(&env);
            let noted = found(&env);
            assert_eq!(noted.len(), notes_of(line), "{line}");
            assert_eq!(run(&env), first, "{line}");
            assert_eq!(found(&env), noted, "{line} compared once more");
        }
    }
}

#[test]
fn slots_that_are_never_deleted_are_told_of_again() {
    let env = synced(false);
    edit_slots(&env, |slots| {
        let mut slot = Slot::new(90, "messenger", Map::new());
        slot.supported = false;
        slots.insert(1, slot);
    });
    for line in ["plan cafe.yaml", "plan cafe.yaml -o json", "apply cafe.yaml"] {
        let _ = fs::remove_dir_all(env.home.path().join(CACHE));
        ok(&env, line);
        let (first, noted) = (ok(&env, line), found(&env));
        let is_told = first.stdout.contains("= 1 slot kept") || first.stdout.contains("90");
        assert_eq!(is_told, line.starts_with("plan"), "{first}");
        let again = ok(&env, line);
        assert_eq!((again.stdout, again.stderr), (first.stdout, first.stderr));
        assert_eq!((found(&env), noted.len()), (noted, notes_of(line)), "{line}");
    }
    // One that a flag would delete depends on what was recorded.
    edit_slots(&env, |slots| slots[1].supported = true);
    let _ = fs::remove_dir_all(env.home.path().join(CACHE));
    ok(&env, "plan cafe.yaml");
    assert_eq!(found(&env), []);
}

#[test]
fn slots_without_fields_are_known_too() {
    let env = synced(false);
    env.file("slots.yaml", SLOTS);
    for line in ["slots plan slots.yaml", "slots apply slots.yaml"] {
        let first = ok(&env, line);
        let noted = found(&env);
        assert_eq!(ok(&env, line).stdout, first.stdout);
        assert_eq!(found(&env), noted);
    }
    // A plan of the whole file looks at its fields.
    assert!(ok(&env, "plan slots.yaml").stdout.contains("no changes"));
    assert_eq!(found(&env).len(), 2);
}

#[test]
fn whatever_others_change_on_the_page_is_noticed() {
    type Change = fn(&mut links_fixtures::Profile);
    let changes: [Change; 9] = [
        |page| drop(page.slots[0].data.insert("title".into(), "Theirs".into())),
        |page| drop(page.slots[0].data.remove("title")),
        |page| page.slots.swap(0, 1),
        |page| drop(page.slots.pop()),
        |page| {
            let data = json!({"title": "New"}).as_object().unwrap().clone();
            page.slots.push(Slot::new(900, "text", data));
        },
        |page| page.slots[0].supported = false,
        |page| page.login = "cafe2".into(),
        |page| page.title = Some("Theirs".into()),
        |page| {
            let mut slot = page.slots.remove(0);
            slot.id = 901;
            page.slots.insert(0, slot);
        },
    ];
    for (nth, change) in changes.into_iter().enumerate() {
        let line = ["plan cafe.yaml", "apply cafe.yaml --locked"][nth % 2];
        let env = synced(true);
        ok(&env, line);
        let again = ok(&env, line);
        env.server.edit(|account| change(&mut account.profiles[0]));
        env.server.forget_requests();
        let run = env.run(line);
        let is_read = |path: &str| path == "/api/v1/profiles/101";
        let reads = env.server.requests().iter().filter(|it| is_read(&it.path)).count();
        assert_eq!(reads, 1, "{nth}: the page is read once: {run}");
        assert!(run.exit != 0 || run.stdout != again.stdout, "{nth} {line}: {run}");
    }
}

#[test]
fn whatever_changes_on_this_machine_is_noticed() {
    let text = SLOTS.replace("profile: cafe\n", PAGE);
    let changes: [&dyn Fn(&TestEnv); 5] = [
        &|env| drop(env.file("cafe.yaml", text.replace("Menu", "Card"))),
        &|env| drop(env.file("cafe.yaml", text.replace("profile: cafe", "profile: qara.weddings"))),
        &|env| drop(env.file("cafe.yaml", "")),
        &|env| {
            let lock = env.home.path().join("links.lock");
            let text = fs::read_to_string(&lock).unwrap();
            let (head, rest) = text.split_once('\n').unwrap();
            let (head, _) = head.rsplit_once(' ').unwrap();
            fs::write(lock, format!("{head} 999\n{rest}")).unwrap();
        },
        &|env| fs::write(env.home.path().join("links.lock"), "links.lock 1\n").unwrap(),
    ];
    for (nth, change) in changes.into_iter().enumerate() {
        let env = synced(true);
        ok(&env, "plan cafe.yaml");
        ok(&env, "plan cafe.yaml");
        change(&env);
        let run = env.run("plan cafe.yaml");
        assert!(run.exit != 0, "{nth}: {run}");
    }
}

#[test]
fn an_interrupted_run_is_told_of_where_the_page_is_as_before() {
    let env = synced(false);
    ok(&env, "apply cafe.yaml");
    let (path, noted) = (env.home.path().join("cafe.yaml"), found(&env));
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("Menu", "Card")).unwrap();
    cut_short(&env, "apply cafe.yaml --yes", "before_send:3");
    fs::write(&path, text).unwrap();
    let run = ok(&env, "apply cafe.yaml");
    assert!(run.stderr.contains("interrupted"), "{run}");
    assert!(run.stdout.contains("= cafe: no changes"), "{run}");
    assert_ne!(found(&env), noted, "the run has ended, and the page was compared");
}

#[test]
fn an_image_is_compared_and_one_that_a_link_replaces_is_left_to_the_run() {
    let env = synced(false);
    fs::create_dir(env.home.path().join("images")).unwrap();
    env.file("images/a.png", picture(20, 20));
    let text = "profile: cafe\navatar: {$upload: images/a.png}\n";
    env.file("cafe.yaml", text);
    ok(&env, "apply cafe.yaml --yes");
    ok(&env, "plan cafe.yaml");
    let noted = found(&env);
    ok(&env, "plan cafe.yaml");
    assert_eq!(found(&env), noted);
    env.file("images/a.png", picture(20, 21));
    assert_eq!(noticed(&env, "plan cafe.yaml").exit, 3);
}

#[test]
fn what_was_noted_by_another_hand_is_not_believed_beyond_its_files() {
    let env = synced(false);
    ok(&env, "plan cafe.yaml");
    let path = env.home.path().join(CACHE).join(&found(&env)[0].0);
    let good: Map<String, Value> = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    for (name, value) in [
        ("by", json!("0.0.0")),
        ("pages", json!("none")),
        ("files", json!({})),
        ("files", json!({"/etc/passwd": "0"})),
        ("images", json!({"images/no.png": "0"})),
    ] {
        let mut bad = good.clone();
        bad.insert(name.to_owned(), value);
        fs::write(&path, json!(bad).to_string()).unwrap();
        assert_eq!(
            ok(&env, "plan cafe.yaml").stdout,
            "= cafe: no changes\nno changes (2 requests)\n"
        );
        assert_eq!(
            serde_json::from_slice::<Map<String, Value>>(&fs::read(&path).unwrap()).unwrap(),
            good
        );
    }
}

#[test]
fn forms_and_the_pages_that_show_them_are_known_too() {
    let form = "form: book\ntitle: Book a table\nbuttonText: Book\nsuccessMessage: Thanks\nfields: [{label: Name, type: text}]\n";
    let page = format!(
        "{SLOTS}  - {{type: form, data: {{formId: {{$form: book}}, view: button, buttonText: Book}}}}\n"
    );
    for has_lock in [false, true] {
        let env = synced(has_lock);
        env.file("book.yaml", form);
        env.file("cafe.yaml", &page);
        ok(&env, "apply . --yes --allow-create 1");
        for line in ["plan .", "plan . -o json", "apply . -o csv", "apply book.yaml"] {
            let _ = fs::remove_dir_all(env.home.path().join(CACHE));
            ok(&env, line);
            let (first, noted) = (ok(&env, line), found(&env));
            assert_eq!(ok(&env, line).stdout, first.stdout, "{line}");
            assert_eq!((found(&env), noted.len()), (noted, notes_of(line)), "{line}");
        }
        if has_lock {
            // The page alone refers to a form of the account that another one may replace.
            ok(&env, "plan cafe.yaml");
            assert_eq!(found(&env).len(), 1);
        }
        ok(&env, "plan .");
        env.server.edit(|account| {
            for form in &mut account.forms {
                form.button_text = "Theirs".to_owned();
            }
        });
        let run = env.run("plan .");
        assert!(run.stdout.contains("Theirs"), "{run}");
    }
}
