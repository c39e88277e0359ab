//! Tests of the login at the connector: in a browser, without one, and the use of the connection.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::{Child, ChildStderr, Stdio};

use links_fixtures::{Choices, Consent, ContractServer, World};
use serde_json::{Value, json};

use crate::auth::config;
use crate::browser::{self, noted};
use crate::test_env::{CommandResult, TestEnv, wait};
use links_test_support::misbehaving_servers::misbehaving_connector;

/// Returns an environment, logged out, with a browser that acts in this way.
pub(crate) fn with_browser(env: TestEnv, does: &str) -> TestEnv {
    env.env("LINKS_TOKEN", "").env("BROWSER", browser::command()).env("BROWSER_DOES", does)
}

fn choosing(choices: Choices) -> TestEnv {
    TestEnv::with(|builder| builder.choices(choices)).env("LINKS_TOKEN", "")
}

const LINE: [&str; 6] = ["auth", "login", "--store", "file", "-o", "json"];

/// Runs `auth login` in the browser, kept in a file as the account `work`.
pub(crate) fn log_in(env: &TestEnv, more: &[&str]) -> CommandResult {
    let line = LINE.iter().chain(&["--account", "work"]).chain(more);
    env.run_args(line, b"")
}

/// Returns an environment that is logged in as `work`, with no request since.
pub(crate) fn connected() -> TestEnv {
    let env = with_browser(TestEnv::cafe(), "approve");
    let run = log_in(&env, &[]);
    assert_eq!(run.exit, 0, "{run}");
    env.server.forget_requests();
    env
}

/// Returns the stored secret of the account `work`.
pub(crate) fn kept(env: &TestEnv) -> Option<Value> {
    let bytes = fs::read(config(env).join("credentials/work.json")).ok()?;
    Some(serde_json::from_slice::<Value>(&bytes).unwrap()["connection"].clone())
}

/// Returns the number of requests for this path.
pub(crate) fn asked(env: &TestEnv, path: &str) -> usize {
    env.server.requests().iter().filter(|it| it.path == path).count()
}

/// Returns a parameter of the URL that the browser was sent to.
fn sent(env: &TestEnv, name: &str) -> String {
    let words = noted(env, "browser-words");
    let query = words.lines().last().unwrap().split_once('?').unwrap().1.to_owned();
    let found = query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
    found.unwrap_or_default().to_owned()
}

#[test]
fn a_login_in_the_browser_becomes_an_account() {
    let env = with_browser(TestEnv::cafe(), "approve");
    let run = log_in(&env, &[]);
    assert_eq!(run.exit, 0, "{run}");
    let data = &run.json()["data"];
    assert_eq!((&data["account"], &data["store"]), (&json!("work"), &json!("file")));
    assert_eq!(
        (&data["canWrite"], &data["user"]["name"]),
        (&json!(true), &json!("Aliya Serikova"))
    );
    assert!(
        noted(&env, "browser-page").starts_with("200 ") && run.stderr.contains("http://127.0.0.1:")
    );

    let env = env.env("LINKS_BASE_URL", "");
    assert_eq!(env.run("me").exit, 0);
    assert_eq!(env.run("auth status -o json").json()["data"]["source"], "account");
    let credentials = kept(&env).unwrap();
    assert!(credentials["refreshToken"].is_string() && credentials["expiresAt"].is_u64());
    for secret in ["accessToken", "refreshToken"] {
        let secret = credentials[secret].as_str().unwrap();
        assert!(!run.to_string().contains(secret));
        assert!(!fs::read_to_string(config(&env).join("accounts.json")).unwrap().contains(secret));
    }
}

#[test]
fn the_browser_gets_the_url_as_one_argument_without_a_shell_or_a_token() {
    let env = with_browser(TestEnv::cafe(), "approve");
    let env = env.env("LINKS_TOKEN", "canary-one").env("LINKS_TOKEN_FILE", "/canary-two");
    assert_eq!(log_in(&env, &[]).exit, 0);
    let environment = noted(&env, "browser-environment");
    assert!(environment.contains("BROWSER_DOES=approve") && !environment.contains("canary"));
    let words = noted(&env, "browser-words");
    let words: Vec<_> = words.lines().collect();
    assert_eq!(words[..3], ["--ignored", "--exact", "browser::opened"]);
    assert!(
        words.len() == 4 && words[3].contains('&') && words[3].starts_with("http://"),
        "{words:?}"
    );
    assert!(!words[3].contains(kept(&env).unwrap()["accessToken"].as_str().unwrap()));
}

