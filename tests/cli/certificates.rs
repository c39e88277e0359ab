//! Tests of the certificates that the user names for the connections to the service.

use std::fs;

use links_test_support::authority::Authority;
use links_test_support::tls_front::TlsFront;

use crate::check::now;
use crate::test_env::TestEnv;

/// Returns the café behind TLS with a certificate of this authority.
fn behind_tls(authority: &Authority) -> TestEnv {
    let env = TestEnv::cafe();
    let config = authority.server(&["localhost"], now(), 30);
    let front = TlsFront::before(&origin(&env), config);
    env.env("LINKS_BASE_URL", format!("{}/api/v1", front.origin()))
}

/// Returns the café behind TLS, for clients that have a certificate of this authority.
fn for_clients(authority: &Authority) -> TestEnv {
    let env = TestEnv::cafe();
    let front = TlsFront::before(&origin(&env), authority.server_for_clients());
    env.env("LINKS_BASE_URL", format!("{}/api/v1", front.origin()))
}

fn origin(env: &TestEnv) -> String {
    env.server.base_url().trim_end_matches("/api/v1").to_owned()
}

#[test]
fn an_authority_is_trusted_by_option_or_variable() {
    let authority = Authority::new("Company");
    let env = behind_tls(&authority);
    let run = env.run("me");
    assert_eq!(run.exit, 10, "{run}");
    assert!(run.stderr.contains("secure connection to localhost"), "{run}");
    assert!(run.stderr.contains("--cacert FILE"), "{run}");

    let file = env.file("company.pem", authority.pem());
    let run = env.run("me --cacert company.pem");
    assert_eq!(run.exit, 0, "{run}");
    let env = env.env("LINKS_CA_FILE", file.display().to_string());
    assert_eq!(env.run("me").exit, 0);
    let other = env.file("other.pem", Authority::new("Other").pem());
    let run = env.run(&format!("me --cacert {}", other.display()));
    assert_eq!(run.exit, 10, "the option overrides the variable: {run}");
}

#[test]
fn commands_that_may_only_read_the_files_they_are_given_read_these_as_well() {
    let authority = Authority::new("Company");
    let env = behind_tls(&authority);
    let elsewhere = tempfile::tempdir().unwrap();
    let file = elsewhere.path().join("company.pem");
    fs::write(&file, authority.pem()).unwrap();
    env.file("page.yaml", "profile: cafe\ntitle: Behind TLS\n");
    let run = env.run(&format!("apply page.yaml --yes --cacert {}", file.display()));
    assert_eq!(run.exit, 0, "{run}");
    assert!(run.stdout.contains("title"), "{run}");
}

#[test]
fn a_client_certificate_is_shown() {
    let authority = Authority::new("Company");
    let env = for_clients(&authority);
    env.file("company.pem", authority.pem());
    let (certificate, key) = authority.client("me");
    let both = env.file("both.pem", certificate.clone() + &key);
    let run = env.run("me --cacert company.pem");
    assert_eq!(run.exit, 10, "{run}");
    assert!(run.stderr.contains("--client-cert FILE"), "{run}");

    let run = env.run("me --cacert company.pem --client-cert both.pem");
    assert_eq!(run.exit, 0, "{run}");
    env.file("certificate.pem", certificate);
    let run = env.run("me --cacert company.pem --client-cert certificate.pem");
    assert_eq!(run.exit, 2, "{run}");
    assert!(run.stderr.contains("cannot use certificate.pem: no unencrypted private key"), "{run}");
    let env = env.env("LINKS_CLIENT_CERT", both.display().to_string());
    assert_eq!(env.run("me --cacert company.pem").exit, 0);
}

#[test]
fn a_file_that_cannot_be_used_is_named_before_anything_is_sent() {
    let env = TestEnv::cafe();
    env.file("empty.pem", "");
    env.file("broken.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    for (line, expected) in [
        ("me --cacert none.pem", "--cacert: cannot use none.pem: No such file"),
        ("me --cacert empty.pem", "--cacert: cannot use empty.pem: no certificate found"),
        ("me --cacert broken.pem", "--cacert: cannot use broken.pem: "),
        ("me --cacert .", "--cacert: cannot use .: Is a directory"),
        ("me --client-cert empty.pem", "--client-cert: cannot use empty.pem: no certificate found"),
    ] {
        let run = env.run(line);
        assert_eq!(run.exit, 2, "{run}");
        assert!(run.stderr.contains(expected), "{run}");
    }
    assert!(env.operations().is_empty());
    let env = env.env("LINKS_CA_FILE", "none.pem");
    let run = env.run("me");
    assert!(run.stderr.contains("LINKS_CA_FILE: cannot use none.pem"), "{run}");
    assert_eq!(env.run("me --sandbox").exit, 0, "the sandbox needs no certificate");
}
