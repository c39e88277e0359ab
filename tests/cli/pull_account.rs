//! Tests of `links pull` for several pages and for a whole account.

use std::fs;

use links_fixtures::{Account, Choices, Fault, Form, FormField, Profile, Slot, Social, World};
use links_test_support::readings::readings;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::steps::{cut_short, ok, path, places, text, writes};
use crate::test_env::TestEnv;

fn env() -> TestEnv {
    TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1")
}

/// Returns the paths of all files below the home directory that are not hidden.
fn files(env: &TestEnv) -> Vec<String> {
    fn find(directory: &std::path::Path, found: &mut Vec<std::path::PathBuf>) {
        for entry in fs::read_dir(directory).unwrap().flatten() {
            if entry.file_type().unwrap().is_dir() {
                find(&entry.path(), found);
            } else {
                found.push(entry.path());
            }
        }
    }
    let mut found = Vec::new();
    find(env.home.path(), &mut found);
    let shown =
        |it: &std::path::PathBuf| it.strip_prefix(env.home.path()).unwrap().display().to_string();
    let mut names: Vec<_> = found.iter().map(shown).filter(|it| !it.starts_with('.')).collect();
    names.sort();
    names
}

/// Pulls all that an account has, and checks that applying it again has nothing to do.
fn has_nothing_to_do(world: World, choices: Choices) {
    let named = format!("{choices:?}");
    let env = TestEnv::of(world, |builder| builder.choices(choices.clone()))
        .env("LINKS_TEST_NO_WAIT", "1");
    let account = env.server.account();
    let places: &[bool] = if choices == Choices::default() { &[true, false] } else { &[true] };
    for with_lock in places {
        if *with_lock {
            ok(&env, "init");
        }
        let pulled = env.run("pull --all -O site");
        assert_eq!(pulled.exit, 0, "{named} {pulled}");
        if account.profiles.is_empty() && account.forms.is_empty() {
            return;
        }
        let plan = env.run("plan site");
        assert_eq!(plan.exit, 0, "{named} {plan}");
        let applied = env.run("apply site");
        assert_eq!(applied.exit, 0, "{named} {applied}");
        // The next pull has nothing to take over.
        let before: Vec<_> = files(&env)
            .iter()
            .map(|file| (file.clone(), fs::read(path(&env, file)).unwrap()))
            .collect();
        let again = env.run("pull --all -O site");
        assert!(again.exit == 0 && !again.stdout.contains("merged"), "{named} {again}");
        let after: Vec<_> = files(&env)
            .iter()
            .map(|file| (file.clone(), fs::read(path(&env, file)).unwrap()))
            .collect();
        assert!(before == after, "{named}");
        assert_eq!(writes(&env), [""; 0], "{named}");
        assert!(env.server.account() == account, "{named}");
        fs::remove_dir_all(path(&env, "site")).unwrap();
        let _ = fs::remove_file(path(&env, "links.lock"));
    }
}

#[test]
fn an_account_that_was_pulled_has_nothing_to_do_under_every_reading_of_the_interface() {
    for choices in readings() {
        has_nothing_to_do(World::cafe(), choices.clone());
    }
    has_nothing_to_do(World::empty(), Choices::default());
    has_nothing_to_do(World::read_only(), Choices::default());
}

#[test]
fn an_account_of_a_hundred_pages_that_was_pulled_has_nothing_to_do() {
    has_nothing_to_do(World::full(), Choices::default());
}

#[test]
fn a_pull_of_an_account_that_is_cut_short_anywhere_is_finished_by_the_next_one() {
    for nth in places() {
        let env = env();
        ok(&env, "init");
        let ended = cut_short(&env, "pull --all", &format!("any:{nth}"));
        ok(&env, "pull --all");
        let expected = ["cafe.yaml", "forms/book-a-table.yaml", "links.lock", "qara.weddings.yaml"];
        let found = files(&env).into_iter().filter(|it| !it.contains(".links-"));
        assert_eq!(found.collect::<Vec<_>>(), expected, "{nth}");
        assert!(ok(&env, "plan --fail-on any").stdout.contains("no changes"), "{nth}");
        if ended.status.success() {
            assert!(nth > 9, "only {nth} places");
            break;
        }
    }
}

