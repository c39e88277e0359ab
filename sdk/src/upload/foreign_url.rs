//! A URL that the service names, and whose host is not trusted: neither token nor key nor cookie is sent there, no redirect is followed, and
//! no private host is contacted. Images are downloaded from such URLs: `src` of an upload, or `computed` of a page.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use reqwest::redirect::Policy;
use reqwest::{Method, Request};
use url::Url;

use super::{ImageType, MAX_DOWNLOAD_BYTES};
use crate::base_url::{BaseUrl, is_loopback};
use crate::error::Error;
use crate::operation::{Bucket, Effect, Operation};
use crate::private_host::{PublicOnlyResolver, is_private_url};
use crate::shape::Success;
use crate::transport::http_sender::HttpClient;
use crate::transport::observer::{AttemptReport, Observer};
use crate::transport::pacing::{InProcessPacer, WaitReason};
use crate::transport::{BoxFuture, CallOptions, Shared};

/// A URL that was checked.
pub(super) struct ForeignUrl {
    pub(super) url: Url,
    /// Set if the host's name may resolve to public hosts only.
    guarded: bool,
}

impl ForeignUrl {
    /// Checks a URL: https, or http between services of this machine, without a user, and not to a private host. The error does not hold the
    /// URL, which may be a secret.
    pub(super) fn check(text: &str, base: &BaseUrl) -> Result<Self, String> {
        let url = Url::parse(text).map_err(|error| error.to_string())?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err("it holds a user name or a password".to_owned());
        }
        match url.scheme() {
            "https" => {}
            "http" if is_loopback(&url) && base.is_loopback() => {}
            // The program has chosen to send its token there unencrypted.
            "http" if url.origin() == base.url().origin() => {}
            scheme => return Err(format!("it is {scheme}, not https")),
        }
        let guarded = !base.is_loopback() && url.host_str() != Some(base.host());
        if guarded && is_private_url(&url) {
            return Err("it leads to a private host".to_owned());
        }
        Ok(Self { url, guarded })
    }

    pub(super) fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }

    /// Returns a transport like `shared` without anything of the caller: another connection, no token, limits of its own. `shown` stands for
    /// the URL in reports.
    pub(super) fn transport(&self, shared: &Shared, shown: &'static str) -> io::Result<Shared> {
        let mut builder = reqwest::Client::builder()
            .redirect(Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .connect_timeout(shared.timeouts.connect);
        if self.guarded {
            let host = self.host().to_owned();
            builder = builder.dns_resolver(Arc::new(PublicOnlyResolver::guarding(host)));
        }
        // Who the program is, only the service itself is told.
        let is_service = self.url.origin() == shared.base.url().origin();
        let connection = if is_service {
            shared.connection.clone()
        } else {
            Arc::new(shared.connection.without_identity())
        };
        let http = connection.apply(builder, &self.url).map_err(io::Error::other)?;
        Ok(Shared {
            http: HttpClient::new(http.build().map_err(io::Error::other)?),
            connection,
            headers: Arc::default(),
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
    success: Success::ANY,
};

/// Downloads an image. `shared` and `options` are those of the call; nothing of the caller is sent to the host.
pub(crate) async fn download(
    shared: &Shared,
    options: &CallOptions,
    text: &str,
) -> Result<Bytes, Error> {
    let refused = |why: String| Error::invalid(GET.id, format!("the URL is refused: {why}"));
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
        Some(answer) if answer.status() != 200 => Some("it is no file".to_owned()),
        Some(answer) if answer.body.len() > MAX_DOWNLOAD_BYTES => {
            Some(format!("it is larger than {} MB", MAX_DOWNLOAD_BYTES / (1024 * 1024)))
        }
        Some(answer) => match ImageType::of(&answer.body) {
            Some(_) => return Ok(answer.body.clone()),
            None => Some("it is no jpeg, png, webp or gif".to_owned()),
        },
        None => None,
    };
    Err(Error::from_exchange(exchange, url.host(), None, why))
}

#[cfg(test)]
mod tests {
    use std::str::FromStr;

    use reqwest::dns::{Name, Resolve};

    use super::*;

    #[tokio::test]
    async fn fault_80_an_upload_host_that_resolves_to_loopback_is_refused() {
        let lookup = |guarded: &str| {
            PublicOnlyResolver::guarding(guarded.to_owned())
                .resolve(Name::from_str("localhost").unwrap())
        };
        assert!(lookup("LOCALHOST").await.is_err());
        assert!(lookup("storage.example").await.is_ok());
    }
}
