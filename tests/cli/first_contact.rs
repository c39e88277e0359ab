//! Tests of what a new user meets: the start screen, guesses at commands, the sandbox without rate limits, and files of other types.

use crate::served_sandbox::ServedSandbox;
use crate::test_env::{TestEnv, picture};

#[test]
fn links_alone_prints_a_start_screen() {
    let env = TestEnv::cafe();
    let run = env.run("");
    assert_eq!((run.exit, run.stderr.as_str()), (0, ""), "{run}");
    assert_eq!(run.stdout.lines().count(), 15, "{run}");
    assert!(run.stdout.lines().all(|line| line.chars().count() < 80), "{run}");
    assert!(env.operations().is_empty());
    env.file("cafe.yaml", include_str!("../../fixtures/pages/cafe.yaml"));
    let lines = run.stdout.lines().filter_map(|line| line.strip_prefix("  links "));
    let mut count = 0;
    for line in lines {
        count += 1;
        let line = line.split("  ").next().unwrap();
        let line = line.replace("KEY", "cafe").replace("FILE", "cafe.yaml");
        let (line, expected) = match line.as_str() {
            "auth login --base-url URL" => ("auth login --help".to_owned(), 0),
            "slots edit cafe" => ("slots edit cafe --help".to_owned(), 0),
            "pull cafe -O cafe.yaml" => ("pull cafe -O pulled.yaml".to_owned(), 0),
            "plan cafe.yaml" => (line, 3),
            _ => (line, 0),
        };
        let run = env.run(&line);
        assert_eq!(run.exit, expected, "{run}");
    }
    assert_eq!(count, 8);
    // Options without a command are a mistake.
    assert_eq!(env.run("-o json").exit, 2);
}

#[test]
fn guesses_that_can_mean_one_thing_work() {
    let env = TestEnv::cafe();
    for (guess, command) in [
        ("page list", "profile list"),
        ("pages ls", "profile list"),
        ("profiles show cafe", "profile get cafe"),
        ("slots ls cafe", "slots list cafe"),
        ("slots show cafe 1001", "slots get cafe 1001"),
        ("forms ls", "forms list"),
        ("channels ls", "channels list"),
        ("config ls", "config list"),
        ("slots rm cafe 1002 --yes --dry-run", "slots delete cafe 1002 --yes --dry-run"),
    ] {
        let (run, expected) = (env.run(guess), env.run(command));
        assert_eq!((run.exit, &run.stdout), (0, &expected.stdout), "{run}");
    }
}

#[test]
fn other_guesses_name_a_command() {
    let env = TestEnv::cafe();
    for line in [
        "ls",
        "rm cafe 1001",
        "diff cafe.yaml",
        "status",
        "edit cafe",
        "get cafe",
        "login",
        "logout",
        "push",
        "export cafe",
        "whoami",
        "list",
        "delete cafe",
        "new",
        "add",
        "rm",
        "view",
        "blocks",
    ] {
        let run = env.run(&format!("{line} -o json"));
        assert_eq!((run.exit, run.stdout.as_str()), (2, ""), "{run}");
        let hint = run.error()["hint"].as_str().unwrap_or_default().to_owned();
        assert!(hint.contains("`links "), "{run}");
    }
    assert!(env.operations().is_empty());
}

/// Returns an environment without any service except the sandbox, with a page file that takes more requests than the rate limit allows in
/// a second.
fn sandbox() -> TestEnv {
    let env = TestEnv::cafe().env("LINKS_BASE_URL", "").env("LINKS_TOKEN", "").keeping_state();
    let dividers = "  - {type: divider}\n".repeat(400);
    env.file("page.yaml", format!("profile: cafe\nslots:\n{dividers}"));
    env
}

#[test]
fn the_sandbox_has_rate_limits_only_where_they_are_asked_for() {
    let line = "slots apply page.yaml --max-wait 0 -o json";
    let run = sandbox().run(&format!("--sandbox {line}"));
    assert_eq!(run.exit, 0, "{run}");
    let run = sandbox().env("LINKS_SANDBOX", "1").run(line);
    assert_eq!(run.exit, 0, "{run}");
    let run = sandbox().run(&format!("--sandbox=limits {line}"));
    assert_eq!((run.exit, &run.error()["code"]), (12, &"partial".into()), "{run}");
    let run = sandbox().env("LINKS_SANDBOX", "limits").run(line);
    assert_eq!(run.exit, 12, "{run}");
    let run = sandbox().env("LINKS_SANDBOX", "limit").run(line);
    assert_eq!(run.exit, 2, "{run}");
    assert_eq!(sandbox().run(&format!("--sandbox=limit {line}")).exit, 2);
}

