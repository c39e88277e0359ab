//! Tests of `links preview`: the page as its file would make it, without any write to the service.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use links_fixtures::{Choices, Fault, Slot};
use links_pages::page_file::local_image::hash_of;
use serde_json::{Value, json};

use crate::test_env::{CommandResult, TestEnv, picture};

const FILE: &str = "profile: cafe\ntitle: Qara, by the river\nslots:\n  - {id: 1001, type: text, data: {title: Good evening!}}\n  - {type: divider}\n";

fn env() -> TestEnv {
    TestEnv::cafe().keeping_state().keeping_cache().env("LINKS_TEST_NO_WAIT", "1")
}

/// Runs a preview, and checks that the service was only asked for records.
fn preview(env: &TestEnv, line: &str) -> CommandResult {
    let before = env.server.account();
    env.server.forget_requests();
    let run = env.run(line);
    let seen = env.server.requests();
    assert!(seen.iter().all(|it| it.method == "GET"), "{seen:?}");
    assert!(seen.len() <= 4, "{seen:?}");
    assert_eq!(env.server.account(), before, "{run}");
    run
}

/// Returns every file below a directory with its content.
fn files(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![directory.to_owned()];
    while let Some(directory) = waiting.pop() {
        for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
            if entry.file_type().unwrap().is_dir() {
                waiting.push(entry.path());
            } else {
                found.insert(entry.path(), std::fs::read(entry.path()).unwrap());
            }
        }
    }
    found
}

#[test]
fn a_preview_is_what_the_service_shows_after_apply() {
    let env = env();
    env.file("cafe.yaml", FILE);
    let shown = preview(&env, "preview cafe.yaml");
    assert_eq!(shown.exit, 0, "{shown}");
    let words = "rendered by the service";
    assert!(shown.stderr.contains(words) && shown.stderr.contains("tokens"), "{shown}");
    let json = preview(&env, "preview cafe.yaml -o json").json();
    assert_eq!(env.run("apply cafe.yaml --yes").exit, 0);
    let live = env.run("profile preview cafe");
    assert_eq!(shown.stdout, live.stdout);
    let live = env.run("profile preview cafe -o json").json();
    assert_eq!(json["data"]["tokens"], live["data"]["tokens"]);
    let (data, live) = (&json["data"], &live["data"]);
    assert_eq!((&data["markdown"], &data["renderedBy"]), (&live["markdown"], &json!("service")));
    assert_eq!((&data["tokensAreEstimated"], &data["differs"]), (&json!(false), &json!(true)));
    assert_eq!((&data["login"], &data["id"]), (&json!("cafe"), &json!(101)));
}

#[test]
fn a_preview_asks_for_what_is_not_cached_and_no_more() {
    let env = env();
    env.file("cafe.yaml", FILE);
    let asked = |line: &str| {
        let run = preview(&env, line);
        assert_eq!(run.exit, 0, "{run}");
        env.operations()
    };
    let all = ["getProfile", "listSlotTypes", "listForms", "previewProfileMarkdown"];
    assert_eq!(asked("preview cafe.yaml"), all);
    assert_eq!(asked("preview cafe.yaml"), ["getProfile", "listForms"]);
    env.server.edit(|account| account.forms[0].title = "Another".to_owned());
    let again = ["getProfile", "listForms", "previewProfileMarkdown"];
    assert_eq!(asked("preview cafe.yaml"), again);
    env.file("cafe.yaml", format!("{FILE}languageCode: kk\n"));
    assert_eq!(asked("preview cafe.yaml"), ["getProfile", "listForms", "getProfileSettings"]);
    let fresh = self::env();
    fresh.file("cafe.yaml", format!("{FILE}languageCode: kk\n"));
    // Four requests are the limit: how the service renders the page is not asked.
    let run = preview(&fresh, "preview cafe.yaml");
    assert!(run.exit == 0 && run.stderr.contains("may word it differently"), "{run}");
    let run = preview(&fresh, "preview cafe.yaml");
    assert!(run.stderr.contains("rendered by the service"), "{run}");
    // A page without forms, a file that refers to none.
    env.file("weddings.yaml", "profile: qara.weddings\ntitle: Weddings\n");
    assert_eq!(asked("preview weddings.yaml"), ["getProfile", "previewProfileMarkdown"]);
}

