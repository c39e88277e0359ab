//! Calls by method and path, for operations that the client has no method for.

use std::borrow::Borrow;
use std::future::IntoFuture;
use std::time::Duration;

use bytes::Bytes;
use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use serde_json::Value;

use crate::call::{Call, CallFuture, Read, Write};
use crate::call_sender::copies;
use crate::client::Client;
use crate::error::Error;
use crate::operation::{Bucket, Effect, Operation, SuccessContent};
use crate::transport::Answer;
use crate::transport::caller_headers::{IdempotencyKey, overrides_method, parse_except};

/// Operation of a read at a path outside the interface.
const OTHER_READ: &Operation = &Operation {
    id: "raw",
    route: "",
    effect: Effect::Read,
    bucket: Bucket::General,
    timeout: Duration::from_secs(60),
    status: None,
    success: SuccessContent::Any,
};
/// Operation of a write at a path outside the interface. The effect of sending it twice is unknown.
const OTHER_WRITE: &Operation = &Operation { effect: Effect::DeleteMany, ..*OTHER_READ };

/// A call by method and path that is not sent yet. From [`Client::raw`].
#[derive(Clone, Debug)]
#[must_use = "nothing is sent unless you `.await` it"]
pub struct RawCall {
    client: Client,
    method: Method,
    path: Result<String, String>,
    query: Vec<(String, String)>,
    headers: Vec<(HeaderName, HeaderValue)>,
    key: Option<IdempotencyKey>,
    body: Option<Bytes>,
}