/// Returns the exit codes of this many commands that use a served sandbox, one after the other.
fn served(arguments: &[&str], commands: usize) -> Vec<i32> {
    let service = ServedSandbox::start(&sandbox(), arguments);
    // Each run has a state directory of its own, so that none knows of the requests of the others.
    let user = service.user();
    let mut exits = Vec::new();
    while exits.len() < commands && exits.last().is_none_or(|exit| *exit == 0) {
        exits.push(user.run("me --max-wait 0").exit);
    }
    exits
}

#[test]
fn a_served_sandbox_answers_429_only_with_limits() {
    assert_eq!(served(&["--limits"], 61).last(), Some(&9));
    let exits = served(&[], 61);
    assert!(exits.len() == 61 && exits.iter().all(|exit| *exit == 0), "{exits:?}");
}

#[test]
fn a_large_plan_is_summarised_unless_it_is_asked_for_in_full() {
    let env = TestEnv::cafe();
    let slots: String =
        (0..120).map(|at| format!("  - {{type: text, data: {{title: New {at}}}}}\n")).collect();
    env.file("page.yaml", format!("profile: cafe\nslots:\n{slots}"));
    let signs =
        |run: &str| run.lines().filter(|line| line.trim_start().starts_with("+ text")).count();
    for command in ["plan page.yaml", "slots plan page.yaml"] {
        let run = env.run(command);
        assert_eq!((run.exit, signs(&run.stdout)), (3, 10), "{run}");
        assert!(run.stdout.contains("… and 110 more new slots; --full shows all"), "{run}");
        let run = env.run(&format!("{command} --full"));
        assert_eq!((run.exit, signs(&run.stdout)), (3, 120), "{run}");
        assert!(!run.stdout.contains("--full"), "{run}");
        let json = env.run(&format!("{command} -o json")).json();
        let plan = json["data"].get("pages").map_or(&json["data"], |pages| &pages[0]["plan"]);
        assert_eq!(plan["creates"].as_array().unwrap().len(), 120, "{json}");
    }
    let run = env.run("apply page.yaml --full");
    assert_eq!(run.exit, 0, "{run}");
}

#[test]
fn a_file_of_another_type_is_named_in_three_lines() {
    let env = TestEnv::cafe();
    let html = format!("<!DOCTYPE html>\n<html>\n{}</html>\n", "<p>Text: more</p>\n".repeat(900));
    let rows = "title,link\n".to_owned() + &"Menu,https://qara.example\n".repeat(900);
    let data = format!("{{\"data\":[{}]}}", vec![r#"{"id":1,"type":"text"}"#; 9000].join(","));
    let binary: Vec<u8> =
        (0..200_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    for (name, bytes, what) in [
        ("menu.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(), "an image (image/png)"),
        ("photo.yaml", picture(90, 90), "an image (image/gif)"),
        ("menu.pdf", b"%PDF-1.7\n\xff\xfe\n".to_vec(), "a file in another format"),
        ("program", binary, "a file in another format"),
        ("rows.csv", rows.clone().into_bytes(), "a file in another format"),
        ("rows.yaml", rows.into_bytes(), "a file in another format"),
        ("index.html", html.into_bytes(), "a file in another format"),
        (
            "README.md",
            b"# Links\n\n- one: [two](three)\n\n    code\n".repeat(99),
            "a file in another format",
        ),
        ("words.txt", b"word ".repeat(90_000), "a file in another format"),
        ("lines.txt", b"some words\n".repeat(9_000), "a file in another format"),
        ("huge.txt", b"some words\n".repeat(600_000), "larger than 5 MB"),
        ("slots.json", data.into_bytes(), "neither a page nor a form"),
    ] {
        env.file(name, &bytes);
        for command in ["apply", "plan", "slots apply", "slots plan"] {
            let run = env.run(&format!("{command} {name}"));
            assert_eq!((run.exit, run.stdout.as_str()), (8, ""), "{run}");
            let is_of_slots = command.starts_with("slots") && name == "slots.json";
            assert!(run.stderr.contains(what) || is_of_slots, "{run}");
            assert!(run.stderr.lines().count() <= 3 || is_of_slots, "{run}");
            assert!(run.stderr.len() < 2_000, "{name}: {} bytes", run.stderr.len());
        }
        let error = env.run(&format!("apply {name} -o json")).error();
        assert_eq!((&error["exit"], &error["outcome"]), (&8.into(), &"not_executed".into()));
    }
    assert!(env.operations().is_empty());
}

#[test]
fn a_page_file_with_a_mistake_is_still_shown_at_its_line() {
    let env = TestEnv::cafe();
    for (text, place) in [
        ("# My page\nprofile: cafe\nslots: [\n", "page.yaml:3"),
        ("profile: cafe\nslots:\n  - {type: text, data: {title: [}}\n", "page.yaml:3"),
        ("profile: cafe\ntitle: a, b\nslot: []\n", "page.yaml:3"),
    ] {
        env.file("page.yaml", text);
        let run = env.run("apply page.yaml");
        assert!(run.exit == 8 && run.stderr.contains(place), "{run}");
    }
}
