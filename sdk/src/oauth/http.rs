//! HTTP client for a login: checked URLs, no redirects, and a size limit for answers.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Method, Request, Response};
use rmcp::transport::auth::{
    OAuthHttpClient as RmcpHttpClient, OAuthHttpClientFuture, OAuthHttpRequest,
};
use serde::Deserialize;
use url::Url;

use super::endpoint;
use super::secrets::add_form;
use crate::base_url::is_loopback;
use crate::secrets::Secrets;
use crate::transport::body_reader::{BodyReader, UnreadBody};
use crate::transport::clock::{Clock, SystemClock};
use crate::transport::connection_options::ConnectionOptions;
use crate::transport::http_client::HttpClient;
use crate::transport::public_resolver::PublicOnlyResolver;
use crate::transport::retry_after::retry_after;

/// Maximum size of an answer in bytes. No metadata, registration or token answer is larger.
const MAX_BYTES: usize = 64 * 1024;
const CONNECT: Duration = Duration::from_secs(10);
const WHOLE: Duration = Duration::from_secs(30);

/// HTTP client for the requests of one login.
#[derive(Debug)]
pub(super) struct OAuthHttpClient {
    connector: Url,
    http: HttpClient,
    /// Client for hosts other than the connector's, if a client certificate is shown to the connector.
    elsewhere: Option<HttpClient>,
    last: Mutex<LastExchange>,
    secrets: Secrets,
}

/// Result of the last request, which the OAuth library does not pass on.
#[derive(Debug, Default)]
struct LastExchange {
    /// Error that the answer reported.
    error_response: Option<OAuthErrorResponse>,
    /// Reason why there was no answer.
    failure: Option<String>,
}

/// An error answer of an authorization server (RFC 6749, section 5.2; RFC 7591, section 3.2.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OAuthErrorResponse {
    pub(super) status: u16,
    pub(super) error: String,
    pub(super) description: Option<String>,
    pub(super) retry_after: Option<Duration>,
}

#[derive(Deserialize)]
struct ErrorBody {
    error: String,
    error_description: Option<String>,
}

impl OAuthHttpClient {
    pub(super) fn new(connector: &Url, options: &ConnectionOptions) -> io::Result<Self> {
        let elsewhere = options.has_identity().then(|| options.without_identity());
        Ok(Self {
            connector: connector.clone(),
            http: http_client(connector, options)?,
            elsewhere: elsewhere.map(|options| http_client(connector, &options)).transpose()?,
            last: Mutex::default(),
            secrets: Secrets::default(),
        })
    }

    pub(super) fn connector(&self) -> &Url {
        &self.connector
    }

    /// Returns the error of the last answer, if it was an error answer.
    pub(super) fn error_response(&self) -> Option<OAuthErrorResponse> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).error_response.clone()
    }

    /// Returns why the last request had no answer, if it had none.
    pub(super) fn failure(&self) -> Option<String> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).failure.clone()
    }

    /// Adds a secret that the server knows without being sent it, and that no error may repeat.
    pub(super) fn keep_secret(&self, secret: &str) {
        self.secrets.add_text(secret);
    }

    /// Returns a text of the server without the secrets that the server knows.
    pub(super) fn without_secrets(&self, text: impl Into<String>) -> String {
        let mut text = text.into();
        self.secrets.hide_in(&mut text);
        text
    }

    pub(super) async fn get(&self, url: Url) -> io::Result<http::Response<Vec<u8>>> {
        self.send(Request::new(Method::GET, url)).await
    }

    /// Sends a form to an OAuth endpoint.
    pub(super) async fn post(
        &self,
        url: Url,
        form: &[(&str, &str)],
    ) -> io::Result<http::Response<Vec<u8>>> {
        let mut body = url::form_urlencoded::Serializer::new(String::new());
        let body = body.extend_pairs(form).finish();
        let request = self.http.network.post(url).body(body);
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        self.send(request.build().map_err(io::Error::other)?).await
    }

    async fn send(&self, request: Request) -> io::Result<http::Response<Vec<u8>>> {
        if let Some(form) = request.body().and_then(reqwest::Body::as_bytes) {
            add_form(&self.secrets, form);
        }
        let result = self.answer(request).await;
        let last = match &result {
            Ok(answer) => {
                LastExchange { error_response: self.error_response_of(answer), failure: None }
            }
            Err(error) => LastExchange { error_response: None, failure: Some(error.to_string()) },
        };
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = last;
        result
    }

    async fn answer(&self, request: Request) -> io::Result<http::Response<Vec<u8>>> {
        endpoint::check(request.url().as_str(), &self.connector).map_err(io::Error::other)?;
        let host = request.url().host_str().unwrap_or_default().to_owned();
        let is_connector = request.url().origin() == self.connector.origin();
        let http = self.elsewhere.as_ref().filter(|_| !is_connector).unwrap_or(&self.http);
        let response = http.execute(request).await.map_err(|error| {
            io::Error::other(format!(
                "{host} cannot be reached: {}",
                innermost(&error.without_url())
            ))
        })?;
        read(response).await
    }

    fn error_response_of(&self, answer: &http::Response<Vec<u8>>) -> Option<OAuthErrorResponse> {
        let status = answer.status();
        if status.is_success() {
            return None;
        }
        let (error, description) = match serde_json::from_slice::<ErrorBody>(answer.body()) {
            Ok(body) => (body.error, body.error_description),
            Err(_) => (String::new(), None),
        };
        let error = self.without_secrets(error);
        let description = description.map(|text| self.without_secrets(text));
        let retry_after = retry_after(answer.headers(), SystemClock::new().wall());
        Some(OAuthErrorResponse { status: status.as_u16(), error, description, retry_after })
    }
}

fn http_client(connector: &Url, options: &ConnectionOptions) -> io::Result<HttpClient> {
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("links-sdk/", env!("CARGO_PKG_VERSION")))
        .redirect(Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .connect_timeout(CONNECT)
        .timeout(WHOLE);
    if !is_loopback(connector) {
        let trusted = connector.host_str().into_iter().chain(options.proxy_host());
        let trusted = trusted.map(str::to_owned).collect();
        let resolver = PublicOnlyResolver { trusted, ..PublicOnlyResolver::default() };
        builder = builder.dns_resolver(Arc::new(resolver));
    }
    let client = options.apply(builder, connector).map_err(io::Error::other)?.build();
    Ok(HttpClient::new(client.map_err(io::Error::other)?))
}

async fn read(mut response: Response) -> io::Result<http::Response<Vec<u8>>> {
    let unread = |unread: UnreadBody| match unread {
        UnreadBody::Cut(error) => io::Error::other(error),
        UnreadBody::TooLarge => io::Error::other("the answer is larger than 64 KiB"),
    };
    let mut body = BodyReader::of(&mut response, MAX_BYTES);
    let mut answer = http::Response::new(());
    *answer.status_mut() = response.status();
    std::mem::swap(answer.headers_mut(), response.headers_mut());
    while let Some(piece) =
        response.chunk().await.map_err(|error| io::Error::other(error.without_url()))?
    {
        body.push(piece).map_err(unread)?;
    }
    let (body, unfinished) = body.finish();
    unfinished.map_or(Ok(answer.map(|()| body.to_vec())), |why| Err(unread(why)))
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
            Ok(self.send(request).await?)
        })
    }
}
