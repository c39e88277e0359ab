//! Tests of `links preview --serve` by its HTTP requests. `tests/browser/run` has those with a browser.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

use links_fixtures::Fault;
use links_pages::page_file::local_image::hash_of;
use serde_json::{Value, json};

use crate::test_env::{TestEnv, picture, reported_exit, wait};

const FILE: &str = "profile: cafe\ntitle: Qara by the river\nslots:\n  - {id: 1001, type: text, data: {title: Good evening}}\n";

/// Time limit for an answer, far above what any takes.
const SLOWEST: Duration = Duration::from_secs(120);

pub(crate) fn env() -> TestEnv {
    TestEnv::cafe().keeping_state().keeping_cache().env("LINKS_TEST_NO_WAIT", "1")
}

/// A running preview server. It ends when this is dropped.
pub(crate) struct PreviewServer {
    child: Child,
    pub(crate) url: String,
    host: String,
    path: String,
}

/// An answer of the server.
struct Answer {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl PreviewServer {
    /// Starts `links preview` with these words and `--serve`, and waits for its URL.
    pub(crate) fn start(env: &TestEnv, words: &[&str]) -> Self {
        let mut line = vec!["preview"];
        line.extend(words);
        line.extend(["--serve", "-o", "json"]);
        let mut command = env.command(line);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut text = String::new();
        while stdout.read_line(&mut text).unwrap() > 0
            && serde_json::from_str::<Value>(&text).is_err()
        {}
        let printed: Value = serde_json::from_str(&text).unwrap_or_else(|error| {
            let mut stderr = String::new();
            child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
            panic!("{error}: {text}\n{stderr}")
        });
        let url = printed["data"]["url"].as_str().unwrap().to_owned();
        let rest = url.strip_prefix("http://").unwrap();
        let (host, path) = rest.split_at(rest.find('/').unwrap());
        let (host, path) = (host.to_owned(), path.to_owned());
        Self { child, url, host, path }
    }

    /// Sends a request with exactly these headers.
    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(SLOWEST)).unwrap();
        let headers: String =
            headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        write!(stream, "{method} {path} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n").unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let end = bytes.windows(4).position(|it| it == b"\r\n\r\n").unwrap();
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, head: head.to_lowercase(), body: bytes[end + 4..].to_vec() }
    }

    fn get(&self, name: &str) -> Answer {
        self.send("GET", &format!("{}{name}", self.path), &[("Host", &self.host)])
    }

    pub(crate) fn html(&self) -> String {
        let answer = self.get("");
        assert_eq!(answer.status, 200);
        String::from_utf8(answer.body).unwrap()
    }

    /// Sends an order to apply the document as it is now, and returns the state.
    fn apply(&self, is_confirmed: bool) -> String {
        self.apply_version(&self.version(), is_confirmed)
    }

    /// Returns the version of the document.
    fn version(&self) -> String {
        let html = self.html();
        html.split("data-version=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
    }

    fn apply_version(&self, version: &str, is_confirmed: bool) -> String {
        let path = format!("{}apply?version={version}&confirmed={is_confirmed}", self.path);
        let origin = format!("http://{}", self.host);
        let headers = [("Host", self.host.as_str()), ("Origin", &origin), ("Content-Length", "0")];
        let answer = self.send("POST", &path, &headers);
        assert_eq!(answer.status, 200, "{}", answer.head);
        let state: Value = serde_json::from_slice(&answer.body).unwrap();
        state["state"].as_str().unwrap().to_owned()
    }

    /// Opens the events. Their first is the current version.
    fn events(&self) -> Events {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(SLOWEST)).unwrap();
        let (path, host) = (&self.path, &self.host);
        write!(stream, "GET {path}events HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
        let mut events = Events(BufReader::new(stream));
        events.next();
        events
    }

    /// Presses Ctrl-C.
    fn interrupt(&self) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    }

    /// Takes the pipe of what is said.
    fn stderr(&mut self) -> ChildStderr {
        self.child.stderr.take().unwrap()
    }

    /// Waits for the end, and returns the exit code.
    fn ended(mut self) -> Option<i32> {
        reported_exit(self.child.wait().unwrap())
    }

    /// Presses Ctrl-C, and returns the exit code and what was said.
    fn stop(mut self) -> (Option<i32>, String) {
        self.interrupt();
        let mut said = String::new();
        self.stderr().read_to_string(&mut said).unwrap();
        (self.ended(), said)
    }
}

