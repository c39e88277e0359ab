//! Uploads of images.

use bytes::Bytes;
use futures_util::future::BoxFuture;
use reqwest::{Method, Request};
use url::Url;

use crate::blocking::blocking;
use crate::call::{Call, Create};
use crate::call_sender::{CallSender, Envelope};
use crate::client::Client;
use crate::error::Error;
use crate::error_kind::Outcome;
use crate::generated::types::{File, FileEnvelope, FileFromUrl};
use crate::operation;
use crate::transport::Shared;
use crate::transport::caller_headers::IdempotencyKey;
use crate::upload::{
    GET, ReplayableBody, Upload, UploadMethod, UploadTarget, download, send_to_upload_url,
};

/// Maximum length, in characters, of a URL for the service to fetch.
const MAX_URL_LENGTH: usize = 2048;

/// Uploads of the account. From [`Client::files`].
#[derive(Clone, Debug)]
pub struct FilesHandle {
    client: Client,
}

impl Client {
    /// Returns the handle for uploads.
    pub fn files(&self) -> FilesHandle {
        FilesHandle { client: self.clone() }
    }
}

impl FilesHandle {
    /// Uploads an image of up to 50 MB. Use the `path` of the result in slots and pages. The image is streamed, either through the service
    /// or to a URL from the service; see [`Upload::method`]. A file that is missing, empty, too large, or not a JPEG, PNG, WebP or GIF is
    /// refused before anything is sent. Unless you set a deadline, the upload may take an hour.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_sdk::{Upload, UploadMethod};
    ///
    /// let dot = b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\x04\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";
    /// let upload = Upload::bytes("dot.gif", &dot[..]).on_progress(|at| println!("{} of {}", at.sent, at.total));
    /// let file = client.files().upload(upload.clone()).await?;
    /// assert_eq!((file.width, file.height), (Some(1), Some(1)));
    ///
    /// let file = client.files().upload(upload.method(UploadMethod::UploadUrl)).await?;
    /// assert!(!file.path.is_empty());
    /// # Ok(()) });
    /// ```
    pub fn upload(&self, upload: Upload) -> Call<File, Create> {
        Call::new(&self.client, operation::UPLOAD_FILE, Ok(upload), send)
    }

    /// Lets the service download an image of up to 10 MB within 10 seconds. The URL must be http or https on the default port, have at most
    /// 2048 characters, and not be private.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let file = client.files().upload_from_url("https://images.example/menu.jpg").await?;
    /// assert!(!file.path.is_empty());
    /// # Ok(()) });
    /// ```
    pub fn upload_from_url(&self, url: impl Into<String>) -> Call<File, Create> {
        let body = can_be_fetched(url.into());
        Call::of(&self.client, operation::UPLOAD_FILE, body, |api, body| api.upload_file(&body))
    }

    /// Downloads an image of up to 8 MB from a URL that the service returned for it: `src` of an upload, or `computed.avatarUrl` or
    /// `computed.bgImageUrl` of a page. The host is not trusted: the request is https only, carries no token and follows no redirect.
    /// Private hosts are contacted only if the service itself is on one. Anything but a JPEG, PNG, WebP or GIF is refused.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let refused = client.files().download("http://files.example/a.png").await;
    /// assert!(refused.is_err_and(|error| error.is_invalid_input()));
    /// # Ok(()) });
    /// ```
    pub fn download(&self, url: impl Into<String>) -> Call<Bytes> {
        Call::new(&self.client, GET, Ok(url.into()), download)
    }

    /// Requests a URL for uploading a large image. The URL is valid for 15 minutes, for anyone who knows it.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let target = client.files().create_upload_url().await?;
    /// assert!(target.max_bytes >= 50_000_000);
    /// # Ok(()) });
    /// ```
    pub fn create_upload_url(&self) -> Call<UploadTarget, Create> {
        Call::of(&self.client, operation::CREATE_UPLOAD_URL, Ok(()), |api, ()| {
            api.create_upload_url()
        })
    }
}

