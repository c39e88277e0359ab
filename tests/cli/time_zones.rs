//! The time zone of the user changes nothing: days are those of the service, and times are shown in UTC.

use std::fs;

use links_fixtures::{Clock, ContractServerBuilder};

use crate::steps::{ok, writes};
use crate::test_env::TestEnv;

const FORM: &str = "6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21";

const ZONES: [&str; 6] = [
    "UTC",
    "Asia/Atyrau",
    "America/Los_Angeles",
    "Pacific/Kiritimati",
    "Europe/London",
    // As POSIX writes them.
    "XXX+11:30",
];

/// Sets the service to a time that is the 29th of February only in its own zone, and further east.
fn leap_night(builder: ContractServerBuilder) -> ContractServerBuilder {
    let time: jiff::Timestamp = "2028-02-28T19:30:00Z".parse().unwrap();
    builder.clock(Clock::manual(time.into()))
}

#[test]
fn the_zone_of_the_user_changes_no_output() {
    let mut env = TestEnv::with(leap_night).keeping_state().env("LINKS_TEST_NO_WAIT", "1");
    ok(&env, "slots set cafe 1001 title=New");
    ok(&env, &format!("forms update {FORM} activeTill=2028-02-29"));
    ok(&env, "profile update cafe moodText=Open moodHours:=24");
    let today = "analytics account --period today --timeline";
    let lines = [
        format!("{today} -o csv"),
        today.to_owned(),
        "analytics profile cafe --period lastMonth --bucket month -o json".to_owned(),
        "analytics profile cafe --from 2028-02-28 --to 2028-02-29 --timeline".to_owned(),
        format!("analytics form {FORM} --period thisMonth"),
        format!("forms get {FORM} -o json"),
        "profile get cafe -o json".to_owned(),
        "profile preview cafe".to_owned(),
        "log -o json".to_owned(),
        "me".to_owned(),
    ];
    let mut first: Option<Vec<String>> = None;
    for zone in ZONES {
        env = env.env("TZ", zone);
        let shown: Vec<String> = lines.iter().map(|line| ok(&env, line).stdout).collect();
        assert!(shown[0].contains("\n2028-02-29") && shown[0].lines().count() == 2, "{}", shown[0]);
        let first = first.get_or_insert_with(|| shown.clone());
        for (line, (one, other)) in lines.iter().zip(first.iter().zip(&shown)) {
            assert_eq!(one, other, "`links {line}` in {zone}");
        }
    }
}

#[test]
fn a_leap_day_in_a_form_file_is_written_once() {
    let file = "form: booking\ntitle: Booking\nbuttonText: Reserve\nsuccessMessage: Thanks\nactiveTill: 2028-02-29\nfields:\n  - {type: text, label: Name, required: true}\n";
    for zone in ZONES {
        let env = TestEnv::with(leap_night).env("LINKS_TEST_NO_WAIT", "1").env("TZ", zone);
        ok(&env, "init");
        let path = env.file("booking.yaml", file);
        ok(&env, "apply --yes --allow-create 1");
        let form = env.server.account().forms.last().unwrap().clone();
        assert_eq!(form.active_till.as_deref(), Some("2028-02-29"), "{zone}");
        env.operations();
        ok(&env, "apply --yes");
        assert_eq!(writes(&env), [""; 0], "{zone}");
        let before = fs::read_to_string(&path).unwrap();
        ok(&env, "pull booking.yaml");
        assert_eq!(before, fs::read_to_string(&path).unwrap(), "{zone}");

        // In another year the day does not exist.
        env.file("booking.yaml", before.replace("2028-02-29", "2027-02-29"));
        let run = env.run("apply --yes");
        assert!(run.exit == 8 && run.stderr.contains("activeTill"), "{run}");
        assert!(run.stderr.contains("booking.yaml:5"), "{run}");
    }
}