#[test]
fn a_file_that_was_deleted_is_written_anew_and_recorded() {
    let env = env();
    fs::create_dir(path(&env, "pages")).unwrap();
    ok(&env, "init");
    ok(&env, "pull cafe -O pages/main.yaml");
    fs::remove_file(path(&env, "pages/main.yaml")).unwrap();
    ok(&env, "pull cafe -O .");
    let lock = text(&env, "links.lock");
    assert!(lock.contains(" cafe.yaml\n") && !lock.contains("main.yaml"), "{lock}");
    let ids = env.run("pull cafe qara.weddings -O . -o ids");
    assert_eq!(ids.exit, 0, "{ids}");
}

#[test]
fn the_forms_of_files_are_the_same_for_a_pull_as_for_a_plan() {
    let env = env();
    let first = env.server.account().forms[0].clone();
    let second = "ffffffff-0000-4000-8000-000000000001";
    env.server.edit(|account| account.forms.push(Form { id: second.to_owned(), ..first.clone() }));
    env.file("a.yaml", format!("form: a\nid: {}\ntitle: '{}'\n", first.id, first.title));
    env.file("b.yaml", format!("form: b\ntitle: '{}'\n", first.title));
    let plan = ok(&env, "plan a.yaml b.yaml");
    assert!(plan.stdout.contains("= 2 forms: no changes"), "{plan}");
    let pulled = ok(&env, "pull --all -O . -o json").json();
    let forms: Vec<_> = pulled["data"]["forms"]
        .as_array()
        .unwrap()
        .iter()
        .map(|form| (form["name"].clone(), form["id"].clone()))
        .collect();
    assert_eq!(forms, [(json!("a"), json!(first.id)), (json!("b"), json!(second))]);
    assert_eq!(files(&env), ["a.yaml", "b.yaml", "cafe.yaml", "qara.weddings.yaml"]);
}

/// Text as users write it, and as no user should.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z ]{1,12}",
        "[ -~]{1,16}",
        "\\PC{1,12}",
        Just("line\nline\n".to_owned()),
        Just(" # <<< page: x".to_owned()),
        Just("{$upload: a.png}".to_owned()),
        Just("- 'no': ~".to_owned()),
        Just("12".to_owned()),
    ]
}

fn any_slot() -> impl Strategy<Value = Value> {
    let link = Just("https://qara.example/a?b=c#d");
    prop_oneof![
        (any_text(), link).prop_map(|(title, link)| json!(["button", { "title": title, "link": link }])),
        (any_text(), any_text()).prop_map(|(title, text)| json!(["text", { "title": title, "description": text }])),
        Just(json!(["divider", {}])),
        any_text().prop_map(|text| json!(["picture", { "image": format!("uploads/1/{}.png", text.len()), "title": text }])),
        (any_text(), any_text()).prop_map(|(key, text)| json!(["question", { "title": text, key: text }])),
        any_text().prop_map(|text| json!(["event", { "title": text }])),
        any_text().prop_map(|text| json!(["form", { "formId": "first", "buttonText": text }])),
    ]
}

fn any_page() -> impl Strategy<Value = (Value, Vec<Value>)> {
    let maybe = || prop::option::of(any_text());
    let fields = (maybe(), maybe(), maybe(), prop::option::of(1..48_i64), 0..3_usize, 0..3_u64);
    let fields = fields.prop_map(|(title, description, mood, hours, socials, language)| {
        json!([title, description, mood, hours, socials, language])
    });
    (fields, prop::collection::vec(any_slot(), 0..6))
}

/// Title, description, fields by label with whether they are required, and the owner's switch.
type AnyForm = (String, Option<String>, Vec<(String, bool)>, bool);

