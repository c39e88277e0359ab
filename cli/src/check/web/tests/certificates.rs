//! Tests of sites with certificates, in a process of their own: which authorities are trusted depends on the environment.

use std::process::Command;
use std::time::SystemTime;

use links_test_support::authority::Authority;
use links_test_support::link_site::LinkSite;

use super::super::judge::judge;
use super::{anywhere, checker_of, knowing, link, words};

const SITES: &str = "SITES_TO_VISIT";

fn now() -> SystemTime {
    #[expect(clippy::disallowed_methods, reason = "certificates are verified by the real time")]
    SystemTime::now()
}

/// Runs a process that trusts one authority and visits these URLs. Returns a line for each.
async fn visited(authority: &Authority, sites: &[(String, std::net::SocketAddr)]) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    let trusted = directory.path().join("authority.pem");
    std::fs::write(&trusted, authority.pem()).unwrap();
    let sites: Vec<String> =
        sites.iter().map(|(url, address)| format!("{url} {address}")).collect();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([
        "--exact",
        "check::web::tests::certificates::visit_sites",
        "--ignored",
        "--nocapture",
    ]);
    command.env_clear().env(SITES, sites.join("\n")).env("SSL_CERT_FILE", &trusted);
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text.lines().filter_map(|line| line.strip_prefix("visited ")).map(str::to_owned).collect()
}

#[tokio::test]
#[ignore = "does nothing but visit; the test below starts it in a process of its own"]
async fn visit_sites() {
    let Ok(sites) = std::env::var(SITES) else { return };
    println!();
    for line in sites.lines() {
        let (url, address) = line.split_once(' ').unwrap();
        let checker = checker_of(knowing("cafe.example", address.parse().unwrap(), anywhere()));
        let visit = checker.visit(&link(url)).await;
        println!("visited {}", words(&judge(&link(url), &visit, now(), 14)));
    }
}

#[tokio::test]
async fn a_certificate_that_is_not_valid_is_broken_and_one_that_ends_soon_is_noted() {
    let (authority, other, namesake) =
        (Authority::new("One"), Authority::new("Another"), Authority::new("One"));
    let mut sites = Vec::new();
    let mut expected = Vec::new();
    for (authority, name, days, words) in [
        (&authority, "cafe.example", 400, "fine: "),
        (&authority, "cafe.example", 6, "fine: the certificate expires in 5 days"),
        (&authority, "cafe.example", -1, "broken: invalid certificate: expired"),
        (&authority, "bar.example", 400, "broken: invalid certificate: issued for another name"),
        (
            &other,
            "cafe.example",
            400,
            "broken: invalid certificate: issued by an unknown authority",
        ),
        (
            &namesake,
            "cafe.example",
            400,
            "broken: invalid certificate: not signed by the issuer it names",
        ),
    ] {
        sites.push(LinkSite::with_tls(authority.server(&[name], now(), days)));
        expected.push(words.to_owned());
    }
    let urls: Vec<_> =
        sites.iter().map(|it| ("https://cafe.example/menu".to_owned(), it.address())).collect();
    assert_eq!(visited(&authority, &urls).await, expected);
    assert!(sites[2].requests().is_empty() && sites[4].requests().is_empty());
}

#[tokio::test]
async fn a_link_that_could_be_https_is_noted() {
    let authority = Authority::new("One");
    // It answers both on one port, which is that of URLs without one.
    let both = LinkSite::with_tls(authority.server(&["cafe.example"], now(), 400));
    let plain = LinkSite::start();
    let url = "http://cafe.example/menu".to_owned();
    let urls = [(url.clone(), both.address()), (url, plain.address())];
    assert_eq!(
        visited(&authority, &urls).await,
        ["fine: also works with https: https://cafe.example/menu", "fine: "]
    );
    assert_eq!(both.lines(), ["HEAD /menu", "HEAD /menu"]);
}
