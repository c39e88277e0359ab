//! A URL that the service names, and whose host is not trusted: neither token nor key nor cookie is sent there, no redirect is followed, and
//! no private host is contacted. Images are downloaded from such URLs (`src` of an upload, or `computed` of a page), and sent to those that the
//! service issues for it, which are secrets.

use std::borrow::Cow;
use std::io;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use jiff::Timestamp;
use reqwest::{Method, Request};
use serde::de::Error as _;

use super::{ImageType, ReplayableBody};
use crate::base_url::BaseUrl;
use crate::call_sender::{CallSender, copies};
use crate::client::Client;
use crate::error::Error;
use crate::generated::types::{File, UploadUrl};
use crate::operation::{Bucket, Effect, Operation, SuccessContent};
use crate::private_host::{NamedUrl, PublicOnlyResolver, named_url};
use crate::secrets::Secrets;
use crate::token::Hidden;
use crate::transport::pacing::InProcessPacer;
use crate::transport::{CallOptions, Shared};

impl NamedUrl {
    /// Returns the texts that no message may show if the URL is a secret: its path, its query, and the parts of which they consist.
    fn secret_parts(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let (path, query) = (self.url.path(), self.url.query().unwrap_or_default());
        let raw =
            query.split('&').map(|pair| pair.split_once('=').map_or(pair, |(_, value)| value));
        let parts = path.split('/').chain(raw);
        let values = self.url.query_pairs().map(|(_, value)| value);
        [path, query].into_iter().chain(parts).map(Cow::Borrowed).chain(values)
    }

    /// Returns a sender for a part of this call, without anything of the caller: another connection, no token, limits of its own. `shown`
    /// stands for the URL in reports, and no message shows the `secrets`.
    fn sender(
        &self,
        call: &CallSender,
        operation: &'static Operation,
        shown: &'static str,
        secrets: Secrets,
    ) -> Result<CallSender, Error> {
        let shared = &call.client.shared;
        // Who the program is, only the service itself is told.
        let is_service = self.url.origin() == shared.base.url().origin();
        let connection = if is_service {
            shared.connection.clone()
        } else {
            Arc::new(shared.connection.without_identity())
        };
        let http = connection.client(&self.url, shared.timeouts.connect, |builder| {
            if !self.guarded {
                return builder;
            }
            let guarded = self.url.host_str().map(str::to_owned);
            let resolver = PublicOnlyResolver { guarded, ..PublicOnlyResolver::default() };
            builder.dns_resolver(Arc::new(resolver))
        });
        let shared = Shared {
            base: BaseUrl::of_host(&self.url),
            http: http.map_err(|error| Error::invalid(operation.id, error.to_string()))?,
            connection,
            headers: Arc::default(),
            service_time: Arc::default(),
            before_send: None,
            limits: None,
            secrets,
            collection: None,
            shown: Some(shown),
            requests: shared.requests.clone(),
            tally: shared.tally.clone(),
            ..shared.for_token(None, Arc::new(InProcessPacer::default()))
        };
        let client = Client { shared: Arc::new(shared), ..call.client.clone() };
        let options = CallOptions {
            idempotency_key: None,
            dry_run: false,
            headers: None,
            ..call.options.clone()
        };
        Ok(CallSender { client, operation, options, ..call.clone() })
    }
}

/// Operation of a download.
pub(crate) const GET: &Operation = &Operation {
    id: "downloadFile",
    route: "",
    effect: Effect::Read,
    bucket: Bucket::General,
    timeout: Duration::from_secs(120),
    status: Some(200),
    success: SuccessContent::Any,
};

/// Downloads an image. Nothing of the caller is sent to the host.
pub(crate) async fn download(call: CallSender, text: String) -> Result<Bytes, Error> {
    let shared = &call.client.shared;
    let url = named_url(&text, shared.base.url())
        .map_err(|why| Error::invalid(GET.id, format!("the URL is not allowed: {why}")))?;
    let sender = url.sender(&call, GET, "(file URL)", shared.secrets.clone())?;
    let check = |body: &[u8]| match ImageType::of(body) {
        Some(_) => Ok(()),
        None => Err(serde_json::Error::custom("it is not a JPEG, PNG, WebP or GIF image")),
    };
    let request = Request::new(Method::GET, url.url.clone());
    Ok(sender.exchange(Some(&check), &mut copies(&request)).await?.body)
}

