//! Access tokens that end while a call waits, between the requests of a batch or an upload, or earlier or later than the clock of the client
//! says. The call renews the token and succeeds, and each refresh token is used once.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use links_fixtures::{ContractServer, Fault};
use links_sdk::oauth::RefreshingTokenSource;
use links_sdk::testing::TestClock;
use links_sdk::types::NewSlot;
use links_sdk::{
    Client, ClientBuilder, Clock, RateLimits, Token, TokenFuture, TokenSource, Upload, UploadMethod,
};
use links_test_support::clock::MachineClock;

use crate::token_refresh::{Shared, logged_in, renewals};

const HOUR: i64 = 60 * 60;

/// A client with a login whose tokens are valid for an hour.
struct Login {
    server: Arc<ContractServer>,
    time: Arc<TestClock>,
    clock: Arc<MachineClock>,
    store: Shared,
}

impl Login {
    async fn new() -> Self {
        let (server, time, store) = logged_in().await;
        Self { server: Arc::new(server), clock: MachineClock::new(time.clone()), time, store }
    }

    fn source(&self) -> RefreshingTokenSource {
        RefreshingTokenSource::new(Arc::new(self.store.clone())).clock(self.clock.clone())
    }

    fn builder(&self) -> ClientBuilder {
        Client::builder(self.server.base_url()).token(self.source()).clock(self.clock.clone())
    }

    /// Lets time pass until the token has this many seconds left.
    async fn leave(&self, seconds: u64) {
        let now = crate::token_refresh::seconds(&*self.clock);
        let ends = self.store.kept().unwrap().expires_at.unwrap();
        self.clock.sleep(Duration::from_secs(ends - seconds - now)).await;
    }

    /// Checks that tokens were renewed this often, each with the refresh token of the last.
    fn assert_renewed(&self, times: usize, what: &str) {
        assert_eq!(renewals(&self.server), times, "{what}");
        let requests = self.server.requests();
        let refused = requests.iter().filter(|it| it.path == "/oauth/token" && it.status != 200);
        assert_eq!(refused.count(), 0, "{what}");
    }

    fn refusals(&self, status: u16) -> usize {
        self.server.requests().iter().filter(|it| it.status == status).count()
    }
}

/// A token of 45 seconds is not renewed yet, and ends during a wait of a minute.
const LEFT: u64 = 45;

#[tokio::test]
async fn a_token_that_ends_during_a_wait_for_the_limits_is_renewed_before_the_request() {
    let login = Login::new().await;
    let client = login.builder().build().unwrap();
    for _ in 0..55 {
        client.me().await.unwrap();
    }
    login.clock.sleep(Duration::from_secs(49)).await;
    login.leave(LEFT).await;
    for _ in 0..61 {
        client.me().await.unwrap();
    }
    login.assert_renewed(1, "a wait for the limits");
    assert_eq!((login.refusals(401), login.refusals(429)), (0, 0));
}

#[tokio::test]
async fn a_token_that_ends_during_a_retry_after_is_renewed_before_the_request() {
    for asked in ["60", "100"] {
        for operation in ["getMe", "createSlot", "updateSlot"] {
            let login = Login::new().await;
            let client = login.builder().build().unwrap();
            let slots = client.profile("cafe").slots();
            login.leave(LEFT).await;
            login.server.fail_operation(operation, 1, &Fault::RateLimited(Some(asked.into())));
            match operation {
                "getMe" => drop(client.me().await.unwrap()),
                "createSlot" => drop(slots.create(NewSlot::of("divider")).await.unwrap()),
                _ => {
                    let changes = serde_json::json!({"title": "New"});
                    drop(slots.update(1001, changes).await.unwrap());
                }
            }
            login.assert_renewed(1, operation);
            assert_eq!(login.refusals(401), 0, "{operation}");
        }
    }
}

/// A call, by its name.
const CALLS: [&str; 6] =
    ["a read", "a create", "an update", "a batch", "an upload", "an upload by URL"];

const IMAGE: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x06\x40\0\0\x03\x84\x08\x02\0\0\0";

async fn call(client: &Client, name: &str) -> Result<(), String> {
    let slots = client.profile("cafe").slots();
    let upload = Upload::bytes("a.png", IMAGE.to_vec());
    let text = |error: &dyn std::error::Error| error.to_string();
    match name {
        "a read" => client.me().await.map(drop).map_err(|it| text(&it)),
        "a create" => {
            let created = slots.create(NewSlot::of("divider")).await;
            created.map(drop).map_err(|it| text(&it))
        }
        "an update" => {
            let changes = serde_json::json!({"title": "New"});
            slots.update(1001, changes).await.map(drop).map_err(|it| text(&it))
        }
        "a batch" => {
            let many = (0..120).map(|_| NewSlot::of("divider"));
            slots.create_many(many).send().await.map(drop).map_err(|it| text(&it))
        }
        "an upload" => {
            let upload = client.files().upload(upload.method(UploadMethod::Multipart));
            upload.await.map(drop).map_err(|it| text(&it))
        }
        _ => {
            let upload = client.files().upload(upload.method(UploadMethod::UploadUrl));
            upload.await.map(drop).map_err(|it| text(&it))
        }
    }
}

