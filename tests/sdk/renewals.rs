//! Tests that a renewal belongs to no call: it ends, once, whatever becomes of the calls that need it.

use std::io::ErrorKind;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use links_fixtures::{ContractServer, Fault, Limits, World};
use links_sdk::oauth::{CredentialStore, Credentials, RefreshingTokenSource};
use links_sdk::testing::TestClock;
use links_sdk::{Client, Clock, Outcome, RateLimits, Secrets, Token, TokenSource};
use links_test_support::clock::shared_clock;
use links_test_support::misbehaving_servers::PathServer;
use tokio::runtime::{Builder, Runtime};

use crate::connector::connect;
use links_test_support::executor::others_run;

use crate::executor::polled;
use crate::token_refresh::{Shared, logged_in, pass, renewals, replaced, seconds};

const SECOND: Duration = Duration::from_secs(1);

/// Reason for a renewal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    /// The token is valid for 29 seconds.
    Soon,
    Ended,
    /// The service refuses the token before its time.
    Refused,
}

const NEEDS: [Need; 3] = [Need::Soon, Need::Ended, Need::Refused];

/// A client whose login has to be renewed.
struct Login {
    server: ContractServer,
    clock: Arc<TestClock>,
    store: Shared,
    source: Arc<RefreshingTokenSource>,
    client: Client,
    before: Credentials,
}

impl Login {
    async fn that_needs(need: Need) -> Self {
        let (server, clock, store) = logged_in().await;
        let before = store.kept().unwrap();
        let source =
            Arc::new(RefreshingTokenSource::new(Arc::new(store.clone())).clock(clock.clone()));
        let builder = Client::builder(server.base_url()).token(source.clone());
        let builder = builder.clock(clock.clone()).rate_limits(RateLimits::unlimited());
        let login = Self { server, clock, store, source, client: builder.build().unwrap(), before };
        login.client.me().await.unwrap();
        match need {
            Need::Soon => pass(&login.clock, 3600 - 29).await,
            Need::Ended => pass(&login.clock, 3601).await,
            Need::Refused => login.server.edit(|account| {
                let connected = account.tokens.iter_mut().filter(|token| token.connected);
                let ended = Some("2020-01-01T00:00:00Z".parse().unwrap());
                connected.for_each(|token| token.expires_at = ended);
            }),
        }
        login
    }

    /// Begins the renewal, and waits until the authorization server has got the request, which it leaves at that.
    async fn stall(&self, need: Need, stall: &Fault) {
        self.server.fail([1], stall);
        let (source, token) = (self.source.clone(), Token::new(&self.before.access_token).unwrap());
        let begun = tokio::spawn(async move {
            match need {
                Need::Refused => drop(source.refused(&token).await),
                Need::Soon | Need::Ended => drop(source.token().await),
            }
        });
        self.server.until_stalled(1).await;
        begun.abort();
        let _ = begun.await;
    }

    /// Checks that calls work, and that the refresh token was sent once: its successor is the one that the server accepts next.
    async fn was_renewed_once(&self, context: &str) {
        self.client.me().await.unwrap_or_else(|error| panic!("{context}: {error}"));
        replaced(&self.store, &self.before).await;
        assert_eq!(renewals(&self.server), 1, "{context}");
        pass(&self.clock, 3601).await;
        self.client.me().await.unwrap_or_else(|error| panic!("{context}, later: {error}"));
        assert_eq!(renewals(&self.server), 2, "{context}, later");
    }
}

/// Does something in a runtime of its own, on another thread.
async fn elsewhere<T: Send + 'static>(work: impl FnOnce(Runtime) -> T + Send + 'static) -> T {
    let runtime = || Builder::new_current_thread().enable_all().build().unwrap();
    tokio::task::spawn_blocking(move || work(runtime())).await.unwrap()
}

fn boxed<'a, T>(
    future: impl Future<Output = T> + Send + 'a,
) -> Pin<Box<dyn Future<Output = T> + Send + 'a>> {
    Box::pin(future)
}

#[tokio::test]
async fn a_call_that_is_dropped_at_any_point_leaves_the_login() {
    for need in NEEDS {
        for polls in 1.. {
            let login = Login::that_needs(need).await;
            let is_done = polled(&mut boxed(login.client.me().into_future()), polls).await;
            login.was_renewed_once(&format!("{need:?}, {polls} polls")).await;
            if is_done {
                assert!(polls > 1, "{need:?}");
                break;
            }
        }
    }
}