#[test]
fn a_diff_shows_what_changes_for_the_reader() {
    let env = env();
    env.file("cafe.yaml", FILE);
    let run = preview(&env, "preview cafe.yaml --diff");
    assert_eq!(run.exit, 3, "{run}");
    for line in
        ["-# Qara Coffee", "+# Qara, by the river", "-### Good morning!", "+### Good evening!"]
    {
        assert!(run.stdout.lines().any(|it| it == line), "{line}\n{run}");
    }
    let json = preview(&env, "preview cafe.yaml --diff -o json");
    assert_eq!((json.exit, &json.json()["data"]["diff"]), (3, &json!(run.stdout)));
    env.run("apply cafe.yaml --yes");
    let run = preview(&env, "preview cafe.yaml --diff");
    assert_eq!((run.exit, run.stdout.as_str()), (0, "cafe: no visible changes\n"), "{run}");
    let json = preview(&env, "preview cafe.yaml --diff -o json").json();
    assert_eq!((&json["data"]["differs"], &json["data"]["diff"]), (&json!(false), &json!("")));
}

#[test]
fn a_change_that_is_not_in_the_text_is_shown_as_one() {
    let env = env();
    env.file(
        "cafe.yaml",
        "profile: cafe\nslots: [{id: 1002, type: button, data: {style: outline}}]\n",
    );
    let run = preview(&env, "preview cafe.yaml --diff --summary summary.md");
    let said = "cafe: no changes in the text; run `links plan` to see the other changes\n";
    assert_eq!((run.exit, run.stdout.as_str()), (3, said), "{run}");
    let summary = std::fs::read_to_string(env.home.path().join("summary.md")).unwrap();
    assert!(summary.contains("\n\nno changes in the text; run `links plan` to see"), "{summary}");
    let json = preview(&env, "preview cafe.yaml --diff -o json").json();
    assert_eq!((&json["data"]["differs"], &json["data"]["diff"]), (&json!(true), &json!("")));
    let run = preview(&env, "preview cafe.yaml --html out");
    assert_eq!(run.stdout, "cafe: changed: out/cafe.html\nwrote out/index.html\n", "{run}");
    let out = env.home.path().join("out");
    let text = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    let page = text("cafe.html");
    assert_eq!(page.matches("<main").count(), 2, "{page}");
    assert!(page.contains("No changes in the text."), "{page}");
    let (before, after) = page.rsplit_once("<main").unwrap();
    let outline = "class=\"button outline\" href=\"https://qara.example/menu\"";
    assert!(!before.contains(outline) && after.contains(outline), "{page}");
    assert!(text("index.html").contains("1 page, 1 changed"), "{}", text("index.html"));
}

#[test]
fn pruned_slots_are_missing_in_the_preview() {
    let env = env();
    env.file("cafe.yaml", "profile: cafe\nslots: [{id: 1001, type: text, data: {title: Alone}}]\n");
    let run = preview(&env, "preview cafe.yaml --prune");
    assert!(run.stdout.contains("### Alone") && !run.stdout.contains("qara.example/menu"), "{run}");
    assert!(run.stderr.contains("`links apply` would refuse cafe"), "{run}");
    let kept = preview(&env, "preview cafe.yaml");
    assert!(kept.stdout.contains("qara.example/menu"), "{kept}");
}

#[test]
fn an_image_that_is_not_uploaded_is_shown_by_its_file() {
    let env = env();
    std::fs::create_dir(env.home.path().join("images")).unwrap();
    env.file("images/oven.gif", picture(9, 9));
    env.file("cafe.yaml", "profile: cafe\navatar: {$upload: images/oven.gif}\nslots:\n  - {type: picture, data: {title: Oven, image: {$upload: images/oven.gif}}}\n");
    let before = files(env.home.path());
    let run = preview(&env, "preview cafe.yaml");
    assert!(run.stdout.contains("![Avatar](images/oven.gif)"), "{run}");
    assert!(run.stdout.contains("![Oven](images/oven.gif)"), "{run}");
    assert!(!run.stdout.contains("unsent"), "{run}");
    let uploads = |name: &PathBuf| name.to_string_lossy().contains("uploads");
    assert!(!files(env.home.path()).keys().any(uploads), "{before:?}");
}

