//! Small HTTP client bound to one contract server, and its answers.

use std::future::{Future, IntoFuture};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::pin::Pin;
use std::time::{Duration, SystemTime};

use links_fixtures::{Choices, Clock, ContractServer, World};
use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use serde_json::Value;

/// A server, its account's token, and the connections to it.
pub(crate) struct Api {
    pub(crate) server: ContractServer,
    http: reqwest::Client,
}

impl Api {
    pub(crate) fn over(server: ContractServer) -> Self {
        Self { server, http: http_client() }
    }

    /// Starts a world without rate limits, on the machine's clock.
    pub(crate) async fn of(world: World) -> Self {
        let server = ContractServer::builder(world).no_limits().start().await;
        Self::over(server.expect("the server binds to loopback"))
    }

    pub(crate) async fn empty() -> Self {
        Self::of(World::empty()).await
    }

    pub(crate) async fn cafe() -> Self {
        Self::of(World::cafe()).await
    }

    pub(crate) async fn full() -> Self {
        Self::of(World::full()).await
    }

    pub(crate) async fn read_only() -> Self {
        Self::of(World::read_only()).await
    }

    /// Starts the café without rate limits, with these readings of the interface.
    pub(crate) async fn choosing(choices: Choices) -> Self {
        let server = ContractServer::builder(World::cafe()).no_limits().choices(choices);
        Self::over(server.start().await.expect("the server binds to loopback"))
    }

    /// Starts a world without rate limits, with a clock that the test moves.
    pub(crate) async fn timed(world: World) -> (Self, Clock) {
        Self::at(world, noon()).await
    }

    /// Starts a world without rate limits, with a clock that shows this time until the test moves it.
    pub(crate) async fn at(world: World, time: SystemTime) -> (Self, Clock) {
        let clock = Clock::manual(time);
        let server = ContractServer::builder(world).clock(clock.clone()).no_limits().start().await;
        (Self::over(server.expect("the server binds to loopback")), clock)
    }

    /// Starts a world with the published rate limits, with a clock that the test moves.
    pub(crate) async fn limited(world: World) -> (Self, Clock) {
        let clock = Clock::manual(noon());
        let server = ContractServer::builder(world).clock(clock.clone()).start().await;
        (Self::over(server.expect("the server binds to loopback")), clock)
    }

    /// Returns a request to `target`: a path below the base URL, or a whole URL.
    pub(crate) fn ask(&self, method: &Method, target: &str) -> RequestBuilder<'_> {
        let address = if target.starts_with("http") {
            target.to_owned()
        } else {
            format!("{}{target}", self.server.base_url())
        };
        let request = self.http.request(method.clone(), &address);
        let token = Some(self.server.token());
        RequestBuilder { request, token, asked: format!("{method} {target}"), api: self }
    }

    pub(crate) fn get(&self, path: &str) -> RequestBuilder<'_> {
        self.ask(&Method::GET, path)
    }

    pub(crate) fn post(&self, path: &str) -> RequestBuilder<'_> {
        self.ask(&Method::POST, path)
    }

    pub(crate) fn patch(&self, path: &str) -> RequestBuilder<'_> {
        self.ask(&Method::PATCH, path)
    }

    pub(crate) fn put(&self, path: &str) -> RequestBuilder<'_> {
        self.ask(&Method::PUT, path)
    }

    pub(crate) fn delete(&self, path: &str) -> RequestBuilder<'_> {
        self.ask(&Method::DELETE, path)
    }

    /// Returns the first page of the account.
    pub(crate) async fn page(&self) -> PageApi<'_> {
        let profiles = self.get("/profiles").await.is(200);
        let id = profiles.data()[0]["id"].as_i64().expect("the account has a page");
        PageApi { api: self, id }
    }

    /// Returns the id of the first form of the account.
    pub(crate) async fn form(&self) -> String {
        let forms = self.get("/forms").await.is(200);
        forms.data()[0]["id"].as_str().expect("the account has a form").to_owned()
    }

    /// Sends these bytes, and returns everything that is received until the connection is closed. `{host}` stands for the server's host and
    /// port.
    pub(crate) fn raw(&self, request: &str) -> String {
        let base_url = self.server.base_url();
        let host = base_url.trim_start_matches("http://").trim_end_matches("/api/v1");
        let mut stream = TcpStream::connect(host).expect("the server listens");
        stream.write_all(request.replace("{host}", host).as_bytes()).expect("a request");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        String::from_utf8(answer).expect("text")
    }

    /// Returns everything that a client can read and write, to be compared before and after.
    pub(crate) async fn state(&self) -> Value {
        let mut state = Vec::new();
        for profile in self.get("/profiles").await.is(200).data().as_array().expect("a list") {
            let id = &profile["id"];
            for path in
                [format!("/profiles/{id}?include=slots"), format!("/profiles/{id}/settings")]
            {
                state.push(self.get(&path).await.is(200).json);
            }
        }
        state.push(self.get("/forms").await.is(200).json);
        Value::Array(state)
    }
}