#[tokio::test]
async fn a_runtime_that_is_dropped_at_any_point_leaves_the_login() {
    for need in NEEDS {
        for polls in 1.. {
            let login = Login::that_needs(need).await;
            let call = login.client.me().into_future();
            let is_done = elsewhere(move |runtime| {
                runtime.block_on(async { polled(&mut boxed(call), polls).await })
            });
            let is_done = is_done.await;
            login.was_renewed_once(&format!("{need:?}, {polls} polls")).await;
            if is_done {
                break;
            }
        }
    }
}

#[tokio::test]
async fn calls_that_are_dropped_while_the_authorization_server_works_leave_the_login() {
    for need in NEEDS {
        for stall in [Fault::StallBefore, Fault::StallAfter, Fault::StallInBody] {
            let login = Login::that_needs(need).await;
            login.stall(need, &stall).await;
            login.server.release();
            login.was_renewed_once(&format!("{need:?}, {stall:?}")).await;
        }
    }
}

#[tokio::test]
async fn a_runtime_that_shuts_down_during_a_renewal_leaves_the_source_to_others() {
    for in_background in [true, false] {
        let login = Arc::new(Login::that_needs(Need::Ended).await);
        let (begun, shut_down) = (login.clone(), login.clone());
        elsewhere(move |runtime| {
            runtime.block_on(begun.stall(Need::Ended, &Fault::StallAfter));
            let waiting = std::thread::spawn(move || {
                if in_background {
                    runtime.shutdown_background();
                } else {
                    drop(runtime);
                }
            });
            if in_background {
                // It does not wait for the answer.
                waiting.join().unwrap();
                shut_down.server.release();
            } else {
                shut_down.server.release();
                waiting.join().unwrap();
                assert_ne!(shut_down.store.kept().as_ref(), Some(&shut_down.before), "it waited");
            }
        })
        .await;
        login.was_renewed_once(&format!("in the background: {in_background}")).await;
    }
}

#[tokio::test]
async fn a_call_in_another_runtime_takes_over_from_a_runtime_that_waited_for_the_lock() {
    let login = Login::that_needs(Need::Ended).await;
    let held = login.store.try_lock().unwrap().unwrap();
    let (source, store) = (login.source.clone(), login.store.clone());
    let waiting = tokio::spawn(login.client.me().into_future());
    elsewhere(move |runtime| {
        let waits = runtime.block_on(async { polled(&mut boxed(source.token()), 1).await });
        assert!(!waits);
        runtime.block_on(others_run());
        drop((runtime, store));
    })
    .await;
    others_run().await;
    assert!(!waiting.is_finished());
    drop(held);
    waiting.await.unwrap().unwrap();
    login.was_renewed_once("after the lock").await;
}

#[tokio::test]
async fn a_runtime_that_is_idle_does_not_stop_the_renewal_that_it_began() {
    let login = Login::that_needs(Need::Ended).await;
    let held = login.store.try_lock().unwrap().unwrap();
    let source = login.source.clone();
    let idle = elsewhere(move |runtime| {
        assert!(!runtime.block_on(async { polled(&mut boxed(source.token()), 1).await }));
        runtime
    });
    let idle = idle.await;
    let waiting = tokio::spawn(login.client.me().into_future());
    others_run().await;
    assert!(!waiting.is_finished());
    drop(held);
    let waited = tokio::time::timeout(60 * SECOND, waiting).await;
    waited.expect("the renewal has stopped").unwrap().unwrap();
    idle.shutdown_background();
    login.was_renewed_once("on an idle runtime").await;
}

#[tokio::test]
async fn a_token_stays_secret_for_as_long_as_its_source_has_it() {
    let login = Login::that_needs(Need::Ended).await;
    let secrets = Secrets::default();
    let builder = Client::builder(login.server.base_url()).secrets(secrets.clone());
    let builder = builder.token(login.source.clone()).clock(login.clock.clone());
    let client = builder.rate_limits(RateLimits::unlimited()).build().unwrap();
    for _ in 0..2 {
        client.me().await.unwrap();
        let token = login.store.kept().unwrap().access_token;
        for n in 0..1000 {
            secrets.add(&Token::new(format!("token-of-others-{n}")).unwrap());
        }
        assert_eq!(secrets.hide(&token), "***");
        pass(&login.clock, 3601).await;
    }
}