#[test]
fn a_page_that_does_not_exist_yet_is_previewed() {
    let env = env();
    env.file("oven.gif", picture(9, 9));
    env.file("new.yaml", "profile: spring.menu\ntitle: Spring\navatar: {$upload: oven.gif}\nslots:\n  - {type: button, data: {title: Menu, link: 'https://qara.example/m'}}\n  - {type: form, data: {formId: {$form: Book a table}, view: button}}\n");
    let run = preview(&env, "preview new.yaml");
    assert_eq!(run.exit, 0, "{run}");
    let start =
        "# Spring\n\n![Avatar](oven.gif)\n\n[Menu](https://qara.example/m)\n\n### Book a table\n";
    assert!(run.stdout.starts_with(start), "{run}");
    assert!(
        run.stderr.contains("new page, rendered locally") && run.stderr.contains("estimate"),
        "{run}"
    );
    let run = preview(&env, "preview new.yaml --diff -o json");
    assert_eq!((run.exit, &run.json()["data"]["id"]), (3, &json!(null)), "{run}");
    assert!(run.json()["data"]["diff"].as_str().unwrap().contains("+# Spring"), "{run}");
}

#[test]
fn a_file_that_cannot_be_planned_has_the_errors_of_plan() {
    let env = env();
    for text in [
        "profile: cafe\nslots: [{type: button, data: {titel: A, link: 'https://a.example'}}]\n",
        "profile: cafe\nslots: [{id: 99, type: text, data: {title: A}}]\n",
        "profile: cafe\nslots: [{type: form, data: {formId: {$form: Nothing}}}]\n",
        "profile: cafe\nslots: [{type: picture, data: {image: {$upload: none.png}}}]\n",
        "profile: 99\ntitle: A\n",
        "profile: cafe\nslots: [\n",
        "profile: cafe\ncolour: red\n",
    ] {
        env.file("cafe.yaml", text);
        let planned = env.run("plan cafe.yaml -o json");
        let run = preview(&env, "preview cafe.yaml -o json");
        assert_eq!((run.exit, run.error()), (planned.exit, planned.error()), "{text}");
        assert!(run.exit > 3, "{run}");
        let (planned, run) = (env.run("plan cafe.yaml"), preview(&env, "preview cafe.yaml"));
        assert_eq!(run.stderr, planned.stderr, "{text}");
    }
    assert_eq!(env.run("preview absent.yaml").exit, 2);
    env.file("booking.yaml", "form: booking\ntitle: Book\n");
    let run = preview(&env, "preview booking.yaml");
    assert!(run.exit == 2 && run.stderr.contains("is a form file"), "{run}");
}

#[test]
fn slot_types_that_are_out_of_date_are_read_again() {
    let env = env();
    env.file(
        "cafe.yaml",
        "profile: cafe\nslots: [{type: button, data: {title: A, link: 'https://a.example'}}]\n",
    );
    assert_eq!(preview(&env, "preview cafe.yaml").exit, 0);
    let cached = files(&env.home.path().join("cache"));
    let (path, text) =
        cached.iter().find(|(path, _)| path.to_string_lossy().contains("slot-types")).unwrap();
    let old = String::from_utf8(text.clone()).unwrap().replace("\"link\"", "\"goal\"");
    std::fs::write(path, old).unwrap();
    let run = preview(&env, "preview cafe.yaml");
    assert_eq!(run.exit, 0, "{run}");
    assert!(env.operations().contains(&"listSlotTypes".to_owned()));
    assert_eq!(files(&env.home.path().join("cache"))[path].len(), text.len());
}

