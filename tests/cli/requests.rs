//! Tests of the number of requests: it decides how long a command takes, because the service admits five a second.

use std::fmt::Write;

use links_fixtures::World;

use crate::test_env::TestEnv;

/// Returns a page file with this many texts, the first with another title.
fn page(slots: usize, first: &str) -> String {
    page_of("qara.weddings", slots, first)
}

fn page_of(login: &str, slots: usize, first: &str) -> String {
    let mut page = format!("profile: {login}\nslots:\n");
    for nth in 0..slots {
        let title = if nth == 0 { first.to_owned() } else { format!("Dish {nth}") };
        let _ = writeln!(
            page,
            "  - {{type: text, data: {{title: {title}, description: The story of dish {nth}}}}}"
        );
    }
    page
}

/// Runs a command that succeeds, and returns the number of its requests.
fn requests(env: &TestEnv, line: &str) -> usize {
    env.server.forget_requests();
    let run = env.run(line);
    assert_eq!(run.exit, 0, "{run}");
    env.server.requests().len()
}

#[test]
fn a_page_takes_the_fewest_requests() {
    let env = TestEnv::cafe().keeping_cache();
    env.server.edit(|account| {
        account.profiles.iter_mut().for_each(|profile| profile.slots.clear());
    });
    env.file("page.yaml", page(500, "First"));
    // The page, the slot types once a day, ten batches of 50, and the page again.
    assert_eq!(requests(&env, "slots apply page.yaml --yes"), 13);
    // The page.
    assert_eq!(requests(&env, "slots apply page.yaml"), 1);
    // The page, one batch, and the page again.
    env.file("page.yaml", page(500, "Another"));
    assert_eq!(requests(&env, "slots apply page.yaml"), 3);
}

/// Pages of an account, each with 50 texts.
const PAGES: usize = 20;

#[test]
fn pages_with_fifty_changes_each_take_the_fewest_requests_that_compare_each_page() {
    let env = TestEnv::of(World::full(), |builder| builder).keeping_cache();
    let env = env.env("LINKS_TEST_NO_WAIT", "1");
    let menu = env.server.account().profiles[0].clone();
    env.server.edit(|account| {
        for nth in 1..=PAGES {
            let ids: Vec<u64> = (0..50).map(|_| account.take_id()).collect();
            let slots = menu.slots.iter().filter(|slot| slot.kind == "text").take(50).cloned();
            let slots = slots.zip(ids).map(|(slot, id)| links_fixtures::Slot { id, ..slot });
            account.profiles[nth].slots = slots.collect();
        }
    });
    assert_eq!(env.run("init").exit, 0);
    env.run("slots types");
    let logins: Vec<String> =
        env.server.account().profiles[1..=PAGES].iter().map(|page| page.login.clone()).collect();
    let pull = env.run(&format!("pull {} -O .", logins.join(" ")));
    assert_eq!(pull.exit, 0, "{pull}");
    assert_eq!(requests(&env, "apply --yes"), PAGES);
    let change = |from: &str, to: &str| {
        for login in &logins {
            let name = format!("{login}.yaml");
            let path = env.home.path().join(&name);
            let text = std::fs::read_to_string(path).unwrap();
            assert_eq!(text.matches(from).count(), 50, "{text}");
            env.file(&name, text.replace(from, to));
        }
    };
    change("      title: ", "      title: New ");
    // Of each page: the plan, the comparison right before the write, the write, the verification.
    let requests = requests(&env, "apply --yes");
    assert_eq!(requests, 4 * PAGES);
}