impl Drop for PreviewServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The events of a server.
struct Events(BufReader<TcpStream>);

impl Events {
    /// Waits for the next version.
    fn next(&mut self) -> u64 {
        loop {
            let mut line = String::new();
            assert!(self.0.read_line(&mut line).unwrap() > 0, "the events ended");
            if let Some(version) = line.strip_prefix("data: ") {
                return version.trim().parse().unwrap();
            }
        }
    }

    /// Waits until the document has a text.
    fn until(&mut self, server: &PreviewServer, text: &str) -> String {
        loop {
            let html = server.html();
            if html.contains(text) {
                return html;
            }
            self.next();
        }
    }
}

#[test]
fn the_page_is_served_with_every_slot_and_a_strict_policy() {
    let env = env();
    env.run("pull cafe -O cafe.yaml");
    let server = PreviewServer::start(&env, &["cafe.yaml"]);
    let answer = server.get("");
    for header in [
        "content-type: text/html; charset=utf-8",
        "referrer-policy: no-referrer",
        "x-frame-options: deny",
        "cache-control: no-store",
        "content-security-policy: default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' https://files.links.example; ",
    ] {
        assert!(answer.head.contains(header), "{header}\n{}", answer.head);
    }
    let html = server.html();
    for text in [
        "<h1>Qara Coffee</h1>",
        "class=\"mood\">Fresh Ethiopia on batch brew<",
        ">instagram</a>",
        "https://files.links.example/uploads/4021/logo.png",
        "Good morning!",
        "class=\"button primary\" href=\"https://qara.example/menu\"",
        "Book a table",
        "Raf with sea buckthorn",
        "<hr>",
        "Open cupping",
        "A minute at the roaster",
        "The Night Trams",
        "Is there oat milk?",
        "Board games for two",
        "legacy type messenger",
        "rendered by the service",
        "No visible changes.",
    ] {
        assert!(html.contains(text), "{text}\n{html}");
    }
    assert!(
        !html.contains("id=\"apply\"") && !html.contains("style=") && !html.contains("onclick")
    );
    assert!(server.get("style.css").head.contains("text/css"));
    assert!(server.get("script.js").head.contains("text/javascript"));
    assert!(env.server.requests().iter().all(|it| it.method == "GET"));
}

#[test]
fn a_text_of_the_page_does_not_choose_where_images_come_from() {
    let env = env();
    let title = "title=[a](https://evil.example/uploads/4021/logo.png)";
    let run = env.run_args(["profile", "update", "cafe", title], b"");
    assert_eq!(run.exit, 0, "{run}");
    env.run("pull cafe -O cafe.yaml");
    let server = PreviewServer::start(&env, &["cafe.yaml"]);
    let answer = server.get("");
    assert!(
        answer.head.contains("img-src 'self' https://files.links.example; "),
        "{}",
        answer.head
    );
    let html = server.html();
    assert!(html.contains("src=\"https://files.links.example/uploads/4021/logo.png\""), "{html}");
    assert!(!html.contains("src=\"https://evil.example"), "{html}");
}

#[test]
fn texts_of_the_file_are_escaped() {
    let env = env();
    let bad = "<script>alert(1)</script>\\\"><img src=x onerror=alert(1)>";
    env.file("cafe.yaml", format!("profile: cafe\ntitle: \"{bad}\"\ndescription: \"{bad}\"\nmoodText: \"{bad}\"\nsocials: ['https://a.example/\"><script>']\nslots:\n  - {{type: text, data: {{title: \"{bad}\", description: \"{bad}\"}}}}\n  - {{type: faq, data: {{items: [{{question: \"{bad}\", answer: \"{bad}\"}}]}}}}\n  - {{type: wishlist, data: {{items: [{{title: \"{bad}\", link: 'javascript:alert(1)'}}]}}}}\n  - {{type: picture, data: {{title: \"{bad}\", image: 'a\"><script>'}}}}\n"));
    let server = PreviewServer::start(&env, &["cafe.yaml"]);
    let html = server.html();
    assert!(html.contains("&lt;script&gt;alert(1)"), "{html}");
    assert!(!html.contains("<script>") && !html.contains("<img src=x"), "{html}");
    assert!(!html.contains("javascript:") || !html.contains("href=\"javascript:"), "{html}");
    env.file(
        "cafe.yaml",
        "profile: cafe\nslots:\n  - {type: text, data: {titel: <script>alert(2)</script>}}\n",
    );
    let html = server.events().until(&server, "id=\"problems\"");
    assert!(html.contains("&lt;script&gt;alert(2)") && !html.contains("<script>"), "{html}");
}

