//! A URL that the service names, and whose host is not trusted: neither token nor key nor cookie is sent there, no redirect is followed, and
//! no private host is contacted. Images are downloaded from such URLs (`src` of an upload, or `computed` of a page), and sent to those that the
//! service issues for it, which are secrets.

use std::borrow::Cow;
use std::io;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use reqwest::{Method, Request};
use url::Url;

use super::{ImageType, MAX_DOWNLOAD_BYTES, ReplayableBody};
use crate::base_url::BaseUrl;
use crate::error::Error;
use crate::generated::types::{File, UploadUrl};
use crate::operation::{Bucket, Effect, Operation, SuccessContent};
use crate::private_host::{PublicOnlyResolver, named_url};
use crate::token::Hidden;
use crate::transport::observer::{AttemptReport, Observer};
use crate::transport::pacing::{InProcessPacer, WaitReason};
use crate::transport::{Answer, BoxFuture, CallFailure, CallOptions, Shared};

/// A URL that was checked.
struct ForeignUrl {
    url: Url,
    /// Set if the host's name may resolve to public hosts only.
    guarded: bool,
}

impl ForeignUrl {
    fn check(text: &str, base: &BaseUrl) -> Result<Self, String> {
        named_url(text, base.url()).map(|(url, guarded)| Self { url, guarded })
    }

    fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }

    /// Returns the texts that no message may show if the URL is a secret: its path, its query, and the parts of which they consist.
    fn secret_parts(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let (path, query) = (self.url.path(), self.url.query().unwrap_or_default());
        let raw =
            query.split('&').map(|pair| pair.split_once('=').map_or(pair, |(_, value)| value));
        let parts = path.split('/').chain(raw);
        let values = self.url.query_pairs().map(|(_, value)| value);
        [path, query].into_iter().chain(parts).map(Cow::Borrowed).chain(values)
    }

    /// Returns a transport like `shared` without anything of the caller: another connection, no token, limits of its own. `shown` stands for
    /// the URL in reports.
    fn transport(&self, shared: &Shared, shown: &'static str) -> io::Result<Shared> {
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
            let resolver = PublicOnlyResolver::guarding(self.host().to_owned());
            builder.dns_resolver(Arc::new(resolver))
        });
        Ok(Shared {
            http: http.map_err(io::Error::other)?,
            connection,
            headers: Arc::default(),
            service_time: Arc::default(),
            before_send: None,
            limits: None,
            secrets: shared.secrets.clone(),
            collection: None,
            observer: Arc::new(RedactingObserver { inner: shared.observer.clone(), shown }),
            requests: shared.requests.clone(),
            tally: shared.tally.clone(),
            ..shared.for_token(None, Arc::new(InProcessPacer::default()))
        })
    }
}

/// Observer that reports the attempts without the URL.
#[derive(Debug)]
struct RedactingObserver {
    inner: Arc<dyn Observer>,
    shown: &'static str,
}

impl Observer for RedactingObserver {
    fn waiting(&self, operation: &'static str, duration: Duration, reason: WaitReason) {
        self.inner.waiting(operation, duration, reason);
    }

    fn attempted(&self, attempt: &AttemptReport<'_>) {
        let target = self.shown;
        self.inner.attempted(&AttemptReport { target, request: None, answer: None, ..*attempt });
    }
}

/// Operation of a download.
pub(crate) const GET: &Operation = &Operation {
    id: "downloadFile",
    route: "",
    effect: Effect::Read,
    bucket: Bucket::General,
    timeout: Duration::from_secs(120),
    status: None,
    success: SuccessContent::Any,
};