/// Headers that a raw call does not take: those of the client itself, and those that decide where a request ends.
const OWN_HEADERS: &[&str] = &[
    "authorization",
    "connection",
    "content-length",
    "host",
    "idempotency-key",
    "precognition",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

impl Client {
    /// Returns a call by method and path below the base URL (`/me`, `/profiles/cafe?include=slots`), for operations that the client has no
    /// method for. The response is returned as the service sent it.
    ///
    /// The call keeps within the rate limits like every other call. If the path is a known operation, the call is retried and gets an
    /// idempotency key like that operation. On other paths, only reads are retried after a failure.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use serde_json::json;
    ///
    /// let me = client.raw("GET", "/me").await?;
    /// assert_eq!(me.status(), 200);
    ///
    /// let slot = json!({ "type": "divider" });
    /// let create = client.raw("POST", "/profiles/cafe/slots").json(&slot);
    /// create.clone().dry_run().await?;
    /// assert_eq!(create.await?.status(), 201);
    ///
    /// assert!(client.raw("GET", "/../elsewhere").await.unwrap_err().is_invalid_input());
    /// # Ok(()) });
    /// ```
    pub fn raw(&self, method: impl AsRef<str>, path: impl AsRef<str>) -> RawCall {
        let (method, path) = (method.as_ref(), path.as_ref());
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let known = [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];
        let known = known.into_iter().find(|known| known.as_str().eq_ignore_ascii_case(method));
        let path = match known {
            Some(_) => below_base(path),
            None => {
                Err(format!("the method must be GET, POST, PUT, PATCH or DELETE, not {method:?}"))
            }
        };
        let query = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        RawCall {
            client: self.clone(),
            method: known.unwrap_or_default(),
            path,
            query,
            headers: Vec::new(),
            key: None,
            body: None,
        }
    }
}

impl RawCall {
    /// Adds a query parameter.
    pub fn query(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.query.push((name.into(), value.into()));
        self
    }

    /// Adds a header. Headers that the client sets itself are refused, and so are names and values that HTTP does not allow.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let me = client.raw("GET", "/me").header("Accept-Language", "kk").await?;
    /// assert_eq!(me.status(), 200);
    /// let refused = client.raw("GET", "/me").header("authorization", "Bearer other").await;
    /// assert!(refused.unwrap_err().is_invalid_input());
    /// # Ok(()) });
    /// ```
    pub fn header(mut self, name: impl AsRef<str>, value: impl AsRef<str>) -> Self {
        match parse_except(OWN_HEADERS, name.as_ref(), value.as_ref()) {
            Ok(header) => self.headers.push(header),
            Err(error) => self.path = self.path.and(Err(error.to_string())),
        }
        self
    }

    /// Sets the idempotency key of a call that creates something; other calls do not take one.
    pub fn idempotency_key(mut self, key: IdempotencyKey) -> Self {
        self.key = Some(key);
        self
    }

    /// Sets the body.
    pub fn json(self, body: impl Borrow<Value>) -> Self {
        self.json_text(body.borrow().to_string())
    }

    /// Sets the body, which is sent unchanged. Only the service checks whether it is JSON.
    pub fn json_text(mut self, body: impl Into<Bytes>) -> Self {
        self.body = Some(body.into());
        self
    }

    /// Returns the future of the call. `.await` is the same.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let me = tokio::spawn(client.raw("GET", "/me").send());
    /// assert_eq!(me.await??.status(), 200);
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// When the method is not GET, POST, PUT, PATCH or DELETE, or the path could leave the base URL. Also every error of a call.
    pub fn send(self) -> CallFuture<Answer> {
        self.call().send()
    }

    /// Returns the call as a [`Call`], which has more options.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use std::time::Duration;
    ///
    /// let me = client.raw("GET", "/me").call().with_deadline(Duration::from_secs(10)).await?;
    /// assert_eq!(me.status(), 200);
    /// # Ok(()) });
    /// ```
    pub fn call(self) -> Call<Answer> {
        self.call_of::<Read>()
    }

    /// Returns the call as a dry run, which changes nothing.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use serde_json::json;
    ///
    /// let slot = json!({ "type": "button", "data": {"titel": "Menu"} });
    /// let error = client.raw("POST", "/profiles/cafe/slots").json(&slot).dry_run().await.unwrap_err();
    /// assert!(error.is_validation());
    /// assert!(client.raw("GET", "/me").dry_run().await.unwrap_err().is_invalid_input());
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// Reads have no dry run. For the delete of a single thing, the response to a dry run looks like the response to the delete itself.
    /// Both are refused.
    pub fn dry_run(mut self) -> Call<()> {
        let path = self.path.as_deref().unwrap_or_default();
        let known = Operation::at(self.method.as_str(), path);
        let refused = match (known, &self.method) {
            // Nothing tells which method the service sees.
            _ if self.overrides_method() => true,
            (Some(operation), _) => !operation.supports_dry_run(),
            (None, method) => matches!(*method, Method::GET | Method::DELETE),
        };
        if refused {
            self.path = Err(format!("{} {path} has no dry run", self.method));
        }
        self.call_of::<Write>().dry_run()
    }

    /// Returns whether a header or a parameter may change the method.
    fn overrides_method(&self) -> bool {
        let headers = self.headers.iter().map(|(name, _)| name.as_str());
        headers.chain(self.query.iter().map(|(name, _)| name.as_str())).any(overrides_method)
    }

    fn call_of<K>(self) -> Call<Answer, K> {
        let is_overridden = self.overrides_method();
        let Self { client, method, path, query, headers, key, body } = self;
        let other = if method == Method::GET { OTHER_READ } else { OTHER_WRITE };
        let known = Operation::at(method.as_str(), path.as_deref().unwrap_or_default());
        let operation = if is_overridden { OTHER_WRITE } else { known.unwrap_or(other) };
        let path = match path {
            Ok(path) if key.is_some() && operation.effect != Effect::Create => {
                Err(format!("{method} {path} does not take an idempotency key"))
            }
            path => path,
        };
        let call = Call::new(&client, operation, path, move |mut sender, path| async move {
            let json = body.as_deref().map(serde_json::from_slice::<Value>);
            let has_login = matches!(json, Some(Ok(json)) if json.get("login").is_some());
            // After its execution the old login is invalid, so nothing may be sent again without a read.
            sender.options.reads_first = operation.effect == Effect::Set && has_login;
            let mut request = sender.request(method, &path);
            if !query.is_empty() {
                request.url_mut().query_pairs_mut().extend_pairs(&query);
            }
            if let Some(body) = body {
                let json = HeaderValue::from_static("application/json");
                request.headers_mut().insert(CONTENT_TYPE, json);
                *request.body_mut() = Some(body.into());
            }
            request.headers_mut().extend(headers);
            sender.exchange(None, &mut copies(&request)).await
        });
        call.keyed(key)
    }
}

impl IntoFuture for RawCall {
    type Output = Result<Answer, Error>;
    type IntoFuture = CallFuture<Answer>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// Returns the path with its leading `/`, if every segment is made of plain characters and none is `.` or `..`.
fn below_base(path: &str) -> Result<String, String> {
    let rest = path.strip_prefix('/').unwrap_or(path);
    let is_plain = |segment: &str| {
        !matches!(segment, "" | "." | "..")
            && segment.chars().all(|c| {
                c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '~' | ':' | '@')
            })
    };
    if rest.is_empty() || rest.split('/').all(is_plain) {
        return Ok(format!("/{rest}"));
    }
    Err(format!("invalid path {path:?}: use a path below the base URL, such as /profiles/cafe"))
}

#[cfg(test)]
mod tests {
    use super::{below_base, overrides_method};

    #[test]
    fn a_name_that_may_change_the_method_is_known() {
        for name in [
            "X-HTTP-Method-Override",
            "x-http-method",
            "X-Method-Override",
            "_method",
            "_METHOD",
            "%5Fmethod",
        ] {
            assert!(overrides_method(name), "{name}");
        }
        for name in ["method", "include", "Accept-Language", "payment_method", "X-Request-Method"] {
            assert!(!overrides_method(name), "{name}");
        }
    }

    #[test]
    fn a_path_stays_below_the_base_url() {
        for (path, whole) in [
            ("/me", "/me"),
            ("me", "/me"),
            ("/", "/"),
            ("/profiles/a.b/slots", "/profiles/a.b/slots"),
        ] {
            assert_eq!(below_base(path).unwrap(), whole);
        }
        for path in [
            "/..",
            "/a/../b",
            "//evil.test/",
            "/%2e%2e/x",
            "https://evil.test/",
            "/a\\b",
            "/a b",
            "/a#b",
            "/a/",
            "/é",
            "/\r\n",
        ] {
            below_base(path).unwrap_err();
        }
    }
}
