//! Tests of releases, channels, and calls by path.

use serde_json::json;

use crate::test_env::TestEnv;

#[test]
fn music_and_channel_commands_print_human_readable_output() {
    let env = TestEnv::cafe();
    for line in ["channels list", "music lookup KZA012600042", "music lookup nothing.at.all"] {
        let run = env.run(line);
        insta::assert_snapshot!(run.snapshot_name(), run);
    }
    let search = ["music", "lookup", "Steppe Radio", "--artist", "Dala", "--type", "track"];
    let run = env.run_args(search, b"");
    insta::assert_snapshot!(run.snapshot_name(), run);
}

#[test]
fn music_add_creates_the_slot_that_lookup_shows() {
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
    assert_eq!(env.run("music lookup x --artist y --type single").exit, 2);
}