/// One profile, addressed by its id.
pub(crate) struct PageApi<'a> {
    api: &'a Api,
    pub(crate) id: i64,
}

impl PageApi<'_> {
    /// Returns a path below this profile.
    pub(crate) fn at(&self, rest: &str) -> String {
        format!("/profiles/{}{rest}", self.id)
    }

    pub(crate) async fn slots(&self) -> Vec<Value> {
        let listed = self.api.get(&self.at("/slots")).await.is(200);
        listed.data().as_array().expect("a list of slots").clone()
    }

    pub(crate) async fn ids(&self) -> Vec<i64> {
        self.slots().await.iter().map(id_of).collect()
    }

    /// Returns the first slot of a type that can still be edited.
    pub(crate) async fn slot(&self, slot_type: &str) -> Value {
        let slots = self.slots().await;
        let found =
            slots.iter().find(|slot| slot["type"] == slot_type && slot["supported"] == true);
        found.unwrap_or_else(|| panic!("the page has no {slot_type}: {slots:?}")).clone()
    }

    /// Returns a legacy slot.
    pub(crate) async fn legacy(&self) -> Value {
        let slots = self.slots().await;
        let found = slots.iter().find(|slot| slot["supported"] == false);
        found.expect("the page has a legacy slot").clone()
    }

    pub(crate) async fn reread(&self, slot: &Value) -> Value {
        self.api.get(&self.at(&format!("/slots/{}", slot["id"]))).await.is(200).data().clone()
    }

    /// Adds a text slot at the end, and returns its id.
    pub(crate) async fn add_text(&self, title: &str) -> i64 {
        let body = serde_json::json!({"type": "text", "data": {"title": title, "description": ""}});
        id_of(self.api.post(&self.at("/slots")).json(&body).await.is(201).data())
    }
}

/// A request under construction; awaiting it sends it.
pub(crate) struct RequestBuilder<'a> {
    api: &'a Api,
    request: reqwest::RequestBuilder,
    token: Option<String>,
    asked: String,
}

impl RequestBuilder<'_> {
    fn with(
        mut self,
        change: impl FnOnce(reqwest::RequestBuilder) -> reqwest::RequestBuilder,
    ) -> Self {
        self.request = change(self.request);
        self
    }

    pub(crate) fn json(mut self, body: &Value) -> Self {
        self.asked = format!("{} {body}", self.asked);
        self.with(|request| request.json(body))
    }

    pub(crate) fn body(self, content_type: &str, bytes: impl Into<Vec<u8>>) -> Self {
        self.with(|request| request.header(CONTENT_TYPE, content_type).body(bytes.into()))
    }

    /// Sets the body: the file as the part `file` of a multipart body whose boundary never changes.
    pub(crate) fn file(self, bytes: &[u8]) -> Self {
        let (content_type, body) = multipart("file", bytes);
        self.body(&content_type, body)
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.asked = format!("{} [{name}: {value}]", self.asked);
        self.with(|request| request.header(name, value))
    }

    pub(crate) fn key(self, key: &str) -> Self {
        self.header("Idempotency-Key", key)
    }

    pub(crate) fn dry_run(self) -> Self {
        self.header("Precognition", "true")
    }

    pub(crate) fn token(mut self, token: &str) -> Self {
        self.token = Some(token.to_owned());
        self
    }

    pub(crate) fn anonymous(mut self) -> Self {
        self.token = None;
        self
    }

    async fn send(self) -> Answer {
        let asked = self.asked.clone();
        self.attempt().await.unwrap_or_else(|error| panic!("{asked}: {error:?}"))
    }

    /// Sends the request. Returns the answer, or the error of the network.
    pub(crate) async fn attempt(self) -> reqwest::Result<Answer> {
        let request = match &self.token {
            Some(token) => self.request.bearer_auth(token),
            None => self.request,
        };
        let _keeps_the_server = &self.api.server;
        let response = request.send().await?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let bytes = response.bytes().await?;
        let json = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        Ok(Answer {
            asked: self.asked,
            status,
            headers,
            text: String::from_utf8_lossy(&bytes).into_owned(),
            json,
        })
    }
}