#[test]
fn requests_that_are_not_meant_for_the_server_are_refused() {
    let env = env();
    env.file("cafe.yaml", FILE);
    env.file("oven.gif", picture(9, 9));
    let server = PreviewServer::start(&env, &["cafe.yaml", "--apply"]);
    let (host, path) = (server.host.as_str(), server.path.as_str());
    let port = host.rsplit(':').next().unwrap();
    let [local, evil] = ["localhost", "evil.example"].map(|name| format!("{name}:{port}"));
    let status = |path: &str, headers: &[(&str, &str)]| server.send("GET", path, headers).status;
    for other in [evil.as_str(), &local, "127.0.0.1", ""] {
        assert_eq!(status(path, &[("Host", other)]), 421, "{other}");
    }
    assert_eq!(status(path, &[("Host", host), ("Host", &evil)]), 421);
    for origin in ["null", "https://evil.example", "http://127.0.0.1:1"] {
        assert_eq!(status(path, &[("Host", host), ("Origin", origin)]), 403, "{origin}");
        let apply = format!("{path}apply?version=1&confirmed=true");
        let headers = [("Host", host), ("Origin", origin), ("Content-Length", "0")];
        assert_eq!(server.send("POST", &apply, &headers).status, 403, "{origin}");
    }
    let apply = format!("{path}apply?version=1&confirmed=true");
    assert_eq!(server.send("POST", &apply, &[("Host", host), ("Content-Length", "0")]).status, 403);
    let wrong = format!("/{}/", "0".repeat(32));
    for other in ["/", &wrong, &path[..path.len() - 1], &path[..path.len() - 2], "/style.css"] {
        assert_eq!(status(other, &[("Host", host)]), 404, "{other}");
    }
    for name in [
        "image/0",
        "cafe.yaml",
        "image/oven.gif",
        "image/../cafe.yaml",
        "../../../../../../etc/passwd",
        "image/..%2f..%2fcafe.yaml",
        "..%2fcafe.yaml",
        "image/-1",
        "image/99999999999999999999",
    ] {
        assert_eq!(server.get(name).status, 404, "{name}");
    }
    assert!(env.server.account().profiles[0].title.as_deref() == Some("Qara Coffee"));
}

#[test]
fn only_images_that_the_file_names_are_served() {
    let env = env();
    std::fs::create_dir_all(env.home.path().join("pages/images")).unwrap();
    env.file("secret.gif", picture(7, 7));
    env.file("pages/other.gif", picture(8, 8));
    env.file("pages/images/oven.gif", picture(9, 9));
    let page = |image: &str| {
        format!(
            "profile: cafe\navatar: {{$upload: {image}}}\nslots: [{{type: picture, data: {{image: {{$upload: images/oven.gif}}}}}}]\n"
        )
    };
    env.file("pages/cafe.yaml", page("images/oven.gif"));
    let server = PreviewServer::start(&env, &["pages/cafe.yaml"]);
    let html = server.html();
    let name = |size: u16| format!("image/{}.gif", &hash_of(&picture(size, size))[..32]);
    assert!(html.contains(&format!("src=\"{}\"", name(9))), "{html}");
    let image = server.get(&name(9));
    assert!(image.head.contains("image/gif") && image.body == picture(9, 9), "{}", image.head);
    assert_eq!(server.get(&name(8)).status, 404);
    let mut events = server.events();
    env.file("pages/cafe.yaml", page("../secret.gif"));
    let html = events.until(&server, "id=\"problems\"");
    assert!(html.contains("is outside the page file") && html.contains(":2:"), "{html}");
    assert_eq!(server.get(&name(7)).status, 404);
    // An image that changes is shown anew without a save of the file.
    env.file("pages/cafe.yaml", page("other.gif"));
    let before = events.until(&server, &name(8));
    env.file("pages/images/oven.gif", picture(5, 5));
    events.next();
    assert_ne!(server.html(), before);
    assert_eq!(env.operations().iter().filter(|it| *it == "uploadFile").count(), 0);
}

