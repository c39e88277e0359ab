//! Marked secrets, and a search for them in everything that the commands print, write, send and start.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

use crate::auth::config;
use crate::connect::{connected, kept};
use crate::leaves;
use crate::test_env::{CommandResult, TestEnv};
use links_test_support::misbehaving_servers::PathServer;

const TOKEN: &str = "pps_canary_4f7a1c9e_personal";
const FORMATS: [&str; 7] = ["table", "json", "yaml", "jsonl", "csv", "markdown", "ids"];

/// Secrets in every form in which they could be written: as they are, and in base64 from each of the three places it can begin at.
struct Marks(Vec<String>);

impl Marks {
    fn of(secrets: &[&str]) -> Self {
        let encoded = |secret: &&str| {
            (0..3)
                .map(|shift| {
                    let text = STANDARD_NO_PAD.encode(format!("{}{secret}", &"\0\0\0"[..shift]));
                    // The bytes before and after the secret change the characters at both ends.
                    let text = text[4..text.len() - 4].to_owned();
                    assert!(text.len() > 16);
                    text
                })
                .collect::<Vec<_>>()
        };
        let plain = secrets.iter().map(|it| (*it).to_owned());
        Self(plain.chain(secrets.iter().flat_map(encoded)).collect())
    }

    fn are_in(&self, bytes: &[u8]) -> bool {
        let text = String::from_utf8_lossy(bytes).replace('-', "+").replace('_', "/");
        self.0.iter().any(|mark| text.contains(&mark.replace('-', "+").replace('_', "/")))
    }

    fn are_not_in(&self, run: &CommandResult) {
        assert!(
            !self.are_in(run.stdout.as_bytes()) && !self.are_in(run.stderr.as_bytes()),
            "{run}"
        );
    }

    /// Returns the files below a directory that hold a mark.
    fn files(&self, directory: &Path) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for entry in fs::read_dir(directory).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                found.extend(self.files(&path));
            } else if self.are_in(&fs::read(&path).unwrap_or_default())
                || self.are_in(entry.file_name().as_encoded_bytes())
            {
                found.push(path);
            }
        }
        found
    }

    fn are_in_no_file(&self, env: &TestEnv) {
        let found = self.files(env.home.path());
        assert!(found.is_empty(), "{found:?}");
    }

    /// Checks that the service got the marks in one header only.
    fn are_in_one_header(&self, env: &TestEnv) {
        let requests = env.server.requests();
        assert!(requests.iter().any(|it| it.status == 200), "it was sent to its own service");
        for request in requests {
            let query = request.query.clone().unwrap_or_default();
            let further = request.headers.iter().filter(|(name, _)| name != "authorization");
            let further = further.flat_map(|(name, value)| [name.as_bytes(), value.as_bytes()]);
            let parts = [request.path.as_bytes(), query.as_bytes()];
            let is_login = request.path.starts_with("/oauth/");
            assert!(is_login || !self.are_in(&request.body), "{request:?}");
            assert!(!parts.into_iter().chain(further).any(|it| self.are_in(it)), "{request:?}");
        }
    }
}

#[test]
fn a_marked_secret_is_found_in_base64_at_any_offset() {
    let marks = Marks::of(&[TOKEN]);
    assert!(!marks.are_in(b"pps_canary") && marks.are_in(format!("x{TOKEN}y").as_bytes()));
    for around in ["", "a", "ab", "abc", "Bearer "] {
        let text = format!("{around}{TOKEN}{around}");
        assert!(marks.are_in(STANDARD_NO_PAD.encode(&text).as_bytes()), "{text}");
        assert!(marks.are_in(URL_SAFE_NO_PAD.encode(&text).as_bytes()), "{text}");
    }
}

/// Returns an environment in which everything that outlives a run is below the home directory, temporary files too.
fn marked() -> TestEnv {
    let env = TestEnv::cafe().keeping_state().keeping_cache();
    env.server.edit(|account| TOKEN.clone_into(&mut account.tokens[0].token));
    roomy(env).env("LINKS_TOKEN", TOKEN)
}

fn roomy(env: TestEnv) -> TestEnv {
    let temporary = env.home.path().join("tmp");
    fs::create_dir_all(&temporary).unwrap();
    env.env("TMPDIR", temporary.display().to_string()).env("LINKS_TEST_NO_WAIT", "1")
}

