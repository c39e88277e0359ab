//! What a call of the client adds to a plain reqwest call with the same types, in instructions. Run with `cargo bench -p links-sdk --bench calls`;
//! it needs valgrind.
//!
//! Each figure is the difference between two runs of different length, divided by the difference of their numbers of calls, so that the start of
//! the process and of the connection cancel out. The server is another process. The client's time is a clock that advances by one second
//! for each call: the log of the rate limits is full, and no call waits.

use std::env;
use std::fmt::Write as _;
use std::future::Future;
use std::io::{BufRead, BufReader, Read, Write as _};
use std::net::{TcpListener, TcpStream};
use std::pin::Pin;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, SystemTime};

use links_sdk::types::{Me, Profile};
use links_sdk::{Client, Clock, Slot, Token};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

const TOKEN: &str = "lnk_0123456789abcdef";

/// Calls before the log of the rate limits is full: one for each second of its longest window.
const WARM: u64 = 64;

type AnyError = Box<dyn std::error::Error>;

/// A row of the table: what is called, where, and the number of calls that are counted.
struct Row {
    name: &'static str,
    path: &'static str,
    calls: u64,
}

const ROWS: [Row; 3] = [
    Row { name: "/me", path: "/me", calls: 200 },
    Row { name: "list of 100 pages", path: "/profiles", calls: 40 },
    Row { name: "page of 500 slots", path: "/profiles/cafe/slots", calls: 20 },
];

/// The ways to make a call.
const WAYS: [&str; 4] = ["reqwest, typed", "sdk, typed", "reqwest, bytes", "sdk, .answer()"];

fn main() -> Result<(), AnyError> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["serve"] => serve(),
        ["call", port, path, way, calls] => call(port.parse()?, path, way.parse()?, calls.parse()?),
        ["build", count] => build(count.parse()?),
        _ => table(),
    }
}

/// Prints the table.
#[expect(clippy::print_stdout, reason = "the table is what the program is for")]
fn table() -> Result<(), AnyError> {
    let server = Server::start()?;
    println!(
        "{:<20}{:>16}{:>16}{:>16}{:>16}",
        "instructions a call", WAYS[0], WAYS[1], WAYS[2], WAYS[3]
    );
    for Row { name, path, calls } in ROWS {
        let mut line = format!("{name:<20}");
        for way in 0..WAYS.len() {
            let run = |calls: u64| {
                let arguments = ["call", &server.port, path, &way.to_string(), &calls.to_string()]
                    .map(str::to_owned);
                instructions(&arguments)
            };
            let figure = run(WARM + calls)?.saturating_sub(run(WARM)?) / calls;
            write!(line, "{figure:>16}")?;
        }
        println!("{line}");
    }
    let run = |count: u64| instructions(&["build".to_owned(), count.to_string()]);
    let (none, one, two) = (run(0)?, run(1)?, run(2)?);
    println!("instructions to build a client: the first {}, another {}", one - none, two - one);
    Ok(())
}

/// Returns the number of instructions of this program with these arguments.
fn instructions(arguments: &[String]) -> Result<u64, AnyError> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(env::current_exe()?)
        .args(arguments)
        .output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    let counted = said.lines().find_map(|line| line.split("Collected : ").nth(1));
    match counted.filter(|_| output.status.success()) {
        Some(counted) => Ok(counted.trim().parse()?),
        None => Err(format!("{arguments:?} failed: {said}").into()),
    }
}

/// Makes calls in one of the ways.
fn call(port: u16, path: &str, way: usize, calls: u64) -> Result<(), AnyError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let base = format!("http://127.0.0.1:{port}/api/v1");
    if way.is_multiple_of(2) {
        let http = reqwest::Client::builder().no_proxy().build()?;
        let url = format!("{base}{path}");
        return runtime.block_on(async {
            for _ in 0..calls {
                let answer = http.get(&url).bearer_auth(TOKEN).send().await?.error_for_status()?;
                match (way, path) {
                    (0, "/me") => decode::<Me>(answer).await?,
                    (0, "/profiles") => decode::<Vec<Profile>>(answer).await?,
                    (0, _) => decode::<Vec<Slot>>(answer).await?,
                    _ => drop(answer.bytes().await?),
                }
            }
            Ok(())
        });
    }
    let clock = Arc::new(SteppingClock::default());
    let client = Client::builder(base).token(Token::new(TOKEN)?).clock(clock.clone()).build()?;
    let slots = client.profile("cafe").slots();
    runtime.block_on(async {
        for _ in 0..calls {
            clock.step();
            match (way, path) {
                (1, "/me") => drop(client.me().await?),
                (1, "/profiles") => drop(client.profiles().list().await?),
                (1, _) => drop(slots.list().await?),
                (_, "/me") => drop(client.me().answer().await?),
                (_, "/profiles") => drop(client.profiles().list().answer().await?),
                _ => drop(slots.list().answer().await?),
            }
        }
        Ok(())
    })
}

/// Builds clients for a plain URL.
fn build(count: u64) -> Result<(), AnyError> {
    for _ in 0..count {
        Client::builder("http://127.0.0.1:1/api/v1").token(Token::new(TOKEN)?).build()?;
    }
    Ok(())
}