#[test]
fn the_page_follows_its_file_without_a_request() {
    let env = env();
    env.file("cafe.yaml", FILE);
    let server = PreviewServer::start(&env, &["cafe.yaml"]);
    assert!(server.html().contains("<h1>Qara by the river</h1>"));
    assert!(env.operations().len() <= 4);
    let mut events = server.events();
    env.file("cafe.yaml", FILE.replace("by the river", "at the market"));
    let html = events.until(&server, "<h1>Qara at the market</h1>");
    assert!(html.contains("+# Qara at the market"), "{html}");
    // Many editors write a new file and rename it.
    env.file(".cafe.yaml.new", FILE.replace("Good evening", "Good night"));
    let home = env.home.path();
    std::fs::rename(home.join(".cafe.yaml.new"), home.join("cafe.yaml")).unwrap();
    events.until(&server, "Good night");
    env.file("cafe.yaml", "profile: cafe\nslots: [\n");
    let html = events.until(&server, "id=\"problems\"");
    assert!(html.contains("cafe.yaml:") && html.contains("Good night"), "{html}");
    env.file("cafe.yaml", FILE.replace("type: text", "type: txet"));
    let html = events.until(&server, "cafe.yaml:4:");
    assert!(html.contains("txet") && html.contains("The page below is"), "{html}");
    env.file("cafe.yaml", FILE);
    let html = events.until(&server, "<h2>Good evening</h2>");
    assert!(!html.contains("id=\"problems\""), "{html}");
    std::fs::remove_file(home.join("cafe.yaml")).unwrap();
    events.until(&server, "cannot read cafe.yaml");
    env.file("cafe.yaml", FILE.replace("evening", "morning"));
    events.until(&server, "<h2>Good morning</h2>");
    assert!(env.operations().is_empty(), "saves ask nothing of the service");
}

#[test]
fn the_page_is_read_again_after_a_pull_or_a_conflict() {
    for is_in_lock in [false, true] {
        let env = env();
        if is_in_lock {
            assert_eq!(env.run("init .").exit, 0);
        }
        let retitle = |title: &str| {
            env.server.edit(|account| account.profiles[0].title = Some(title.to_owned()));
        };
        env.run("pull cafe -O cafe.yaml");
        let server = PreviewServer::start(&env, &["cafe.yaml"]);
        let mut events = server.events();
        retitle("Theirs");
        let run = env.run("pull cafe -O cafe.yaml");
        assert_eq!(run.exit, 0, "{run}");
        // The file is written before its record.
        events.until(&server, "<h1>Theirs</h1>");
        events.until(&server, "No visible changes.");
        drop(server);

        let pulled = std::fs::read_to_string(env.home.path().join("cafe.yaml")).unwrap();
        let titled = |title: &str| pulled.replace("title: Theirs", &format!("title: {title}"));
        retitle("Others");
        env.file("cafe.yaml", titled("Ours"));
        let server = PreviewServer::start(&env, &["cafe.yaml"]);
        let html = server.html();
        assert!(html.contains("changed both here and on the page since the last sync"), "{html}");
        let mut events = server.events();
        // Others take their change back.
        retitle("Theirs");
        env.file("cafe.yaml", titled("Ours again"));
        let html = events.until(&server, "<h1>Ours again</h1>");
        assert!(!html.contains("id=\"problems\""), "{html}");
    }
}

#[test]
fn a_block_or_an_image_that_was_missing_is_noticed() {
    let env = env();
    env.file(
        "cafe.yaml",
        "profile: cafe\navatar: {$upload: oven.gif}\nslots:\n  - $include: block.yaml\n",
    );
    let server = PreviewServer::start(&env, &["cafe.yaml"]);
    let html = server.html();
    assert!(html.contains("block.yaml does not exist"), "{html}");
    let mut events = server.events();
    env.file("block.yaml", "- {id: 1001, type: text, data: {title: Good evening}}\n");
    events.until(&server, "cannot read oven.gif");
    env.file("oven.gif", picture(9, 9));
    let html = events.until(&server, "<h2>Good evening</h2>");
    assert!(!html.contains("id=\"problems\""), "{html}");
}

