//! HTTP client for a login: checked URLs, no redirects, a size limit for answers, and no secret in an error message.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use reqwest::{Method, Request};
use rmcp::transport::auth::{
    OAuthHttpClient as RmcpHttpClient, OAuthHttpClientFuture, OAuthHttpRequest,
};
use serde::Deserialize;
use tokio::time::Instant;
use url::Url;
use url::form_urlencoded::parse;

use super::LoginError;
use crate::base_url::{BaseUrl, is_loopback};
use crate::blocking::locked;
use crate::private_host::{PublicOnlyResolver, named_url};
use crate::secrets::Secrets;
use crate::transport::answer::{Answer, UnreadBody};
use crate::transport::clock::{Clock, SystemClock};
use crate::transport::connection_options::{ConnectionOptions, USER_AGENT_OF_SDK};
use crate::transport::http_sender::HttpClient;
use crate::transport::retry::retry_after;

/// Maximum size of an answer in bytes. No metadata, registration or token answer is larger.
const MAX_BYTES: usize = 64 * 1024;
const CONNECT: Duration = Duration::from_secs(10);
const WHOLE: Duration = Duration::from_secs(30);

/// HTTP client for the requests of one login.
#[derive(Debug)]
pub(super) struct OAuthHttpClient {
    pub(super) connector: Url,
    http: HttpClient,
    /// Client for hosts other than the connector's, if a client certificate is shown to the connector.
    elsewhere: Option<HttpClient>,
    /// Error that the last answer reported, or why there was none: the OAuth library does not pass them on.
    last: Mutex<(Option<OAuthErrorResponse>, Option<String>)>,
    /// What no error may repeat.
    pub(super) secrets: Secrets,
}

/// An error answer of an authorization server (RFC 6749, section 5.2; RFC 7591, section 3.2.2).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("({}){}", code_or_status(error, *status), super::shown(description.as_deref()))]
pub(super) struct OAuthErrorResponse {
    pub(super) status: u16,
    pub(super) error: String,
    pub(super) description: Option<String>,
    pub(super) retry_after: Option<Duration>,
}

fn code_or_status(code: &str, status: u16) -> String {
    if code.is_empty() { format!("status {status}") } else { code.to_owned() }
}

#[derive(Deserialize)]
struct ErrorBody {
    error: String,
    error_description: Option<String>,
}

impl OAuthHttpClient {
    pub(super) fn new(connector: &Url, options: &ConnectionOptions) -> Result<Self, LoginError> {
        let elsewhere = options.has_identity().then(|| options.without_identity());
        Ok(Self {
            connector: connector.clone(),
            http: http_client(connector, options)?,
            elsewhere: elsewhere.map(|options| http_client(connector, &options)).transpose()?,
            last: Mutex::default(),
            secrets: Secrets::default(),
        })
    }

    /// Returns the error of the last answer, if it was an error answer.
    pub(super) fn error_response(&self) -> Option<OAuthErrorResponse> {
        locked(&self.last).0.clone()
    }

    /// Returns why the last request had no answer, if it had none.
    pub(super) fn failure(&self) -> Option<String> {
        locked(&self.last).1.clone()
    }

    /// Returns a text of the server without the secrets that the server knows.
    pub(super) fn without_secrets(&self, text: impl AsRef<str>) -> String {
        self.secrets.hide(text.as_ref()).into_owned()
    }

    pub(super) async fn get(&self, url: Url) -> Result<Answer, LoginError> {
        self.send(Request::new(Method::GET, url)).await
    }

    /// Sends a form to an OAuth endpoint.
    pub(super) async fn post(&self, url: Url, form: &[(&str, &str)]) -> Result<Answer, LoginError> {
        let mut body = url::form_urlencoded::Serializer::new(String::new());
        let body = body.extend_pairs(form).finish();
        let request = self.http.network.post(url).body(body);
        let request = request
            .header("accept", "application/json")
            .header("content-type", "application/x-www-form-urlencoded");
        self.send(request.build().map_err(LoginError::unreachable)?).await
    }

    async fn send(&self, request: Request) -> Result<Answer, LoginError> {
        if let Some(form) = request.body().and_then(reqwest::Body::as_bytes) {
            add_form(&self.secrets, form);
        }
        let result = self.answer(request).await;
        *locked(&self.last) = match &result {
            Ok(answer) => (self.error_response_of(answer), None),
            Err(error) => (None, Some(error.to_string())),
        };
        result
    }

    async fn answer(&self, request: Request) -> Result<Answer, LoginError> {
        check_endpoint(request.url().as_str(), &self.connector).map_err(LoginError::unreachable)?;
        let host = request.url().host_str().unwrap_or_default().to_owned();
        let is_connector = request.url().origin() == self.connector.origin();
        let http = self.elsewhere.as_ref().filter(|_| !is_connector).unwrap_or(&self.http);
        let mut response = http.execute(request).await.map_err(|error| {
            let why = innermost(&error.without_url());
            LoginError::unreachable(format!("cannot reach {host}: {why}"))
        })?;
        let until = Instant::now() + WHOLE;
        let answer = Answer::read(&mut response, MAX_BYTES, until, WHOLE).await;
        answer.map_err(|(_, unread)| match unread {
            UnreadBody::Cut(error) => LoginError::unreachable(error),
            UnreadBody::TooLarge => LoginError::unreachable("the response is larger than 64 KiB"),
        })
    }