#[test]
fn what_others_changed_is_in_the_preview_and_no_record_is_written() {
    let env = env();
    env.run("init .");
    env.file("cafe.yaml", FILE);
    assert_eq!(env.run("apply cafe.yaml --yes").exit, 0);
    env.server.edit(|account| {
        let page = account.profiles.iter_mut().find(|page| page.login == "cafe").unwrap();
        page.description = Some("Changed by others".to_owned());
        page.slots.iter_mut().find(|slot| slot.id == 1002).unwrap().data["title"] = json!("Theirs");
    });
    env.file("cafe.yaml", FILE.replace("Good evening!", "Good night!"));
    let state = |env: &TestEnv| {
        let mut all = files(env.home.path());
        all.retain(|path, _| {
            let name = path.to_string_lossy();
            !name.contains("/cache/") && !name.contains("rate-")
        });
        all
    };
    let before = state(&env);
    let run = preview(&env, "preview cafe.yaml");
    for text in ["Changed by others", "[Theirs]", "### Good night!"] {
        assert!(run.stdout.contains(text), "{text}\n{run}");
    }
    assert_eq!(state(&env), before);
    // Both sides changed the same value.
    env.server.edit(|account| {
        let page = account.profiles.iter_mut().find(|page| page.login == "cafe").unwrap();
        page.slots.iter_mut().find(|slot| slot.id == 1001).unwrap().data["title"] = json!("Theirs");
    });
    let (planned, run) = (env.run("plan cafe.yaml"), preview(&env, "preview cafe.yaml"));
    assert_eq!((run.exit, &run.stderr), (7, &planned.stderr), "{run}");
    let run = preview(&env, "preview cafe.yaml --force");
    assert!(run.exit == 0 && run.stdout.contains("### Good night!"), "{run}");
    assert_eq!(state(&env), before);
}

#[test]
fn a_service_that_renders_in_other_words_is_announced() {
    let env = env();
    env.file("cafe.yaml", FILE);
    let same = preview(&env, "preview cafe.yaml --diff -o json").json();
    let cached = files(&env.home.path().join("cache"));
    let is_markdown =
        |(path, _): &(&PathBuf, &Vec<u8>)| path.to_string_lossy().contains("markdown-101");
    let (path, text) = cached.iter().find(is_markdown).unwrap();
    let mut other: Value = serde_json::from_slice(text).unwrap();
    let content = &mut other["content"];
    content["text"] = json!(format!("{}\nIn other words.\n", content["text"].as_str().unwrap()));
    content["tokens"] = json!(2 * content["tokens"].as_u64().unwrap());
    std::fs::write(path, other.to_string()).unwrap();
    let run = preview(&env, "preview cafe.yaml --diff");
    assert!(run.exit == 3 && run.stderr.contains("may word it differently"), "{run}");
    let json = preview(&env, "preview cafe.yaml --diff -o json").json();
    let (data, same) = (&json["data"], &same["data"]);
    assert_eq!((&data["renderedBy"], &data["diff"]), (&json!("model"), &same["diff"]));
    assert_eq!(data["tokensAreEstimated"], true);
    assert_eq!(data["tokens"].as_u64().unwrap(), 2 * same["tokens"].as_u64().unwrap());
}

#[cfg(target_os = "linux")]
#[test]
fn a_preview_on_a_terminal_is_laid_out_and_a_diff_is_coloured() {
    let env = env();
    env.file("cafe.yaml", FILE);
    let seen = crate::terminal::run(&env, "preview cafe.yaml --color never", "");
    assert_eq!(seen.exit, 0, "{}", seen.text);
    for line in ["Qara, by the river", "Good evening!", "Menu <https://qara.example/menu>"] {
        assert!(seen.text.lines().any(|it| it.trim_end() == line), "{line}\n{}", seen.text);
    }
    assert!(!seen.text.contains(['#', '\u{1b}']), "{}", seen.text);
    let seen = crate::terminal::run(&env, "preview cafe.yaml --diff", "");
    assert!(seen.text.contains("\u{1b}[32m+### Good evening!"), "{}", seen.text);
    assert!(seen.text.contains("\u{1b}[31m-### Good morning!"), "{}", seen.text);
}

#[test]
fn a_page_that_is_too_long_is_a_no() {
    let env = env();
    env.file("cafe.yaml", FILE);
    let tokens = preview(&env, "preview cafe.yaml -o json").json()["data"]["tokens"].clone();
    let most = tokens.as_u64().unwrap();
    assert_eq!(preview(&env, &format!("preview cafe.yaml --max-tokens {most}")).exit, 0);
    let run = preview(&env, &format!("preview cafe.yaml --max-tokens {}", most - 1));
    assert!(
        run.exit == 3 && run.stderr.contains(&format!("over the limit of {}", most - 1)),
        "{run}"
    );
    assert!(run.stdout.starts_with("# Qara, by the river"), "{run}");
}

