//! Tests of views and clicks.

use links_fixtures::Choices;
use links_test_support::canned::Canned;
use serde_json::json;

#[cfg(target_os = "linux")]
use crate::terminal;
use crate::test_env::TestEnv;

const FORM: &str = "6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21";
const JUNE: &str = "--from 2026-06-01 --to 2026-06-07";

#[test]
fn analytics_commands_print_human_readable_tables() {
    let env = TestEnv::in_june();
    let lines = [
        format!("analytics account {JUNE} --timeline"),
        format!("analytics profile cafe {JUNE} --compare"),
        format!("analytics form {FORM} {JUNE} --compare"),
    ];
    for line in lines {
        let run = env.run(&line);
        insta::assert_snapshot!(run.snapshot_name(), run);
    }
}

#[test]
fn half_a_period_is_refused_naming_the_missing_flag() {
    let env = TestEnv::in_june();
    for (line, missing) in [("--from 2026-06-01", "--to"), ("--to 2026-06-01", "--from")] {
        let run = env.run(&format!("analytics account {line}"));
        assert_eq!((run.exit, env.operations().len()), (2, 0), "{run}");
        assert!(run.stderr.contains(missing) && !run.stderr.contains("dateTo"), "{run}");
    }
}

#[test]
fn a_period_that_the_service_would_refuse_is_not_sent() {
    let env = TestEnv::in_june();
    for (line, said) in [
        ("--from 2026-06-07 --to 2026-06-01", "2026-06-07 is after the last day 2026-06-01"),
        ("--from 2025-01-01 --to 2026-01-02", "367 days; a period can have at most 366"),
        ("--from 2026-02-30 --to 2026-03-01", "is not a date; use YYYY-MM-DD"),
        ("--from 2026-06-01 --to 2026-06-07 --period last7", "cannot be used with"),
    ] {
        let run = env.run(&format!("analytics account {line}"));
        assert_eq!((run.exit, env.operations().len()), (2, 0), "{run}");
        assert!(run.stderr.contains(said), "{run}");
    }
}

#[test]
fn analytics_in_json_are_the_answer_as_it_was_sent() {
    let env = TestEnv::with(|builder| {
        builder.choices(Choices { analytics_by_id: true, ..Choices::default() })
    });
    let run = env.run(&format!("analytics profile cafe {JUNE} --bucket week -o json"));
    assert_eq!((run.exit, run.stderr.as_str()), (0, ""), "{run}");
    assert_eq!(run.json()["data"]["timeline"].as_array().unwrap().len(), 1, "{run}");
    assert!(run.json()["data"]["blocks"]["1002"]["clicks"].is_number(), "{run}");
    assert_eq!(run.json()["meta"]["uniquesAreApproximate"], true);
    let run = env.run(&format!("analytics profile cafe {JUNE}"));
    assert!(run.stdout.contains("1002"), "{run}");
    let query = env.server.requests().remove(0).query;
    let query = format!("{query:?}");
    assert!(query.contains("bucket") && query.contains("timeline"), "{query}");
}

#[test]
fn csv_has_the_timeline_or_the_rows() {
    let env = TestEnv::in_june();
    let header = |line: String| {
        let run = env.run(&line);
        assert_eq!(run.exit, 0, "{run}");
        let mut lines = run.stdout.lines().map(str::to_owned);
        (lines.next().unwrap(), lines.count())
    };
    let of = |line: &str| header(format!("analytics {line} {JUNE} -o csv"));
    assert_eq!(of("account --timeline"), ("date,views,clicks".into(), 7));
    assert_eq!(of("account"), ("profileId,login,title,views,uniques,clicks".into(), 2));
    assert_eq!(of("profile cafe"), ("slotId,type,title,clicks,uniques".into(), 14));
    assert_eq!(of(&format!("form {FORM}")).1, 1);
    let rest = "--jq .socials[] -o csv";
    assert_eq!(header(format!("analytics profile cafe {JUNE} {rest}")).0, "link,icon,clicks");
}

#[test]
fn csv_of_a_timeline_is_no_other_table() {
    for (timeline, table) in [
        (json!([{ "day": "2026-06-01", "views": 2 }]), "day,views\n2026-06-01,2\n"),
        (json!({ "2026-06-01": { "views": 2 } }), "date,views\n2026-06-01,2\n"),
        (json!([]), ""),
        (json!("soon"), ""),
    ] {
        let data = json!({ "rows": [{ "profileId": 101, "views": 2 }], "timeline": timeline });
        let meta = json!({
            "generatedAt": "2026-06-08T00:00:00Z", "cacheSeconds": 60, "retentionDays": 365,
            "dataStartsAt": "2026-01-01", "uniquesAreApproximate": true,
        });
        let service = Canned::start([(200, json!({ "data": data, "meta": meta }).to_string())]);
        let env = TestEnv::in_june().env("LINKS_BASE_URL", service.origin() + "/api/v1");
        let run = env.run(&format!("analytics account {JUNE} --timeline -o csv"));
        assert_eq!((run.exit, run.stdout.trim_end()), (0, table.trim_end()), "{run}");
        let is_missing = run.stderr.contains("cannot find the timeline");
        assert_eq!(is_missing, timeline.is_string(), "{run}");
    }
}

#[test]
fn analytics_errors_have_different_exit_codes() {
    let env = TestEnv::cafe();
    for (line, exit) in [
        ("analytics account --period never", 2),
        ("analytics account --from yesterday", 2),
        ("analytics account --bucket hour", 2),
        ("analytics profile nobody.here", 6),
        ("analytics form nothing", 6),
    ] {
        assert_eq!(env.run(line).exit, exit, "{line}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_gets_bars() {
    let env = TestEnv::in_june();
    let seen = terminal::run(&env, &format!("analytics account {JUNE} --timeline"), "");
    assert_eq!(seen.exit, 0, "{}", seen.text);
    let day = seen.text.lines().find(|line| line.contains("2026-06-06"));
    assert!(day.is_some_and(|line| line.contains("▇▇▇▇▇▇▇▇▇▇▇▇")), "{}", seen.text);
    assert!(!env.run(&format!("analytics account {JUNE} --timeline")).stdout.contains('▇'));
}
