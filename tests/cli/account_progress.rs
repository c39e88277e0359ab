//! Tests of what a terminal shows of a run over many pages: its cost before it starts, and its progress.

use links_fixtures::World;

use crate::steps::ok;
use crate::terminal;
use crate::test_env::TestEnv;

/// Number of page files.
const PAGES: usize = 21;

/// Returns an account of many pages with a file for some of them, each with a new title.
fn many_files() -> TestEnv {
    let env = TestEnv::of(World::full(), |builder| builder).env("LINKS_TEST_NO_WAIT", "1");
    for page in env.server.account().profiles.iter().take(PAGES) {
        let file = format!("profile: {}\ntitle: Title of {}\n", page.login, page.login);
        env.file(&format!("{}.yaml", page.login), file);
    }
    env
}

/// Returns the place of a part in what a terminal has shown.
fn place(text: &str, part: &str) -> usize {
    text.find(part).unwrap_or_else(|| panic!("no {part} in\n{text}"))
}

#[test]
fn an_apply_announces_its_requests_and_shows_its_progress_from_page_to_page() {
    let env = many_files();
    let logins: Vec<String> =
        env.server.account().profiles.iter().take(PAGES).map(|page| page.login.clone()).collect();
    let seen = terminal::run(&env, "apply . --yes", "");
    assert_eq!(seen.exit, 0, "{}", seen.text);
    let text = &seen.text;
    let announced =
        place(text, &format!("reading {PAGES} pages: at least {} requests, about", PAGES + 2));
    let read: Vec<usize> =
        (0..=PAGES).map(|count| place(text, &format!(" {count}/{PAGES} "))).collect();
    let cost = place(text, " requests, about ");
    assert!(announced <= cost && announced < read[0] && read.is_sorted(), "{text}");
    for login in &logins {
        assert!(text.contains(&format!("read {login}")), "{login}: {text}");
    }
    // The plan with its cost comes after the reading and before the first write.
    let plan = place(text, &format!("~ {}: title", logins[1]));
    assert!(read[PAGES] < plan, "{text}");
    let total = text[plan..].find(" requests, about ").unwrap() + plan;
    // Each page is written and verified.
    let steps: Vec<usize> = (0..2 * PAGES)
        .map(|nth| {
            let found = text[total..].find(&format!(" {nth}/{} ", 2 * PAGES));
            total + found.unwrap_or_else(|| panic!("no step {nth} in\n{text}"))
        })
        .collect();
    assert!(steps.is_sorted(), "{text}");
    let written = |login: &String| text[steps[0]..].contains(&format!("{login}: "));
    assert!(logins.iter().all(written), "{text}");
    // What is left on the screen is the result.
    let titles = env.server.account();
    assert!(
        titles.profiles[..PAGES].iter().all(|page| page
            .title
            .as_deref()
            .unwrap()
            .starts_with("Title of"))
    );
}

#[test]
fn a_pull_of_an_account_shows_its_progress_from_page_to_page() {
    let env = many_files();
    let seen = terminal::run(&env, "pull --all -O site", "");
    assert_eq!(seen.exit, 0, "{}", seen.text);
    let announced = place(&seen.text, "reading 100 pages: at least 104 requests, about");
    let steps: Vec<usize> =
        (0..100).map(|nth| place(&seen.text, &format!(" {nth}/100 "))).collect();
    assert!(announced < steps[0] && steps.is_sorted(), "{}", seen.text);
}

#[test]
fn no_progress_is_shown_where_there_is_no_terminal() {
    let env = many_files();
    let run = ok(&env, "apply .");
    assert!(run.stderr.contains("reading 21 pages: at least 23 requests"), "{run}");
    assert!(!run.stderr.contains("reading pages") && !run.stderr.contains("/21"), "{run}");
}