#[test]
fn a_summary_is_appended_in_markdown() {
    let env = env();
    env.file("cafe.yaml", FILE);
    env.file("summary.md", "before\n");
    assert_eq!(preview(&env, "preview cafe.yaml --diff --summary summary.md").exit, 3);
    assert_eq!(preview(&env, "preview cafe.yaml --summary summary.md").exit, 0);
    let text = std::fs::read_to_string(env.home.path().join("summary.md")).unwrap();
    assert!(
        text.starts_with("before\n### links preview: `cafe`: rendered by the service; "),
        "{text}"
    );
    assert!(text.contains("```diff\n--- the page\n+++ cafe.yaml\n"), "{text}");
    assert!(text.contains("```markdown\n# Qara, by the river\n"), "{text}");
}

#[test]
fn a_file_alone_needs_neither_account_nor_network() {
    let env = env().env("LINKS_BASE_URL", "").env("LINKS_TOKEN", "");
    env.file("oven.gif", picture(9, 9));
    env.file("cafe.yaml", "profile: cafe\ntitle: Qara\nlanguageCode: kk\nslots:\n  - {id: 1001, type: text, data: {title: Hello}}\n  - {id: 9, type: messenger}\n  - {id: 8, type: event}\n  - {type: picture, data: {title: Oven, image: {$upload: oven.gif}}}\n  - {type: form, data: {formId: {$form: Book a table}}}\n  - {id: 7, type: form, data: {formId: 6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21, buttonText: Write}}\n  - {type: button, data: {title: Half}}\n");
    let run = preview(&env, "preview cafe.yaml --offline");
    assert_eq!(run.exit, 0, "{run}");
    for text in [
        "# Qara\n",
        "### Hello",
        "![Oven](oven.gif)",
        "### Book a table",
        "**[Write]**",
        "messenger",
        "[Half]()",
    ] {
        assert!(run.stdout.contains(text), "{text}\n{run}");
    }
    assert!(run.stderr.contains("from the file alone"), "{run}");
    assert!(env.operations().is_empty());
    env.file("cafe.yaml", "profile: cafe\ncolour: red\n");
    assert_eq!(preview(&env, "preview cafe.yaml --offline").exit, 8);
    assert_eq!(env.run("preview cafe.yaml --offline --diff").exit, 2);
}

#[test]
fn a_pulled_page_is_previewed_as_it_is() {
    let env = env();
    env.run("pull cafe -O cafe.yaml");
    for line in ["preview cafe.yaml --diff", "preview cafe.yaml --diff --prune"] {
        let run = preview(&env, line);
        assert_eq!(run.exit, 0, "{run}");
    }
    let offline = preview(&env, "preview cafe.yaml --offline");
    assert!(offline.exit == 0 && offline.stdout.contains("# Qara Coffee"), "{offline}");
}

#[test]
fn a_preview_of_the_sandbox_leaves_it_as_it_is() {
    let env = env().env("LINKS_BASE_URL", "").env("LINKS_TOKEN", "").env("LINKS_SANDBOX", "1");
    env.file("cafe.yaml", FILE);
    assert_eq!(env.run("profile get cafe").exit, 0);
    let state = env.home.path().join(".local/state/links/sandbox.json");
    let before = std::fs::read(&state).unwrap();
    let run = env.run("preview cafe.yaml");
    assert!(run.exit == 0 && run.stderr.contains("rendered by the service"), "{run}");
    assert!(run.stdout.contains("### Good evening!"), "{run}");
    assert!(std::fs::read(&state).unwrap() == before);
}

#[test]
fn a_page_of_500_slots_is_previewed_from_standard_input() {
    let env = env();
    env.server.edit(|account| account.profiles[1].slots.clear());
    let mut text = "profile: qara.weddings\nslots:\n".to_owned();
    for nth in 0..500 {
        let _ = writeln!(text, "  - {{type: text, data: {{title: Dish {nth}}}}}");
    }
    let run = env.run_args(["preview", "-"], text.as_bytes());
    assert!(run.exit == 0 && run.stdout.ends_with("### Dish 499\n"), "{run}");
    assert!(env.server.account().profiles[1].slots.is_empty());
}

