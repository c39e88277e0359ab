//! Tests of `links plan` and `links apply`: whole pages and forms, in one run over several files.

use std::fs;

use links_fixtures::{Account, Choices, ContractServer, Fault, Limits, World};
use serde_json::{Value, json};

use crate::steps::{Beginning, cut_short, ok, path, places, text, writes};
use crate::test_env::{TestEnv, picture};

const CAFE: &str = "\
profile: cafe
title: Qara at night
avatar: {$upload: images/logo.gif}
bgImage: null
socials: [https://t.me/qara.night]
languageCode: kk
moodText: Open late
moodHours: 4
slots:
  - {id: 1001, type: text, data: {title: Good night!}}
  - {id: 1002, type: button}
";

const ASTANA: &str = "\
profile: qara.astana
title: Astana
slots:
  - {type: form, data: {formId: {$form: contact}}}
  - {type: text, data: {title: Soon}}
";

const CONTACT: &str = "\
form: contact
title: Write to us
buttonText: Send
successMessage: Thanks
fields:
  - {label: Name, type: text, required: true}
notificationChannelIds: [{$channel: Owner}]
";

fn env() -> TestEnv {
    let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1");
    fs::create_dir(path(&env, "images")).unwrap();
    env.file("images/logo.gif", picture(800, 800));
    env
}

/// Returns an account with the files of a page, of a page that does not exist yet, and of a form that does not exist yet.
fn account_of_files() -> TestEnv {
    let env = env();
    ok(&env, "init");
    env.server.edit(|account| account.channels[0].label = Some("Owner".to_owned()));
    env.file("cafe.yaml", CAFE);
    env.file("astana.yaml", ASTANA);
    env.file("contact.yaml", CONTACT);
    env.operations();
    env
}

const APPLY: &str = "apply --yes --allow-create 2";

/// Returns what pages and forms hold, without their ids.
fn content(account: &Account) -> Value {
    let pages = account.profiles.iter().map(|page| {
        let slots: Vec<Value> = page
            .slots
            .iter()
            .map(|slot| json!([slot.kind, slot.data.keys().collect::<Vec<_>>()]))
            .collect();
        json!([
            page.login,
            page.title,
            page.avatar.is_some(),
            page.mood_text,
            page.socials.len(),
            slots
        ])
    });
    json!([
        pages.collect::<Vec<_>>(),
        account.forms.iter().map(|form| form.title.clone()).collect::<Vec<_>>()
    ])
}

#[test]
fn a_whole_page_is_planned_and_applied_and_then_matches_its_file_on_another_machine_too() {
    let env = env();
    ok(&env, "init");
    env.file("cafe.yaml", CAFE);
    let plan = env.run("plan cafe.yaml");
    assert_eq!(plan.exit, 3, "{plan}");
    for part in [
        "title: \"Qara Coffee\" → \"Qara at night\"",
        "languageCode",
        "upload",
        "socials",
        "moodHours: 4",
    ] {
        assert!(plan.stdout.contains(part), "{part}: {plan}");
    }
    let refused = env.run("apply cafe.yaml");
    assert!(refused.exit == 14 && refused.stderr.contains("pass --yes"), "{refused}");
    assert_eq!(writes(&env), [""; 0]);

    ok(&env, "apply cafe.yaml --yes");
    let page = env.server.account().profiles[0].clone();
    assert_eq!(page.title.as_deref(), Some("Qara at night"));
    assert_eq!((page.mood_text.as_deref(), page.mood_hours), (Some("Open late"), Some(4)));
    assert_eq!((page.bg_image, page.socials.len()), (None, 1));
    assert!(
        page.avatar.is_some_and(|path| path.starts_with("uploads/") && !path.ends_with("logo.png"))
    );
    let sent = writes(&env);
    assert_eq!(
        sent,
        ["uploadFile", "updateProfile", "updateSlots", "updateProfileSettings"],
        "{sent:?}"
    );

    // No state is kept between the commands of this test: each is another machine that has the files.
    let again = ok(&env, "apply cafe.yaml");
    assert!(again.stdout.contains("no changes"), "{again}");
    assert_eq!(ok(&env, "plan cafe.yaml").exit, 0);
    // The language is that of the settings.
    assert_eq!(env.operations(), ["getProfile", "getProfileSettings"].repeat(2));
}

#[test]
fn a_change_by_someone_else_is_kept_and_one_on_both_sides_is_a_conflict_in_the_file() {
    let env = env();
    ok(&env, "init");
    env.file("cafe.yaml", CAFE);
    ok(&env, "apply cafe.yaml --yes");
    env.server.edit(|account| {
        account.profiles[0].title = Some("Theirs".to_owned());
        account.profiles[0].description = Some("Theirs too".to_owned());
    });
    let json = ok(&env, "apply cafe.yaml -o json").json();
    assert_eq!(json["data"]["pages"][0]["sync"]["remote"][0]["key"], "title", "{json}");
    let kept = ok(&env, "apply cafe.yaml");
    assert!(kept.stdout.contains("`title` changed to \"Theirs\" on the page"), "{kept}");
    assert_eq!(env.run("plan cafe.yaml --fail-on remote").exit, 3);
    env.file("cafe.yaml", CAFE.replace("Qara at night", "Ours").replace("Open late", "Closed"));
    env.operations();
    let conflict = env.run("apply cafe.yaml");
    assert!(conflict.exit == 7 && conflict.stderr.contains("cafe.yaml:2:8"), "{conflict}");
    assert!(conflict.stderr.contains("Theirs"), "{conflict}");
    assert_eq!(writes(&env), [""; 0]);
    ok(&env, "apply cafe.yaml --force");
    let page = env.server.account().profiles[0].clone();
    assert_eq!((page.title.as_deref(), page.mood_text.as_deref()), (Some("Ours"), Some("Closed")));
    assert_eq!(page.description.as_deref(), Some("Theirs too"));
}

#[test]
fn pages_and_forms_are_created_once_with_consent_and_found_again_without_a_lock() {
    let env = account_of_files();
    let plan = env.run("plan");
    assert_eq!(plan.exit, 3, "{plan}");
    for part in [
        "~ cafe: ",
        "+ qara.astana: new page (`links` can't delete it)",
        "+ title: \"Astana\"",
        "+ form contact: new form",
    ] {
        assert!(plan.stdout.contains(part), "{part}: {plan}");
    }
    let refused = env.run("apply --yes --allow-create 1");
    assert!(refused.exit == 14 && refused.stderr.contains("--allow-create 2"), "{refused}");
    assert_eq!(writes(&env), [""; 0]);
    ok(&env, APPLY);
    let account = env.server.account();
    assert_eq!((account.profiles.len(), account.forms.len()), (3, 2));
    let form = account.forms.iter().find(|form| form.title == "Write to us").unwrap().id.clone();
    let astana = account.profiles.iter().find(|page| page.login == "qara.astana").unwrap();
    assert_eq!(json!(astana.slots[0].data["formId"]), json!(form));
    assert_eq!(astana.title.as_deref(), Some("Astana"));

    env.operations();
    let again = ok(&env, "apply -o json").json();
    assert_eq!(again["meta"]["requests"], 5, "two pages, forms, channels, the language");
    // Without the lock the page is found by its login and the form by its title.
    fs::remove_file(path(&env, "links.lock")).unwrap();
    let plan = env.run("plan astana.yaml contact.yaml");
    assert!(plan.exit == 0 || !plan.stdout.contains('+'), "{plan}");
    assert_eq!(env.server.account().profiles.len(), 3);
}

#[test]
fn one_bad_file_keeps_all_pages_as_they_are_and_every_problem_is_named() {
    let env = account_of_files();
    env.file("cafe.yaml", CAFE.replace("moodHours: 4", "moodHours: four"));
    env.file("astana.yaml", ASTANA.replace("title: Astana", "titel: Astana"));
    let run = env.run(APPLY);
    assert_eq!(run.exit, 8, "{run}");
    assert!(
        run.stderr.contains("cafe.yaml:8:12") && run.stderr.contains("astana.yaml:2:1"),
        "{run}"
    );
    assert_eq!(env.operations(), [""; 0]);

    env.file("cafe.yaml", CAFE.replace("{title: Good night!}", "{titel: Good night!}"));
    env.file("astana.yaml", ASTANA.replace("contact", "no-such-form"));
    let run = env.run(APPLY);
    assert_eq!(run.exit, 8, "{run}");
    assert!(
        run.stderr.contains("cafe.yaml:10:") && run.stderr.contains("no form is called"),
        "{run}"
    );
    assert_eq!(writes(&env), [""; 0]);
    let json = env.run("apply --yes --allow-create 2 -o json").error();
    assert_eq!(json["failures"].as_array().unwrap().len(), 2, "{json}");
}

#[test]
fn two_files_of_one_page_or_form_and_files_that_are_neither_are_refused_or_named() {
    let env = account_of_files();
    env.file("twice.yaml", ASTANA.replace("qara.astana", "Cafe"));
    env.file("again.yml", CONTACT);
    let run = env.run("plan");
    assert!(run.exit == 8 && run.stderr.contains("both files for the page cafe"), "{run}");
    assert!(run.stderr.contains("both files for the form contact"), "{run}");
    for name in ["twice.yaml", "again.yml"] {
        fs::remove_file(path(&env, name)).unwrap();
    }
    env.file("package.json", "{\"name\": \"x\"}");
    let plan = env.run("plan");
    assert!(
        plan.exit == 3 && plan.stderr.contains("skipped package.json: neither a page nor a form"),
        "{plan}"
    );
    for name in ["compose.yaml", "mkdocs.yml", "tsconfig.json", "renovate.json"] {
        env.file(name, "a: 1\n");
    }
    let plan = env.run("plan");
    let left = "skipped 5 files that are neither pages nor forms: compose.yaml, mkdocs.yml, package.json and 2 more";
    assert!(plan.stderr.contains(left), "{plan}");
    assert_eq!(plan.stderr.matches("skipped").count(), 1, "{plan}");
    let named = env.run("plan package.json");
    assert!(named.exit == 8 && named.stderr.contains("package.json:1:2"), "{named}");
    let nothing = env.run("plan images");
    assert!(nothing.exit == 2 && nothing.stderr.contains("no page or form file"), "{nothing}");
}

#[test]
fn a_login_is_changed_only_with_consent_and_the_file_still_applies_after_it() {
    let env = env();
    ok(&env, "init");
    let text = "profile: cafe\nlogin: cafe.qara\ntitle: Renamed\n";
    env.file("cafe.yaml", text);
    let refused = env.run("apply --yes");
    assert!(refused.exit == 14 && refused.stderr.contains("--allow-rename"), "{refused}");
    let plan = env.run("plan");
    assert_eq!(plan.stdout.matches("cafe.qara").count(), 1, "{plan}");
    assert!(plan.stdout.contains("! cafe: new login \"cafe.qara\"; existing links"), "{plan}");
    assert!(plan.stdout.contains("~ cafe: title\n"), "{plan}");
    env.operations();
    assert_eq!(writes(&env), [""; 0]);
    ok(&env, "apply --allow-rename");
    assert_eq!(writes(&env), ["updateProfile", "updateProfileSettings"]);
    assert_eq!(env.server.account().profiles[0].login, "cafe.qara");
    assert!(ok(&env, "apply").stdout.contains("no changes"));
    // Without the lock the page is found by its new login.
    fs::remove_file(path(&env, "links.lock")).unwrap();
    assert!(ok(&env, "apply cafe.yaml").stdout.contains("no changes"));
    // Only the named fields were written.
    assert_eq!(env.server.account().profiles[0].slots.len(), 14);
}

#[test]
fn a_login_that_is_taken_is_refused_at_its_line_before_anything_is_written() {
    let env = account_of_files();
    env.file("cafe.yaml", "profile: cafe\nlogin: qara.weddings\ntitle: Renamed\n");
    env.file("astana.yaml", "profile: settings\ntitle: Reserved\n");
    let run = env.run("apply --yes --allow-rename --allow-create 2");
    assert!(run.exit == 8 && run.stderr.contains("cafe.yaml:2:8"), "{run}");
    assert!(run.stderr.contains("astana.yaml:1:10"), "{run}");
    assert_eq!(writes(&env), [""; 0]);
}

#[test]
fn a_plan_refuses_logins_that_cannot_be_at_their_lines() {
    let env = env();
    for (name, page, place, why) in [
        ("short.yaml", "profile: ab\ntitle: Two letters\n", "short.yaml:1:10", "ab"),
        ("taken.yaml", "profile: cafe\nlogin: qara.weddings\n", "taken.yaml:2:8", "qara.weddings"),
        (
            "reserved.yaml",
            "# A page\n\nprofile: settings\ntitle: A\n",
            "reserved.yaml:3:10",
            "settings",
        ),
        ("renamed.yaml", "profile: cafe\ntitle: A\nlogin: logout\n", "renamed.yaml:3:8", "logout"),
    ] {
        env.file(name, page);
        for line in [
            format!("plan {name}"),
            format!("plan {name} --out saved.json"),
            format!("apply {name} --yes --allow-create 1 --allow-rename --dry-run"),
            format!("apply {name} --yes --allow-create 1 --allow-rename --dry-run=request"),
        ] {
            let run = env.run(&line);
            assert_eq!(run.exit, 8, "{run}");
            let said = format!("the login `{why}` is not available");
            assert!(run.stderr.contains(place) && run.stderr.contains(&said), "{run}");
        }
    }
    assert!(!path(&env, "saved.json").exists());
    // Its own login, and a free one.
    env.file("free.yaml", "profile: cafe\nlogin: CAFE\ntitle: A\n");
    assert_eq!(env.run("plan free.yaml").exit, 3);
    env.file("free.yaml", "profile: cafe\nlogin: cafe.two\n");
    assert_eq!(env.run("plan free.yaml").exit, 3);
    // Nothing is asked about logins where none is new.
    env.operations();
    env.file("same.yaml", "profile: cafe\ntitle: A\n");
    assert_eq!(env.run("plan same.yaml").exit, 3);
    assert!(!env.operations().iter().any(|it| ["checkLogin", "listProfiles"].contains(&&**it)));
    assert_eq!(writes(&env), [""; 0]);
}

#[test]
fn a_misspelt_page_is_shown_with_the_page_that_may_be_meant() {
    let env = env();
    env.file("cafe.yaml", "profile: cafee\ntitle: Anew\n");
    let plan = env.run("plan cafe.yaml");
    assert_eq!(plan.exit, 3, "{plan}");
    assert!(plan.stdout.contains("new page (`links` can't delete it)"), "{plan}");
    assert!(plan.stdout.contains("did you mean the page `cafe`?"), "{plan}");
    let run = env.run("apply cafe.yaml --yes");
    assert!(run.exit == 14 && run.stderr.contains("did you mean the page `cafe`?"), "{run}");
    // Not a page that has a file of its own.
    env.file("own.yaml", "profile: cafe\ntitle: A\n");
    assert!(!env.run("plan cafe.yaml own.yaml").stdout.contains("did you mean"));
    // A file of slots alone cannot create the page.
    let env = env.keeping_cache();
    ok(&env, "profile list");
    env.file("slots.yaml", "profile: cafee\nslots: []\n");
    for line in ["slots plan slots.yaml", "slots apply slots.yaml --yes"] {
        let run = env.run(line);
        assert_eq!(run.exit, 6, "{run}");
        assert!(run.stderr.contains("page `cafee` not found; did you mean `cafe`?"), "{run}");
    }
    // The IDs of a page that does not exist are one mistake, not one for each slot.
    env.file(
        "ids.yaml",
        "profile: cafee\nslots:\n  - {id: 1001, type: text}\n  - {id: 1002, type: button}\n",
    );
    let run = env.run("plan ids.yaml -o json");
    let places = run.error()["places"].as_array().unwrap().clone();
    assert_eq!((run.exit, places.len()), (8, 1), "{run}");
    assert_eq!(
        (&places[0]["line"], &places[0]["hint"]),
        (&json!(1), &json!("did you mean `cafe`?"))
    );
}

#[test]
fn a_login_that_is_taken_after_the_check_is_refused_and_the_rest_stays_written() {
    let env = env();
    env.file("cafe.yaml", "profile: cafe\nlogin: cafe.qara\ntitle: Renamed\n");
    env.run("plan cafe.yaml");
    let reads = env.operations().len();
    // The login is checked, the title is written, then the login.
    env.server.edit_before(reads + 2, |account| account.profiles[1].login = "cafe.qara".to_owned());
    let run = env.run("apply cafe.yaml --allow-rename");
    assert!(run.exit == 12 && run.stderr.contains("title before that"), "{run}");
    let page = env.server.account().profiles[0].clone();
    assert_eq!((page.login.as_str(), page.title.as_deref()), ("cafe", Some("Renamed")));
    env.file("cafe.yaml", "profile: cafe\ntitle: Renamed\n");
    assert!(ok(&env, "apply cafe.yaml").stdout.contains("no changes"));
}

#[test]
fn a_new_page_is_read_at_most_once_before_its_first_write() {
    // A wait for a limit would be followed by a read. `me` learns that none is in reach.
    let limits = Limits { requests_per_second: 1000, ..Limits::default() };
    let env = TestEnv::with(|server| server.limits(limits)).keeping_state();
    ok(&env, "me");
    env.file("astana.yaml", "profile: qara.astana\nslots: [{type: text, data: {title: Soon}}]\n");
    ok(&env, "apply astana.yaml --yes --allow-create 1");
    let account = env.server.account();
    let id = account.profiles.iter().find(|page| page.login == "qara.astana").unwrap().id;
    let requests = env.server.requests();
    let is_of_page = |path: &str| path.contains(&format!("/profiles/{id}"));
    let of_page = requests.iter().filter(|it| is_of_page(&it.path));
    let reads = of_page.take_while(|it| it.method == "GET").map(|it| format!("{it:?}"));
    let reads: Vec<_> = reads.collect();
    assert_eq!(reads.len(), 1, "{reads:?}");
}

#[test]
fn two_form_files_of_one_title_are_two_forms_also_after_a_kill() {
    let env = env();
    ok(&env, "init");
    let form = "title: Same\nfields: [{type: text, label: Name, required: true}]\n";
    env.file("one.yaml", format!("form: one\n{form}"));
    ok(&env, "apply --allow-create 1");
    env.file("two.yaml", format!("form: two\n{}", form.replace("Name", "Phone")));
    ok(&env, "apply --allow-create 1");
    let labels = || -> Vec<String> {
        let forms = env.server.account().forms;
        forms
            .iter()
            .filter(|form| form.title == "Same")
            .map(|form| form.fields[0].label.clone())
            .collect()
    };
    assert_eq!(labels(), ["Name", "Phone"]);
    assert!(ok(&env, "plan").stdout.contains("no changes"));
}

#[test]
fn a_reference_to_a_form_that_was_created_again_reaches_the_page() {
    let env = account_of_files();
    ok(&env, APPLY);
    // The form is deleted in the dashboard.
    env.server.edit(|account| account.forms.retain(|form| form.title != "Write to us"));
    ok(&env, "apply --allow-create 1");
    let account = env.server.account();
    let form = account.forms.iter().find(|form| form.title == "Write to us").unwrap();
    let astana = account.profiles.iter().find(|page| page.login == "qara.astana").unwrap();
    assert_eq!(json!(astana.slots[0].data["formId"]), json!(form.id));
    assert!(ok(&env, "plan").stdout.contains("no changes"));
}

#[test]
fn commands_for_slots_leave_the_record_of_the_fields_as_it_is() {
    let env = env();
    ok(&env, "init");
    env.file("cafe.yaml", CAFE);
    ok(&env, "apply --yes");
    let slots = ok(&env, "slots apply cafe.yaml");
    assert!(!slots.to_string().contains("no longer in the file"), "{slots}");
    env.server.edit(|account| account.profiles[0].title = Some("Theirs".to_owned()));
    let kept = ok(&env, "apply");
    assert!(kept.stdout.contains("on the page since the last sync; kept"), "{kept}");
}

#[test]
fn fields_that_differ_after_a_rebuilt_record_are_conflicts() {
    let env = env();
    ok(&env, "init");
    env.file("cafe.yaml", CAFE);
    ok(&env, "apply --yes");
    env.server.edit(|account| account.profiles[0].title = Some("Theirs".to_owned()));
    let lock = fs::read_to_string(path(&env, "links.lock")).unwrap();
    env.file("links.lock", format!("{lock}damaged\n"));
    ok(&env, "init --refresh");
    let run = env.run("apply");
    assert!(run.exit == 7 && run.stderr.contains("cafe.yaml:2:8"), "{run}");
    assert_eq!(env.server.account().profiles[0].title.as_deref(), Some("Theirs"));
}

#[test]
fn a_dry_run_without_a_request_to_show_has_nothing_to_do() {
    let env = env();
    ok(&env, "init");
    env.file("cafe.yaml", CAFE);
    assert_eq!(env.run("apply --dry-run=request").exit, 3);
    ok(&env, "apply --yes");
    ok(&env, "apply --dry-run=request");
}

#[test]
fn two_files_that_name_one_page_by_login_and_by_id_are_refused() {
    let env = env();
    env.file("one.yaml", "profile: cafe\ntitle: One\n");
    env.file("two.yaml", "profile: 101\ntitle: Two\n");
    for verb in ["plan", "apply", "apply --wait"] {
        let run = env.run(&format!("{verb} one.yaml two.yaml"));
        let message = "one.yaml and two.yaml are both files for the page with the ID 101; nothing was written";
        assert!(run.exit == 8 && run.stderr.contains(message), "{run}");
    }
    assert_eq!(writes(&env), [""; 0]);
}

#[test]
fn a_status_is_refused_at_its_line_where_statuses_are_switched_off() {
    let env =
        TestEnv::with(|it| it.choices(Choices { no_status_feature: true, ..Choices::default() }));
    env.file("cafe.yaml", "profile: cafe\ntitle: A\nmoodText: Open\n");
    let run = env.run("apply cafe.yaml");
    assert!(run.exit == 8 && run.stderr.contains("cafe.yaml:3:1"), "{run}");
    assert_eq!(writes(&env), [""; 0]);
}

#[test]
fn a_page_that_was_created_and_cannot_be_planned_then_is_said_to_exist() {
    let env =
        TestEnv::with(|it| it.choices(Choices { no_status_feature: true, ..Choices::default() }));
    env.file("astana.yaml", "profile: qara.astana\ntitle: Astana\nmoodText: Open\n");
    env.file("cafe.yaml", "profile: cafe\ntitle: One\n");
    let run = env.run("apply astana.yaml cafe.yaml --allow-create 1");
    assert!(run.exit == 12 && run.stderr.contains("page created before that"), "{run}");
    assert!(run.stderr.contains("astana.yaml:3:1"), "{run}");
    let account = env.server.account();
    let titles: Vec<_> = account.profiles.iter().map(|page| page.title.as_deref()).collect();
    assert_eq!((titles[0], titles[2]), (Some("One"), None), "{titles:?}");
    env.file("astana.yaml", "profile: qara.oral\nmoodText: Open\n");
    let json = env.run("apply astana.yaml --allow-create 1 -o json").error();
    assert_eq!((&json["exit"], &json["written"]), (&json!(12), &json!("page created before that")));
}

#[test]
fn a_page_of_someone_else_and_a_page_that_is_gone_are_refused_before_anything_is_written() {
    let env = account_of_files();
    env.file("other.yaml", "profile: 999999\ntitle: Not ours\n");
    let run = env.run(APPLY);
    assert!(run.exit == 6 && run.stderr.to_lowercase().contains("not found"), "{run}");
    assert_eq!(writes(&env), [""; 0]);
}

#[test]
fn a_page_that_fails_does_not_stop_the_others_and_the_same_command_goes_on() {
    let env = env();
    env.file("cafe.yaml", "profile: cafe\ntitle: One\n");
    env.file("weddings.yaml", "profile: qara.weddings\ntitle: Two\n");
    // The first write fails.
    env.run("plan cafe.yaml weddings.yaml");
    let reads = env.operations().len();
    env.server.fail([reads + 1], &Fault::Before(403));
    let run = env.run("apply cafe.yaml weddings.yaml");
    assert!(run.exit == 12 && run.stderr.contains("qara.weddings: title"), "{run}");
    // One line says which page failed, and why, and what to do about that.
    let failed = "cafe: Server Error; nothing was written; use a token that may change this page (this one may be read-only)\n";
    assert!(
        run.stderr.contains("1 of 2 pages failed (the other pages match their files)"),
        "{run}"
    );
    assert!(run.stderr.contains(failed) && run.stderr.matches('×').count() == 1, "{run}");
    let titles = || -> Vec<_> {
        env.server.account().profiles.iter().map(|page| page.title.clone().unwrap()).collect()
    };
    assert_eq!(titles(), ["Qara Coffee", "Two"]);
    ok(&env, "apply cafe.yaml weddings.yaml");
    assert_eq!(titles(), ["One", "Two"]);
}

#[test]
fn a_form_changes_with_its_keys_kept_and_the_pages_that_show_it_are_named() {
    let env = env();
    ok(&env, "init");
    let form = env.server.account().forms[0].clone();
    let fields: Vec<String> = form
        .fields
        .iter()
        .map(|field| {
            format!("  - {{label: '{}', type: {}, required: true}}\n", field.label, field.kind)
        })
        .collect();
    env.file(
        "form.yaml",
        format!(
            "form: main\ntitle: '{}'\nbuttonText: Go\nfields:\n{}",
            form.title,
            fields.concat()
        ),
    );
    env.file("cafe.yaml", "profile: cafe\ntitle: A\n");
    let plan = env.run("plan");
    assert!(plan.stdout.contains("~ form main (shown on cafe)"), "{plan}");
    let lines: Vec<&str> = plan.stdout.lines().collect();
    let button = format!("    buttonText: \"{}\" → \"Go\"", form.button_text);
    assert!(lines.contains(&button.as_str()), "{plan}");
    for field in form.fields.iter().filter(|field| !field.required) {
        let line = format!("    fields.{}.required: false → true", field.key);
        assert!(lines.contains(&line.as_str()), "{line}: {plan}");
    }
    assert!(plan.stdout.contains(".required: false → true"), "{plan}");
    ok(&env, "apply");
    let now = env.server.account().forms[0].clone();
    let keys = |form: &links_fixtures::Form| -> Vec<String> {
        form.fields.iter().map(|field| field.key.clone()).collect()
    };
    assert_eq!((keys(&now), now.button_text.as_str()), (keys(&form), "Go"));
    env.file("form.yaml", format!("form: main\ntitle: '{}'\nfields:\n{}", form.title, fields[0]));
    let refused = env.run("apply");
    assert!(refused.exit == 14 && refused.stderr.contains("removed form field"), "{refused}");
    ok(&env, "apply --yes");
    assert_eq!(keys(&env.server.account().forms[0]), keys(&form)[..1]);
}

#[test]
fn only_what_the_lock_identifies_is_applied_with_locked() {
    let env = account_of_files();
    let run = env.run("apply --locked --yes --allow-create 2");
    assert!(run.exit == 14 && run.stderr.contains("--locked"), "{run}");
    assert_eq!(writes(&env), [""; 0]);
    ok(&env, APPLY);
    let before = fs::read_to_string(path(&env, "links.lock")).unwrap();
    env.file("cafe.yaml", CAFE.replace("at night", "by night"));
    ok(&env, "apply --locked");
    let after = fs::read_to_string(path(&env, "links.lock")).unwrap();
    assert_eq!(before, after);
    assert_eq!(env.server.account().profiles[0].title.as_deref(), Some("Qara by night"));
}

#[test]
fn a_form_is_identified_by_the_lock_alone_with_locked() {
    let env = env();
    ok(&env, "init");
    let title = env.server.account().forms[0].title.clone();
    let file = |name: &str| {
        let item = format!("{{type: form, data: {{formId: {{$form: '{name}'}}}}}}");
        env.file("cafe.yaml", format!("profile: cafe\nslots:\n  - {item}\n"));
    };
    file(&title);
    ok(&env, "apply cafe.yaml");
    env.operations();
    for line in ["apply --locked --yes", "slots apply cafe.yaml --locked"] {
        let refused = env.run(line);
        assert!(refused.exit == 14 && refused.stderr.contains("cafe.yaml:3:41"), "{refused}");
        let message = format!("form \"{title}\" is not in links.lock");
        assert!(refused.stderr.contains(&message), "{refused}");
        assert_eq!(env.operations(), [""; 0], "{refused}");
    }
    // The lock has the forms of form files.
    env.file("main.yaml", format!("form: main\ntitle: '{title}'\n"));
    file("main");
    ok(&env, "apply");
    ok(&env, "apply --locked");
    ok(&env, "slots apply cafe.yaml --locked");
    // A form of the same title does not replace the one of the lock.
    env.server.edit(|account| {
        account.forms[0].id = "00000000-0000-4000-8000-000000000001".to_owned();
        account.forms[0].title = "main".to_owned();
    });
    let gone = env.run("slots apply cafe.yaml --locked");
    assert!(
        gone.exit == 8 && gone.stderr.contains("which links.lock records for \"main\""),
        "{gone}"
    );
}

#[test]
fn a_form_whose_file_and_lock_have_different_ids_is_refused_with_locked() {
    let env = env();
    ok(&env, "init");
    let first = env.server.account().forms[0].clone();
    env.file("main.yaml", format!("form: main\ntitle: '{}'\n", first.title));
    ok(&env, "apply");
    let other = "00000000-0000-4000-8000-000000000001";
    env.server.edit(|account| {
        account.forms.push(links_fixtures::Form { id: other.to_owned(), ..first.clone() });
    });
    let before = text(&env, "links.lock");
    env.file("main.yaml", format!("form: main\nid: {other}\ntitle: Ours\n"));
    env.operations();
    let refused = env.run("apply --locked --yes");
    assert!(refused.exit == 14 && refused.stderr.contains("main.yaml:2:5"), "{refused}");
    assert!(refused.stderr.contains(&first.id), "{refused}");
    assert_eq!((writes(&env), text(&env, "links.lock")), (Vec::new(), before));
    env.file("main.yaml", format!("form: main\nid: {}\ntitle: Ours\n", first.id));
    ok(&env, "apply --locked --yes");
    assert_eq!(env.server.account().forms[0].title, "Ours");
}

#[test]
fn a_url_as_profile_has_the_host_of_the_page() {
    let env = env();
    ok(&env, "init");
    let slots = "slots:\n  - {id: 1001, type: text}\n";
    let write = |url: &str| env.file("cafe.yaml", format!("profile: {url}\n{slots}"));
    for url in ["https://links.example/cafe", "http://LINKS.example:80/cafe?utm=1"] {
        write(url);
        assert!([0, 3].contains(&env.run("plan cafe.yaml").exit), "{url}");
        assert!([0, 3].contains(&env.run("slots plan cafe.yaml").exit));
    }
    for url in ["https://evil.test/cafe", "https://links.example@evil.test/cafe"] {
        write(url);
        for line in [
            "plan",
            "apply --yes",
            "slots plan cafe.yaml",
            "slots apply cafe.yaml",
            "init --refresh",
        ] {
            let run = env.run(line);
            assert!(run.exit == 8 && run.stderr.contains("cafe.yaml:1:10"), "{line}: {run}");
            assert!(run.stderr.contains("is on links.example, not on evil.test"), "{line}: {run}");
        }
    }
    env.file("cafe.yaml", "profile: https://links.example/qara.astana\ntitle: New\n");
    let new = env.run("apply --allow-create 1");
    assert!(
        new.exit == 8 && new.stderr.contains("to create the page, write `profile: qara.astana`"),
        "{new}"
    );
    assert_eq!(writes(&env), [""; 0]);
}

#[test]
fn a_dry_run_shows_the_request_that_creates_a_page_and_names_the_others() {
    let env = account_of_files();
    env.file(
        "astana.yaml",
        ASTANA.to_owned() + "  - {type: picture, data: {image: {$upload: images/logo.gif}}}\n",
    );
    let run = env.run("apply astana.yaml contact.yaml --dry-run=request");
    assert_eq!(run.exit, 3, "{run}");
    assert_eq!(writes(&env), [""; 0]);
    let lines: Vec<&str> = run.stdout.lines().collect();
    let create =
        lines.iter().position(|line| line.contains("/profiles'") || line.contains("/profiles "));
    let create = create.unwrap_or_else(|| panic!("{run}"));
    assert!(lines[create].starts_with("curl -X POST "), "{run}");
    assert!(lines[create].contains("{\"login\":\"qara.astana\"}"), "{run}");
    assert!(lines[create - 1].starts_with("# uploadFile: "), "{run}");
    let later = &lines[create + 1..];
    let starts = [
        "# updateProfile: the URL contains the ID of the new page",
        "# createSlots: the URL contains ",
    ];
    assert_eq!(later.len(), starts.len(), "{run}");
    assert!(later.iter().zip(starts).all(|(line, start)| line.starts_with(start)), "{run}");
    let shown = env.run("apply astana.yaml contact.yaml --dry-run=request -o json").json();
    let what = |it: &Value| it.get("operation").unwrap_or(&it["body"]["login"]).clone();
    let what: Vec<_> = shown["data"].as_array().unwrap().iter().map(what).collect();
    let expected = [
        Value::Null,
        json!("uploadFile"),
        json!("qara.astana"),
        json!("updateProfile"),
        json!("createSlots"),
    ];
    assert_eq!(what, expected, "{shown}");
}

#[test]
fn a_run_that_is_killed_anywhere_is_completed_by_the_same_command_without_a_second_page_or_form() {
    completes_after_a_kill_anywhere(true);
}

#[test]
fn a_run_that_is_killed_anywhere_is_completed_on_another_machine_too() {
    completes_after_a_kill_anywhere(false);
}

fn completes_after_a_kill_anywhere(keeps_state: bool) {
    let expected = {
        let env = account_of_files();
        ok(&env, APPLY);
        content(&env.server.account())
    };
    let mut env = account_of_files();
    if keeps_state {
        let directory = env.home.path().join(".kept").display().to_string();
        env = env.keeping_state().env("LINKS_STATE_DIR", directory);
    }
    let beginning = Beginning::of(&env);
    for nth in places() {
        beginning.restore(&env);
        let ended = cut_short(&env, APPLY, &format!("any:{nth}"));
        if ended.status.success() {
            assert!(nth > 20, "only {nth} places");
            return;
        }
        assert_eq!(ended.status.code(), None, "{}", String::from_utf8_lossy(&ended.stderr));
        let next = env.run(APPLY);
        assert_eq!(next.exit, 0, "killed at place {nth}: {next}");
        assert_eq!(content(&env.server.account()), expected, "killed at place {nth}");
        let last = ok(&env, "plan");
        assert!(last.stdout.contains("no changes"), "killed at place {nth}: {last}");
    }
}

#[test]
fn a_refusal_tells_whether_a_request_of_an_interrupted_run_was_sent_again() {
    let env = env();
    ok(&env, "init");
    env.file("cafe.yaml", "profile: cafe\nslots: [{type: text, data: {title: New}}]\n");
    let directory = env.home.path().join(".kept").display().to_string();
    let env = env.keeping_state().env("LINKS_STATE_DIR", directory);
    let beginning = Beginning::of(&env);
    let mut sent_again = 0;
    for nth in 1.. {
        beginning.restore(&env);
        if cut_short(&env, "apply --yes", &format!("any:{nth}")).status.success() {
            break;
        }
        for login in ["qara.weddings", "qara.astana"] {
            let gone = "slots: [{id: 998, type: text, data: {title: Gone}}]";
            env.file(&format!("{login}.yaml"), format!("profile: {login}\n{gone}\n"));
        }
        env.server.edit(|account| account.profiles.truncate(2));
        env.operations();
        let refused = env.run("apply --yes --allow-create 1");
        let has_written = !writes(&env).is_empty();
        assert_eq!(
            refused.stderr.contains("; before that, createSlots was executed"),
            has_written,
            "{refused}"
        );
        assert_ne!(refused.stderr.contains("nothing was written"), has_written, "{refused}");
        sent_again += usize::from(has_written);
    }
    assert!(sent_again > 0);
}

#[test]
fn a_saved_plan_of_an_account_is_carried_out_as_it_is_or_not_at_all() {
    let env = account_of_files();
    env.server.edit(|account| account.channels[0].label = Some("Owner".to_owned()));
    let saved = env.run("plan --out plan.json");
    assert!(saved.exit == 3 && saved.stderr.contains("links apply --plan plan.json"), "{saved}");
    // The files may change meanwhile: the plan has their texts.
    env.file("cafe.yaml", CAFE.replace("at night", "by day"));
    env.server.edit(|account| account.profiles[0].title = Some("Theirs".to_owned()));
    env.operations();
    let stale = env.run("apply --plan plan.json --yes --allow-create 2");
    assert!(stale.exit == 7 && stale.stderr.contains("links plan"), "{stale}");
    assert_eq!(writes(&env), [""; 0]);
    env.server.edit(|account| account.profiles[0].title = Some("Qara Coffee".to_owned()));
    ok(&env, "apply --plan plan.json --yes --allow-create 2");
    let account = env.server.account();
    assert_eq!(account.profiles[0].title.as_deref(), Some("Qara at night"));
    assert_eq!((account.profiles.len(), account.forms.len()), (3, 2));

    env.operations();
    let edited = text(&env, "plan.json").replace("Qara at night", "Forged");
    env.file("edited.json", edited);
    let run = env.run("apply --plan edited.json --yes");
    assert!(run.exit != 0 && writes(&env).iter().all(|it| it != "updateProfile"), "{run}");
    let slots = env.run("slots apply --plan plan.json");
    assert!(slots.exit == 2 && slots.stderr.contains("links apply --plan plan.json"), "{slots}");
    let named = env.run("plan plan.json");
    assert!(
        named.exit == 2 && named.stderr.contains("run `links apply --plan plan.json`"),
        "{named}"
    );
}

#[test]
fn a_saved_plan_that_deletes_is_carried_out_beside_a_new_page_too() {
    for new in ["a.yaml", "zen.yaml"] {
        let env = env();
        env.file("cafe.yaml", "profile: cafe\nslots:\n  - {id: 1001, type: text}\n");
        env.file(new, "profile: qara.astana\ntitle: Astana\n");
        let saved = env.run("plan . --prune --max-deletes 99 --out plan.json");
        assert_eq!(saved.exit, 3, "{saved}");
        let again = env.run("apply --plan plan.json --prune --yes");
        assert!(
            again.exit == 2 && again.stderr.contains("already lists everything to be deleted"),
            "{again}"
        );
        ok(&env, "apply --plan plan.json --yes --max-deletes 99 --allow-create 1");
        let account = env.server.account();
        let ids: Vec<_> = account.profiles[0].slots.iter().map(|slot| slot.id).collect();
        assert!(ids.contains(&1001) && !ids.contains(&1002), "{ids:?}");
        assert_eq!(account.profiles[2].title.as_deref(), Some("Astana"));
    }
}

#[test]
fn a_plan_is_appended_to_a_job_summary_and_noted_at_the_lines_of_its_files() {
    let env = env();
    ok(&env, "init");
    env.file("cafe.yaml", CAFE);
    ok(&env, "apply --yes");
    env.server.edit(|account| account.profiles[0].description = Some("```evil```".to_owned()));
    env.file("cafe.yaml", CAFE.replace("Good night!", "Good day!").replace("at night", "`by` day"));
    env.file("summary.md", "before\n");
    env.server.edit(|account| account.profiles[0].mood_text = Some("Theirs".to_owned()));
    let plan = env.run("plan --summary summary.md --annotate github");
    assert_eq!(plan.exit, 3, "{plan}");
    let summary = text(&env, "summary.md");
    assert!(
        summary.starts_with("before\n### links plan: ")
            && summary.contains("```diff\n~ cafe: title"),
        "{summary}"
    );
    for note in [
        "::notice file=cafe.yaml,line=2::writes title",
        "::warning file=cafe.yaml,line=7::",
        "::notice file=cafe.yaml,line=10::updates slot 1001: title",
    ] {
        assert!(plan.stderr.contains(note), "{note}: {plan}");
    }
}

#[test]
fn an_expired_status_is_no_difference_and_is_written_again_on_request() {
    let env = TestEnv::in_june();
    env.file("cafe.yaml", "profile: cafe\nmoodText: Open late\nmoodHours: 4\n");
    ok(&env, "apply cafe.yaml");
    assert!(ok(&env, "apply cafe.yaml --renew-status").stdout.contains("no changes"));
    env.server.edit(|account| {
        let set = account.profiles[0].mood_set_at.unwrap();
        account.profiles[0].mood_set_at = set.checked_sub(jiff::SignedDuration::from_hours(5)).ok();
    });
    assert!(ok(&env, "apply cafe.yaml").stdout.contains("no changes"));
    let renewed = ok(&env, "apply cafe.yaml --renew-status");
    assert!(renewed.stdout.contains("moodHours, moodText"), "{renewed}");
    assert!(ok(&env, "apply cafe.yaml --renew-status").stdout.contains("no changes"));
}

#[test]
fn an_expired_status_that_another_client_wrote_is_not_posted_again() {
    let env = TestEnv::in_june();
    ok(&env, "init");
    env.file("cafe.yaml", "profile: cafe\nmoodText: Open late\nmoodHours: 4\n");
    ok(&env, "apply");
    let expire = |text: &str, hours: i64| {
        env.server.edit(|account| {
            let page = &mut account.profiles[0];
            (page.mood_text, page.mood_hours) = (Some(text.to_owned()), Some(hours));
            page.mood_set_at = Some("2020-01-01T00:00:00Z".parse().unwrap());
        });
        env.server.account().profiles[0].clone()
    };
    let theirs = expire("Theirs", 4);
    let kept = ok(&env, "apply --renew-status");
    assert!(kept.stdout.contains("no changes"), "{kept}");
    assert!(kept.stdout.contains("`moodText` changed to \"Theirs\" on the page"), "{kept}");
    assert_eq!(env.server.account().profiles[0], theirs, "{kept}");
    ok(&env, "apply --force");
    assert_eq!(env.server.account().profiles[0].mood_text.as_deref(), Some("Open late"));
    expire("Open late", 8);
    ok(&env, "apply --renew-status");
    let page = env.server.account().profiles[0].clone();
    assert_eq!((page.mood_text.as_deref(), page.mood_hours), (Some("Open late"), Some(8)));
    assert!(ok(&env, "apply --renew-status").stdout.contains("no changes"));
}

#[test]
fn a_file_of_another_page_than_the_pinned_ones_is_refused() {
    let env = account_of_files();
    let run = env.run("apply --only cafe --only qara.weddings --yes --allow-create 2");
    assert!(run.exit == 14 && run.stderr.contains("the page qara.astana (new)"), "{run}");
    assert_eq!(writes(&env), [""; 0]);
    fs::remove_file(path(&env, "astana.yaml")).unwrap();
    ok(&env, "apply --only cafe --only qara.weddings --yes --allow-create 2");
}

#[test]
fn two_edits_are_applied_from_two_empty_runners_that_share_the_lock_through_git() {
    let env = account_of_files();
    // No state is kept between the commands of this test: each is a runner of its own.
    ok(&env, APPLY);
    for title in ["by day", "by night"] {
        env.file("cafe.yaml", CAFE.replace("at night", title).replace("Good night!", title));
        ok(&env, "apply");
        let page = env.server.account().profiles[0].clone();
        assert_eq!(page.title, Some(format!("Qara {title}")));
        assert_eq!(json!(page.slots[0].data["title"]), json!(title));
        assert!(ok(&env, "plan").stdout.contains("no changes"));
    }
}

#[test]
fn a_file_without_a_lock_that_names_another_page_is_not_merged_by_the_record_of_the_first() {
    let env = env().keeping_state();
    let text = "profile: qara.weddings\ntitle: W\nslots:\n  - {type: divider}\n";
    env.file("c.yaml", text);
    ok(&env, "apply c.yaml");
    env.file("c.yaml", text.replace("qara.weddings", "tmpl.new"));
    ok(&env, "apply c.yaml --allow-create 1");
    let account = env.server.account();
    let page = account.profiles.iter().find(|page| page.login == "tmpl.new").unwrap();
    assert_eq!((page.title.as_deref(), page.slots.len()), (Some("W"), 1));
}

#[test]
fn a_page_is_renamed_twice_through_its_file_with_and_without_a_lock() {
    for has_lock in [true, false] {
        let env = env().keeping_state();
        if has_lock {
            ok(&env, "init");
        }
        for login in ["wed.two", "wed.three"] {
            env.file("a.yaml", format!("profile: qara.weddings\nlogin: {login}\n"));
            ok(&env, "apply a.yaml --allow-rename");
            assert_eq!(env.server.account().profiles[1].login, login);
        }
        assert_eq!(env.server.account().profiles.len(), 2);
    }
}

#[test]
fn a_language_that_the_service_does_not_have_is_refused_before_anything_is_written() {
    let env = env();
    env.file("cafe.yaml", "profile: cafe\ntitle: A\nlanguageCode: xx\n");
    let run = env.run("apply cafe.yaml");
    assert!(run.exit == 8 && run.stderr.contains("cafe.yaml:3:15"), "{run}");
    assert_eq!(writes(&env), [""; 0]);
}

#[test]
fn an_undo_takes_back_all_pages_and_forms_of_a_command_and_names_what_stays() {
    let env = env().keeping_state();
    env.file("a.yaml", "profile: cafe\ntitle: A\n");
    env.file("b.yaml", "profile: qara.weddings\ntitle: B\n");
    ok(&env, "apply a.yaml b.yaml");
    let undo = ok(&env, "undo --yes");
    assert!(undo.stderr.contains("(cafe, qara.weddings)"), "{undo}");
    assert_eq!(env.server.account().profiles[0].title.as_deref(), Some("Qara Coffee"));
    // A new form and a new page stay.
    env.file("a.yaml", "profile: cafe\ndescription: C\n");
    env.file(
        "form.yaml",
        "form: booking\nid: 6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21\ntitle: Other\n",
    );
    env.file("new.yaml", "form: new\ntitle: New\nfields: [{label: Name, type: text}]\n");
    env.file("page.yaml", "profile: brand.new\ntitle: New\n");
    ok(&env, "apply a.yaml form.yaml new.yaml page.yaml --allow-create 2");
    let undo = ok(&env, "undo --yes");
    assert!(
        undo.stderr.contains("lead forms can only be deleted in the dashboard; kept"),
        "{undo}"
    );
    assert!(undo.stderr.contains("pages can only be deleted in the dashboard"), "{undo}");
    assert_eq!(env.server.account().forms[0].title, "Book a table");
    assert_ne!(env.server.account().profiles[0].description.as_deref(), Some("C"));
}

/// Returns the requests of an apply that succeeds, and checks that it says how many they are and that a plan announced as many at least.
fn sent(env: &TestEnv, line: &str) -> Vec<String> {
    let plan = env.run(&format!("plan {line} -o json"));
    assert!([0, 3].contains(&plan.exit), "{plan}");
    env.operations();
    let run = ok(env, &format!("apply {line} --yes --allow-create 2 -o json"));
    let sent = env.operations();
    assert_eq!(run.json()["meta"]["requests"], sent.len(), "{run}");
    assert!(plan.json()["meta"]["requests"].as_u64().unwrap() >= sent.len() as u64, "{plan}{run}");
    sent
}

#[test]
fn a_page_costs_one_request_two_with_forms_and_three_for_a_title() {
    let env = env().keeping_cache();
    ok(&env, "slots types");
    ok(&env, "init");
    env.file("cafe.yaml", "profile: cafe\ntitle: Qara Coffee\n");
    assert_eq!(sent(&env, "cafe.yaml"), ["getProfile"]);
    env.file("cafe.yaml", "profile: cafe\ntitle: Qara at night\n");
    assert_eq!(sent(&env, "cafe.yaml"), ["getProfile", "updateProfile", "getProfile"]);
    assert_eq!(sent(&env, "cafe.yaml"), ["getProfile"]);
    let account = env.server.account();
    let (title, slots) = (&account.forms[0].title, &account.profiles[0].slots);
    let id = slots.iter().find(|slot| slot.kind == "form").unwrap().id;
    let slot = format!("  - {{id: {id}, type: form, data: {{formId: {{$form: '{title}'}}}}}}\n");
    env.file("cafe.yaml", format!("profile: cafe\nslots:\n{slot}"));
    sent(&env, "cafe.yaml");
    let mut again = sent(&env, "cafe.yaml");
    again.sort();
    assert_eq!(again, ["getProfile", "listForms"]);
}

#[test]
fn an_account_of_a_hundred_pages_with_nothing_to_do_costs_two_requests_more_at_most() {
    let env = TestEnv::with(|_| ContractServer::builder(World::full()).no_limits())
        .env("LINKS_TEST_NO_WAIT", "1");
    for page in &env.server.account().profiles {
        let slots: Vec<Value> = page
            .slots
            .iter()
            .map(|slot| json!({ "id": slot.id, "type": slot.kind, "data": slot.data }))
            .collect();
        let mut file = json!({ "profile": page.login, "title": page.title });
        if !slots.is_empty() {
            file["slots"] = slots.into();
        }
        env.file(&format!("{}.yaml", page.login), file.to_string());
    }
    assert_eq!(sent(&env, ".").len(), 101, "the list of the pages, and each page");
    ok(&env, "init");
    sent(&env, ".");
    // The lock has the ids.
    assert_eq!(sent(&env, ".").len(), 100);
}

#[test]
fn a_new_page_gets_the_language_of_its_file() {
    let env = env();
    env.file("terrace.yaml", "profile: qara.terrace\nlanguageCode: kk\n");
    let plan = env.run("plan terrace.yaml");
    assert_eq!(plan.exit, 3, "{plan}");
    ok(&env, "apply terrace.yaml --allow-create 1");
    let settings = env.run("profile settings qara.terrace -o json");
    assert_eq!(settings.json()["data"]["languageCode"], "kk", "{settings}");
    assert_eq!(env.run("plan terrace.yaml").exit, 0);
}

#[test]
fn a_new_page_with_a_hundred_slots_an_image_and_a_form_costs_fourteen_requests() {
    let env = env().keeping_cache();
    ok(&env, "slots types");
    ok(&env, "init");
    env.file("contact.yaml", CONTACT.split("notification").next().unwrap());
    let texts = (0..99).map(|nth| format!("  - {{type: text, data: {{title: Text {nth}}}}}\n"));
    env.file(
        "astana.yaml",
        format!(
            "profile: qara.astana\navatar: {{$upload: images/logo.gif}}\nslots:\n  \
             - {{type: form, data: {{formId: {{$form: contact}}}}}}\n{}",
            texts.collect::<String>()
        ),
    );
    let sent = sent(&env, "astana.yaml contact.yaml");
    let expected = [
        "listForms",
        "getProfile",
        "checkLogin",
        "listProfiles",
        "getMe",
        "uploadFile",
        "listForms",
        "createForm",
        "createProfile",
        "getProfile",
        "updateProfile",
        "createSlots",
        "createSlots",
        "getProfile",
    ];
    // After a wait for the rate limit the page is read once more before its fields are written.
    let mut sent = sent;
    let is_read_twice = sent[9..11].iter().all(|it| it == "getProfile");
    sent.drain(9..9 + usize::from(is_read_twice));
    assert_eq!(sent, expected);
    let page = env.server.account().profiles.last().unwrap().clone();
    assert_eq!((page.slots.len(), page.avatar.is_some()), (100, true));
}
