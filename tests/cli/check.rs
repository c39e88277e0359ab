//! Tests of `links check` with sites on this machine.

use std::fs;
use std::time::SystemTime;

use links_fixtures::{Fault, World};
use links_test_support::authority::Authority;
use links_test_support::link_site::LinkSite;
use serde_json::{Value, json};

use crate::test_env::TestEnv;

pub(crate) fn now() -> SystemTime {
    #[expect(clippy::disallowed_methods, reason = "certificates are verified by the real time")]
    SystemTime::now()
}

/// Returns the environment of a café whose runs neither wait nor use a proxy.
fn env() -> TestEnv {
    TestEnv::cafe()
        .env("LINKS_TEST_NO_WAIT", "1")
        .env("LINKS_TEST_ONLINE", "1")
        .env("NO_PROXY", "*")
}

const PAGE: &str = "\
# The café
profile: cafe
title: Qara
socials:
  - {here}/status/999     # programs are turned away
slots:
  - type: button
    data: {title: Menu, link: '{here}/status/404'}
  - type: button
    data:
      title: Map
      link: {here}/permanent#top  # old
  - type: text
    data:
      description: |
        Order at {here}/menu, or see <a href=\"{here}/permanent?a=1&amp;b=2\">this</a>.
  - {id: 7, type: picture, data: {title: 'Write', link: 'mailto:hello'}}
";

fn page(env: &TestEnv, site: &LinkSite) -> String {
    let text = PAGE.replace("{here}", &site.url(""));
    env.file("cafe.yaml", &text);
    text
}

#[test]
fn dead_links_are_shown_at_their_places() {
    let (env, site) = (env(), LinkSite::start());
    page(&env, &site);
    let run = env.run("check cafe.yaml --allow-private");
    assert_eq!(run.exit, 3, "{run}");
    let shown = run.stdout.replace(&site.url(""), "http://qara.example");
    let squeezed: Vec<String> =
        shown.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(
        squeezed,
        [
            "? cafe.yaml:5:5 social http://qara.example/status/999 999: blocks bots; check in a browser",
            "x cafe.yaml:8:31 button \"Menu\" http://qara.example/status/404 404",
            "> cafe.yaml:12:13 button \"Map\" http://qara.example/permanent#top moved to http://qara.example/menu#top (use --fix)",
            "x cafe.yaml:17:57 picture \"Write\" mailto:hello a mailto: link without @",
            "6 links: 2 broken, 1 unsure, 1 moved",
        ],
        "{run}"
    );
    assert_eq!(run.stderr, "");
}

#[test]
fn the_data_names_page_slot_path_and_place() {
    let (env, site) = (env(), LinkSite::start());
    page(&env, &site);
    let run = env.run("check cafe.yaml --allow-private -o json");
    assert_eq!((run.exit, run.stderr.as_str()), (3, ""), "{run}");
    let run = run.json();
    let of = |nth: usize| run["data"][nth].clone();
    assert_eq!(
        of(1),
        json!({
            "page": "cafe", "form": null, "file": "cafe.yaml", "line": 8, "column": 31,
            "path": "slots.0.data.link", "slotId": null, "type": "button", "title": "Menu",
            "url": site.url("/status/404"), "verdict": "broken", "reason": "status", "status": 404,
            "message": "404", "movedTo": null, "certificateEnds": null, "notes": [],
            "known": false, "fixed": false, "fixError": null, "cached": false,
        })
    );
    assert_eq!(
        (of(2)["movedTo"].as_str(), &of(2)["notes"]),
        (Some(&*site.url("/menu#top")), &json!(["moved"]))
    );
    assert_eq!((&of(5)["slotId"], &of(5)["reason"]), (&json!(7), &json!("syntax")));
    assert_eq!(
        run["meta"],
        json!({"links": 6, "requested": 5, "broken": 2, "unsure": 1, "moved": 1, "fixed": 0, "new": 2})
    );
}

#[test]
fn no_request_to_a_site_carries_the_token_or_anything_of_the_account() {
    let (env, site) = (env(), LinkSite::start());
    page(&env, &site);
    let run =
        env.run("slots set cafe 1002 link=SITE/temporary".replace("SITE", &site.url("")).as_str());
    assert_eq!(run.exit, 0, "{run}");
    let token = env.server.token();
    for line in ["check cafe.yaml --allow-private -vv", "check cafe --allow-private -vv"] {
        let run = env.run(line);
        assert!(!run.stdout.contains(&token) && !run.stderr.contains(&token), "{run}");
    }
    let requests = site.requests();
    assert!(requests.iter().any(|request| request.path == "/temporary"), "{requests:?}");
    for request in requests {
        let names: Vec<&str> = request.headers.keys().map(String::as_str).collect();
        let expected: &[&str] = if request.method == "GET" {
            &["accept", "host", "range", "user-agent"]
        } else {
            &["accept", "host", "user-agent"]
        };
        assert_eq!(names, expected, "{request:?}");
        assert!(!format!("{request:?}").contains(&token));
    }
}