#[tokio::test]
async fn a_slow_authorization_server_delays_no_call_with_a_valid_token() {
    let login = Login::that_needs(Need::Soon).await;
    login.stall(Need::Soon, &Fault::StallAfter).await;
    for _ in 0..8 {
        login.client.me().await.unwrap();
        pass(&login.clock, 1).await;
    }
    login.server.release();
    let after = replaced(&login.store, &login.before).await;
    while login.source.token().await.unwrap() != Token::new(&after.access_token).unwrap() {
        others_run().await;
    }
    login.was_renewed_once("in 8 seconds").await;
}

#[tokio::test]
async fn calls_without_a_valid_token_wait_for_the_renewal_until_their_deadlines() {
    let login = Login::that_needs(Need::Soon).await;
    login.stall(Need::Soon, &Fault::StallAfter).await;
    pass(&login.clock, 30).await;
    let impatient = login.client.me().with_deadline(4 * SECOND).into_future();
    let calls = [impatient, login.client.me().into_future(), login.client.me().into_future()];
    let [impatient, first, second] = calls.map(tokio::spawn);
    others_run().await;
    assert!(!impatient.is_finished() && !first.is_finished() && !second.is_finished());
    login.clock.advance(5 * SECOND);
    let error = impatient.await.unwrap().unwrap_err();
    assert!(error.to_string().contains("the time limit was reached"), "{error}");
    assert_eq!(error.outcome(), Outcome::NotExecuted);
    others_run().await;
    assert!(!first.is_finished() && !second.is_finished());
    login.server.release();
    for call in [first, second] {
        call.await.unwrap().unwrap();
    }
    login.was_renewed_once("at last").await;
}

/// Sends the renewals of a login to a server that fails with 503 and these header lines.
fn failing(login: &Login, headers: &'static str) -> PathServer {
    let server = PathServer::start(move |_| (503, headers.to_owned(), String::new()));
    let mut lost = login.before.clone();
    lost.token_endpoint = format!("http://{}/token", server.address());
    login.store.save(&lost).unwrap();
    server
}

#[tokio::test]
async fn a_failing_authorization_server_is_asked_less_and_less_often() {
    let login = Login::that_needs(Need::Ended).await;
    let failing = failing(&login, "");
    let start = login.clock.monotonic();
    let mut times = Vec::new();
    while times.len() < 10 {
        let before = failing.asked().len();
        let error = login.client.me().await.unwrap_err();
        assert!(error.to_string().contains("responded with 503"), "{error}");
        assert!(error.is_network() && error.is_safe_to_repeat(), "{error}");
        let now = login.clock.monotonic().saturating_sub(start).as_secs();
        if failing.asked().len() > before {
            times.push(now);
        }
        let wait = error.retry_after().unwrap();
        assert!(!wait.is_zero() && wait <= 60 * SECOND, "{wait:?}");
        login.clock.advance(Duration::from_secs((wait.as_secs() / 2).max(1)));
    }
    assert_eq!(times, [0, 1, 3, 7, 15, 31, 63, 123, 183, 243]);
    assert_eq!(renewals(&login.server), 0);
    // The server is back, and another process has found out.
    login.store.save(&login.before).unwrap();
    let other =
        RefreshingTokenSource::new(Arc::new(login.store.clone())).clock(login.clock.clone());
    other.token().await.unwrap();
    login.was_renewed_once("by another process").await;
}

#[tokio::test]
async fn a_failing_authorization_server_fails_no_call_with_a_valid_token() {
    let login = Login::that_needs(Need::Soon).await;
    let failing = failing(&login, "");
    // A client would also wait for the rate limits, which moves the clock.
    for times in 1..=3 {
        while failing.asked().len() < times {
            login.source.token().await.unwrap();
            others_run().await;
        }
        for _ in 0..3 {
            login.source.token().await.unwrap();
            others_run().await;
        }
        assert_eq!(failing.asked().len(), times);
        pass(&login.clock, 1 << (times - 1)).await;
    }
}

#[tokio::test]
async fn the_authorization_server_says_when_it_can_be_asked_again() {
    for (headers, wait) in [
        ("Retry-After: 100\r\n", 100),
        ("Retry-After: 0\r\n", 1),
        ("Retry-After: 31536000\r\n", 3600),
    ] {
        let login = Login::that_needs(Need::Ended).await;
        let failing = failing(&login, headers);
        let waits = async || {
            let error = login.client.me().await.unwrap_err();
            error.retry_after().map(|it| it.as_secs())
        };
        assert_eq!(waits().await, Some(wait), "{headers}");
        login.clock.advance(Duration::from_secs(wait - 1));
        assert_eq!(waits().await, Some(1), "{headers}");
        assert_eq!(failing.asked().len(), 1, "{headers}");
        login.clock.advance(SECOND);
        waits().await;
        assert_eq!(failing.asked().len(), 2, "{headers}");
    }
}