#[test]
fn a_client_registration_is_reused_and_made_anew_when_the_service_forgot_it() {
    let env = connected();
    let first = sent(&env, "client_id");
    assert_eq!(log_in(&env, &[]).exit, 0);
    assert_eq!((sent(&env, "client_id"), asked(&env, "/oauth/register")), (first.clone(), 0));

    env.server.forget_clients();
    let before = kept(&env).unwrap();
    assert_eq!(log_in(&env, &[]).exit, 0);
    assert_ne!(sent(&env, "client_id"), first);
    assert_eq!(asked(&env, "/oauth/register"), 1);
    assert_eq!(log_in(&env, &[]).exit, 0);
    assert_eq!(asked(&env, "/oauth/register"), 1);
    assert_ne!(kept(&env).unwrap()["clientId"], before["clientId"]);
}

#[test]
fn a_denied_login_fails_and_stores_nothing() {
    let env = choosing(Choices { oauth_consent: Consent::Deny, ..Choices::default() });
    let env = with_browser(env, "approve");
    let run = log_in(&env, &[]);
    assert_eq!(run.exit, 4, "{run}");
    assert!(run.error_at_end()["message"].to_string().contains("access_denied"), "{run}");
    assert_eq!((kept(&env), asked(&env, "/oauth/token")), (None, 0));
    assert_eq!(env.run("auth list -o json").json()["data"], json!([]));
}

#[test]
fn only_the_callback_of_this_login_is_accepted() {
    let env = with_browser(TestEnv::cafe(), "wander");
    let run = log_in(&env, &[]);
    assert_eq!(run.exit, 0, "{run}");
    assert_eq!(noted(&env, "browser-page"), "404 400 400 400 200");
    assert_eq!(asked(&env, "/oauth/token"), 1);

    let env = with_browser(TestEnv::cafe(), "forge the issuer");
    let run = log_in(&env, &[]);
    assert_eq!(run.exit, 11, "{run}");
    assert_eq!((kept(&env), asked(&env, "/oauth/token")), (None, 0));
}

#[test]
fn an_authorization_endpoint_that_is_no_safe_url_is_not_opened() {
    for named in [
        "file:///etc/passwd",
        "http://links.example/authorize",
        "javascript:alert(1)",
        "calc.exe",
        "--flag",
        "$(touch opened)",
        "`touch opened`",
    ] {
        let connector =
            misbehaving_connector(|_, server| server["authorization_endpoint"] = named.into());
        let env = with_browser(TestEnv::cafe(), "nothing").env("BROWSER", "touch opened");
        let run = log_in(&env, &["--mcp-url", &connector.mcp_url()]);
        assert!(run.exit == 11 && run.stderr.contains("cannot log in"), "{run}");
        assert!(!env.home.path().join("opened").exists() && kept(&env).is_none(), "{named}");
        let asked = connector.asked();
        assert!(asked.iter().all(|path| path != "/register" && path != "/token"), "{asked:?}");
    }
}

#[test]
fn a_login_waits_at_most_five_minutes() {
    let env = with_browser(TestEnv::cafe(), "nothing").env("LINKS_TEST_NO_WAIT", "1");
    let run = log_in(&env, &[]);
    assert_eq!(run.exit, 4, "{run}");
    assert!(run.error_at_end()["message"].to_string().contains("within 5 minutes"), "{run}");
    assert_eq!(kept(&env), None);
}

#[test]
fn a_callback_port_in_use_is_an_error_at_once() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let env = with_browser(TestEnv::cafe(), "approve");
    let run = log_in(&env, &["--callback-port", &port]);
    assert_eq!(run.exit, 2, "{run}");
    assert!(run.error()["hint"].to_string().contains("--callback-port"), "{run}");
    assert!(env.server.requests().iter().all(|it| it.path != "/oauth/register"));

    drop(taken);
    assert_eq!(log_in(&env, &["--callback-port", &port]).exit, 0);
    assert_eq!(sent(&env, "redirect_uri"), format!("http%3A%2F%2F127.0.0.1%3A{port}%2Fcallback"));
}