#[test]
fn without_apply_nothing_is_ever_written() {
    let env = env();
    env.file("cafe.yaml", FILE);
    let before = env.server.account();
    let server = PreviewServer::start(&env, &["cafe.yaml"]);
    let origin = format!("http://{}", server.host);
    let path = format!("{}apply?version=1&confirmed=true", server.path);
    let headers = [("Host", server.host.as_str()), ("Origin", &origin), ("Content-Length", "0")];
    assert_eq!(server.send("POST", &path, &headers).status, 403);
    let mut events = server.events();
    env.file("cafe.yaml", FILE.replace("evening", "night"));
    events.until(&server, "Good night");
    assert_eq!(env.server.account(), before);
    assert!(env.server.requests().iter().all(|it| it.method == "GET"));
    assert!(env.run("log -o ids").stdout.is_empty());
}

#[test]
fn an_order_applies_what_the_user_sees() {
    let env = env();
    env.file("cafe.yaml", FILE);
    let server = PreviewServer::start(&env, &["cafe.yaml", "--apply"]);
    assert!(server.html().contains("id=\"apply\""));
    assert_eq!(server.apply_version("0", true), "stale");
    assert_eq!(env.server.account().profiles[0].title.as_deref(), Some("Qara Coffee"));
    let mut events = server.events();
    assert_eq!(server.apply(false), "applied");
    let html = events.until(&server, "No visible changes.");
    assert!(html.contains("id=\"notice\"") && html.contains("1 updated"), "{html}");
    assert_eq!(env.server.account().profiles[0].title.as_deref(), Some("Qara by the river"));
    // Nothing is left to apply.
    assert_eq!(server.apply(false), "stale");
    // A file with problems is not applied.
    env.file("cafe.yaml", "profile: cafe\ntitle: New\ncolour: red\n");
    events.until(&server, "id=\"problems\"");
    assert_eq!(server.apply(true), "stale");
    assert_eq!(env.server.account().profiles[0].title.as_deref(), Some("Qara by the river"));
    assert!(!env.run("log -o ids").stdout.is_empty());
}

#[test]
fn what_cannot_be_undone_is_applied_only_after_a_confirmation() {
    let env = env();
    env.file("oven.gif", picture(9, 9));
    env.run("pull cafe -O cafe.yaml");
    let text = std::fs::read_to_string(env.home.path().join("cafe.yaml")).unwrap();
    let start = text.find("  - id: 1002").unwrap();
    let end = start + text[start + 3..].find("  - id:").unwrap() + 3;
    env.file("cafe.yaml", format!("{}{}", &text[..start], &text[end..]));
    let server = PreviewServer::start(&env, &["cafe.yaml", "--apply", "--prune"]);
    let html = server.html();
    let bar = html.split("</header>").next().unwrap();
    let named = "<li class=\"removed\">- button 1002 &quot;Menu&quot; (its click statistics will be lost)</li>";
    for text in ["id=\"confirm\" role=\"alert\" hidden", named, "1 delete. Press"] {
        assert!(bar.contains(text), "{text}\n{html}");
    }
    let has = |env: &TestEnv| env.server.account().profiles[0].slots.iter().any(|it| it.id == 1002);
    assert_eq!(server.apply(false), "confirm");
    assert!(has(&env));
    // Others add a slot, which the user has not seen.
    env.server.edit(|account| {
        let mut slot = account.profiles[0].slots[0].clone();
        (slot.id, slot.data["title"]) = (4999, json!("Theirs"));
        account.profiles[0].slots.push(slot);
    });
    let mut events = server.events();
    assert_eq!(server.apply(true), "failed");
    let html = events.until(&server, "class=\"failure\"");
    assert!(html.contains("text 4999 would now also be deleted; nothing was written"), "{html}");
    assert!(has(&env));
    assert_eq!(server.apply(false), "confirm");
    // Others delete that slot and add another one: as many deletes, but not the same.
    env.server.edit(|account| account.profiles[0].slots.last_mut().unwrap().id = 4998);
    let mut events = server.events();
    assert_eq!(server.apply(true), "failed");
    events.until(&server, "text 4998 would now also be deleted");
    assert!(has(&env));
    assert_eq!(server.apply(false), "confirm");
    assert_eq!(server.apply(true), "applied");
    assert!(!has(&env));
}