#[test]
fn a_key_reads_the_page_of_the_account_and_all_reads_every_one() {
    let (env, site) = (env().keeping_cache(), LinkSite::start());
    // Every other link of the account leads elsewhere.
    env.server.edit(|account| {
        for profile in &mut account.profiles {
            profile.slots.clear();
            profile.socials.clear();
            (profile.title, profile.description) = (None, None);
        }
    });
    let add = format!("slots add cafe button title=Menu link={}", site.url("/status/410"));
    let run = env.run(&add);
    assert_eq!(run.exit, 0, "{run}");
    env.run("slots types");
    // A file of that name changes nothing.
    env.file("cafe", "profile: cafe\n");
    env.operations();
    for line in ["check cafe --allow-private", "check --all --allow-private"] {
        let run = env.run(line);
        assert_eq!(run.exit, 3, "{run}");
        assert!(run.stdout.starts_with("x cafe slots.0.data.link  button \"Menu\"  http"), "{run}");
        assert!(run.stdout.ends_with("\n1 link: 1 broken\n"), "{run}");
    }
    let operations = env.operations();
    assert_eq!(operations[..2], ["getProfile", "listProfiles"], "{operations:?}");
    assert!(operations[1..].iter().all(|it| it != "listSlots"), "{operations:?}");
    let of = |run: &Value| (run["data"][0]["file"].clone(), run["data"][0]["page"].clone());
    let run = env.run("check cafe --allow-private -o json");
    assert_eq!(of(&run.json()), (Value::Null, json!("cafe")), "{run}");
}

#[test]
fn page_files_are_checked_without_an_account() {
    let (env, site) = (env().env("LINKS_BASE_URL", "").env("LINKS_TOKEN", ""), LinkSite::start());
    page(&env, &site);
    fs::create_dir(env.home.path().join("pages")).unwrap();
    fs::rename(env.home.path().join("cafe.yaml"), env.home.path().join("pages/cafe.yaml")).unwrap();
    env.file("pages/form.yaml", "form: booking\ntitle: A\nfields: [{type: text, label: B}]\n");
    let run = env.run("check pages/ --allow-private");
    assert_eq!(run.exit, 3, "{run}");
    assert!(run.stdout.contains("x pages/cafe.yaml:8:31 "), "{run}");
    let run = env.run("check pages/form.yaml");
    assert_eq!((run.exit, run.stdout.as_str()), (0, "no links\n"), "{run}");
    fs::create_dir(env.home.path().join("empty")).unwrap();
    let run = env.run("check empty/");
    assert_eq!(run.exit, 2, "{run}");
    assert!(run.stderr.contains("no page or form file found"), "{run}");
}

#[test]
fn a_service_that_fails_does_not_keep_page_files_from_being_checked() {
    let (env, site) = (env(), LinkSite::start());
    page(&env, &site);
    env.server.fail(1..99, &Fault::Before(500));
    let run = env.run("check cafe.yaml --allow-private");
    assert_eq!(run.exit, 3, "{run}");
}

#[test]
fn fix_writes_permanent_moves_and_nothing_else() {
    let (env, site) = (env(), LinkSite::start());
    let before = page(&env, &site);
    let run = env.run("check cafe.yaml --allow-private --fix");
    assert_eq!(run.exit, 3, "{run}");
    assert!(run.stdout.contains("/menu#top (fixed)\n"), "{run}");
    assert!(run.stdout.ends_with("6 links: 2 broken, 1 unsure, 1 fixed\n"), "{run}");
    let after = fs::read_to_string(env.home.path().join("cafe.yaml")).unwrap();
    assert_eq!(after, before.replace("/permanent#top", "/menu#top"));
    let again = env.run("check cafe.yaml --allow-private --fix");
    assert!(again.stdout.ends_with("6 links: 2 broken, 1 unsure\n"), "{again}");
    assert_eq!(fs::read_to_string(env.home.path().join("cafe.yaml")).unwrap(), after);
    for line in ["check cafe --fix", "check --all --fix", "check cafe.yaml qara.weddings --fix"] {
        let run = env.run(line);
        assert_eq!(run.exit, 2, "{run}");
    }
}

#[test]
fn a_link_of_a_page_file_with_a_table_is_fixed_where_it_is_written() {
    let (env, site) = (env(), LinkSite::start());
    let page = |link: &str| {
        format!(
            "each: places.csv\nprofile: \"{{login}}\"\nsocials: ['{link}']\nslots:\n  - {{type: button, data: {{title: A, link: {{$value: link}}}}}}\n"
        )
    };
    let (old, new) = (site.url("/permanent"), site.url("/menu"));
    env.file("places.yaml", page(&old));
    env.file("places.csv", format!("key,login,link\na,cafe,{new}\nb,qara.weddings,{new}\n"));
    let run = env.run("check places.yaml --allow-private --fix --annotate github");
    assert_eq!(run.exit, 0, "{run}");
    assert!(run.stdout.contains("> places.yaml:3:"), "{run}");
    let text = |name: &str| fs::read_to_string(env.home.path().join(name)).unwrap();
    assert_eq!(text("places.yaml"), page(&new));
    let table = format!("key,login,link\na,cafe,{old}\nb,qara.weddings,{new}\n");
    env.file("places.csv", &table);
    let run = env.run("check places.yaml --allow-private --fix");
    assert!(run.stderr.contains("cannot update places.csv: it is a table"), "{run}");
    assert_eq!((run.exit, text("places.csv")), (8, table), "{run}");
    let run = env.run_args(["check", "-", "--fix"], page(&old).as_bytes());
    assert!(run.exit == 2 && run.stderr.contains("standard input"), "{run}");
}