/// A URL for uploading one image, from [`FilesHandle::create_upload_url`](crate::FilesHandle::create_upload_url). Anyone who knows the URL
/// can use it, so `Debug` does not show it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UploadTarget {
    url: Hidden<String>,
    /// `PUT` with the bytes as the body, or `POST` with the part `file` of a multipart body.
    pub method: String,
    /// Maximum size in bytes.
    pub max_bytes: i64,
    /// ISO 8601 time until which the URL is valid, 15 minutes after it was created.
    pub expires_at: String,
}

impl UploadTarget {
    /// Returns the URL.
    pub fn secret_url(&self) -> &str {
        &self.url
    }

    /// Returns whether less than a minute is left. A time that cannot be read counts as far away.
    pub(crate) fn is_almost_over(&self, now: SystemTime) -> bool {
        let end = Timestamp::from_str(&self.expires_at).map(SystemTime::from);
        end.is_ok_and(|end| end < now + Duration::from_secs(60))
    }
}

impl From<UploadUrl> for UploadTarget {
    fn from(target: UploadUrl) -> Self {
        let UploadUrl { upload_url: url, method, max_bytes, expires_at, .. } = target;
        Self { url: Hidden(url), method, max_bytes, expires_at }
    }
}

/// Operation of a PUT. Sending the same bytes again has no further effect, like reading again.
const PUT: &Operation =
    &Operation { id: "sendToUploadUrl", timeout: Duration::from_secs(3600), status: None, ..*GET };
/// Operation of a POST. After a POST that may have been received, a new URL is needed.
const POST: &Operation = &Operation { effect: Effect::DeleteMany, ..*PUT };

/// Sends a file to the URL that the service named for it.
pub(crate) async fn send_to_upload_url(
    call: &CallSender,
    target: &UploadTarget,
    file: &ReplayableBody,
) -> Result<File, Error> {
    let shared = &call.client.shared;
    let (url, method) = checked(target, &shared.base, file.length())
        .map_err(|why| Error::invalid(PUT.id, format!("the upload URL is not allowed: {why}")))?;
    let operation = if method == Method::PUT { PUT } else { POST };
    // An answer that repeats the request repeats the secret.
    let secrets = shared.secrets.with(url.secret_parts());
    let sender = url.sender(call, operation, "(upload URL)", secrets)?;
    let mut make = || -> BoxFuture<'_, io::Result<Request>> {
        let request = Request::new(method.clone(), url.url.clone());
        Box::pin(file.send_in(request, method == Method::POST))
    };
    let (file, mut answer) = sender.send_made(stored, &mut make).await?;
    // The path of the file may be a part of the URL, and is no secret where the upload has succeeded.
    answer.secrets = shared.secrets.clone();
    call.keep_answer(&answer);
    Ok(file)
}

/// Returns the record of the file, in the envelope of the service or without it: the interface shows neither.
fn stored(body: &[u8]) -> serde_json::Result<File> {
    let mut body: serde_json::Value = serde_json::from_slice(body)?;
    let record = match body.get_mut("data") {
        Some(data) => data.take(),
        None => body,
    };
    serde_json::from_value(record)
}

/// Returns an upload URL and its method, checked.
fn checked(
    target: &UploadTarget,
    base: &BaseUrl,
    length: u64,
) -> Result<(NamedUrl, Method), String> {
    if u64::try_from(target.max_bytes).is_ok_and(|most| most < length) {
        return Err(format!(
            "it accepts at most {} bytes, but the file has {length}",
            target.max_bytes
        ));
    }
    let method = match target.method.to_ascii_uppercase().as_str() {
        "PUT" => Method::PUT,
        "POST" => Method::POST,
        other => return Err(format!("its method must be PUT or POST, not {other:?}")),
    };
    Ok((named_url(&target.url, base.url())?, method))
}

/// Entry points of the fuzz targets.
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzzed {
    use std::net::IpAddr;

    use url::Host;

    use super::{BaseUrl, Method, SystemTime, UploadTarget, checked, stored};
    use crate::private_host::is_private;

    /// Reads the answer of an upload URL.
    pub(crate) fn answer(bytes: &[u8]) {
        let _ = stored(bytes);
    }

    /// Checks an upload URL.
    pub(crate) fn target(target: &UploadTarget) {
        let _ = target.is_almost_over(SystemTime::UNIX_EPOCH);
        let Ok(base) = BaseUrl::new("https://links.example/api/v1") else { return };
        let Ok((url, method)) = checked(target, &base, 1) else { return };
        let url = url.url;
        assert_eq!(url.scheme(), "https", "{url}");
        assert!(method == Method::PUT || method == Method::POST, "{method}");
        assert!(url.username().is_empty() && url.password().is_none(), "{url}");
        let literal = match url.host() {
            Some(Host::Ipv4(address)) => Some(IpAddr::from(address)),
            Some(Host::Ipv6(address)) => Some(IpAddr::from(address)),
            Some(Host::Domain(_)) | None => None,
        };
        assert!(!literal.is_some_and(is_private), "{url}");
    }
}