#[test]
fn a_page_of_another_reading_of_the_interface_is_previewed() {
    let choices = Choices {
        computed_in_data: true,
        unknown_fields: true,
        open_schemas: true,
        ..Choices::default()
    };
    let env = TestEnv::with(|builder| builder.choices(choices)).keeping_state().keeping_cache();
    env.file("cafe.yaml", FILE);
    let shown = preview(&env, "preview cafe.yaml");
    assert_eq!(shown.exit, 0, "{shown}");
    assert_eq!(env.run("apply cafe.yaml --yes").exit, 0);
    assert_eq!(env.run("profile preview cafe").stdout, shown.stdout);
}

#[test]
fn the_urls_of_files_are_those_of_the_service() {
    let choices =
        Choices { public_files: Some("https://cdn.example/v2/".to_owned()), ..Choices::default() };
    let env = TestEnv::with(|builder| builder.choices(choices)).keeping_state().keeping_cache();
    env.file("cafe.yaml", FILE);
    let run = preview(&env, "preview cafe.yaml");
    assert!(run.stdout.contains("(https://cdn.example/v2/uploads/"), "{run}");
    assert!(run.stderr.contains("rendered by the service"), "{run}");
}

#[test]
fn a_service_that_fails_ends_the_preview_with_its_error() {
    for (nth, status, exit) in [(1, 403, 5), (2, 401, 4), (3, 403, 5), (4, 403, 5)] {
        let env = self::env();
        env.file("cafe.yaml", FILE);
        env.server.fail([nth], &Fault::Before(status));
        let run = preview(&env, "preview cafe.yaml -o json");
        assert_eq!((run.exit, &run.error()["status"]), (exit, &json!(status)), "{run}");
    }
}

#[test]
fn a_legacy_slot_and_an_expired_status_stay_as_the_service_shows_them() {
    let env = env();
    env.server.edit(|account| {
        let page = &mut account.profiles[0];
        (page.mood_text, page.mood_hours) = (Some("Open late".to_owned()), Some(1));
        page.mood_set_at = Some("2020-01-01T00:00:00Z".parse().unwrap());
        let mut slot = Slot::new(4000, "messenger", serde_json::Map::new());
        slot.supported = false;
        page.slots.insert(0, slot);
        account.forms[0].submissions_limit = Some(1);
        account.forms[0].submissions = 1;
    });
    env.file("cafe.yaml", FILE);
    let run = preview(&env, "preview cafe.yaml");
    assert!(run.stderr.contains("rendered by the service"), "{run}");
    assert!(
        run.stdout.contains("*This form is closed.*") && !run.stdout.contains("Open late"),
        "{run}"
    );
}

/// The clock of the service is months behind.
#[test]
fn a_status_is_shown_for_as_long_as_the_service_shows_it() {
    let env = TestEnv::in_june();
    let now = "2026-06-09T09:00:00Z".parse().unwrap();
    for (hours, set_at, is_shown) in
        [(4, now, true), (4, "2026-06-01T12:00:00Z".parse().unwrap(), false), (999, now, true)]
    {
        env.server.edit(|account| {
            let page = &mut account.profiles[0];
            (page.mood_text, page.mood_hours) = (Some("Open late".to_owned()), Some(hours));
            page.mood_set_at = Some(set_at);
        });
        env.file("cafe.yaml", FILE);
        let run = preview(&env, "preview cafe.yaml");
        assert_eq!(run.stdout.contains("Open late"), is_shown, "{hours} hours: {run}");
    }
}

#[test]
fn a_slot_type_that_only_the_service_knows_is_named_as_unknown_to_the_preview() {
    let env = env();
    env.file("cafe.yaml", "profile: cafe\nslots: [{type: text, data: {title: A}}]\n");
    assert_eq!(preview(&env, "preview cafe.yaml").exit, 0);
    let cached = files(&env.home.path().join("cache"));
    let (path, text) =
        cached.iter().find(|(path, _)| path.to_string_lossy().contains("slot-types")).unwrap();
    let mut cached: Value = serde_json::from_slice(text).unwrap();
    let types = cached["content"][1].as_array_mut().unwrap();
    let mut new = types.iter().find(|it| it["type"] == "text").unwrap().clone();
    new["type"] = json!("video");
    types.push(new);
    std::fs::write(path, cached.to_string()).unwrap();
    env.file("cafe.yaml", "profile: cafe\nslots: [{type: video, data: {title: A}}]\n");
    let run = preview(&env, "preview cafe.yaml");
    assert_eq!(run.exit, 14, "{run}");
    let said = "cannot preview the page: unknown slot type `video`";
    assert!(run.stderr.contains(said) && !run.stderr.contains("would fail"), "{run}");
    assert_eq!(env.run("plan cafe.yaml").exit, 3);
}