#[test]
fn a_file_that_is_no_baseline_is_not_replaced_by_one() {
    let (env, site) = (env(), LinkSite::start());
    let before = page(&env, &site);
    let line = "check cafe.yaml --allow-private --baseline";
    let run = env.run(&format!("{line} cafe.yaml --update-baseline"));
    assert!(run.exit == 8 && run.stderr.contains("cafe.yaml is not a baseline"), "{run}");
    assert_eq!(fs::read_to_string(env.home.path().join("cafe.yaml")).unwrap(), before);
    for _ in 0..2 {
        let run = env.run(&format!("{line} known.json --update-baseline"));
        assert_eq!(run.exit, 0, "{run}");
    }
}

#[test]
fn two_files_of_one_page_are_both_read() {
    let env = TestEnv::cafe();
    for name in ["one.yaml", "two.yaml"] {
        env.file(name, "profile: cafe\nsocials: ['mailto:nobody']\ntitle: Menu\n");
    }
    let run = env.run("check one.yaml two.yaml");
    assert!(run.stdout.contains("one.yaml:2") && run.stdout.contains("two.yaml:2"), "{run}");
    let run = env.run("search menu ./");
    assert!(run.stdout.contains("one.yaml:3") && run.stdout.contains("two.yaml:3"), "{run}");
}

#[test]
fn a_file_that_changes_during_the_check_is_not_written() {
    let (env, site) = (env(), LinkSite::start());
    page(&env, &site);
    let text = fs::read_to_string(env.home.path().join("cafe.yaml")).unwrap();
    let more =
        format!("  - {{type: button, data: {{title: Slow, link: '{}'}}}}\n", site.url("/held"));
    let text = text + &more;
    env.file("cafe.yaml", &text);
    let changed = text.replace("Qara", "Changed meanwhile");
    let path = env.home.path().join("cafe.yaml");
    let run = std::thread::scope(|scope| {
        scope.spawn(|| {
            site.wait_for_held();
            fs::write(&path, &changed).unwrap();
            site.release();
        });
        env.run("check cafe.yaml --allow-private --fix")
    });
    assert_eq!(run.exit, 7, "{run}");
    assert!(run.stderr.contains("changed in the meantime"), "{run}");
    assert_eq!(fs::read_to_string(&path).unwrap(), changed);
}

#[test]
fn a_baseline_lets_only_new_broken_links_fail() {
    let (env, site) = (env(), LinkSite::start());
    page(&env, &site);
    let check = |more: &str| env.run(&format!("check cafe.yaml --allow-private {more}"));
    let run = check("--baseline known.json");
    assert_eq!(run.exit, 2, "{run}");
    assert!(run.stderr.contains("--update-baseline"), "{run}");
    let run = check("--baseline known.json --update-baseline");
    assert_eq!(run.exit, 0, "{run}");
    let written = fs::read_to_string(env.home.path().join("known.json")).unwrap();
    assert_eq!(written.matches("verdict").count(), 3, "{written}");
    let run = check("--baseline known.json --strict");
    assert_eq!(run.exit, 0, "{run}");
    assert!(run.stdout.ends_with("6 links: 2 broken, 1 unsure, 1 moved, 0 new\n"), "{run}");
    assert!(run.stdout.contains(" 404 (in the baseline)\n"), "{run}");
    // What an earlier run printed is a baseline, too.
    env.file("earlier.json", check("-o json").stdout);
    assert_eq!(check("--baseline earlier.json").exit, 0);
    let more = format!("  - {{type: button, data: {{link: '{}'}}}}\n", site.url("/status/410"));
    let text = fs::read_to_string(env.home.path().join("cafe.yaml")).unwrap();
    env.file("cafe.yaml", text + &more);
    let run = check("--baseline known.json");
    assert_eq!(run.exit, 3, "{run}");
    assert!(run.stdout.ends_with("7 links: 3 broken, 1 unsure, 1 moved, 1 new\n"), "{run}");
    env.file("known.json", "{}");
    let run = check("--baseline known.json");
    assert_eq!(run.exit, 8, "{run}");
    assert!(run.stderr.contains("is not a baseline"), "{run}");
}