/// What happens to the token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// It ends, by all clocks.
    Ends,
    /// The service ends it early: the clock of the client says that it is valid.
    Early,
    /// The clock of the client is set forward, and says that it has ended.
    Ahead,
    /// It ends, and the clock of the client is set back, and says that it is valid.
    Back,
}

const LONGER: Duration = Duration::from_secs(2 * 60 * 60);

impl End {
    fn happen(self, server: &ContractServer, clock: &MachineClock) {
        if matches!(self, Self::Ends | Self::Back) {
            // Deadlines don't count the time.
            clock.suspend(LONGER);
        }
        match self {
            Self::Ends => {}
            Self::Ahead => clock.set(2 * HOUR),
            Self::Back => clock.set(-3 * HOUR),
            Self::Early => server.edit(|account| {
                let connected = account.tokens.iter_mut().filter(|token| token.connected);
                let ended = Some("2020-01-01T00:00:00Z".parse().unwrap());
                connected.for_each(|token| token.expires_at = ended);
            }),
        }
    }
}

/// Something that happens once, at one of many occasions.
struct Once {
    left: AtomicUsize,
    happen: Box<dyn Fn() + Send + Sync>,
}

impl Once {
    fn occasion(&self) {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            (self.happen)();
        }
    }

    /// Returns whether there were enough occasions.
    fn has_happened(&self) -> bool {
        self.left.load(Ordering::Relaxed) == 0 || self.left.load(Ordering::Relaxed) > usize::MAX / 2
    }
}

/// A source to which something happens before it is asked.
struct Meddled(RefreshingTokenSource, Arc<Once>);

impl fmt::Debug for Meddled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl TokenSource for Meddled {
    fn token(&self) -> TokenFuture<'_, Token> {
        self.1.occasion();
        self.0.token()
    }

    fn refused<'a>(&'a self, token: &'a Token) -> TokenFuture<'a, bool> {
        self.0.refused(token)
    }
}

/// Makes a call during whose request of this number the token ends, before it is taken or when it is on its way. Returns whether there were so
/// many requests.
async fn ends(name: &str, end: End, on_the_way: bool, nth: usize) -> bool {
    let what = format!("{name}, {end:?} at {nth}, on the way: {on_the_way}");
    let login = Login::new().await;
    let (server, clock) = (login.server.clone(), login.clock.clone());
    let happen = Box::new(move || end.happen(&server, &clock));
    let once = Arc::new(Once { left: AtomicUsize::new(nth), happen });
    let never = Arc::new(Once { left: AtomicUsize::new(0), happen: Box::new(|| {}) });
    let (at_token, at_send) =
        if on_the_way { (never, once.clone()) } else { (once.clone(), never) };
    let source = Meddled(login.source(), at_token);
    let builder = Client::builder(login.server.base_url()).token(source).clock(login.clock.clone());
    let client = builder.before_send(move |_| {
        at_send.occasion();
        Ok(())
    });
    let client = client.rate_limits(RateLimits::unlimited()).build().unwrap();
    let count = || {
        let account = login.server.account();
        account.files.len() + account.profile("cafe").unwrap().slots.len()
    };
    let before = count();
    let result = call(&client, name).await;
    assert_eq!(result, Ok(()), "{what}");
    let made = match name {
        "a read" | "an update" => 0,
        "a batch" => 120,
        _ => 1,
    };
    assert_eq!(count() - before, made, "{what}");
    if !once.has_happened() {
        login.assert_renewed(0, &what);
        return false;
    }
    // A request that is on its way when the clock is set forward has a valid token.
    let renewed = renewals(&login.server);
    login.assert_renewed(if end == End::Ahead && on_the_way { renewed.min(1) } else { 1 }, &what);
    let unneeded = end == End::Ends && !on_the_way || end == End::Ahead;
    assert_eq!(login.refusals(401), usize::from(!unneeded), "{what}");
    true
}

#[tokio::test]
async fn a_token_that_ends_at_any_request_of_a_call_is_renewed_once() {
    let mut histories = 0;
    for name in CALLS {
        for end in [End::Ends, End::Early, End::Ahead, End::Back] {
            for on_the_way in [false, true] {
                let mut nth = 1;
                while ends(name, end, on_the_way, nth).await {
                    nth += 1;
                }
                assert!(nth > 1, "{name}, {end:?}");
                histories += nth - 1;
            }
        }
    }
    println!("{histories} histories");
}

/// Two machines that share a login, of which one has a wrong clock, do not renew it in turns.
#[tokio::test]
async fn machines_with_different_clocks_share_a_login() {
    for wrong in [-2 * HOUR, 2 * HOUR] {
        let login = Login::new().await;
        let right = login.builder().build().unwrap();
        let other = MachineClock::new(login.time.clone());
        other.set(wrong);
        let source = RefreshingTokenSource::new(Arc::new(login.store.clone()));
        let source = source.clock(other.clone());
        let builder = Client::builder(login.server.base_url()).token(source).clock(other);
        let other = builder.build().unwrap();
        let hours = 6;
        for _ in 0..hours * 6 {
            right.me().await.unwrap();
            other.me().await.unwrap();
            login.time.advance(Duration::from_secs(600));
        }
        let renewed = renewals(&login.server);
        assert!(renewed <= 2 * (hours + 1), "wrong by {wrong} s: {renewed} renewals");
        login.assert_renewed(renewed, "two machines");
    }
}