fn any_form() -> impl Strategy<Value = AnyForm> {
    let fields = prop::collection::vec((any_text(), any::<bool>()), 1..4);
    (any_text(), prop::option::of(any_text()), fields, any::<bool>())
}

/// Makes the account of generated pages and forms.
fn account(pages: &[(Value, Vec<Value>)], forms: &[AnyForm]) -> Account {
    let mut account = World::cafe().into_account();
    let template = account.forms[0].clone();
    account.forms.clear();
    account.profiles.clear();
    for (nth, (title, description, fields, enabled)) in forms.iter().enumerate() {
        let field = |(nth, (label, required)): (usize, &(String, bool))| FormField {
            key: format!("k{nth}"),
            kind: "text".to_owned(),
            label: label.clone(),
            placeholder: None,
            required: *required,
            options: None,
            multi: None,
        };
        account.forms.push(Form {
            id: format!("00000000-0000-4000-8000-{nth:012}"),
            title: title.clone(),
            description: description.clone(),
            fields: fields.iter().enumerate().map(field).collect(),
            enabled: *enabled,
            ..template.clone()
        });
    }
    for (nth, (fields, slots)) in pages.iter().enumerate() {
        let mut page = Profile::new(account.take_id(), format!("page{nth}"), template.created_at);
        let text = |at: usize| fields[at].as_str().map(str::to_owned);
        (page.title, page.description, page.mood_text) = (text(0), text(1), text(2));
        page.mood_hours = fields[3].as_i64();
        page.language_id = fields[5].as_u64().filter(|id| *id > 0);
        let social = |order| Social { link: format!("https://x.com/{order}"), order };
        page.socials = (0..fields[4].as_i64().unwrap()).map(social).collect();
        for slot in slots {
            let mut data = slot[1].as_object().unwrap().clone();
            if slot[0] == "form" {
                let Some(form) = account.forms.first() else { continue };
                data.insert("formId".to_owned(), form.id.clone().into());
            }
            page.slots.push(Slot::new(account.next_id + 1, slot[0].as_str().unwrap(), data));
            account.take_id();
        }
        account.profiles.push(page);
    }
    account
}