#[test]
fn a_baseline_keeps_the_links_of_pages_that_were_not_checked() {
    let (env, site) = (env(), LinkSite::start());
    let file = |name: &str, path: &str| {
        let text = format!("profile: {name}\nsocials: ['{}']\n", site.url(path));
        env.file(&format!("{name}.yaml"), text);
    };
    file("bars", "/status/404");
    file("cafe", "/status/410");
    let check =
        |line: &str| env.run(&format!("check {line} --allow-private --baseline known.json"));
    let known = || {
        let text = fs::read_to_string(env.home.path().join("known.json")).unwrap();
        let found: Value = serde_json::from_str(&text).unwrap();
        let link = |it: &Value| (it["page"].as_str().unwrap().to_owned(), it["url"].clone());
        found["data"].as_array().unwrap().iter().map(link).collect::<Vec<_>>()
    };
    let link = |name: &str, path: &str| (name.to_owned(), json!(site.url(path)));
    assert_eq!(check(". --update-baseline").exit, 0);
    assert_eq!(known(), [link("bars", "/status/404"), link("cafe", "/status/410")]);
    // Of a page that is checked only the links of today are kept.
    file("cafe", "/status/404");
    assert_eq!(check("cafe.yaml --update-baseline").exit, 0);
    assert_eq!(known(), [link("bars", "/status/404"), link("cafe", "/status/404")]);
    let run = check(".");
    assert_eq!(run.exit, 0, "{run}");
    file("cafe", "/menu");
    let run = check(". --exclude bars.yaml --update-baseline");
    assert_eq!((run.exit, known()), (0, vec![link("bars", "/status/404")]), "{run}");
    let run = env.run("check cafe.yaml --allow-private --baseline - --update-baseline");
    assert!(run.exit == 2 && run.stderr.contains("cannot change standard input"), "{run}");
    assert!(!env.home.path().join("-").exists());
}

#[test]
fn links_are_annotated_at_their_lines() {
    let (env, site) = (env(), LinkSite::start());
    page(&env, &site);
    let run = env.run("check cafe.yaml --allow-private --annotate github");
    let notes =
        run.stderr.replace(&site.url("").replace(':', "%3A"), "").replace(&site.url(""), "");
    assert_eq!(
        notes.lines().collect::<Vec<_>>(),
        [
            "::warning file=cafe.yaml,line=5::social /status/999: 999: blocks bots; check in a browser",
            "::error file=cafe.yaml,line=8::button \"Menu\" /status/404: 404",
            "::notice file=cafe.yaml,line=12::button \"Map\" /permanent#top: moved to /menu#top (use --fix)",
            "::error file=cafe.yaml,line=17::picture \"Write\" mailto:hello: a mailto: link without @",
        ],
        "{run}"
    );
}

#[test]
fn links_that_were_fine_are_not_requested_again_within_a_day() {
    let (env, site) = (env().keeping_cache(), LinkSite::start());
    page(&env, &site);
    let check = |more: &str| {
        let before = site.requests().len();
        let run = env.run(&format!("check cafe.yaml --allow-private -o json {more}"));
        let mut lines = site.lines().split_off(before);
        lines.sort();
        (lines, run.json()["meta"]["requested"].clone())
    };
    let (all, requested) = check("");
    assert_eq!((all.len(), requested), (7, json!(5)), "{all:?}");
    // The link that moved leads to `/menu`.
    let expected = ["GET", "HEAD /menu", "HEAD /permanent", "HEAD /status/404", "HEAD /status/999"];
    let (again, requested) = check("");
    assert_eq!(requested, 3);
    assert!(
        again.len() == 5 && again.iter().zip(expected).all(|(it, begin)| it.starts_with(begin))
    );
    assert_eq!(check("--fresh").0, all);
    let cached = env.home.path().join("cache/links.json");
    let text = fs::read_to_string(&cached).unwrap();
    assert!(!text.contains("menu") && !text.contains("127.0.0.1"), "{text}");
    // What was fine for a check with private hosts is not for one without.
    let run = env.run("check cafe.yaml -o json");
    assert_eq!(run.json()["meta"]["broken"], 6, "{run}");
    fs::write(&cached, "{").unwrap();
    assert_eq!(check("").0, all);
}

#[test]
fn private_hosts_are_not_asked_unless_that_is_allowed() {
    let (env, site) = (env(), LinkSite::start());
    page(&env, &site);
    let run = env.run("check cafe.yaml");
    assert_eq!(run.exit, 3, "{run}");
    let reason = "points to a private host, which visitors cannot reach";
    assert_eq!(run.stdout.matches(reason).count(), 5, "{run}");
    assert!(site.requests().is_empty(), "{:?}", site.lines());
}

#[test]
fn unsure_links_fail_where_that_is_asked_for() {
    let (env, site) = (env(), LinkSite::start());
    env.file("cafe.yaml", format!("profile: cafe\nsocials: ['{}']\n", site.url("/busy")));
    let run = env.run("check cafe.yaml --allow-private");
    assert_eq!(run.exit, 0, "{run}");
    assert!(run.stdout.contains(" 429: blocks bots; check in a browser\n"), "{run}");
    assert_eq!(site.lines(), ["HEAD /busy", "HEAD /busy"]);
    let run = env.run("check cafe.yaml --allow-private --strict");
    assert_eq!(run.exit, 3, "{run}");
}