/// Returns every command line, except those that end the account.
fn lines(env: &TestEnv) -> Vec<Vec<String>> {
    env.file(
        "page.yaml",
        "profile: cafe\nslots:\n  - {type: text, data: {title: Good morning!}}\n",
    );
    env.file(
        "menu.png",
        [&b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x03\x20\0\0\x03\x20"[..], &[0; 64]].concat(),
    );
    let words = |leaf: &[String]| match leaf.join(" ").as_str() {
        // It ends at once where the port is taken.
        "sandbox serve" => vec!["--port", "TAKEN"],
        "auth switch" => vec!["nobody"],
        "auth login" => vec!["--token-stdin", "--store", "keyring"],
        "auth logout" => vec!["nobody"],
        leaf => leaves::words(leaf),
    };
    let mut lines = Vec::new();
    for leaf in leaves::leaves(&links_cli::command(), &[]) {
        let words = words(&leaf).into_iter().map(str::to_owned);
        lines.push(leaf.into_iter().chain(words).collect());
    }
    for more in [
        "files upload menu.png --via upload-url",
        "slots apply page.yaml --prune --yes --max-deletes 99",
        "me --sandbox",
    ] {
        lines.push(more.split(' ').map(str::to_owned).collect());
    }
    lines
}

/// Runs every command with `-vv`, each in another format. Returns how many succeeded.
fn run_all(env: &TestEnv, marks: &Marks, more: &[&str]) -> usize {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let start = env.server.account();
    let mut good = 0;
    for (nth, line) in lines(env).iter().enumerate() {
        let mut line: Vec<&str> =
            line.iter().map(|word| if word == "TAKEN" { &port } else { word.as_str() }).collect();
        line.extend(["-vv", "-o", FORMATS[nth % FORMATS.len()]]);
        line.extend(more);
        env.server.edit(|account| account.clone_from(&start));
        let run = env.run_args(line, TOKEN.as_bytes());
        marks.are_not_in(&run);
        good += usize::from(run.exit == 0);
    }
    good
}

#[test]
fn the_token_of_the_environment_is_found_nowhere() {
    let (env, marks) = (marked(), Marks::of(&[TOKEN]));
    assert!(run_all(&env, &marks, &[]) > 50);
    marks.are_in_one_header(&env);
    // With a service that does not answer, and with a token that has no abilities.
    run_all(&env, &marks, &["--base-url", "http://127.0.0.1:1/api/v1"]);
    env.server.edit(|account| account.tokens[0].abilities.clear());
    run_all(&env, &marks, &[]);
    marks.are_in_no_file(&env);
}

#[test]
fn the_token_of_an_account_is_found_in_its_store_only() {
    let (env, marks) = (marked().env("LINKS_TOKEN", ""), Marks::of(&[TOKEN]));
    let line = ["auth", "login", "--token-stdin", "--store", "file", "--account", "work", "-vv"];
    let run = env.run_args(line, TOKEN.as_bytes());
    marks.are_not_in(&run);
    assert!(run_all(&env, &marks, &[]) > 50);
    marks.are_in_one_header(&env);
    let store = config(&env).join("credentials/work.json");
    assert_eq!(marks.files(env.home.path()), [store]);
    marks.are_not_in(&env.run("auth logout -vv"));
    marks.are_in_no_file(&env);
}

#[test]
fn the_tokens_of_a_connection_are_found_in_their_store_only() {
    let env = roomy(connected()).keeping_state().keeping_cache();
    let before = kept(&env).unwrap();
    crate::renewals::expire(&env);
    marks_of(&before).are_not_in(&env.run("me -vv"));
    let (after, store) = (kept(&env).unwrap(), config(&env).join("credentials/work.json"));
    assert_ne!(before, after);
    let marks = marks_of(&after);
    assert!(run_all(&env, &marks, &[]) > 50);
    marks.are_in_one_header(&env);
    assert_eq!(marks.files(env.home.path()), [store]);
    marks_of(&before).are_in_no_file(&env);
    marks.are_not_in(&env.run("auth logout -vv"));
    marks.are_in_no_file(&env);
}

fn marks_of(credentials: &serde_json::Value) -> Marks {
    Marks::of(&["accessToken", "refreshToken"].map(|name| credentials[name].as_str().unwrap()))
}

#[test]
#[cfg(target_os = "linux")]
fn the_token_is_not_in_the_arguments_or_the_environment_of_the_process() {
    use std::process::Stdio;
    let (env, marks) = (marked().env("LINKS_TOKEN", ""), Marks::of(&[TOKEN]));
    let line = ["auth", "login", "--token-stdin", "--store", "file"];
    assert_eq!(env.run_args(line, TOKEN.as_bytes()).exit, 0);
    // It waits for its page, so that it can be looked at.
    let mut command = env.command(["slots", "plan", "-"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    for what in ["cmdline", "environ"] {
        let read = || fs::read(format!("/proc/{}/{what}", child.id())).unwrap();
        // Empty for a moment, while the program is loaded.
        let bytes = std::iter::repeat_with(read).find(|bytes| !bytes.is_empty()).unwrap();
        assert!(!marks.are_in(&bytes), "{what}");
    }
    drop(child.stdin.take());
    child.wait().unwrap();
}

#[test]
#[cfg(target_os = "linux")]
fn no_program_that_is_started_gets_the_token() {
    let (env, marks) = (marked(), Marks::of(&[TOKEN]));
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret");
    fs::write(&secret, TOKEN).unwrap();
    // Each records all of its input.
    let noting = |name: &str| {
        format!("/bin/sh -c 'env > $HOME/{name}.env; echo \"$0 $@\" > $HOME/{name}.args'")
    };
    let env = env
        .env("LINKS_TOKEN_FILE", secret.display().to_string())
        .env("VISUAL", noting("editor"))
        .env("BROWSER", noting("browser"));
    for line in
        ["slots edit cafe", "profile edit cafe", "forms edit 6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21"]
    {
        let seen = crate::terminal::run(&env, line, "");
        assert!(seen.exit == 0 && !marks.are_in(seen.text.as_bytes()), "{}", seen.text);
    }
    let seen = crate::terminal::run(&env, "profile open cafe", "");
    assert_eq!(seen.exit, 0, "{}", seen.text);

    let command = format!(
        "/bin/sh -c 'env > $HOME/command.env; echo \"$0 $@\" > $HOME/command.args; cat {}'",
        secret.display()
    );
    let run = env
        .run_args(["auth", "login", "--token-command", &command, "--account", "work", "-vv"], b"");
    assert_eq!(run.exit, 0, "{run}");
    marks.are_not_in(&run);
    let run = env.run("me --account work -vv");
    assert_eq!(run.exit, 0, "{run}");
    marks.are_not_in(&run);

    for name in ["editor", "browser", "command"] {
        let environment = fs::read_to_string(env.home.path().join(format!("{name}.env")));
        // A browser is not waited for.
        assert!(name == "browser" || environment.unwrap().contains("HOME="), "{name}");
    }
    marks.are_in_no_file(&env);
}

#[test]
fn an_upload_url_is_not_printed() {
    let env = marked();
    lines(&env);
    for more in ["", " -o json"] {
        let run = env.run(&format!("files upload menu.png --via upload-url -vv{more}"));
        assert_eq!(run.exit, 0, "{run}");
        let account = env.server.account();
        assert!(!account.upload_tickets.is_empty());
        for ticket in &account.upload_tickets {
            let address = format!("/uploads/{}", ticket.key);
            assert!(!run.stdout.contains(&address) && !run.stderr.contains(&address), "{run}");
        }
    }
}

#[test]
fn a_token_that_the_service_repeats_in_any_form_is_in_no_message() {
    let everywhere = TOKEN.bytes().map(|c| format!("%{c:02X}")).collect::<String>();
    let bearer = STANDARD_NO_PAD.encode(format!("Bearer {TOKEN}"));
    let marks = Marks::of(&[TOKEN]);
    for form in [TOKEN, &bearer, &everywhere] {
        let envelope = serde_json::json!({
            "message": form, "code": form, "errors": { form: [form] }, "documentation": form,
        });
        let record = serde_json::json!({ "data": { "id": form } });
        let page = format!("{}{form} and more", "x ".repeat(95));
        let answers = [
            (401, envelope.to_string()),
            (422, envelope.to_string()),
            (200, record.to_string()),
            (502, page),
        ];
        for (status, body) in answers {
            let header = format!("Content-Type: {form}\r\nRetry-After: {form}\r\n");
            let service = PathServer::start(move |_| (status, header.clone(), body.clone()));
            let env =
                marked().env("LINKS_BASE_URL", format!("http://{}/api/v1", service.address()));
            for line in [
                "me -vv",
                "profile get cafe -vv -o json",
                "slots add cafe divider -vv",
                "api GET /me -vv",
            ] {
                let run = env.run(line);
                assert!(!service.asked().is_empty(), "{run}");
                let said = &run.stderr;
                assert!(!marks.are_in(said.as_bytes()) && !said.contains(form), "{status}: {run}");
                assert!(!run.stdout.contains(form) || run.exit == 0, "{status}: {run}");
            }
            let found = marks.files(env.home.path());
            assert!(found.iter().all(|it| it.ends_with("names")), "{found:?}");
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_crash_writes_no_core_dump() {
    use std::process::Stdio;
    let env = marked();
    // It waits for its page, so that it can be looked at.
    let mut command = env.command(["slots", "plan", "-"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let limits = || fs::read_to_string(format!("/proc/{}/limits", child.id())).unwrap();
    let is_none = |limits: &String| {
        let line = limits.lines().find(|it| it.starts_with("Max core file size"));
        line.is_some_and(|it| it.split_ascii_whitespace().skip(4).take(2).eq(["0", "0"]))
    };
    // It is turned off at the start, after the program is loaded.
    let looks = std::iter::repeat_with(|| {
        std::thread::yield_now();
        limits()
    });
    assert!(looks.take(1_000_000).any(|it| is_none(&it)));
    drop(child.stdin.take());
    child.wait().unwrap();
}
