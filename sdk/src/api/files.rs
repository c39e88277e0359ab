//! Images (the interface, section 4.9).

use reqwest::{Method, Request};

use crate::call::{BoxFuture, Call, Create, Sender};
use crate::client::Client;
use crate::error::Error;
use crate::generated::types::{File, FileEnvelope, FileFromUrl, UploadUrl};
use crate::operation;
use crate::upload::{Boundary, Upload};

/// Uploads. From [`Client::files`].
#[derive(Clone, Debug)]
pub struct FilesHandle {
    client: Client,
}

impl Client {
    /// Uploads.
    pub fn files(&self) -> FilesHandle {
        FilesHandle { client: self.clone() }
    }
}

impl FilesHandle {
    /// Sends an image of up to 50 MB through the service; its `path` is what slots and pages take. It is streamed from disk.
    ///
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/support/example.rs")); }
    /// # example::run(async |client| {
    /// use links_sdk::Upload;
    ///
    /// let dot = b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\x04\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";
    /// let file = client.files().upload(Upload::bytes("dot.gif", &dot[..])).await?;
    /// assert_eq!((file.width, file.height), (Some(1), Some(1)));
    /// # Ok(()) });
    /// ```
    pub fn upload(&self, upload: Upload) -> Call<File, Create> {
        Call::new(&self.client, operation::UPLOAD_FILE, move |sender| {
            Box::pin(upload_multipart(sender, upload))
        })
    }

    /// Has the service fetch an image of up to 10 MB: http or https on its default port, 10 seconds, an address of at most 2048
    /// characters that is not a private one.
    ///
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/support/example.rs")); }
    /// # example::run(async |client| {
    /// let file = client.files().upload_from_url("https://images.example/menu.jpg").await?;
    /// assert!(!file.path.is_empty());
    /// # Ok(()) });
    /// ```
    pub fn upload_from_url(&self, url: impl Into<String>) -> Call<File, Create> {
        let body = FileFromUrl { url: url.into() };
        Call::of(
            &self.client,
            operation::UPLOAD_FILE,
            move |api| async move { api.upload_file(&body).await },
            |envelope| envelope.data,
        )
    }

    /// Asks for an address to send a large image to. It is good for 15 minutes, and whoever knows it can use it.
    ///
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/support/example.rs")); }
    /// # example::run(async |client| {
    /// let target = client.files().create_upload_url().await?;
    /// assert!(target.max_bytes >= 50_000_000);
    /// # Ok(()) });
    /// ```
    pub fn create_upload_url(&self) -> Call<UploadUrl, Create> {
        Call::of(
            &self.client,
            operation::CREATE_UPLOAD_URL,
            |api| async move { api.create_upload_url().await },
            |envelope| envelope.data,
        )
    }
}

async fn upload_multipart(sender: Sender, upload: Upload) -> Result<File, Error> {
    let boundary = Boundary::random();
    let mut make = || -> BoxFuture<'_, std::io::Result<Request>> {
        Box::pin(upload.multipart(sender.request(Method::POST, "/files"), &boundary))
    };
    let envelope: FileEnvelope = sender.send_made(operation::UPLOAD_FILE, &mut make).await?;
    Ok(envelope.data)
}