#[test]
fn a_save_applies_what_needs_no_confirmation() {
    let env = env();
    env.file("oven.gif", picture(9, 9));
    env.file("cafe.yaml", FILE);
    let server = PreviewServer::start(&env, &["cafe.yaml", "--apply=save"]);
    let title = |env: &TestEnv| env.server.account().profiles[0].title.clone().unwrap();
    assert_eq!(title(&env), "Qara Coffee", "only a save applies");
    let mut events = server.events();
    env.file("cafe.yaml", FILE.replace("the river", "the sea"));
    events.until(&server, "id=\"notice\"");
    assert_eq!(title(&env), "Qara by the sea");
    env.file("cafe.yaml", format!("{FILE}avatar: {{$upload: oven.gif}}\n"));
    let html = events.until(&server, "<h1>Qara by the river</h1>");
    assert!(html.contains("1 upload. Press"), "{html}");
    assert_eq!(title(&env), "Qara by the sea");
    assert_eq!(server.apply(true), "applied");
    assert_eq!(title(&env), "Qara by the river");
}

/// Returns the number of the request of an apply that writes the title.
fn title_write() -> usize {
    let env = env();
    env.file("cafe.yaml", FILE);
    let server = PreviewServer::start(&env, &["cafe.yaml", "--apply"]);
    env.operations();
    assert_eq!(server.apply(false), "applied");
    env.operations().iter().position(|it| it == "updateProfile").unwrap() + 1
}

#[test]
fn a_save_during_an_apply_is_applied_too() {
    let env = env();
    env.file("cafe.yaml", FILE);
    let server = PreviewServer::start(&env, &["cafe.yaml", "--apply=save"]);
    let title = || env.server.account().profiles[0].title.clone().unwrap();
    let mut events = server.events();
    env.server.fail([title_write()], &Fault::StallAfter);
    env.file("cafe.yaml", FILE.replace("the river", "the sea"));
    wait(env.server.until_stalled(1));
    assert_eq!(title(), "Qara by the sea");
    env.file("cafe.yaml", FILE.replace("the river", "the lake"));
    env.server.release();
    let html = events.until(&server, "<h1>Qara by the lake</h1>");
    assert!(html.contains("id=\"notice\""), "{html}");
    assert!(!html.contains("id=\"problems\""), "{html}");
    events.until(&server, "No visible changes.");
    assert_eq!(title(), "Qara by the lake");
}

#[test]
fn a_save_during_an_order_keeps_its_notice() {
    let env = env();
    env.file("cafe.yaml", FILE);
    let server = PreviewServer::start(&env, &["cafe.yaml", "--apply"]);
    env.server.fail([title_write()], &Fault::StallAfter);
    let state = std::thread::scope(|scope| {
        let ordered = scope.spawn(|| server.apply(false));
        wait(env.server.until_stalled(1));
        env.file("cafe.yaml", FILE.replace("the river", "the lake"));
        env.server.release();
        ordered.join().unwrap()
    });
    assert_eq!(state, "applied");
    let html = server.html();
    assert!(html.contains("id=\"notice\"") && html.contains("Qara by the lake"), "{html}");
    assert_eq!(env.server.account().profiles[0].title.as_deref(), Some("Qara by the river"));
}

#[test]
fn a_new_page_is_created_after_a_confirmation() {
    let env = env();
    env.file("new.yaml", "profile: spring.menu\ntitle: Spring\n");
    let server = PreviewServer::start(&env, &["new.yaml", "--apply"]);
    assert_eq!(server.apply(false), "confirm");
    assert_eq!(server.apply(true), "applied");
    assert!(env.server.account().profile("spring.menu").is_some());
    let html = server.html();
    assert!(
        html.contains("No visible changes.") && html.contains("rendered by the service"),
        "{html}"
    );
}

#[test]
fn a_file_with_problems_is_served_until_it_has_none() {
    let env = env();
    env.file("cafe.yaml", "profile: cafe\ntitel: A\n");
    let server = PreviewServer::start(&env, &["cafe.yaml", "--apply"]);
    let html = server.html();
    assert!(html.contains("cafe.yaml:2:1") && !html.contains("<main"), "{html}");
    let mut events = server.events();
    env.file("cafe.yaml", FILE);
    events.until(&server, "<main");
}