/// Downloads an image, and returns the answer that holds it. `shared` and `options` are those of the call; nothing of the caller is sent to the
/// host.
pub(crate) async fn download(
    shared: &Shared,
    options: &CallOptions,
    text: &str,
) -> Result<Answer, Error> {
    let refused = |why: String| Error::invalid(GET.id, format!("the URL is not allowed: {why}"));
    let url = ForeignUrl::check(text, &shared.base).map_err(refused)?;
    let bare = url.transport(shared, "(file URL)").map_err(|error| refused(error.to_string()))?;
    let options =
        CallOptions { idempotency_key: None, dry_run: false, headers: None, ..options.clone() };
    let mut make = || -> BoxFuture<'_, std::io::Result<Request>> {
        let request = Request::new(Method::GET, url.url.clone());
        Box::pin(async move { Ok(request) })
    };
    let exchange = bare.run(GET, &options, None, &mut make).await;
    let why = match exchange.answer() {
        Some(answer) if answer.status() != 200 => Some("expected status 200".to_owned()),
        Some(answer) if answer.body.len() > MAX_DOWNLOAD_BYTES => {
            Some(format!("it is larger than {} MB", MAX_DOWNLOAD_BYTES / (1024 * 1024)))
        }
        Some(answer) => match ImageType::of(&answer.body) {
            Some(_) => return Ok(answer.clone()),
            None => Some("it is not a JPEG, PNG, WebP or GIF image".to_owned()),
        },
        None => None,
    };
    Err(Error::from_exchange(exchange, url.host(), None, why))
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

    /// Returns whether a second request is refused after the first was received.
    pub(crate) fn is_single_use(&self) -> bool {
        self.method.eq_ignore_ascii_case("POST")
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
    &Operation { id: "sendToUploadUrl", timeout: Duration::from_secs(3600), ..*GET };
/// Operation of a POST. After a POST that may have been received, a new URL is needed.
const POST: &Operation = &Operation { effect: Effect::DeleteMany, ..*PUT };

/// Sends a file to the URL that the service named. `shared` and `options` are those of the call it is part of.
pub(crate) async fn send_to_upload_url(
    shared: &Shared,
    options: &CallOptions,
    target: &UploadTarget,
    file: &ReplayableBody,
) -> Result<(File, Answer), Error> {
    let (url, method) = checked(target, &shared.base, file.length())
        .map_err(|why| Error::invalid(PUT.id, format!("the upload URL is not allowed: {why}")))?;
    let bare = url.transport(shared, "(upload URL)");
    let bare = bare.map_err(|error| Error::invalid(PUT.id, error.to_string()))?;
    let options =
        CallOptions { idempotency_key: None, dry_run: false, headers: None, ..options.clone() };
    let mut make = || -> BoxFuture<'_, std::io::Result<Request>> {
        let request = Request::new(method.clone(), url.url.clone());
        Box::pin(file.send_in(request, method == Method::POST))
    };
    let operation = if method == Method::PUT { PUT } else { POST };
    let mut exchange = bare.run(operation, &options, None, &mut make).await;
    let why = match exchange.answer() {
        Some(answer) => match stored(answer) {
            Ok(file) => return Ok((file, answer.clone())),
            Err(why) => Some(why.to_string()),
        },
        None => None,
    };
    let answer = match &mut exchange.result {
        Ok(answer) => Some(answer),
        Err(CallFailure::Unusable { answer, .. }) => Some(&mut **answer),
        Err(_) => None,
    };
    if let Some(answer) = answer {
        // If it repeats the request, it repeats the secret.
        answer.secrets = answer.secrets.with(url.secret_parts());
    }
    Err(Error::from_exchange(exchange, url.host(), None, why))
}

/// Returns the record of the file, in the envelope of the service or without it: the interface shows neither.
fn stored(answer: &Answer) -> serde_json::Result<File> {
    let mut body: serde_json::Value = serde_json::from_slice(&answer.body)?;
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
) -> Result<(ForeignUrl, Method), String> {
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
    Ok((ForeignUrl::check(&target.url, base)?, method))
}

/// Entry points of the fuzz targets.
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzzed {
    use std::net::IpAddr;

    use url::Host;

    use super::{Answer, BaseUrl, Method, SystemTime, UploadTarget, checked, stored};
    use crate::private_host::is_private;

    /// Reads the answer of an upload URL.
    pub(crate) fn answer(bytes: &[u8]) {
        let body = bytes::Bytes::copy_from_slice(bytes);
        let headers = reqwest::header::HeaderMap::new();
        let answer = Answer::new(reqwest::StatusCode::OK, headers, body);
        let _ = stored(&answer);
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

    fn check(target: &UploadTarget, base: &str) -> Result<(ForeignUrl, Method), String> {
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
            PublicOnlyResolver::guarding(guarded.to_owned())
                .resolve(Name::from_str("localhost").unwrap())
        };
        assert!(lookup("LOCALHOST").await.is_err());
        assert!(lookup("storage.example").await.is_ok());
    }
}