#[test]
fn a_generated_account_that_was_pulled_has_nothing_to_do() {
    let config =
        Config { cases: 12, failure_persistence: None, max_shrink_iters: 40, ..Config::default() };
    let accounts =
        (prop::collection::vec(any_page(), 0..4), prop::collection::vec(any_form(), 0..3));
    let checked = TestRunner::new(config).run(&accounts, |(pages, forms)| {
        has_nothing_to_do(World::of(account(&pages, &forms)), Choices::default());
        Ok(())
    });
    checked.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn files_that_exist_are_patched_where_they_are_and_new_pages_get_their_login() {
    let env = env();
    fs::create_dir(path(&env, "pages")).unwrap();
    ok(&env, "init");
    ok(&env, "pull cafe -O pages/main.yaml");
    env.file("pages/main.yaml", format!("# Mine\n{}", text(&env, "pages/main.yaml")));
    env.server.edit(|account| account.profiles[0].title = Some("Anew".to_owned()));
    // One is known by the lock, even under another login, which is taken over; the other by its `profile`.
    env.server.edit(|account| account.profiles[0].login = "qara.main".to_owned());
    env.file("pages/weddings.yaml", "profile: qara.weddings\ntitle: Qara at your wedding\n");
    let pulled = ok(&env, "pull --all");
    assert!(pulled.stdout.contains("pages/main.yaml: 2 changes merged"), "{pulled}");
    assert!(text(&env, "pages/main.yaml").starts_with("# Mine\nprofile: qara.main\ntitle: Anew\n"));
    env.server.edit(|account| account.profiles[0].login = "cafe".to_owned());
    let pulled = ok(&env, "pull --all");
    assert!(pulled.stdout.contains("pages/main.yaml: 1 change merged"), "{pulled}");
    assert!(text(&env, "pages/main.yaml").starts_with("# Mine\nprofile: cafe\ntitle: Anew\n"));
    assert_eq!(
        files(&env),
        ["forms/book-a-table.yaml", "links.lock", "pages/main.yaml", "pages/weddings.yaml"]
    );
    // A new page goes into the directory of the lock, from wherever it is asked for.
    fs::remove_file(path(&env, "pages/weddings.yaml")).unwrap();
    let mut command = env.command(["pull", "qara.weddings", "cafe"]);
    let output = command.current_dir(path(&env, "pages")).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(text(&env, "qara.weddings.yaml").starts_with("profile: qara.weddings\n"));
    assert!(ok(&env, "plan").stdout.contains("no changes"));
}

#[test]
fn a_page_whose_file_names_it_by_its_url_gets_no_second_file() {
    let env = env();
    fs::create_dir(path(&env, "site")).unwrap();
    let start = |host: &str| format!("profile: https://{host}/Cafe\ntitle: Qara Coffee\n");
    let cafe = || files(&env).into_iter().filter(|it| it.contains("cafe")).collect::<Vec<_>>();
    // Another host is refused, and the page gets no file beside the one that names it.
    env.file("site/start.yaml", start("evil.test"));
    for line in ["pull --all -O site", "pull cafe -O site", "pull site/start.yaml"] {
        let run = env.run(line);
        assert!(run.stderr.contains("is on links.example, not on evil.test"), "{line}: {run}");
    }
    assert_eq!(cafe(), [""; 0]);
    for has_lock in [false, true] {
        if has_lock {
            ok(&env, "init");
        }
        env.file("site/start.yaml", start("links.example"));
        for line in ["pull site/start.yaml", "pull site", "pull --all -O site", "pull cafe -O site"]
        {
            let run = ok(&env, line);
            assert!(run.stdout.contains("site/start.yaml: no changes"), "{line}: {run}");
        }
        assert_eq!((cafe(), text(&env, "site/start.yaml")), (vec![], start("links.example")));
    }
    // A profile that names no page is shown at its line.
    env.file("site/start.yaml", start("links.example").replace("/Cafe", "/a/b"));
    let run = env.run("pull site/start.yaml");
    assert!(run.exit == 8 && run.stderr.contains("site/start.yaml:1:10"), "{run}");
}

#[test]
fn a_page_whose_file_cannot_be_read_gets_no_second_file() {
    let env = env();
    fs::create_dir(path(&env, "site")).unwrap();
    for broken in [
        "profile: cafe\ntitle: [Qara\n",
        "profile: cafe\n<<<<<<< HEAD\ntitle: Mine\n=======\ntitle: Theirs\n>>>>>>> main\n",
        "profile: cafe\n# <<< page: title: \"Mine\" (changed)\ntitle: Theirs\n",
        "profile: cafe\nslots:\n  - {$include: none.yaml}\n",
    ] {
        env.file("site/cafe.yaml", broken);
        for line in [
            "pull --all -O site",
            "pull cafe qara.weddings -O site",
            "pull --all -O ./site",
            "pull cafe -O site",
        ] {
            let run = env.run(line);
            let is_single = line == "pull cafe -O site";
            assert_eq!(run.exit, if is_single { 8 } else { 12 }, "{line}: {run}");
            // The file is reported once.
            assert_eq!(run.stderr.matches("[site/cafe.yaml:").count(), 1, "{line}: {run}");
        }
        let pages: Vec<_> = files(&env).into_iter().filter(|it| !it.contains("/forms/")).collect();
        assert_eq!(pages, ["site/cafe.yaml", "site/qara.weddings.yaml"]);
        assert_eq!(text(&env, "site/cafe.yaml"), broken);
    }
    // A file that may be the one of a new page is reported, but not a file of another kind.
    env.file("site/main.yaml", text(&env, "site/cafe.yaml"));
    env.file("site/tool.yaml", "not: a page\n");
    fs::remove_file(path(&env, "site/cafe.yaml")).unwrap();
    let run = ok(&env, "pull cafe -O site");
    assert!(run.stderr.starts_with("warning: cannot use site/main.yaml, "), "{run}");
    assert_eq!(run.stderr.lines().count(), 1, "{run}");
    assert_eq!(ok(&env, "pull cafe -O site").stderr, "");
    let run = env.run("pull --all -O site");
    assert!(run.exit == 12 && run.stderr.contains("[site/main.yaml:"), "{run}");
}

#[test]
fn hostile_logins_stay_in_the_directory_and_names_that_clash_get_the_id() {
    let env = env();
    let logins = [
        "../../evil",
        "/etc/passwd",
        "..",
        "a\nb",
        "CAFE",
        ".hidden",
        "nul",
        "links.lock",
        "x/../y",
    ];
    env.server.edit(|account| {
        for (nth, login) in logins.iter().enumerate() {
            let mut page = account.profiles[1].clone();
            (page.id, page.login) = (900 + nth as u64, (*login).to_owned());
            page.slots.clear();
            account.profiles.push(page);
        }
    });
    fs::create_dir(path(&env, "site")).unwrap();
    env.file("site/qara.weddings.yaml", "not: a page\n");
    let pulled = ok(&env, "pull --all -O site");
    let names = files(&env);
    assert_eq!(names.len(), logins.len() + 4, "{names:?} {pulled}");
    assert!(
        names.iter().all(|it| it.starts_with("site/") && it.matches('/').count() <= 2),
        "{names:?}"
    );
    let mut folded: Vec<_> = names.iter().map(|it| it.to_lowercase()).collect();
    folded.dedup();
    assert_eq!(folded.len(), names.len());
    assert_eq!(text(&env, "site/qara.weddings.yaml"), "not: a page\n");
    assert!(text(&env, "site/qara.weddings-102.yaml").starts_with("profile: qara.weddings\n"));
    assert!(names.contains(&"site/CAFE-904.yaml".to_owned()), "{names:?}");
    // The second pull finds each again.
    ok(&env, "pull --all -O site");
    assert_eq!(files(&env), names);
}

#[test]
fn forms_get_a_file_a_name_and_channels_by_label_and_a_difference_is_marked() {
    let env = env();
    ok(&env, "init");
    env.server.edit(|account| {
        let mut twin = account.forms[0].clone();
        twin.id = "00000000-0000-4000-8000-000000000001".to_owned();
        account.forms.push(twin);
    });
    ok(&env, "pull --all");
    let names = files(&env);
    assert!(names.contains(&"forms/book-a-table-2.yaml".to_owned()), "{names:?}");
    let form = text(&env, "forms/book-a-table.yaml") + &text(&env, "forms/book-a-table-2.yaml");
    assert!(form.contains("$channel: Bar") && form.contains("  - 12\n"), "{form}");
    assert!(form.contains("key: phone") && !form.contains("whatsappMessage"), "{form}");
    let page = text(&env, "cafe.yaml");
    assert!(page.contains("$form: book-a-table"), "{page}");
    assert!(text(&env, "links.lock").contains(" book-a-table-2\n"));
    assert!(ok(&env, "plan").stdout.contains("no changes"));
    assert_eq!(ok(&env, "slots plan cafe.yaml").exit, 0);

    // What both sides changed is marked, and nothing of the file is lost.
    let file = "forms/book-a-table-2.yaml";
    let is_first = text(&env, file).contains("6f1c0f0e");
    let file = if is_first { file } else { "forms/book-a-table.yaml" };
    let mine = text(&env, file).replace("buttonText: Book", "buttonText: Reserve # better");
    let mine = mine.replace("title: Book a table", "title: Our table");
    env.file(file, &mine);
    env.server.edit(|account| account.forms[0].title = "Table".to_owned());
    let pulled = env.run("pull --all");
    assert_eq!(pulled.exit, 7, "{pulled}");
    let marked = text(&env, file);
    assert!(marked.contains("# <<< form: title: \"Table\" (differs"), "{marked}");
    assert!(
        marked.contains("buttonText: Reserve # better") && marked.contains("title: Our table"),
        "{marked}"
    );
    for line in ["plan", "apply"] {
        let run = env.run(line);
        assert!(run.exit == 8 && run.stderr.contains("unresolved conflict with the form"), "{run}");
    }
    env.file(file, mine);
    ok(&env, "pull --all --force");
    let taken = text(&env, file);
    assert!(
        taken.contains("title: Table\n") && taken.contains("buttonText: Book # better"),
        "{taken}"
    );
    assert_eq!(writes(&env), [""; 0]);
}

#[test]
fn a_channel_with_another_label_is_marked_in_the_form_file_and_taken_by_force() {
    for (has_lock, change) in [(false, Some("Counter")), (true, Some("Counter")), (true, None)] {
        let env = env();
        if has_lock {
            ok(&env, "init");
        }
        ok(&env, "pull --all -O .");
        env.server.edit(|account| {
            let mut channels = account.channels.iter_mut();
            let bar = channels.find(|it| it.label.as_deref() == Some("Bar")).unwrap();
            bar.label = change.map(str::to_owned);
        });
        let plan = env.run("plan .");
        assert!(plan.exit == 8, "{plan}");
        assert!(plan.stderr.contains("no channel is called \"Bar\""), "{plan}");
        // The page that shows the form is planned all the same.
        assert!(!plan.stderr.contains("no form is called"), "{plan}");
        let file = "forms/book-a-table.yaml";
        let marked = env.run("pull --all -O .");
        assert_eq!(marked.exit, 7, "{marked}");
        assert!(text(&env, file).contains("# <<< form: notificationChannelIds: "), "{marked}");
        ok(&env, "pull --all -O . --force");
        let taken = text(&env, file);
        let channel = change.map_or("  - 11\n".to_owned(), |it| format!("  - $channel: {it}\n"));
        assert!(taken.contains(&channel), "{taken}");
        assert!(!taken.contains("Bar") && !taken.contains("<<<"), "{taken}");
        assert!(ok(&env, "plan .").stdout.contains("no changes"));
        assert_eq!(writes(&env), [""; 0]);
    }
}

#[test]
fn a_marked_form_takes_what_the_form_has_by_force_whatever_the_layout_of_its_fields() {
    let env = env();
    ok(&env, "pull --all");
    let file = "forms/book-a-table.yaml";
    let pulled = text(&env, file);
    let (before, _) = pulled.split_once("fields:\n").unwrap();
    let one_line = format!(
        "{before}fields: [{{key: name, label: Name, type: text}}, {{key: phone, label: Phone, type: phone}}] # asked\n"
    );
    for mine in [one_line, pulled.replace("label: Phone", "label: Telephone"), pulled] {
        env.file(file, mine.replace("buttonText: Book", "buttonText: Reserve"));
        let marked = env.run("pull --all");
        assert_eq!(marked.exit, 7, "{marked}");
        assert!(marked.stdout.contains("lines starting with `# <<<`"), "{marked}");
        assert!(text(&env, file).contains("# <<< form: buttonText: \"Book\""), "{marked}");
        let again = env.run("pull --all");
        assert!(
            again.exit != 0 && again.stderr.contains("unresolved conflict with the form"),
            "{again}"
        );
        assert!(again.stderr.contains("links pull --all --force"), "{again}");
        ok(&env, "pull --all --force");
        let taken = text(&env, file);
        assert!(!taken.contains("<<<") && taken.contains("buttonText: Book\n"), "{taken}");
        assert!(ok(&env, "plan .").stdout.contains("no changes"));
    }
    // Marks go also where nothing differs any more.
    let pulled = text(&env, file);
    env.file(file, pulled.replace("title:", "# <<< form: title: \"Old\"\ntitle:"));
    let run = ok(&env, "pull --all --force");
    assert!(run.stdout.contains("marks removed"), "{run}");
    assert_eq!(text(&env, file), pulled);
    assert_eq!(writes(&env), [""; 0]);
}

#[test]
fn hostile_titles_of_forms_are_harmless_names() {
    let env = env();
    let titles =
        ["../../evil", "", "???", "a: b # c", "{$upload: x}", "nul", "Ä/ö\u{202e}", "form"];
    env.server.edit(|account| {
        for (nth, title) in titles.iter().enumerate() {
            let mut form = account.forms[0].clone();
            (form.id, form.title) =
                (format!("00000000-0000-4000-8000-{nth:012}"), (*title).to_owned());
            account.forms.push(form);
        }
    });
    ok(&env, "pull --all -O site");
    let names: Vec<_> =
        files(&env).into_iter().filter(|it| it.starts_with("site/forms/")).collect();
    assert_eq!(names.len(), titles.len() + 1, "{names:?}");
    assert!(names.iter().all(|it| it.matches('/').count() == 2), "{names:?}");
    let plan = ok(&env, "plan site");
    assert!(plan.stdout.contains("no changes"), "{plan}");
}

#[test]
fn one_page_that_fails_does_not_stop_the_others() {
    let env = env();
    let run = env.run("pull cafe no.such.page qara.weddings -O site");
    assert_eq!(run.exit, 12, "{run}");
    assert!(run.stderr.contains("2 of 3 pages and forms pulled"), "{run}");
    assert!(run.stderr.contains("site/cafe.yaml") && run.stderr.contains("no.such.page"), "{run}");
    assert_eq!(files(&env), ["site/cafe.yaml", "site/qara.weddings.yaml"]);
    // Two files of one page: that page fails.
    env.file("site/copy.yaml", "profile: cafe\ntitle: A\n");
    let run = env.run("pull cafe qara.weddings -O site");
    assert!(run.exit == 12 && run.stderr.contains("are both files for the page cafe"), "{run}");
    assert!(run.stderr.contains("some files failed, and the others had no changes"), "{run}");
    assert!(!run.stderr.contains("run the same command again"), "{run}");
    // Nothing at all is the error itself.
    let run = env.run("pull no.such.page no.other.page -O other");
    assert_eq!(run.exit, 6, "{run}");
    env.server.fail(1..99, &Fault::Before(401));
    assert_eq!(env.run("pull cafe qara.weddings -O other").exit, 4);
}

#[test]
fn a_large_account_announces_its_requests_and_reads_each_page_once() {
    let env = TestEnv::of(World::full(), |builder| builder).env("LINKS_TEST_NO_WAIT", "1");
    let run = ok(&env, "pull --all -O site");
    assert!(run.stderr.contains("reading 100 pages: at least 104 requests, about"), "{run}");
    let sent = env.operations();
    assert_eq!(sent.iter().filter(|it| *it == "getProfile").count(), 100);
    assert!(sent.len() <= 104, "{}", sent.len());
    assert_eq!(files(&env).len(), 100);
}

#[test]
fn a_file_below_two_named_directories_is_pulled_once() {
    let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1").keeping_state();
    ok(&env, "pull --all -O site");
    let form = fs::read_dir(env.home.path().join("site/forms")).unwrap().next().unwrap().unwrap();
    let form = format!("site/forms/{}", form.file_name().to_str().unwrap());
    env.file("broken.yaml", "profile: nowhere\nslots: []\n");
    let run = env.run(&format!("pull site/cafe.yaml {form} broken.yaml"));
    assert!(run.exit != 0 && run.stderr.contains("2 of 3 pages and forms pulled"), "{run}");
    let run = ok(&env, &format!("pull site {form}"));
    assert_eq!(run.stdout.matches(&form).count(), 1, "{run}");
}