#[test]
fn ctrl_c_ends_the_server_and_its_events() {
    let env = env();
    env.file("cafe.yaml", FILE);
    let server = PreviewServer::start(&env, &["cafe.yaml"]);
    let host = server.host.clone();
    let mut events = server.events();
    let (exit, stderr) = server.stop();
    assert_eq!((exit, stderr.as_str()), (Some(130), ""));
    let mut rest = String::new();
    // The connection may end in the middle of an answer.
    let _ = events.0.read_to_string(&mut rest);
    assert!(!rest.contains("data:"), "{rest}");
    assert!(TcpStream::connect(host).is_err());
}

#[test]
fn ctrl_c_ends_a_run_after_its_request_in_flight() {
    let env = TestEnv::cafe().keeping_state().keeping_cache();
    let dividers = "  - {type: divider}\n".repeat(300);
    env.file("page.yaml", format!("profile: cafe\nslots:\n{dividers}"));
    let server = PreviewServer::start(&env, &["page.yaml", "--apply"]);
    let (version, host) = (server.version(), &server.host);
    let path = format!("{}apply?version={version}&confirmed=false", server.path);
    env.server.forget_requests();
    let mut stream = TcpStream::connect(host).unwrap();
    let origin = format!("http://{host}");
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\nContent-Length: 0\r\n\r\n"
    )
    .unwrap();
    while !env.server.requests().iter().any(|it| it.method == "POST") {
        std::thread::yield_now();
    }
    server.interrupt();
    assert_eq!(server.ended(), Some(130));
    let slots = || env.server.account().profiles[0].slots.len();
    let created = slots() - 14;
    assert!(created % 50 == 0 && (50..300).contains(&created), "{created}");
    assert_eq!(env.run("apply page.yaml").exit, 0);
    // One of the dividers was on the page before.
    assert_eq!(slots(), 14 + 299);
}

#[test]
fn a_server_that_cannot_start_says_why() {
    let env = env();
    env.file("cafe.yaml", FILE);
    let server = PreviewServer::start(&env, &["cafe.yaml"]);
    let port = server.host.rsplit(':').next().unwrap();
    let run = env.run(&format!("preview cafe.yaml --serve --port {port}"));
    assert!(run.exit == 2 && run.stderr.contains("cannot serve the preview"), "{run}");
    assert_eq!(env.run("preview absent.yaml --serve").exit, 2);
    assert_eq!(env.run("preview - --serve").exit, 2);
    assert_eq!(env.run("preview cafe.yaml --apply").exit, 2);
    assert_eq!(env.run("preview cafe.yaml --serve --diff").exit, 2);
    let run = env.env("LINKS_TOKEN", "pps_wrong").run("preview cafe.yaml --serve");
    assert_eq!(run.exit, 4, "{run}");
}

#[test]
fn a_file_alone_is_served_without_an_account() {
    let env = env().env("LINKS_BASE_URL", "").env("LINKS_TOKEN", "");
    env.file("cafe.yaml", FILE);
    let server = PreviewServer::start(&env, &["cafe.yaml", "--offline"]);
    assert!(server.html().contains("<h1>Qara by the river</h1>"));
    assert!(env.operations().is_empty());
}

#[test]
fn several_pages_are_listed_and_each_is_read_when_it_is_opened() {
    let env = env();
    env.file("cafe.yaml", FILE);
    env.file("weddings.yaml", "profile: qara.weddings\nslots: []\n");
    env.file("broken.yaml", "profile: nowhere\nslots: [{type: text, data: {titel: x}}]\n");
    let server =
        PreviewServer::start(&env, &["cafe.yaml", "weddings.yaml", "broken.yaml", "--apply"]);
    let list = server.html();
    for (nth, file) in ["cafe.yaml", "weddings.yaml", "broken.yaml"].iter().enumerate() {
        assert!(list.contains(&format!("<a href=\"{nth}/\">{file}</a>")), "{list}");
    }
    assert!(server.get("style.css").head.contains("text/css"));
    assert_eq!(env.operations(), [""; 0]);
    let page = |nth: usize| String::from_utf8(server.get(&format!("{nth}/")).body).unwrap();
    assert!(page(1).contains("<h1>Qara at your wedding</h1>"), "{}", page(1));
    let asked = env.operations();
    let reads = |it: &String| ["get", "list", "preview"].iter().any(|verb| it.starts_with(verb));
    assert!(asked.iter().all(reads) && (1..=4).contains(&asked.len()), "{asked:?}");
    assert!(page(0).contains("<h1>Qara by the river</h1>"));
    assert!(page(2).contains("id=\"problems\""), "{}", page(2));
    for name in [
        "3/",
        "-1/",
        "x/",
        "0",
        "0/../1/",
        "events",
        "apply",
        "script.js",
        "00000000000000000000000001/x",
    ] {
        assert_eq!(server.get(name).status, 404, "{name}");
    }
    // An order is for its page alone.
    let host = server.host.clone();
    let origin = format!("http://{host}");
    let headers = [("Host", host.as_str()), ("Origin", &origin), ("Content-Length", "0")];
    let apply = |nth: usize| {
        let path = format!("{}{nth}/apply?version=1&confirmed=true", server.path);
        String::from_utf8(server.send("POST", &path, &headers).body).unwrap()
    };
    assert_eq!(apply(0), "{\"state\":\"applied\"}");
    assert_eq!(apply(2), "{\"state\":\"stale\"}");
    let account = env.server.account();
    assert_eq!(account.profiles[0].title.as_deref(), Some("Qara by the river"));
    assert!(!account.profiles[1].slots.is_empty());
    env.file("weddings.yaml", "profile: qara.weddings\ntitle: Qara for two\nslots: []\n");
    while !page(1).contains("<h1>Qara for two</h1>") {
        std::thread::yield_now();
    }
    let (exit, stderr) = server.stop();
    assert_eq!((exit, stderr.as_str()), (Some(130), ""));
}