#[tokio::test]
async fn a_short_token_is_used_for_nine_tenths_of_its_life() {
    let (clock, service) = shared_clock();
    let limits =
        Limits { oauth_token_lifetime: Some(Duration::from_secs(100)), ..Limits::default() };
    let builder = ContractServer::builder(World::cafe()).limits(limits).no_limits();
    let server = builder.clock(service).start().await.unwrap();
    let mut credentials = connect(&server).await;
    credentials.issued_at = Some(seconds(&*clock));
    credentials.expires_at = Some(seconds(&*clock) + 100);
    server.forget_requests();
    let store = Shared::new(credentials.clone());
    let client = crate::token_refresh::client(&server, &clock, &store);
    for _ in 0..2 {
        let before = store.kept().unwrap();
        let renewed = renewals(&server);
        for _ in 0..3 {
            client.me().await.unwrap();
            others_run().await;
            pass(&clock, 29).await;
        }
        assert_eq!(renewals(&server), renewed, "13 seconds before the end");
        pass(&clock, 4).await;
        client.me().await.unwrap();
        replaced(&store, &before).await;
        assert_eq!(renewals(&server), renewed + 1);
    }
}

#[tokio::test]
async fn a_renewed_login_that_cannot_be_saved_is_saved_by_the_next_attempt() {
    let login = Login::that_needs(Need::Ended).await;
    login.store.break_down("save", Some(ErrorKind::StorageFull));
    for _ in 0..3 {
        login.client.me().await.unwrap();
        assert_eq!(login.store.kept().as_ref(), Some(&login.before));
        pass(&login.clock, 60).await;
    }
    assert_eq!(renewals(&login.server), 1, "the refresh token is not sent again");
    login.store.mend();
    login.was_renewed_once("once there is room").await;
}

#[tokio::test]
async fn a_renewed_login_that_is_not_saved_is_renewed_when_it_ends_or_is_refused() {
    let login = Login::that_needs(Need::Ended).await;
    login.store.break_down("save", Some(ErrorKind::StorageFull));
    login.client.me().await.unwrap();
    pass(&login.clock, 3601).await;
    login.client.me().await.unwrap();
    assert_eq!(renewals(&login.server), 2, "when it has ended");
    let unsaved = login.source.token().await.unwrap();
    pass(&login.clock, 60).await;
    assert!(login.source.refused(&unsaved).await.unwrap());
    assert_ne!(login.source.token().await.unwrap(), unsaved);
    assert_eq!(renewals(&login.server), 3, "when it is refused");
    login.store.mend();
    pass(&login.clock, 60).await;
    login.client.me().await.unwrap();
    replaced(&login.store, &login.before).await;
}

#[tokio::test]
async fn a_renewed_login_that_is_not_saved_survives_the_removal_of_the_spent_one() {
    for is_revoked in [false, true] {
        let login = Login::that_needs(Need::Ended).await;
        login.store.break_down("save", Some(ErrorKind::StorageFull));
        login.client.me().await.unwrap();
        let other =
            RefreshingTokenSource::new(Arc::new(login.store.clone())).clock(login.clock.clone());
        assert!(!other.token().await.unwrap_err().is_temporary());
        assert_eq!(login.store.kept(), None, "the refresh token of the store was spent");
        login.client.me().await.unwrap();

        login.store.mend();
        pass(&login.clock, 60).await;
        login.server.edit(|account| {
            account.tokens.iter_mut().for_each(|token| token.revoked |= is_revoked);
        });
        login.server.forget_requests();
        if is_revoked {
            while login.client.me().await.is_ok() {}
            assert_eq!(login.store.kept(), None, "the login has ended");
            continue;
        }
        while login.store.kept().is_none() {
            login.client.me().await.unwrap();
            others_run().await;
        }
        assert_eq!(renewals(&login.server), 0, "the refresh token is not sent again");
        pass(&login.clock, 3601).await;
        login.client.me().await.unwrap();
    }
}

#[tokio::test]
async fn a_renewed_login_that_is_not_saved_gives_way_to_a_new_login() {
    let login = Login::that_needs(Need::Ended).await;
    login.store.break_down("save", Some(ErrorKind::StorageFull));
    login.client.me().await.unwrap();
    login.store.mend();
    let mut new = connect(&login.server).await;
    new.expires_at = Some(seconds(&*login.clock) + 3600);
    login.store.save(&new).unwrap();
    pass(&login.clock, 60).await;
    while login.source.token().await.unwrap() != Token::new(&new.access_token).unwrap() {
        others_run().await;
    }
    assert_eq!(login.store.kept(), Some(new));
}