#[test]
fn certificates_are_verified_and_their_end_is_noted() {
    let (authority, other) = (Authority::new("One"), Authority::new("Another"));
    let env = env();
    let env = {
        let path = env.file("authority.pem", authority.pem());
        env.env("SSL_CERT_FILE", path.display().to_string())
    };
    let site = |authority: &Authority, days: i32| {
        LinkSite::with_tls(authority.server(&["127.0.0.1"], now(), days))
    };
    let sites =
        [site(&authority, 20), site(&authority, -3), site(&other, 400), site(&authority, 400)];
    let urls: Vec<String> = sites.iter().map(|site| site.url("/menu")).collect();
    env.file("cafe.yaml", format!("profile: cafe\nsocials: [{}]\n", urls.join(", ")));
    let run = env.run("check cafe.yaml --allow-private --tls-days 30 -o json --fresh");
    assert_eq!(run.exit, 3, "{run}");
    let links = run.json()["data"].clone();
    let of = |nth: usize| (links[nth]["verdict"].clone(), links[nth]["message"].clone());
    assert_eq!(of(0), (json!("fine"), json!("the certificate expires in 19 days")), "{run}");
    assert_eq!(of(1), (json!("broken"), json!("invalid certificate: expired")));
    let unknown = "invalid certificate: issued by an unknown authority";
    assert_eq!(of(2), (json!("broken"), json!(unknown)));
    assert_eq!(of(3), (json!("fine"), json!("")));
    assert!(links[0]["certificateEnds"].as_str().unwrap().ends_with('Z'), "{run}");
    let run = env.run("check cafe.yaml --allow-private -o json");
    assert_eq!(run.json()["data"][0]["message"], "", "14 days are the default\n{run}");
}

#[test]
fn without_a_network_no_link_is_judged_and_nothing_is_written() {
    let env = env().env("LINKS_TEST_ONLINE", "0");
    let links = ["https://one.invalid/a", "https://one.invalid/b", "http://two.invalid", "tel:+7"];
    let page = format!("profile: cafe\nsocials: ['{}', 'http://10.0.0.1/']\n", links.join("', '"));
    env.file("cafe.yaml", &page);
    for options in ["", "--strict", "--fix", "--baseline known.json --update-baseline", "-o json"] {
        let run = env.run(&format!("check cafe.yaml {options}"));
        assert_eq!((run.exit, run.stdout.as_str()), (10, ""), "{run}");
        let said = "no network: the links were not checked, and nothing was written";
        assert_eq!(run.stderr.matches(said).count(), 1, "{run}");
        assert!(!run.stderr.contains("invalid"), "{run}");
    }
    assert!(!env.home.path().join("known.json").exists());
    // Links that need no network are checked, and so are all if a single site answers.
    env.file("local.yaml", "profile: cafe\nsocials: ['mailto:hello', 'http://10.0.0.1/']\n");
    assert_eq!(env.run("check local.yaml").exit, 3);
    let site = LinkSite::start();
    env.file("cafe.yaml", page.replace("tel:+7", &site.url("/menu")));
    let run = env.run("check cafe.yaml --allow-private");
    assert!(run.exit == 3 && run.stdout.contains("no such host"), "{run}");
    // A name that does not exist is a broken link where others can be resolved.
    let env = env.env("LINKS_TEST_ONLINE", "1");
    env.file("cafe.yaml", &page);
    let run = env.run("check cafe.yaml");
    assert!(run.exit == 3 || run.stdout.contains("at the moment"), "{run}");
}

#[test]
fn links_that_need_no_request_are_checked_without_one() {
    let env = env();
    env.file("cafe.yaml", "profile: cafe\nslots:\n  - {type: button, data: {title: A, link: menu.html}}\n  - {type: button, data: {title: B, link: 'tel:+7701'}}\n");
    let run = env.run("check cafe.yaml");
    assert_eq!(run.exit, 3, "{run}");
    assert!(run.stdout.contains("not a complete URL: https:// is missing\n"), "{run}");
    env.file("empty.yaml", "profile: cafe\ntitle: Qara\n");
    let run = env.run("check empty.yaml");
    assert_eq!((run.exit, run.stdout.as_str()), (0, "no links\n"), "{run}");
    env.file("torn.yaml", "profile: cafe\nslots: [\n");
    assert_eq!(env.run("check torn.yaml").exit, 8);
    let run = env.run("check absent.yaml");
    assert_eq!(run.exit, 2, "{run}");
}