#[test]
fn previews_are_written_as_documents_that_run_nothing() {
    let env = env();
    env.file("cafe.yaml", FILE.replace("Qara, by the river", "\"<script>x</script>\""));
    env.file("new.yaml", "profile: Index\navatar: {$upload: logo.gif}\nslots: []\n");
    env.file("same.yaml", "profile: qara.weddings\n title: x\n");
    env.file("weddings.yaml", "profile: qara.weddings\nlanguageCode: null\n");
    env.file("logo.gif", picture(9, 9));
    let out = env.home.path().join("out/pages");
    let run = env.run("preview cafe.yaml new.yaml same.yaml weddings.yaml --html out/pages");
    assert_eq!(run.exit, 8, "{run}");
    assert_eq!(
        run.stdout,
        "cafe: changed: out/pages/cafe.html\nIndex: new: out/pages/Index-2.html\nqara.weddings: unchanged: out/pages/qara.weddings.html\nwrote out/pages/index.html\n"
    );
    let all = files(&out);
    let names: Vec<_> = all.keys().map(|it| it.strip_prefix(&out).unwrap().to_owned()).collect();
    let image = format!("image/{}.gif", &hash_of(&picture(9, 9))[..32]);
    let expected = ["Index-2.html", "cafe.html", &image, "index.html", "qara.weddings.html"];
    assert_eq!(names, expected.map(PathBuf::from));
    let text = |name: &str| String::from_utf8(all[&out.join(name)].clone()).unwrap();
    assert!(text("cafe.html").contains("&lt;script&gt;x"), "{}", text("cafe.html"));
    for name in ["cafe.html", "index.html", "Index-2.html"] {
        let text = text(name);
        assert!(!text.contains("<script") && text.contains("default-src 'none'"), "{text}");
    }
    assert!(text("Index-2.html").contains(&format!("src=\"{image}\"")));
    assert!(text("cafe.html").matches("<main").count() == 2, "before and after");
    assert!(text("qara.weddings.html").matches("<main").count() == 1);
    let list = text("index.html");
    assert!(list.contains("3 pages, 2 changed") && list.contains("same.yaml:"), "{list}");

    // Again, into the same directory, with the data for a program.
    let run = env.run("preview cafe.yaml --html out/pages -o json --diff");
    assert_eq!(
        (run.exit, &run.json()["data"]["html"]),
        (3, &json!("out/pages/cafe.html")),
        "{run}"
    );
    #[cfg(unix)]
    {
        let elsewhere = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(env.home.path().join("site/.git")).unwrap();
        let link = env.home.path().join("site/out");
        std::os::unix::fs::symlink(elsewhere.path(), link).unwrap();
        let run = env.run("preview cafe.yaml --html site/out");
        assert!(run.exit != 0 && run.stderr.contains("points outside"), "{run}");
        assert!(files(elsewhere.path()).is_empty());
    }
    std::fs::create_dir(env.home.path().join("web")).unwrap();
    env.file("web/index.html", "<p>Mine");
    let run = env.run("preview cafe.yaml --html web");
    assert!(run.exit == 2 && run.stderr.contains("is not a preview"), "{run}");
    assert_eq!(std::fs::read_to_string(env.home.path().join("web/index.html")).unwrap(), "<p>Mine");
    env.file("taken", "");
    let run = env.run("preview cafe.yaml --html taken");
    assert!(run.exit == 2 && run.stderr.contains("cannot write taken"), "{run}");
}

#[cfg(unix)]
#[test]
fn a_summary_that_is_a_pipe_is_written_and_not_read() {
    let env = env();
    env.file("cafe.yaml", FILE);
    let pipe = env.home.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn(move || std::fs::read_to_string(pipe).unwrap());
    let run = env.run("plan cafe.yaml --summary pipe");
    assert_eq!(run.exit, 3, "{run}");
    assert!(reader.join().unwrap().starts_with("### links plan: "));
}