/// An `auth login` that waits for a pasted URL.
struct Waiting<'a> {
    env: &'a TestEnv,
    child: Child,
    stderr: BufReader<ChildStderr>,
    said: String,
}

impl<'a> Waiting<'a> {
    fn start(env: &'a TestEnv, more: &[&str]) -> Self {
        let mut command = env.command(LINE.iter().chain(&["--account", "work"]).chain(more));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        Self { env, child, stderr, said: String::new() }
    }

    /// Returns the URL that the login asks to open.
    fn login_url(&mut self) -> String {
        let start = self.said.len();
        while !self.said[start..].lines().any(|line| line.starts_with("then paste")) {
            assert_ne!(self.stderr.read_line(&mut self.said).unwrap(), 0, "{}", self.said);
        }
        let url = self.said[start..].lines().find(|line| line.starts_with("http://"));
        url.unwrap().to_owned()
    }

    fn paste(&mut self, text: &str) {
        self.child.stdin.as_mut().unwrap().write_all(text.as_bytes()).unwrap();
    }

    /// Ends the input, and returns the finished run.
    fn end(mut self) -> CommandResult {
        drop(self.child.stdin.take());
        self.stderr.read_to_string(&mut self.said).unwrap();
        let output = self.child.wait_with_output().unwrap();
        CommandResult::new(self.env, output.status.code(), output.stdout, self.said.into_bytes())
    }
}

/// Runs `auth login` without a browser, and pastes the result of `typed` for the URL that it shows.
fn typing(env: &TestEnv, more: &[&str], typed: impl FnOnce(&str) -> String) -> CommandResult {
    let mut waiting = Waiting::start(env, more);
    let url = waiting.login_url();
    waiting.paste(&typed(&url));
    waiting.end()
}

#[test]
fn a_registration_forgotten_during_the_login_is_made_once_more() {
    let env = connected();
    let mut waiting = Waiting::start(&env, &["--no-browser"]);
    let redirect = browser::approve(&waiting.login_url());
    env.server.forget_clients();
    waiting.paste(&format!("{redirect}\n"));
    let redirect = browser::approve(&waiting.login_url());
    waiting.paste(&format!("{redirect}\n"));
    let run = waiting.end();
    assert_eq!((run.exit, asked(&env, "/oauth/register")), (0, 1), "{run}");
    assert_eq!(env.run("me").exit, 0);

    // A second registration is not tried: there is another problem then.
    let mut waiting = Waiting::start(&env, &["--no-browser"]);
    for _ in 0..2 {
        let redirect = browser::approve(&waiting.login_url());
        env.server.forget_clients();
        waiting.paste(&format!("{redirect}\n"));
    }
    let run = waiting.end();
    assert_eq!((run.exit, asked(&env, "/oauth/register")), (4, 2), "{run}");
}

#[test]
fn without_a_browser_the_url_is_shown_and_the_callback_url_is_pasted() {
    let env = with_browser(TestEnv::cafe(), "approve");
    let run = typing(&env, &["--no-browser"], |url| {
        format!("what is this?\n\n{url}\n  {}\r\n", browser::approve(url))
    });
    assert_eq!(run.exit, 0, "{run}");
    assert_eq!(run.stderr.matches("not the final URL of this login").count(), 2, "{run}");
    assert_eq!(noted(&env, "browser-words"), "", "no browser was started");
    assert_eq!(env.run("me").exit, 0);

    let run = typing(&env, &["--no-browser"], |_| {
        "http://127.0.0.1/callback?code=x&state=y\n".to_owned()
    });
    assert_eq!(run.exit, 4, "{run}");
    assert!(run.stderr.contains("--token-stdin"), "{run}");

    // One that cannot be started leaves the same way.
    let env = env.env("BROWSER", "/no/such/browser");
    let run = typing(&env, &[], |url| browser::approve(url) + "\n");
    assert_eq!(run.exit, 0, "{run}");
    assert!(run.stderr.contains("cannot open a browser"), "{run}");

    // A browser on this machine ends at the listener, whether it was started from here or not.
    let run = typing(&env, &["--no-browser"], |url| {
        assert_eq!(browser::request("GET", &browser::approve(url), "").0, 200);
        String::new()
    });
    assert_eq!(run.exit, 0, "{run}");
}