/// Returns the CPU time of a check of a file with this many links in a hundred texts, in milliseconds.
#[cfg(unix)]
fn cost_of_check(env: &TestEnv, links: usize) -> u64 {
    let text = |from: usize| {
        let texts = (from..links).step_by(100).map(|nth| format!("[a](tel:+7701{nth})"));
        json!({ "type": "text", "data": { "description": texts.collect::<Vec<_>>().join("\n") } })
    };
    let slots: Vec<Value> = (0..100).map(text).collect();
    env.file("large.json", json!({ "profile": "cafe", "slots": slots }).to_string());
    let mut command = std::process::Command::new("bash");
    let measured = env.command(["check", "large.json"]);
    let variables = measured.get_envs().filter_map(|(name, value)| Some((name, value?)));
    let ended = command
        .args(["-c", r#"TIMEFORMAT='%3U %3S'; time "$@" > checked.txt"#, "bash"])
        .arg(measured.get_program())
        .args(measured.get_args())
        .envs(variables)
        .current_dir(env.home.path())
        .output()
        .unwrap();
    let checked = fs::read_to_string(env.home.path().join("checked.txt")).unwrap();
    assert!(checked.contains(&format!("{links} links")), "{checked}");
    let told = String::from_utf8_lossy(&ended.stderr).into_owned();
    let times = told.lines().last().unwrap().split(' ');
    times.map(|seconds| seconds.replace(['.', ','], "").parse::<u64>().unwrap()).sum()
}

#[cfg(unix)]
#[test]
fn the_time_of_a_check_grows_with_its_links_not_with_their_square() {
    let env = env();
    let cost = |links| (0..3).map(|_| cost_of_check(&env, links)).min().unwrap();
    let (small, large) = (cost(2_000), cost(16_000));
    // Eight times the links: a square would be 64 times the time.
    assert!(large < small.max(10) * 24, "{small} ms for 2,000 links, {large} ms for 16,000");
}

/// The examples of the help; those of the other tests run without a site.
#[test]
fn the_examples_of_the_help_run() {
    let (env, site) = (env(), LinkSite::start());
    fs::create_dir(env.home.path().join("pages")).unwrap();
    let page = format!("profile: cafe\nsocials: ['{}', 'tel:+7701']\n", site.url("/permanent"));
    env.file("cafe.yaml", &page);
    env.file("pages/cafe.yaml", &page);
    env.file("known.json", "{\"data\": []}");
    env.server.edit(|account| {
        for profile in &mut account.profiles {
            profile.slots.clear();
            profile.socials.clear();
            (profile.title, profile.description) = (None, None);
        }
    });
    let lines = ["check cafe.yaml", "check pages/ --fix", "check --all --baseline known.json"];
    for line in lines {
        let run = env.run(&format!("{line} --allow-private"));
        assert_eq!(run.exit, 0, "{run}");
    }
    assert!(fs::read_to_string(env.home.path().join("pages/cafe.yaml")).unwrap().contains("/menu"));
}

#[test]
fn hardening_a_check_cannot_open_other_files() {
    let elsewhere = tempfile::tempdir().unwrap();
    let secret = elsewhere.path().join("secret");
    fs::write(&secret, "secret").unwrap();
    let env = env();
    env.file("cafe.yaml", "profile: cafe\ntitle: Qara\n");
    if env.run("check cafe.yaml -v").stderr.contains("not confined by Landlock") {
        eprintln!("SKIPPED, NOTHING IS TESTED: this kernel has no Landlock");
        return;
    }
    let env = env.env("LINKS_TEST_PROBE", secret.display().to_string());
    for line in ["check cafe.yaml --fix", "check cafe.yaml --baseline b.json --update-baseline"] {
        let run = env.run(line);
        assert!(run.exit == 0 && run.stderr.contains("probe: open false"), "{run}");
    }
}

#[test]
fn a_proxy_of_the_system_is_used_for_public_hosts_only() {
    let (env, proxy) = (TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1"), LinkSite::start());
    // The service is on this machine, and reached without the proxy.
    let env = env.env("HTTP_PROXY", proxy.url("")).env("NO_PROXY", "direct.invalid");
    let port = proxy.address().port();
    let urls = [
        "http://qara.example:8080/menu".to_owned(),
        "http://10.0.0.1:8080/".to_owned(),
        "http://printer.local:8080/".to_owned(),
        format!("http://localhost:{port}/"),
        format!("http://127.0.0.1:{port}/"),
    ];
    env.file("cafe.yaml", format!("profile: cafe\nsocials: ['{}']\n", urls.join("', '")));
    let run = env.run("check cafe.yaml");
    assert_eq!(run.exit, 3, "{run}");
    assert!(run.stdout.ends_with("5 links: 4 broken\n"), "{run}");
    assert_eq!(proxy.lines(), ["HEAD http://qara.example:8080/menu"]);
    let names: Vec<String> = proxy.requests()[0].headers.keys().cloned().collect();
    assert_eq!(names, ["accept", "host", "user-agent"]);
}

#[test]
fn without_a_word_the_files_of_the_closest_lock_are_checked_and_fixed() {
    let (env, site) = (env().keeping_state(), LinkSite::start());
    fs::create_dir_all(env.home.path().join("site/pages")).unwrap();
    let text = format!("profile: cafe\nsocials: ['{}']\n", site.url("/permanent"));
    env.file("site/pages/cafe.yaml", &text);
    let run = env.run("check");
    assert_eq!(run.exit, 2, "{run}");
    assert!(run.stderr.contains("no links.lock"), "{run}");
    let run = env.run("init site");
    assert_eq!(run.exit, 0, "{run}");
    let mut command = env.command(["check", "--fix", "--allow-private"]);
    let output = command.current_dir(env.home.path().join("site")).output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{shown}{}", String::from_utf8_lossy(&output.stderr));
    assert!(shown.starts_with("> pages/cafe.yaml:2:11  social  "), "{shown}");
    let fixed = fs::read_to_string(env.home.path().join("site/pages/cafe.yaml")).unwrap();
    assert_eq!(fixed, text.replace("permanent", "menu"));
}

#[test]
fn nothing_of_a_page_or_a_site_drives_the_terminal_or_the_ci_service() {
    let (env, site) = (env(), LinkSite::start());
    let link = site.url("/to-itself-escaped");
    let title = r"\e[2J\u202e\n::error::forged ##[group]";
    let slot = format!("  - {{type: button, data: {{title: \"{title}\", link: '{link}'}}}}\n");
    let text = r#"  - {type: button, data: {title: x, link: "tel:\e[Hm\n::error::y"}}"#;
    env.file("cafe.yaml", format!("profile: cafe\nslots:\n{slot}{text}\n"));
    let env = env.env("GITHUB_ACTIONS", "true");
    for line in [
        "check cafe.yaml --allow-private --annotate github",
        "check cafe.yaml --allow-private -o json --annotate github",
    ] {
        let run = env.run(line);
        assert_eq!(run.exit, 3, "{run}");
        let all = format!("{}{}", run.stdout, run.stderr);
        let shown = if line.contains("json") { &run.stderr } else { &all };
        assert!(!all.contains('\u{1b}') && !shown.contains('\u{202e}'), "{all:?}");
        assert!(!all.contains("##[group]"), "{all:?}");
        let commands: Vec<_> = all.lines().filter(|line| line.starts_with("::")).collect();
        assert!(commands.iter().all(|it| it.contains("file=cafe.yaml")), "{commands:?}");
        assert_eq!(commands.len(), 2, "{commands:?}");
    }
}

#[test]
fn a_file_that_cannot_be_fixed_is_reported_with_the_others() {
    let (env, site) = (env(), LinkSite::start());
    let file = |page: &str, link: &str| {
        let urls = [site.url("/permanent"), site.url(link)];
        format!("profile: {page}\nsocials: ['{}', '{}']\n", urls[0], urls[1])
    };
    let (bar, cafe) = (file("bar", "/menu"), file("cafe", "/held"));
    env.file("bar.yaml", &bar);
    env.file("cafe.yaml", &cafe);
    let changed = cafe.clone() + "# changed meanwhile\n";
    let path = env.home.path().join("cafe.yaml");
    let check = |more: &str| {
        env.file("cafe.yaml", &cafe);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                site.wait_for_held();
                fs::write(&path, &changed).unwrap();
                site.release();
            });
            env.run(&format!("check cafe.yaml bar.yaml --allow-private --fix {more}"))
        })
    };
    let run = check("");
    assert_eq!(run.exit, 7, "{run}");
    assert!(run.stdout.contains("/menu (not fixed)\n"), "{run}");
    assert!(run.stdout.contains("/menu (fixed)\n"), "{run}");
    assert!(run.stdout.ends_with("\n4 links: 1 moved, 1 fixed\n"), "{run}");
    assert!(
        run.stderr.contains("cafe.yaml changed in the meantime; the file was not written"),
        "{run}"
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), changed);
    let fixed = fs::read_to_string(env.home.path().join("bar.yaml")).unwrap();
    assert_eq!(fixed, bar.replace("permanent", "menu"));
    let run = check("-o json");
    let record = &run.json()["data"][0];
    assert_eq!((run.exit, &record["fixed"]), (7, &json!(false)), "{run}");
    let why = record["fixError"].as_str().unwrap();
    assert!(why.ends_with("the file was not written"), "{run}");
    assert_eq!(run.error_at_end()["exit"], 7, "{run}");
}