#[derive(Deserialize)]
struct Envelope<T> {
    data: T,
}

async fn decode<T: DeserializeOwned>(answer: reqwest::Response) -> Result<(), AnyError> {
    drop(answer.json::<Envelope<T>>().await?.data);
    Ok(())
}

/// A clock that advances only between calls.
#[derive(Debug, Default)]
struct SteppingClock(AtomicU64);

impl SteppingClock {
    fn step(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Clock for SteppingClock {
    fn monotonic(&self) -> Duration {
        Duration::from_millis(self.0.load(Ordering::Relaxed) * 1_001)
    }

    fn wall(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + self.monotonic()
    }

    fn sleep(&self, _: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        panic!("no call waits")
    }
}

/// The server, in a process of its own.
struct Server {
    process: Child,
    port: String,
}

impl Server {
    fn start() -> Result<Self, AnyError> {
        let mut process =
            Command::new(env::current_exe()?).arg("serve").stdout(Stdio::piped()).spawn()?;
        let mut port = String::new();
        if let Some(output) = process.stdout.take() {
            BufReader::new(output).read_line(&mut port)?;
        }
        Ok(Self { process, port: port.trim().to_owned() })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Answers requests with the records of the rows, until the process is ended.
#[expect(clippy::print_stdout, reason = "the port is what the other process needs")]
fn serve() -> Result<(), AnyError> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!("{}", listener.local_addr()?.port());
    let profiles: Vec<Value> = (1..=100).map(profile).collect();
    let slots: Vec<Value> = (1..=500).map(slot).collect();
    let answers = Arc::new([
        ("/me", answer(&json!({ "data": me() }))),
        ("/profiles", answer(&json!({ "data": profiles, "meta": { "total": 100 } }))),
        ("/profiles/cafe/slots", answer(&json!({ "data": slots, "meta": { "total": 500 } }))),
    ]);
    for connection in listener.incoming() {
        let (connection, answers) = (connection?, answers.clone());
        thread::spawn(move || serve_connection(connection, &*answers));
    }
    Ok(())
}

fn serve_connection(
    mut connection: TcpStream,
    answers: &[(&str, Vec<u8>)],
) -> Result<(), std::io::Error> {
    connection.set_nodelay(true)?;
    let mut request = Vec::new();
    loop {
        let mut piece = [0; 4096];
        let length = connection.read(&mut piece)?;
        if length == 0 {
            return Ok(());
        }
        request.extend_from_slice(&piece[..length]);
        if request.ends_with(b"\r\n\r\n") {
            let text = String::from_utf8_lossy(&request);
            let path = text.split(' ').nth(1).unwrap_or_default();
            let path = path.strip_prefix("/api/v1").unwrap_or_default();
            let found = answers.iter().find(|(known, _)| *known == path);
            connection.write_all(found.map_or(NOT_FOUND, |(_, answer)| answer))?;
            request.clear();
        }
    }
}

const NOT_FOUND: &[u8] = b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n";

/// Returns an answer with the headers that the service sends.
fn answer(body: &Value) -> Vec<u8> {
    let body = body.to_string();
    format!(
        "HTTP/1.1 200 OK\r\nserver: nginx\r\ncontent-type: application/json\r\ncache-control: no-cache, private\r\n\
         date: Sun, 06 Nov 1994 08:49:37 GMT\r\nx-ratelimit-limit: 60\r\nx-ratelimit-remaining: 59\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

fn me() -> Value {
    json!({
        "userId": 7, "name": "Ada", "abilities": ["read", "write"], "canWrite": true,
        "limits": {
            "profiles": { "used": 2, "max": 100 }, "tokens": { "used": 1, "max": 20 },
            "slotsPerProfile": 500, "slotsPerBatch": 50,
            "rateLimit": {
                "requestsPerSecond": 5, "requestsPerMinute": 60, "musicLookupPerMinute": 15, "analyticsPerMinute": 20,
            },
            "upload": { "maxMegabytes": 50, "maxMegabytesFromUrl": 10 },
        },
        "analytics": { "retentionDays": 90, "timezone": "UTC" },
    })
}

fn profile(n: u64) -> Value {
    let login = format!("page-{n}");
    json!({
        "id": n, "login": login, "title": format!("Page {n}"),
        "description": "Coffee, cakes and books in the old town; open every day from eight to six.",
        "avatar": format!("uploads/{n}/avatar.png"), "bgImage": null,
        "socials": [{ "link": format!("https://social.example/{login}"), "order": 1 }],
        "themeId": 3, "languageId": 1, "moodText": null, "moodHours": null,
        "computed": {
            "url": format!("https://links.example/{login}"),
            "avatarUrl": format!("https://files.links.example/uploads/{n}/avatar.png"), "bgImageUrl": null,
            "socials": [{ "icon": "https://files.links.example/icons/social.svg" }],
            "isMain": n == 1, "status": true, "moodActive": false, "moodExpiresAt": null,
        },
    })
}

fn slot(n: u64) -> Value {
    json!({
        "id": n, "type": "button", "supported": true,
        "data": {
            "title": format!("Title {n}"), "subtitle": "Open every day from eight to six",
            "link": format!("https://shop.example/items/{n}"), "style": "primary", "size": n % 3, "animation": null,
        },
    })
}
