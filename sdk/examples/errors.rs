//! What a program does about each kind of failure of a write.
//!
//! ```text
//! LINKS_BASE_URL=https://links.example/api/v1 LINKS_TOKEN=pps_one PAGE=cafe \
//!     cargo run -p links-sdk --example errors
//! ```

#![expect(clippy::print_stdout, reason = "the output of the program")]

use std::time::Duration;

use links_sdk::content::Button;
use links_sdk::{Client, Error, ErrorKind, Outcome, Slot, Token};

/// What to do about a failure.
#[derive(Debug, PartialEq, Eq)]
pub enum NextStep {
    /// Correct these fields, by their path.
    Correct(Vec<String>),
    /// Log in again, or take another token: this one is not accepted, or may not write.
    LogIn,
    /// Nothing was written, and a new call may succeed after this time; the client's own repeats were used up.
    Again(Duration),
    /// Look at the page before anything else: the write may have taken place.
    Look,
    /// Tell the maintainers, with the id of the request if there is one.
    Report(Option<String>),
}

/// Tells what to do about a failure.
pub fn next_step(error: &Error) -> NextStep {
    match error.kind() {
        ErrorKind::NotAuthenticated | ErrorKind::Forbidden => NextStep::LogIn,
        ErrorKind::Validation => NextStep::Correct(error.field_errors().keys().cloned().collect()),
        // No time left before anything was sent, no connection, a limit, a service in trouble.
        _ if error.is_safe_to_repeat() => {
            NextStep::Again(error.retry_after().unwrap_or(Duration::from_secs(60)))
        }
        _ if error.outcome() == Outcome::Unknown => NextStep::Look,
        _ => NextStep::Report(error.request_id()),
    }
}

/// Adds a button. A failure that leaves open whether it was created is followed by the same call under the same idempotency key, which cannot
/// create a second one.
pub async fn add(client: &Client, page: &str, button: Button) -> Result<Slot, Error> {
    let call = client.profile(page).slots().create(button);
    match call.clone().await {
        Err(error) if error.outcome() == Outcome::Unknown => call.await,
        answer => answer,
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let [base, token, page] = ["LINKS_BASE_URL", "LINKS_TOKEN", "PAGE"]
        .map(|name| std::env::var(name).map_err(|_| format!("{name} is not set")));
    let client = Client::builder(base?).token(Token::new(&token?)?).build()?;
    match add(&client, &page?, Button::new("Menu", "https://cafe.example/menu")).await {
        Ok(slot) => println!("slot {}", slot.id),
        Err(error) => println!("{error}: {:?}", next_step(&error)),
    }
    Ok(())
}