async fn send(mut sender: CallSender, upload: Upload) -> Result<File, Error> {
    let method = upload.method;
    let file = replayable(&sender, upload).await?;
    // Nothing is repeated once this content cannot be sent again.
    sender.options.begun = file.begun();
    match method {
        UploadMethod::Multipart => upload_through_service(&sender, &file).await,
        UploadMethod::UploadUrl => upload_to_url(&sender, &file).await,
    }
}

async fn upload_through_service(sender: &CallSender, file: &ReplayableBody) -> Result<File, Error> {
    let mut make = || -> BoxFuture<'_, std::io::Result<Request>> {
        Box::pin(file.send_in(sender.request(Method::POST, "/files"), true))
    };
    Ok(sender.send_made(FileEnvelope::record_of, &mut make).await?.0)
}

/// Maximum number of upload URLs requested for one upload, because a URL may expire or be used up by a lost request.
const MAX_UPLOAD_URLS: u32 = 4;

async fn upload_to_url(sender: &CallSender, file: &ReplayableBody) -> Result<File, Error> {
    let mut asking = CallSender { operation: operation::CREATE_UPLOAD_URL, ..sender.clone() };
    if sender.options.dry_run {
        asking.send(|api| api.create_upload_url()).await?;
        let message = "a dry run gets no upload URL to send the file to";
        return Err(Error::invalid(operation::UPLOAD_FILE.id, message));
    }
    // Its answer is not the call's.
    asking.undecoded = None;
    let mut target = asking.send(|api| api.create_upload_url()).await?;
    let mut asked = 1;
    let Shared { service_time, clock, .. } = &*sender.client.shared;
    let is_almost_over = |target: &UploadTarget| target.is_almost_over(service_time.now(&**clock));
    loop {
        // A repeated key answers with the URL it made the first time.
        if asked > 1 || !is_almost_over(&target) {
            match send_to_upload_url(sender, &target, file).await {
                Ok(file) => return Ok(file),
                Err(error) => {
                    let lost =
                        error.kind().is_temporary() && error.outcome() != Outcome::NotExecuted;
                    // After a POST that may have been received, a second one is refused.
                    let is_used = lost && target.method.eq_ignore_ascii_case("POST");
                    let spent = is_used || is_almost_over(&target);
                    if !spent
                        || sender.options.is_body_spent()
                        || asked == MAX_UPLOAD_URLS
                        || !sender.back_off(asked, None).await
                    {
                        return Err(error);
                    }
                }
            }
        }
        asking.options.idempotency_key = Some(IdempotencyKey::random());
        target = asking.send(|api| api.create_upload_url()).await?;
        asked += 1;
    }
}

/// Fixes what is sent. The beginning of a file is read on a thread that may block.
async fn replayable(sender: &CallSender, upload: Upload) -> Result<ReplayableBody, Error> {
    let key = sender.options.idempotency_key.clone();
    let made = blocking(move || ReplayableBody::new(upload, key));
    let made = sender.within(made).await?;
    made.map_err(|message| Error::invalid(operation::UPLOAD_FILE.id, message))
}

/// Refuses a URL that the service is certain to refuse.
fn can_be_fetched(url: String) -> Result<FileFromUrl, String> {
    let length = url.chars().count();
    if length > MAX_URL_LENGTH {
        return Err(format!(
            "the URL is {length} characters long; the maximum is {MAX_URL_LENGTH}"
        ));
    }
    match Url::parse(&url) {
        Ok(url) if !matches!(url.scheme(), "http" | "https") => {
            Err("the URL must start with http:// or https://".to_owned())
        }
        Ok(url) if url.port().is_some() => Err("the URL must use the default port".to_owned()),
        Ok(_) => Ok(FileFromUrl { url }),
        Err(error) => Err(format!("not a URL: {error}")),
    }
}
