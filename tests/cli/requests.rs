//! Tests of the number of requests: it decides how long a command takes, because the service admits five a second.

use std::fmt::Write;

use crate::test_env::TestEnv;

/// Returns a page file with this many texts, the first with another title.
fn page(slots: usize, first: &str) -> String {
    let mut page = "profile: qara.weddings\nslots:\n".to_owned();
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