    fn error_response_of(&self, answer: &Answer) -> Option<OAuthErrorResponse> {
        if answer.status.is_success() {
            return None;
        }
        let (error, description) = match serde_json::from_slice::<ErrorBody>(answer.body()) {
            Ok(body) => (body.error, body.error_description),
            Err(_) => (String::new(), None),
        };
        let error = self.without_secrets(error);
        let description = description.map(|text| self.without_secrets(text));
        let retry_after = retry_after(&answer.headers, SystemClock::new().wall());
        Some(OAuthErrorResponse { status: answer.status(), error, description, retry_after })
    }
}

fn http_client(connector: &Url, options: &ConnectionOptions) -> Result<HttpClient, LoginError> {
    let client = options.client(connector, CONNECT, |builder| {
        let builder = builder.user_agent(USER_AGENT_OF_SDK).timeout(WHOLE);
        if is_loopback(connector) {
            return builder;
        }
        let trusted = connector.host_str().into_iter().chain(options.proxy_host());
        let trusted = trusted.map(str::to_owned).collect();
        let resolver = PublicOnlyResolver { trusted, ..PublicOnlyResolver::default() };
        builder.dns_resolver(Arc::new(resolver))
    });
    client.map_err(LoginError::unreachable)
}

/// Returns the message of the innermost error of a chain.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    last.to_string()
}

impl RmcpHttpClient for OAuthHttpClient {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            let request = Request::try_from(request.request)?;
            let Answer { status, headers, body, .. } = self.send(request).await?;
            let mut whole = http::Response::new(body.to_vec());
            (*whole.status_mut(), *whole.headers_mut()) = (status, headers);
            Ok(whole)
        })
    }
}

/// Reads a URL that was named by the connector or by a server that the connector leads to.
pub(super) fn check_endpoint(text: &str, connector: &Url) -> Result<Url, String> {
    let shown = BaseUrl::without_user_info(text);
    let refused = |why| format!("the URL {shown:?} is not allowed: {why}");
    let url = named_url(text, connector).map_err(refused)?.url;
    match url.fragment() {
        Some(_) => Err(refused("it has a fragment".to_owned())),
        None => Ok(url),
    }
}

/// Reads the connector's own URL, which the user has named.
pub(super) fn connector_url(text: &str) -> Result<Url, String> {
    let shown = BaseUrl::without_user_info(text);
    let url =
        Url::parse(text.trim()).map_err(|error| format!("{shown:?} is not a URL: {error}"))?;
    if url.scheme() != "https" && !is_loopback(&url) {
        let scheme = url.scheme();
        return Err(format!("the URL {shown:?} is not allowed: it must be https, not {scheme}"));
    }
    check_endpoint(url.as_str(), &url)
}

/// Fields of a form that are secret.
const FIELDS: [&str; 5] = ["code", "code_verifier", "refresh_token", "token", "client_secret"];

/// Adds the secrets of a form that is to be sent.
pub(super) fn add_form(secrets: &Secrets, form: &[u8]) {
    for (name, value) in parse(form) {
        if FIELDS.contains(&&*name) {
            secrets.add_text(&value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_leads_to_public_https_only() {
        let public = Url::parse("https://links.example/mcp").unwrap();
        let local = Url::parse("http://127.0.0.1:8000/mcp").unwrap();
        for good in ["https://login.example/authorize?x=1", "https://links.example:444/token"] {
            check_endpoint(good, &public).unwrap();
            check_endpoint(good, &local).unwrap();
        }
        for bad in [
            "http://links.example/token",
            "http://127.0.0.1.evil.example/token",
            "http://localhost@evil.example/",
            "https://user:pw@links.example/",
            "https://links.example/#fragment",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "data:text/html,x",
            "calc.exe",
            "--flag",
            "$(id)",
            "",
        ] {
            check_endpoint(bad, &public).unwrap_err();
            check_endpoint(bad, &local).unwrap_err();
        }
        for inside in [
            "https://10.0.0.1/token",
            "https://[::1]/",
            "https://localhost/",
            "https://169.254.169.254/",
        ] {
            check_endpoint(inside, &public).unwrap_err();
            check_endpoint(inside, &local).unwrap();
        }
        check_endpoint("http://[::1]:99/token", &local).unwrap();
        check_endpoint("http://[::1]:99/token", &public).unwrap_err();
        let inside = Url::parse("https://10.0.0.1/mcp").unwrap();
        check_endpoint("https://10.0.0.1/token", &inside).unwrap();
        check_endpoint("https://10.0.0.2/token", &inside).unwrap_err();
    }

    #[test]
    fn the_connector_is_not_spoken_to_in_the_clear() {
        for bad in [
            "http://links.example/mcp",
            "ftp://links.example",
            "links.example",
            "https://a@links.example",
        ] {
            connector_url(bad).unwrap_err();
        }
        assert_eq!(
            connector_url(" http://localhost:1/mcp\n").unwrap().as_str(),
            "http://localhost:1/mcp"
        );
    }

    #[test]
    fn secrets_of_a_form_are_hidden_encoded_and_decoded() {
        let secrets = Secrets::default();
        add_form(&secrets, b"grant_type=authorization_code&code=a%2Fsecret%3D&token=short");
        secrets.add_text("a/secret=, and more");
        let text = "a/secret= a%2Fsecret%3D short authorization_code a/secret=, and more";
        assert_eq!(secrets.hide(text), "*** *** short authorization_code ***");
    }
}
