//! Tests of the clicks of slots, under every shape of analytics.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use links_fixtures::Choices;
use links_test_support::canned::Canned;
use serde_json::{Value, json};

#[cfg(target_os = "linux")]
use crate::terminal;
use crate::test_env::TestEnv;

const JUNE: &str = "--from 2026-06-01 --to 2026-06-07";

/// Returns an environment whose service answers with the slots of the café and these analytics.
fn with_analytics(data: Value) -> (TestEnv, Canned) {
    let env = TestEnv::cafe();
    let slots = env.run("api GET /profiles/cafe/slots").stdout;
    let meta = json!({ "generatedAt": "2026-06-09T10:00:00Z", "cacheSeconds": 300, "retentionDays": 365, "dataStartsAt": "2026-01-01", "uniquesAreApproximate": true });
    let analytics = json!({ "data": data, "meta": meta }).to_string();
    let service = Canned::start([
        (200, slots.clone()),
        (200, analytics.clone()),
        (200, slots),
        (200, analytics),
    ]);
    let env = env.env("LINKS_BASE_URL", service.origin() + "/api/v1");
    (env, service)
}

#[test]
fn slots_are_listed_with_their_clicks_and_ranked_by_them() {
    for analytics_by_id in [false, true] {
        let env = TestEnv::with(|builder| {
            builder.choices(Choices { analytics_by_id, ..Choices::default() })
        });
        let listed = env.run("slots list cafe --clicks --period last90 -o json").json();
        let slots = listed["data"].as_array().unwrap();
        assert_eq!(slots.len(), 14);
        assert!(slots.iter().all(|slot| slot["clicks"].is_u64()), "{listed}");
        assert!(slots.iter().any(|slot| slot["clicks"].as_u64() > Some(0)), "{listed}");
        assert!(listed["meta"]["analytics"]["cacheSeconds"].is_u64(), "{listed}");
        assert_eq!(env.operations(), ["listSlots", "getProfileAnalytics"]);

        let top = env.run("slots top cafe --period last90 -o json").json();
        let ranked = top["data"].as_array().unwrap();
        let clicks: Vec<u64> = ranked.iter().map(|slot| slot["clicks"].as_u64().unwrap()).collect();
        assert!(clicks.is_sorted_by(|one, other| one >= other), "{clicks:?}");
        let of =
            |id: &Value| slots.iter().find(|slot| slot["id"] == *id).unwrap()["clicks"].clone();
        assert!(ranked.iter().all(|slot| slot["clicks"] == of(&slot["id"])), "{top}");
        assert_eq!(top["meta"]["clicks"], clicks.iter().sum::<u64>());
    }
}

#[test]
fn the_ranking_is_a_table_of_all_slots() {
    let data = json!({ "blocks": [{ "slotId": 1002, "clicks": 40 }, { "slotId": 1004, "clicks": 7 }, { "slotId": 9, "clicks": 99 }] });
    let (env, _service) = with_analytics(data.clone());
    let run = env.run("slots top cafe");
    assert_eq!(run.exit, 0, "{run}");
    let lines: Vec<_> = run.stdout.lines().collect();
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let first = ["1", "40", "1002", "button", "Menu", "https://qara.example/menu"];
    assert_eq!(words(lines[1]), first, "{run}");
    assert_eq!(words(lines[2])[..3], ["2", "7", "1004"], "{run}");
    assert_eq!(lines.len(), 1 + 14, "{run}");
    assert!(run.stderr.contains("as of 2026-06-09"), "{run}");
    let run = env.run("slots top cafe -o csv");
    assert!(
        run.stdout.starts_with("place,id,type,clicks,label,link\n1,1002,button,40,Menu,"),
        "{run}"
    );
}

#[test]
fn other_shapes_of_analytics_are_recognised_or_printed() {
    for data in [
        json!({ "clicks": { "1002": 40 } }),
        json!({ "report": { "slots": [{ "id": "1002", "clicks": "40", "new": {} }] } }),
    ] {
        let (env, _service) = with_analytics(data);
        let top = env.run("slots top cafe -o json").json();
        assert_eq!((&top["data"][0]["id"], &top["data"][0]["clicks"]), (&1002.into(), &40.into()));
    }
    let unknown = json!({ "totals": { "taps": 41 }, "rows": [["1002", 40]] });
    let (env, _service) = with_analytics(unknown.clone());
    let run = env.run("slots top cafe");
    assert_eq!((run.exit, run.stdout.as_str()), (0, ""), "{run}");
    assert!(
        run.stderr.contains("cannot find the clicks") && run.stderr.contains("taps  41"),
        "{run}"
    );
    let listed = env.run("slots list cafe --clicks");
    assert_eq!(listed.exit, 0, "{listed}");
    assert!(
        listed.stderr.contains("cannot find the clicks") && listed.stderr.contains("taps"),
        "{listed}"
    );
    assert!(listed.stdout.contains("1002"), "{listed}");
    let (env, _service) = with_analytics(unknown.clone());
    assert_eq!(env.run("slots top cafe -o json").json()["data"], unknown);
}

#[test]
fn a_page_without_clicks_is_ranked_and_a_period_needs_clicks() {
    let (env, _service) = with_analytics(json!({ "blocks": [] }));
    let run = env.run("slots top cafe");
    assert_eq!(run.stdout.lines().count(), 15, "{run}");
    let env = TestEnv::cafe();
    for line in [
        "slots list cafe --period last7",
        "slots top cafe --period never",
        "slots top cafe --from 2026-01-01",
    ] {
        assert_eq!(env.run(line).exit, 2, "{line}");
    }
    assert_eq!(env.run("slots top nobody.here").exit, 6);
}

#[test]
fn watch_ranks_again_until_it_is_interrupted() {
    let env = TestEnv::in_june().env("LINKS_TEST_NO_WAIT", "1");
    let line = format!("slots top cafe {JUNE} --watch -o jsonl");
    let mut child =
        env.command(line.split(' ')).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let lines: Vec<String> = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map(Result::unwrap)
        .take(14 * 3)
        .collect();
    child.kill().and_then(|()| child.wait()).unwrap();
    let first: Value = serde_json::from_str(&lines[0]).unwrap();
    assert_eq!(first["place"], 1);
    assert_eq!((&lines[0], &lines[0]), (&lines[14], &lines[28]));
}

#[cfg(target_os = "linux")]
#[test]
fn the_link_column_is_fitted_to_the_terminal() {
    let env = TestEnv::cafe();
    let link = format!("https://qara.example/{}", "menu/".repeat(9));
    assert_eq!(
        env.run_args(["slots", "set", "cafe", "1002", &format!("link={link}")], b"").exit,
        0
    );
    assert!(env.run("slots list cafe").stdout.contains(&link));
    for columns in [80, 100, 160] {
        let seen = terminal::run_at(columns, &env, "slots list cafe");
        let row = seen.text.lines().find(|line| line.starts_with("1002")).unwrap().trim_end();
        assert!(row.contains("https://"), "{columns}\n{}", seen.text);
        assert!(row.chars().count() <= usize::from(columns), "{columns}\n{}", seen.text);
        assert_eq!(row.contains('…'), columns < 120, "{columns}\n{}", seen.text);
        assert_eq!(seen.text.lines().count(), 15, "{columns}\n{}", seen.text);
    }
}
