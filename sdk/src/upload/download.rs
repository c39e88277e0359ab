//! Download of an image from a URL that the service gave for it: `src` of an upload, or `computed` of a page.

use std::time::Duration;

use bytes::Bytes;
use reqwest::{Method, Request};

use super::foreign_url::ForeignUrl;
use super::{ImageType, MAX_DOWNLOAD_BYTES};
use crate::error::Error;
use crate::operation::{Bucket, Effect, Operation};
use crate::success::Success;
use crate::transport::{BoxFuture, CallOptions, Shared};

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
