//! Tests of uploads whose content can be read once.

use std::io;
use std::net::TcpListener;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use links_fixtures::{ContractServer, Fault};
use links_sdk::{
    Client, Error, ImageUse, MAX_UPLOAD_BYTES, Outcome, Timeouts, Token, Upload, UploadMethod,
};
use links_test_support::clock::shared_clock;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt, ReadBuf, repeat};
use tokio_util::io::ReaderStream;

use crate::upload::png;
use crate::{cafe, quick_cafe};

const BOTH: [UploadMethod; 2] = [UploadMethod::Multipart, UploadMethod::UploadUrl];

/// A reader that fails.
struct Broken;

impl AsyncRead for Broken {
    fn poll_read(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        _: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Poll::Ready(Err(io::Error::other("the visitor went away")))
    }
}

fn text_of(error: &Error) -> String {
    let cause = std::error::Error::source(error);
    cause.map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}"))
}

/// Returns the number of files beyond the four that the café has at first.
fn stored(server: &ContractServer) -> usize {
    server.account().files.len() - 4
}

#[tokio::test]
async fn a_reader_and_a_stream_are_sent_whole_with_their_progress() {
    let (server, client) = cafe().await;
    let content = png(10, 20, 300_000);
    let length = content.len() as u64;
    for method in BOTH {
        let reader = Upload::reader("a.png", io::Cursor::new(content.clone()), length);
        let pieces = ReaderStream::with_capacity(io::Cursor::new(content.clone()), 10);
        for upload in [reader, Upload::stream("a.png", pieces, length)] {
            let seen = Arc::<Mutex<Vec<u64>>>::default();
            let watched = seen.clone();
            let upload =
                upload.method(method).on_progress(move |at| watched.lock().unwrap().push(at.sent));
            let file = client.files().upload(upload).await.unwrap();
            assert_eq!((file.width, file.height), (Some(10), Some(20)), "{method:?}");
            let seen = seen.lock().unwrap();
            assert!(seen.windows(2).all(|two| two[0] < two[1]), "{seen:?}");
            assert_eq!(*seen.last().unwrap(), length);
        }
    }
    assert_eq!(server.requests().pop().unwrap().body, content);
}

#[tokio::test]
async fn content_that_is_not_what_was_announced_is_never_stored() {
    for method in BOTH {
        let (server, client) = cafe().await;
        let image = || io::Cursor::new(png(1, 1, 200_000));
        let length = image().into_inner().len() as u64;
        // The second to last one is complete before it goes on.
        let uploads = [
            (Upload::reader("a.png", image().chain(Broken), length + 10), "the visitor went away"),
            (Upload::reader("a.png", Broken, length), "the visitor went away"),
            (Upload::reader("a.png", image(), length + 1), "a.png ended after"),
            (Upload::reader("a.png", image(), length - 1), "is longer than the"),
            (Upload::reader("a.png", image().chain(repeat(7)), length), "is longer than the"),
            (Upload::reader("a.png", repeat(7), 1000), "is not an image"),
            (Upload::reader("a.png", tokio::io::empty(), 1000), "is not an image"),
        ];
        for (upload, why) in uploads {
            let error = client.files().upload(upload.method(method)).await.unwrap_err();
            assert!(text_of(&error).contains(why), "{method:?} {why}: {}", text_of(&error));
            assert!(error.is_invalid_input(), "{why}: {error}");
            assert_eq!(error.outcome(), Outcome::NotExecuted, "{why}: {error}");
        }
        assert_eq!(stored(&server), 0, "{method:?}");
    }
}