#[tokio::test]
async fn a_renewed_login_that_is_not_saved_ends_when_the_store_knows_of_a_logout() {
    let login = Login::that_needs(Need::Ended).await;
    login.store.break_down("save", Some(ErrorKind::StorageFull));
    login.client.me().await.unwrap();
    login.store.forget().unwrap();
    login.store.break_down("load", Some(ErrorKind::InvalidInput));
    pass(&login.clock, 60).await;
    while login.client.me().await.is_ok() {
        others_run().await;
    }
    login.store.mend();
    assert!(login.client.me().await.unwrap_err().is_not_authenticated());
    assert_eq!((login.store.kept(), renewals(&login.server)), (None, 1));
}

#[tokio::test]
async fn a_renewed_login_that_is_not_saved_can_be_saved_at_the_end() {
    let login = Login::that_needs(Need::Ended).await;
    login.store.break_down("save", Some(ErrorKind::StorageFull));
    login.client.me().await.unwrap();
    let error = login.source.save_renewed(Duration::ZERO).unwrap_err().to_string();
    assert!(error.contains("cannot save the renewed login"), "{error}");
    login.store.mend();
    let held = login.store.try_lock().unwrap().unwrap();
    let error = login.source.save_renewed(Duration::ZERO).unwrap_err().to_string();
    assert!(error.contains("another process"), "{error}");
    drop(held);
    login.source.save_renewed(Duration::ZERO).unwrap();
    assert_ne!(login.store.kept().as_ref(), Some(&login.before));
    login.was_renewed_once("without a wait").await;

    let new = login.before.clone();
    login.store.break_down("save", Some(ErrorKind::StorageFull));
    pass(&login.clock, 3601).await;
    login.client.me().await.unwrap();
    login.store.mend();
    login.store.save(&new).unwrap();
    login.source.save_renewed(Duration::ZERO).unwrap();
    assert_eq!(login.store.kept(), Some(new), "newer credentials are kept");
}

#[tokio::test]
async fn a_store_that_is_down_for_a_while_needs_no_login() {
    for method in ["load", "try_lock"] {
        for kind in [ErrorKind::ConnectionRefused, ErrorKind::Other, ErrorKind::StorageFull] {
            let login = Login::that_needs(Need::Ended).await;
            login.store.break_down(method, Some(kind));
            let error = login.client.me().await.unwrap_err();
            assert!(error.is_network() && error.is_safe_to_repeat(), "{method}, {kind}: {error}");
            assert!(!error.is_not_authenticated(), "{method}, {kind}: {error}");
            login.store.mend();
            pass(&login.clock, 1).await;
            login.was_renewed_once(&format!("{method}, {kind}")).await;
        }
        for kind in [ErrorKind::PermissionDenied, ErrorKind::InvalidData, ErrorKind::InvalidInput] {
            let login = Login::that_needs(Need::Ended).await;
            login.store.break_down(method, Some(kind));
            let error = login.client.me().await.unwrap_err();
            assert!(error.is_not_authenticated(), "{method}, {kind}: {error}");
        }
    }
}

#[tokio::test]
async fn a_store_that_panics_while_it_saves_leaves_the_login() {
    let login = Login::that_needs(Need::Ended).await;
    login.store.break_down("save", None);
    login.client.me().await.unwrap();
    assert_eq!(login.store.kept().as_ref(), Some(&login.before));
    assert_eq!(renewals(&login.server), 1, "the refresh token is not sent again");
    login.store.mend();
    login.was_renewed_once("after a panic").await;
}

#[tokio::test]
async fn a_lock_that_is_never_released_ends_the_wait_for_it() {
    let login = Login::that_needs(Need::Ended).await;
    let _held = login.store.try_lock().unwrap().unwrap();
    let source = login.source.clone();
    let waiting = tokio::spawn(async move { source.token().await });
    others_run().await;
    assert!(!waiting.is_finished());
    while !waiting.is_finished() {
        login.clock.advance(30 * SECOND);
        others_run().await;
    }
    let error = waiting.await.unwrap().unwrap_err();
    assert!(error.is_temporary() && error.to_string().contains("locked for a minute"), "{error}");
    assert_eq!(login.store.kept().as_ref(), Some(&login.before));
}
