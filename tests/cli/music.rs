//! Releases, channels, and calls by path.

use serde_json::json;

use crate::test_env::TestEnv;

#[test]
fn releases_and_channels_as_people_see_them() {
    let env = TestEnv::cafe();
    let mut runs = ["channels list", "music lookup KZA012600042", "music lookup nothing.at.all"]
        .map(|line| env.run(line).to_string())
        .to_vec();
    let search = ["music", "lookup", "Steppe Radio", "--artist", "Dala", "--type", "track"];
    runs.push(env.run_args(search, b"").to_string());
    insta::assert_snapshot!(runs.join("\n"));
}

#[test]
fn what_was_found_is_what_is_put_on_the_page() {
    let env = TestEnv::cafe();
    let found = env.run("music lookup KZA012600042 -o json").json()["data"]["slot"].clone();
    env.operations();
    let run = env.run("music add cafe KZA012600042 --after 1001 -o json");
    assert_eq!(env.operations(), ["listSlots", "lookupMusic", "createSlot"]);
    let made = &run.json()["data"];
    assert_eq!((&made["type"], &made["data"]), (&found["type"], &found["data"]), "{run}");
    let second = &env.server.account().profiles[0].slots[1];
    assert_eq!(json!(second.data), found["data"]);

    assert_eq!(env.run("music add cafe nothing.at.all").exit, 6);
    assert_eq!(env.operations(), ["lookupMusic"]);
    assert_eq!(env.run("music lookup x --type single").exit, 2);
}
