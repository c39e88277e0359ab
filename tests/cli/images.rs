//! The images of a terminal in the README, made of what the program prints. `LINKS_UPDATE=1 cargo test -p links-cli --test cli images`
//! writes them anew; those of the preview are made by `tests/browser/screenshots`.

use anstyle_svg::{Term, WIN10_CONSOLE};
use links_fixtures::Limits;

use crate::docs::compare;
use crate::test_env::TestEnv;

const PAGE: &str = "\
profile: qara.weddings
description: A coffee bar that travels, with two baristas
slots:
  - id: 1102
    type: text
    data:
      description: Two baristas, one machine, up to 200 guests.
  - id: 1101
    type: button
    data:
      title: Prices of 2026
      link: https://qara.example/weddings
  - type: button
    data:
      title: Ask for a date
      link: https://qara.example/weddings/dates
";

/// Runs a line with colours and compares its image with the committed one.
fn check(env: &TestEnv, name: &str, line: &str, exit: i32) {
    let run = env.run(&format!("{line} --color always"));
    assert_eq!(run.exit, exit, "{run}");
    let text = format!("\x1b[1m$\x1b[0m links {line}\n{}{}", run.stderr, run.stdout);
    compare(
        &format!("docs/images/{name}.svg"),
        &Term::new().palette(WIN10_CONSOLE).render_svg(text.trim_end()),
    );
}

#[test]
fn the_images_of_the_readme_are_what_the_program_prints() {
    // A wait for a limit would be followed by a read, on a fast machine only. `me` learns that none is in reach.
    let limits = Limits { requests_per_second: 1000, ..Limits::default() };
    let env = TestEnv::with(|server| server.limits(limits)).keeping_state().keeping_cache();
    assert_eq!(env.run("me").exit, 0);
    env.file("weddings.yaml", PAGE.replacen("title: Prices", "titel: Prices", 1));
    check(&env, "error", "plan weddings.yaml", 8);
    env.file("weddings.yaml", PAGE);
    check(&env, "plan", "plan weddings.yaml", 3);
    check(&env, "apply", "apply weddings.yaml", 0);
}

#[test]
fn the_readme_shows_a_plan_an_apply_an_error_and_the_preview() {
    let readme = include_str!("../../README.md");
    for name in ["plan.svg", "apply.svg", "error.svg", "preview-light.png"] {
        assert!(readme.contains(&format!("src=\"docs/images/{name}\"")), "{name}");
    }
}