#[test]
fn ids_of_links_are_their_urls() {
    let (env, site) = (env(), LinkSite::start());
    let urls = [site.url("/status/404"), site.url("/menu#top")];
    env.file("cafe.yaml", format!("profile: cafe\nsocials: ['{}', '{}']\n", urls[0], urls[1]));
    let run = env.run("check cafe.yaml --allow-private -o ids");
    assert_eq!(
        (run.exit, run.stdout.as_str()),
        (3, &*format!("{}\n{}\n", urls[0], urls[1])),
        "{run}"
    );
}

#[test]
fn the_texts_of_forms_are_checked_in_files_and_in_the_account() {
    let (env, site) = (env(), LinkSite::start());
    env.server.edit(|account| {
        for profile in &mut account.profiles {
            profile.slots.retain(|slot| slot.kind == "form");
            profile.socials.clear();
            (profile.title, profile.description) = (None, None);
        }
        account.forms[0].success_message = format!("See {} soon", site.url("/status/404"));
    });
    let id = env.server.account().forms[0].id.clone();
    for line in ["check --all --allow-private", "check cafe --allow-private"] {
        let run = env.run(line);
        assert_eq!(run.exit, 3, "{run}");
        assert!(
            run.stdout.starts_with(&format!("x form {id} successMessage  successMessage  http")),
            "{run}"
        );
        assert!(run.stdout.ends_with("\n1 link: 1 broken\n"), "{run}");
    }
    // The other page shows no form.
    assert_eq!(env.run("check qara.weddings --allow-private").exit, 0);
    let form = format!(
        "form: booking\ntitle: A\ndescription: 'At {}'\nfields: [{{type: text, label: B}}]\n",
        site.url("/permanent")
    );
    env.file("form.yaml", &form);
    let run = env.run("check form.yaml --allow-private --fix -o json");
    assert_eq!(run.exit, 0, "{run}");
    let record = &run.json()["data"][0];
    assert_eq!((&record["form"], &record["page"]), (&json!("booking"), &Value::Null), "{run}");
    assert_eq!((&record["line"], &record["fixed"]), (&json!(3), &json!(true)), "{run}");
    let fixed = fs::read_to_string(env.home.path().join("form.yaml")).unwrap();
    assert_eq!(fixed, form.replace("permanent", "menu"));
    env.file("form.yaml", form.replace("permanent", "status/404"));
    assert_eq!(
        env.run("check form.yaml --allow-private --baseline known.json --update-baseline").exit,
        0
    );
    assert_eq!(env.run("check form.yaml --allow-private --baseline known.json").exit, 0);
}