impl<'a> IntoFuture for RequestBuilder<'a> {
    type Output = Answer;
    type IntoFuture = Pin<Box<dyn Future<Output = Answer> + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

/// Answer of the server, with the request it belongs to.
pub(crate) struct Answer {
    pub(crate) asked: String,
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
    pub(crate) json: Value,
}

impl Answer {
    /// Checks the status, and returns the answer.
    #[track_caller]
    pub(crate) fn is(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{} answered: {}", self.asked, self.text);
        self
    }

    /// Checks that the answer is a refusal with this status in the error envelope (2.7), and returns it.
    #[track_caller]
    pub(crate) fn refused(self, status: u16) -> Self {
        let answer = self.is(status);
        crate::shapes::error(&answer);
        answer
    }

    /// Checks that the answer is a 422 that names exactly these fields, and returns it.
    #[track_caller]
    pub(crate) fn names(self, fields: &[&str]) -> Self {
        let answer = self.refused(422);
        let mut wanted: Vec<_> = fields.iter().map(ToString::to_string).collect();
        wanted.sort();
        assert_eq!(answer.error_keys(), wanted, "{} answered: {}", answer.asked, answer.text);
        answer
    }

    #[track_caller]
    pub(crate) fn data(&self) -> &Value {
        self.json.get("data").unwrap_or_else(|| panic!("{} has no data: {}", self.asked, self.text))
    }

    #[track_caller]
    pub(crate) fn meta(&self) -> &Value {
        self.json.get("meta").unwrap_or_else(|| panic!("{} has no meta: {}", self.asked, self.text))
    }

    /// Returns the paths of the refused fields, sorted.
    pub(crate) fn error_keys(&self) -> Vec<String> {
        let mut keys: Vec<_> = self.json["errors"]
            .as_object()
            .map_or_else(Vec::new, |errors| errors.keys().cloned().collect());
        keys.sort();
        keys
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().expect("a readable header"))
    }
}

/// Returns the id of a record.
#[track_caller]
pub(crate) fn id_of(record: &Value) -> i64 {
    record["id"].as_i64().unwrap_or_else(|| panic!("no numeric id in {record}"))
}

/// Returns the moment at which manual clocks start: 2026-09-15 12:00 UTC.
pub(crate) fn noon() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_789_473_600)
}

/// Returns a query such as `ids[]=1&ids[]=2`.
pub(crate) fn ids_query(ids: &[i64]) -> String {
    ids.iter().map(|id| format!("ids[]={id}")).collect::<Vec<_>>().join("&")
}

/// Returns a multipart body with one part, and its content type.
pub(crate) fn multipart(part: &str, bytes: &[u8]) -> (String, Vec<u8>) {
    const BOUNDARY: &str = "a-boundary-that-stays";
    let head = format!(
        "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{part}\"; filename=\"picture.png\"\r\nContent-Type: image/png\r\n\r\n"
    );
    let body = [head.as_bytes(), bytes, format!("\r\n--{BOUNDARY}--\r\n").as_bytes()].concat();
    (format!("multipart/form-data; boundary={BOUNDARY}"), body)
}

fn http_client() -> reqwest::Client {
    reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .tls_certs_only([])
        .build()
        .expect("a client without certificates")
}