#[tokio::test]
async fn a_length_or_a_size_that_no_upload_has_is_refused_before_anything_is_sent() {
    let (server, client) = cafe().await;
    for length in [0, MAX_UPLOAD_BYTES + 1, u64::MAX] {
        let error = client.files().upload(Upload::reader("a.png", Broken, length)).await;
        assert!(error.unwrap_err().is_invalid_input(), "{length}");
    }
    let small = png(10, 10, 100);
    let length = small.len() as u64;
    let upload = Upload::reader("a.png", io::Cursor::new(small), length).for_use(ImageUse::Avatar);
    let error = client.files().upload(upload).await.unwrap_err();
    assert!(text_of(&error).contains("too small"), "{}", text_of(&error));
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn content_that_was_sent_in_part_is_not_sent_again() {
    for fault in [Fault::Before(503), Fault::DropAfter, Fault::RateLimited(None)] {
        let (server, client, _) = quick_cafe().await;
        server.fail([1], &fault);
        let image = png(1, 1, 200_000);
        let length = image.len() as u64;
        let call = client.files().upload(Upload::reader("a.png", io::Cursor::new(image), length));
        let error = call.clone().await.unwrap_err();
        assert_eq!(error.attempts(), 1, "{fault:?}: {error}");
        let refused = matches!(fault, Fault::RateLimited(_));
        let outcome = if refused { Outcome::NotExecuted } else { Outcome::Unknown };
        assert_eq!(error.outcome(), outcome, "{fault:?}: {error}");
        let again = call.await.unwrap_err();
        assert!(again.is_invalid_input(), "{again}");
        assert!(again.to_string().contains("read only once"), "{again}");
        assert_eq!(server.requests().len(), 1, "{fault:?}");
    }
}

#[tokio::test]
async fn the_same_bytes_under_the_key_of_a_lost_upload_are_stored_once() {
    let (server, client, _) = quick_cafe().await;
    server.fail([1], &Fault::DropAfter);
    let image = png(1, 1, 200_000);
    let upload = || Upload::reader("a.png", io::Cursor::new(image.clone()), image.len() as u64);
    let call = client.files().upload(upload());
    let key = call.idempotency_key().unwrap().clone();
    assert_eq!(call.await.unwrap_err().outcome(), Outcome::Unknown);
    client.files().upload(upload()).with_idempotency_key(key).await.unwrap();
    assert_eq!(stored(&server), 1);
}

#[tokio::test]
async fn content_of_which_nothing_was_sent_is_left_to_the_next_call() {
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let builder = Client::builder(format!("http://{gone}/api/v1"));
    let unreachable =
        builder.token(Token::new("pps_x").unwrap()).clock(shared_clock().0).build().unwrap();
    let image = png(3, 4, 1000);
    let length = image.len() as u64;
    let upload = Upload::reader("a.png", io::Cursor::new(image), length);
    let error = unreachable.files().upload(upload.clone()).await.unwrap_err();
    assert!(error.attempts() > 1 && error.is_network(), "{error}");
    let (server, client) = cafe().await;
    let file = client.files().upload(upload).await.unwrap();
    assert_eq!((file.width, stored(&server)), (Some(3), 1));
}

#[tokio::test]
async fn content_that_does_not_come_is_not_blamed_on_the_service() {
    let (server, _) = cafe().await;
    let mut timeouts = Timeouts::default();
    timeouts.stall = Duration::from_millis(100);
    let client = Client::builder(server.base_url())
        .token(Token::new(server.token()).unwrap())
        .clock(shared_clock().0)
        .timeouts(timeouts)
        .build()
        .unwrap();
    for method in BOTH {
        // The visitor sends a part of the image, and then nothing.
        let (mut visitor, reader) = tokio::io::duplex(1_000_000);
        visitor.write_all(&png(1, 1, 100_000)).await.unwrap();
        let upload = Upload::reader("a.png", reader, 200_000).method(method);
        let error = client.files().upload(upload).await.unwrap_err();
        assert_eq!(error.outcome(), Outcome::NotExecuted, "{error}");
        assert!(text_of(&error).contains("cannot read the content"), "{}", text_of(&error));
    }
    assert_eq!(stored(&server), 0);
}
