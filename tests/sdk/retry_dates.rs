//! `Retry-After` as a date, for a client whose clock is wrong: it is meant by the clock of the service, which the `Date` of its responses
//! shows.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use links_fixtures::{ContractServer, World};
use links_sdk::testing::TestClock;
use links_sdk::{Client, Clock, Token, Upload, UploadMethod};
use links_test_support::clock::{MachineClock, shared_clock};
use links_test_support::proxy::{Act, Proxy};

const HOUR: i64 = 60 * 60;

/// Seconds by which the clock of the client is wrong.
const SKEWS: [i64; 7] = [0, -30, 30, -HOUR, HOUR, -24 * HOUR, 24 * HOUR];

/// Seconds for which the service asks to wait.
const ASKED: u64 = 40;

/// A client whose clock is wrong, and a service.
struct Skewed {
    server: ContractServer,
    proxy: Arc<Proxy>,
    time: Arc<TestClock>,
    client: Client,
}

impl Skewed {
    async fn by(seconds: i64) -> Self {
        let (time, service) = shared_clock();
        let builder = ContractServer::builder(World::cafe()).no_limits().clock(service);
        let server = builder.start().await.unwrap();
        let proxy = Proxy::before(&server);
        let clock = MachineClock::new(time.clone());
        clock.set(seconds);
        let builder = Client::builder(proxy.base_url()).clock(clock);
        let client = builder.token(Token::new(server.token()).unwrap()).build().unwrap();
        Self { server, proxy, time, client }
    }

    /// Returns the treatment of a request that is refused until a time, by the clock of the service.
    fn refusal(&self, has_date: bool) -> Act {
        let now = self.time.wall();
        let until = date(now + Duration::from_secs(ASKED));
        let now = date(now);
        let mut headers = vec![("retry-after", &*until)];
        if has_date {
            headers.push(("date", &now));
        }
        Act::answer(429, &headers, "")
    }

    /// Sends a request that is refused once. Returns how long it took in seconds, and how many requests were sent.
    async fn refused(&self, has_date: bool) -> (u64, u64) {
        self.proxy.script([self.refusal(has_date)]);
        let (begin, sent) = (self.time.monotonic(), self.client.requests_sent());
        let result = self.client.me().await;
        assert!(result.is_ok(), "{result:?}");
        let took = self.time.monotonic().saturating_sub(begin);
        (took.as_secs(), self.client.requests_sent() - sent)
    }
}

fn date(time: SystemTime) -> String {
    httpdate::fmt_http_date(time)
}

#[tokio::test]
async fn a_date_is_compared_with_the_clock_of_the_service() {
    for skew in SKEWS {
        let skewed = Skewed::by(skew).await;
        assert_eq!(skewed.refused(true).await, (ASKED, 2), "wrong by {skew} s");
    }
}

#[tokio::test]
async fn without_a_date_in_the_response_that_of_an_earlier_one_counts() {
    for skew in SKEWS {
        let skewed = Skewed::by(skew).await;
        skewed.client.me().await.unwrap();
        for pause in [0, 7, 3 * 60 * 60] {
            skewed.time.advance(Duration::from_secs(pause));
            let (took, sent) = skewed.refused(false).await;
            // The block of an earlier refusal may be followed by requests at a slower rate.
            assert!(took.abs_diff(ASKED) <= 1 && sent == 2, "wrong by {skew} s: {took} s, {sent}");
        }
    }
}

/// Nothing tells that the clock is wrong. A date of the past is no reason to send without a wait.
#[tokio::test]
async fn without_any_date_the_own_clock_counts() {
    for (skew, expected) in [(0, ASKED), (30, ASKED - 30), (-30, ASKED + 30), (HOUR, 1)] {
        let (took, sent) = Skewed::by(skew).await.refused(false).await;
        assert!(took.abs_diff(expected) <= 1 && sent == 2, "wrong by {skew} s: {took} s, {sent}");
    }
}

#[tokio::test]
async fn an_upload_url_is_used_until_it_expires_by_the_clock_of_the_service() {
    let image = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x06\x40\0\0\x03\x84\x08\x02\0\0\0";
    for skew in SKEWS {
        let skewed = Skewed::by(skew).await;
        let (server, files) = (&skewed.server, skewed.client.files());
        let upload = || {
            let upload = Upload::bytes("a.png", image.to_vec()).method(UploadMethod::UploadUrl);
            files.upload(upload)
        };
        let first = upload();
        let key = first.idempotency_key().unwrap().clone();
        first.await.unwrap();
        assert_eq!(server.requests().len(), 2, "wrong by {skew} s");
        // The key is answered with the URL that it made.
        for (pause, requests) in [(13, 2), (3, 3)] {
            skewed.time.advance(Duration::from_secs(pause * 60));
            server.forget_requests();
            upload().with_idempotency_key(key.clone()).await.unwrap();
            assert_eq!(server.requests().len(), requests, "wrong by {skew} s");
        }
    }
}