#[test]
fn the_browser_neither_changes_a_locked_slot_nor_breaks_a_rule() {
    let env = env();
    let page = "profile: cafe\nslots:\n  - {id: 1001, type: text, locked: true, data: {title: Good morning!}}\n";
    env.file("cafe.yaml", page);
    assert_eq!(env.run("apply cafe.yaml --yes").exit, 0);
    let title = || env.server.account().profiles[0].slots[0].data["title"].clone();
    env.file("cafe.yaml", page.replace("morning", "evening"));
    let server = PreviewServer::start(&env, &["cafe.yaml", "--apply"]);
    assert!(server.html().contains("Good evening!"));
    assert_eq!(server.apply(true), "failed");
    assert!(server.html().contains("is locked"), "{}", server.html());
    assert_eq!(title(), "Good morning!");
    drop(server);

    let rule = "[[rule]]\nfor = 'page'\nmust = '.title == null'\nmessage = 'no title'\n";
    env.file("links.toml", rule);
    env.file("cafe.yaml", page);
    let server = PreviewServer::start(&env, &["cafe.yaml", "--apply=save"]);
    let mut events = server.events();
    for nth in 0..3 {
        env.file("cafe.yaml", page.replace("slots:", &format!("title: Qara {nth}\nslots:")));
        let html = events.until(&server, "no title");
        assert!(html.contains("id=\"problems\""), "{html}");
        assert_eq!(server.apply(true), "stale");
        env.file("cafe.yaml", page.replace("slots:", &format!("description: Text {nth}\nslots:")));
        events.until(&server, &format!("Text {nth}"));
    }
    assert_ne!(env.server.account().profiles[0].title.as_deref(), Some("Qara 2"));
    let run = env.run("preview cafe.yaml");
    assert_eq!(run.exit, 0, "{run}");
    env.file("cafe.yaml", page.replace("slots:", "title: Qara\nslots:"));
    let run = env.run("preview cafe.yaml");
    assert!(run.exit == 8 && run.stderr.contains("no title"), "{run}");
}

#[test]
fn the_page_follows_the_blocks_and_values_of_its_file() {
    let env = env();
    env.file(
        "cafe.yaml",
        "profile: cafe\ntitle: {$value: title}\nslots:\n  - $include: block.yaml\n",
    );
    env.file("block.yaml", "- {id: 1001, type: text, data: {title: Good evening}}\n");
    env.file("values.yaml", "title: Qara by the river\n");
    let server = PreviewServer::start(&env, &["cafe.yaml"]);
    let html = server.html();
    assert!(html.contains("Good evening") && html.contains("Qara by the river"), "{html}");
    let mut events = server.events();
    env.file("block.yaml", "- {id: 1001, type: text, data: {title: Good night}}\n");
    events.until(&server, "Good night");
    env.file("values.yaml", "title: Qara at the lake\n");
    events.until(&server, "Qara at the lake");
    env.file("block.yaml", "- {id: 1001, typo: text}\n");
    events.until(&server, "block.yaml: unknown field");
}
