//! Tests of calls in a process of their own, because they depend on the environment: proxies, certificates.

use std::ffi::OsStr;
use std::process::Command;

use links_sdk::{Client, Token};

use super::chain;
use links_test_support::clock::shared_clock;

const ADDRESS: &str = "LINKS_TEST_ADDRESS";

/// Runs a process with this environment and no other that requests `/me`. Returns its output.
pub(super) async fn ask(address: &str, environment: &[(&str, &OsStr)]) -> String {
    // Without other settings it trusts no certificate, whatever certificates this machine has.
    let directory = tempfile::tempdir().unwrap();
    let trusted = directory.path().join("nobody.pem");
    let nobody = rcgen::generate_simple_self_signed(["nobody.invalid".to_owned()]).unwrap();
    std::fs::write(&trusted, nobody.cert.pem()).unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "faults::own_process::ask_for_me", "--ignored", "--nocapture"]);
    command.env_clear().env(ADDRESS, address).env("SSL_CERT_FILE", &trusted);
    command.envs(environment.iter().copied());
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let (_, said) = text.split_once("said <").expect("what the other process says");
    said.split_once('>').unwrap().0.to_owned()
}

#[tokio::test]
#[ignore = "does nothing but ask; other tests start it in a process of its own"]
async fn ask_for_me() {
    let Ok(address) = std::env::var(ADDRESS) else { return };
    let (clock, _) = shared_clock();
    let builder = Client::builder(address).token(Token::new("pps_anything").unwrap());
    let said = match builder.clock(clock).build().unwrap().me().await {
        Ok(me) => format!("hello {}", me.name),
        Err(error) => {
            format!("{} attempts, {:?}: {}", error.attempts(), error.outcome(), chain(&error))
        }
    };
    println!("said <{said}>");
}
