//! Browser of a user during a login. It is started through `BROWSER`, as a browser is, by this test's own program, which finds the URL at
//! the end of its command line.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use crate::test_env::TestEnv;

/// A file that is locked for as long as the browser runs.
const LOCK: &str = "browser-lock";

/// Returns the command that starts the browser, which then acts as the variable `BROWSER_DOES` says.
pub(crate) fn command() -> String {
    let program = std::env::current_exe().unwrap();
    format!("'{}' --ignored --exact browser::opened", program.display())
}

/// Returns what the browser has recorded under a name, when it has ended: a login does not wait for that.
pub(crate) fn noted(env: &TestEnv, name: &str) -> String {
    if let Ok(lock) = File::open(env.home.path().join(LOCK)) {
        lock.lock().unwrap();
    }
    fs::read_to_string(env.home.path().join(name)).unwrap_or_default()
}

/// Sends one request, without following redirects. Returns the status, the URL of a redirect, and the body.
pub(crate) fn request(method: &str, address: &str, body: &str) -> (u16, String, String) {
    let rest = address.strip_prefix("http://").unwrap();
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let path = if path.is_empty() { "/" } else { path };
    let mut stream = TcpStream::connect(host).unwrap();
    let length = body.len();
    let kind = if body.starts_with('{') { "json" } else { "x-www-form-urlencoded" };
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: application/{kind}\r\n\
        Content-Length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut reader = BufReader::new(stream);
    let lines = reader.by_ref().lines().map_while(Result::ok);
    let head: Vec<_> = lines.take_while(|line| !line.is_empty()).collect();
    let header = |wanted: &str| {
        let mut pairs = head.iter().filter_map(|line| line.split_once(':'));
        let found = pairs.find(|(name, _)| name.eq_ignore_ascii_case(wanted));
        found.map_or("", |(_, value)| value.trim()).to_owned()
    };
    let mut body = vec![0; header("content-length").parse().unwrap_or(0)];
    reader.read_exact(&mut body).unwrap();
    let status = head[0].split(' ').nth(1).unwrap().parse().unwrap();
    (status, header("location"), String::from_utf8(body).unwrap())
}

/// Returns the URL at which the browser of a user who approves ends.
pub(crate) fn approve(address: &str) -> String {
    let (status, location, body) = request("GET", address, "");
    assert_eq!(status, 302, "{body}");
    location
}

/// Returns a redirect with another value of a parameter.
fn forged(redirect: &str, name: &str, value: &str) -> String {
    let (page, query) = redirect.split_once('?').unwrap();
    let start = format!("{name}=");
    let pairs = query.split('&').map(|pair| {
        if pair.starts_with(&start) { format!("{name}={value}") } else { pair.to_owned() }
    });
    format!("{page}?{}", pairs.collect::<Vec<_>>().join("&"))
}

#[test]
#[ignore = "started by a login as its browser"]
fn opened() {
    let lock = File::create(LOCK).unwrap();
    lock.lock().unwrap();
    let words: Vec<_> = std::env::args().skip(1).collect();
    let address = words.last().unwrap();
    let variables: Vec<_> =
        std::env::vars().map(|(name, value)| format!("{name}={value}")).collect();
    fs::write("browser-environment", variables.join("\n")).unwrap();
    fs::write("browser-words", words.join("\n")).unwrap();
    match std::env::var("BROWSER_DOES").unwrap().as_str() {
        "nothing" => {}
        "approve" => {
            let (status, _, page) = request("GET", &approve(address), "");
            fs::write("browser-page", format!("{status} {page}")).unwrap();
        }
        "wander" => {
            let redirect = approve(address);
            let origin = redirect.split("/callback").next().unwrap();
            let asked = [
                format!("{origin}/favicon.ico"),
                forged(&redirect, "state", "of-someone-else"),
                forged(&redirect, "state", ""),
                format!("{origin}/callback?code=alone"),
                redirect,
            ];
            let seen = asked.map(|address| request("GET", &address, "").0.to_string());
            fs::write("browser-page", seen.join(" ")).unwrap();
        }
        "forge the issuer" => {
            request("GET", &forged(&approve(address), "iss", "https%3A%2F%2Fevil.example"), "");
        }
        "press approve in Chromium" => crate::chromium::answer(address, "approve"),
        "press deny in Chromium" => crate::chromium::answer(address, "deny"),
        other => panic!("{other}?"),
    }
}