#[test]
fn the_connector_is_named_by_the_flag_the_environment_the_account_or_the_service() {
    let choices = Choices { oauth_by_header: true, ..Choices::default() };
    let env = with_browser(choosing(choices), "approve");
    assert_eq!(log_in(&env, &[]).exit, 0, "the service names it");
    let other = wait(ContractServer::builder(World::cafe()).start()).unwrap();
    let elsewhere = |run: CommandResult, exit: i32| {
        // A token of another service is not used here.
        assert_eq!(run.exit, exit, "{run}");
        let seen = other.requests().iter().any(|it| it.path == "/oauth/authorize");
        other.forget_requests();
        seen
    };
    assert!(elsewhere(log_in(&env, &["--mcp-url", &other.mcp_url()]), 4));
    let env = env.env("LINKS_MCP_URL", other.mcp_url());
    assert!(elsewhere(log_in(&env, &[]), 4));
    let mine = env.server.mcp_url();
    assert!(!elsewhere(log_in(&env, &["--mcp-url", &mine]), 0), "the flag goes first");
}

#[test]
fn a_connector_over_plain_http_is_refused() {
    let env = with_browser(TestEnv::cafe(), "approve");
    for bad in [
        "http://links.example/mcp",
        "http://127.0.0.1.evil.example/mcp",
        "http://localhost@evil.example/mcp",
        "https://user:pw@links.example/mcp",
        "file:///etc/passwd",
        "mcp",
    ] {
        let run = log_in(&env, &["--mcp-url", bad]);
        assert!(run.exit == 11 && run.stderr.contains("cannot log in"), "{run}");
    }
    assert!(env.server.requests().is_empty() && noted(&env, "browser-words").is_empty());
}

#[test]
fn after_access_was_revoked_the_next_call_asks_to_log_in() {
    let env = connected();
    env.server.edit(|account| account.tokens.iter_mut().for_each(|it| it.revoked = true));
    for _ in 0..2 {
        let run = env.run("me -o json");
        assert_eq!(run.exit, 4, "{run}");
        assert!(run.error()["hint"].to_string().contains("links auth login"), "{run}");
        assert_eq!(kept(&env), None);
    }
    assert_eq!(asked(&env, "/oauth/token"), 1);
    assert_eq!(log_in(&env, &[]).exit, 0);
    assert_eq!(env.run("me").exit, 0);
}

#[test]
fn a_login_that_is_refused_is_revoked_and_the_account_keeps_its_own() {
    let env = connected();
    let before = kept(&env);
    env.server.edit(|account| account.user_id = 7);
    let run = log_in(&env, &[]);
    assert!(run.exit == 14 && run.stderr.contains("nothing was stored"), "{run}");
    assert_eq!((asked(&env, "/oauth/revoke"), kept(&env)), (1, before));
    let tokens = env.server.account().tokens;
    let of_work = kept(&env).unwrap()["accessToken"].clone();
    let revoked: Vec<_> = tokens.iter().filter(|it| it.revoked).collect();
    assert!(revoked.len() == 1 && json!(revoked[0].token) != of_work, "{run}");
}

#[test]
fn a_logout_revokes_the_connection_at_the_service() {
    let env = connected();
    let run = env.run("auth logout -o json");
    assert_eq!((run.exit, &run.json()["data"]["tokenEnded"]), (0, &json!(true)), "{run}");
    assert_eq!((asked(&env, "/oauth/revoke"), kept(&env)), (1, None));
    let ended = |env: &TestEnv| env.server.account().tokens.iter().filter(|it| it.revoked).count();
    assert_eq!(ended(&env), 1);

    // If that fails, an error is reported, and the secret is still removed.
    let env = connected();
    let path = config(&env).join("credentials/work.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("/oauth/revoke", "/nothing/here")).unwrap();
    let run = env.run("auth logout");
    assert!(
        run.exit == 0 && run.stdout.contains("the tokens of the login may stay valid"),
        "{run}"
    );
    assert_eq!((kept(&env), ended(&env)), (None, 0));
}