#[cfg(test)]
mod tests {
    use reqwest::dns::{Name, Resolve};

    use super::*;

    const HERE: &str = "http://127.0.0.1:8080/api/v1";
    const SERVICE: &str = "https://links.example/api/v1";

    fn target(url: &str) -> UploadTarget {
        let (url, method, expires_at) = (url.to_owned(), "PUT".to_owned(), String::new());
        UploadTarget { url: Hidden(url), method, max_bytes: 100, expires_at }
    }

    fn check(target: &UploadTarget, base: &str) -> Result<(NamedUrl, Method), String> {
        checked(target, &BaseUrl::new(base).unwrap(), 100)
    }

    #[test]
    fn upload_urls_are_public_https_unless_the_service_is_local() {
        for (url, base) in [
            ("https://storage.example/x?signature=1", SERVICE),
            ("https://storage.example:8443/x", SERVICE),
            ("https://93.184.216.34/x", SERVICE),
            ("https://links.example/uploads/x", SERVICE),
            ("http://127.0.0.1:9000/x", HERE),
            ("https://10.0.0.1/x", HERE),
        ] {
            assert!(check(&target(url), base).is_ok(), "{url}");
        }
        for url in [
            "http://storage.example/x",
            "http://127.0.0.1/x",
            "https://127.0.0.1/x",
            "https://2130706433/x",
            "https://0x7f.1/x",
            "https://localhost/x",
            "https://10.1.2.3/x",
            "https://172.16.0.1/x",
            "https://192.168.0.1/x",
            "https://169.254.169.254/latest/meta-data",
            "https://100.64.0.1/x",
            "https://0.0.0.0/x",
            "https://[::1]/x",
            "https://[fd00::1]/x",
            "https://[fe80::1]/x",
            "https://[::ffff:10.0.0.1]/x",
            "https://[64:ff9b::a00:1]/x",
            "https://user:secret@storage.example/x",
            "file:///etc/secret",
            "ftp://storage.example/secret",
            "/uploads/secret",
            "secret",
        ] {
            let why = check(&target(url), SERVICE).err();
            assert!(why.as_ref().is_some_and(|why| !why.contains("secret")), "{url}: {why:?}");
        }
    }

    #[test]
    fn methods_other_than_put_and_post_and_oversized_files_are_refused() {
        let url = "https://storage.example/x";
        for (method, fits) in
            [("PUT", true), ("post", true), ("DELETE", false), ("GET", false), ("", false)]
        {
            let target = UploadTarget { method: method.into(), ..target(url) };
            assert_eq!(check(&target, SERVICE).is_ok(), fits, "{method}");
        }
        let small = UploadTarget { max_bytes: 99, ..target(url) };
        assert!(check(&small, SERVICE).is_err_and(|why| why.contains("99 bytes")));
    }

    #[test]
    fn debug_omits_the_url() {
        let target = target("https://storage.example/canary?signature=canary");
        assert!(!format!("{target:?}").contains("canary"));
    }

    #[test]
    fn an_upload_url_counts_as_expiring_in_its_last_minute() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        let expires = |expires_at: &str| {
            let target =
                UploadTarget { expires_at: expires_at.into(), ..target("https://a.example") };
            target.is_almost_over(now)
        };
        assert!(!expires("2027-01-15T08:01:00Z"));
        assert!(expires("2027-01-15T08:00:59.999999Z"));
        assert!(!expires("2027-01-15T13:15:00+05:00"));
        assert!(expires("2027-01-15T09:00:30+01:00"));
        assert!(!expires("soon"));
    }

    #[tokio::test]
    async fn an_upload_host_that_resolves_to_loopback_is_refused() {
        let lookup = |guarded: &str| {
            let guarded = Some(guarded.to_owned());
            PublicOnlyResolver { guarded, ..PublicOnlyResolver::default() }
                .resolve(Name::from_str("localhost").unwrap())
        };
        assert!(lookup("LOCALHOST").await.is_err());
        assert!(lookup("storage.example").await.is_ok());
    }
}