#[test]
fn a_large_account_is_announced_before_it_is_checked() {
    let env = TestEnv::of(World::full(), |builder| builder).env("LINKS_TEST_NO_WAIT", "1");
    env.server.edit(|account| {
        for profile in &mut account.profiles {
            profile.slots.clear();
            profile.socials.clear();
            (profile.title, profile.description) = (None, None);
        }
        account.forms.clear();
    });
    let run = env.run("check --all");
    assert_eq!((run.exit, run.stdout.as_str()), (0, "no links\n"), "{run}");
    assert!(run.stderr.contains("reading 100 pages: at least 102 requests, about"), "{run}");
    assert_eq!(env.operations().iter().filter(|it| *it != "listSlotTypes").count(), 102);
}

#[test]
fn a_link_of_a_block_or_a_value_that_several_pages_use_is_fixed_once_where_it_is_written() {
    let (env, site) = (env(), LinkSite::start());
    let page = |login: &str| {
        format!("profile: {login}\nsocials: [{{$value: map}}]\nslots:\n  - $include: block.yaml\n")
    };
    let block =
        format!("- type: button\n  data: {{title: Map, link: '{}'}}\n", site.url("/permanent"));
    let values = format!("map: {}   # ours\n", site.url("/permanent"));
    env.file("cafe.yaml", page("cafe"));
    env.file("other.yaml", page("other"));
    env.file("block.yaml", &block);
    env.file("values.yaml", &values);
    let run = env.run("check . --allow-private --fix");
    assert_eq!(run.exit, 0, "{run}");
    assert!(
        run.stdout.contains("block.yaml:2:28") && run.stdout.contains("values.yaml:1:6"),
        "{run}"
    );
    let text = |name: &str| fs::read_to_string(env.home.path().join(name)).unwrap();
    assert_eq!(text("block.yaml"), block.replace("permanent", "menu"));
    assert_eq!(text("values.yaml"), values.replace("permanent", "menu"));
    assert_eq!([text("cafe.yaml"), text("other.yaml")], [page("cafe"), page("other")]);
    // A value whose text does not show the link is written anew.
    let url = site.url("/permanent");
    env.file("values.yaml", format!("map: \"{}\"   # ours\n", url.replace('/', "\\u002f")));
    let run = env.run("check . --allow-private --fix");
    assert_eq!(run.exit, 0, "{run}");
    assert_eq!(text("values.yaml"), format!("map: \"{}\"   # ours\n", site.url("/menu")));
}

#[test]
fn a_link_that_is_made_of_values_is_left_to_the_user_and_no_other_one_is_touched() {
    let (env, site) = (env(), LinkSite::start());
    env.file("f.yaml", "- {type: text, data: {title: One}}\n- {type: text, data: {title: Two}}\n");
    let page = format!(
        "profile: cafe\nvalues: {{k: permanent}}\nslots:\n  - $include: f.yaml\n  - {{type: button, data: {{title: D, link: {{$text: '{0}{{k}}'}}}}}}\n  - {{type: button, data: {{title: E, link: '{0}menu'}}}}\n  - {{type: button, data: {{title: F, link: '{0}permanent'}}}}\n",
        site.url("/")
    );
    env.file("cafe.yaml", &page);
    let run = env.run("check cafe.yaml --allow-private --fix");
    assert_eq!(run.exit, 8, "{run}");
    assert!(run.stderr.contains("is made of several values"), "{run}");
    let expected =
        page.replace(&format!("'{}'", site.url("/permanent")), &format!("'{}'", site.url("/menu")));
    assert_ne!(expected, page);
    assert_eq!(fs::read_to_string(env.home.path().join("cafe.yaml")).unwrap(), expected, "{run}");
}
