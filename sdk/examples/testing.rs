//! A program that announces something at the top of a page, and its tests: against a service on this machine, without real waits.
//!
//! `links-fixtures`, and `links-sdk` with the feature `testing`, are development dependencies of such a program.

use std::error::Error;

use links_sdk::types::{NewSlot, Profile};
use links_sdk::{Client, Token};

/// Puts a text at the top of a page, once: what is there already stays. Returns the page's headline.
pub async fn announce(client: &Client, page: &str, text: &str) -> Result<String, links_sdk::Error> {
    let page = client.profile(page);
    let slots = page.slots().list().await?;
    if slots.first().is_none_or(|slot| slot.data.get("title") != Some(&text.into())) {
        let made = page.slots().create(NewSlot::of("text").with("title", text)).await?;
        let order = [made.id].into_iter().chain(slots.iter().map(|slot| slot.id));
        page.slots().reorder(order).await?;
    }
    Ok(headline(&page.get().await?))
}

/// Returns what a list of pages shows of a page.
pub fn headline(page: &Profile) -> String {
    page.title.clone().unwrap_or_else(|| format!("@{}", page.login))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let [base, token, page, text] = ["LINKS_BASE_URL", "LINKS_TOKEN", "PAGE", "TEXT"]
        .map(|name| std::env::var(name).map_err(|_| format!("{name} is not set")));
    let client = Client::builder(base?).token(Token::new(&token?)?).build()?;
    announce(&client, &page?, &text?).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::{Duration, SystemTime};

    use links_fixtures::{ContractServer, Fault, World};
    use links_sdk::testing::{TestClock, sample_with};
    use serde_json::json;

    use super::*;

    async fn service() -> (ContractServer, Client, Arc<TestClock>) {
        let time = links_fixtures::Clock::manual(SystemTime::UNIX_EPOCH);
        let server = ContractServer::builder(World::cafe()).clock(time.clone()).start();
        let (server, shown) = (server.await.unwrap(), time.clone());
        let clock = Arc::new(TestClock::shared(move || shown.now(), move |by| time.advance(by)));
        let token = Token::new(server.token()).unwrap();
        let client = Client::builder(server.base_url()).token(token).clock(clock.clone());
        (server, client.build().unwrap(), clock)
    }

    #[tokio::test]
    async fn the_text_is_at_the_top_once() {
        let (server, client, _) = service().await;
        for _ in 0..2 {
            assert_eq!(announce(&client, "cafe", "Closed today").await.unwrap(), "Qara Coffee");
        }
        let slots = &server.account().profiles[0].slots;
        let texts =
            slots.iter().filter(|slot| slot.data.get("title") == Some(&json!("Closed today")));
        assert_eq!(texts.count(), 1);
        assert_eq!(slots[0].data["title"], "Closed today");
    }

    #[tokio::test]
    async fn a_service_that_fails_for_a_moment_costs_no_real_second() {
        let (server, client, clock) = service().await;
        server.fail([1, 2], &Fault::Before(503));
        announce(&client, "cafe", "Closed today").await.unwrap();
        assert!(clock.slept().iter().sum::<Duration>() >= Duration::from_millis(100));
    }

    #[tokio::test]
    async fn a_connection_that_breaks_after_the_write_makes_no_second_slot() {
        let (server, client, _) = service().await;
        server.fail([2], &Fault::DropAfter);
        announce(&client, "cafe", "Closed today").await.unwrap();
        assert_eq!(server.account().profiles[0].slots.len(), 15);
    }

    #[test]
    fn a_page_without_a_title_shows_its_login() {
        assert_eq!(headline(&sample_with(json!({"title": null}))), "@cafe");
    }
}
