//! A service of several tasks that announces events on pages: each job is a task of its own with a span, all share one client, and a stop
//! lets the jobs under way end.
//!
//! ```text
//! printf 'cafe Closed today\nqara.weddings Open until 22:00\n' |
//!     LINKS_BASE_URL=https://links.example/api/v1 LINKS_TOKEN=pps_one \
//!     cargo run -p links-sdk --features tracing --example service
//! ```

use std::error::Error;

use links_sdk::content::Text;
use links_sdk::{Client, Token};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tracing::{Instrument, info, info_span, warn};
use tracing_subscriber::fmt::format::FmtSpan;

/// A text to put on a page.
#[derive(Debug)]
pub struct Announcement {
    /// Login or id of the page.
    pub page: String,
    /// Title of the new slot.
    pub title: String,
}

/// Does jobs until there are no more, and returns how many failed. Each span of the client, with its attempts and waits, is in that of its job.
pub async fn run(client: Client, mut jobs: mpsc::Receiver<Announcement>) -> usize {
    let mut tasks = JoinSet::new();
    while let Some(job) = jobs.recv().await {
        let span = info_span!("job", page = job.page);
        tasks.spawn(announce(client.clone(), job).instrument(span));
    }
    let done = tasks.join_all().await;
    done.into_iter().filter(|is_done| !is_done).count()
}

async fn announce(client: Client, job: Announcement) -> bool {
    let slots = client.profile(job.page).slots();
    match slots.create(Text::new(job.title)).await {
        Ok(slot) => info!(slot = %slot.id, "announced"),
        Err(error) => {
            warn!(%error, outcome = ?error.outcome(), request = ?error.request_id(), "failed");
            return false;
        }
    }
    true
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_span_events(FmtSpan::CLOSE).init();
    let [base, token] = ["LINKS_BASE_URL", "LINKS_TOKEN"]
        .map(|name| std::env::var(name).map_err(|_| format!("{name} is not set")));
    let client = Client::builder(base?).token(Token::new(&token?)?).build()?;
    let (sender, jobs) = mpsc::channel(16);
    let service = tokio::spawn(run(client, jobs));
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while let Some(line) = lines.next_line().await? {
        if let Some((page, title)) = line.split_once(' ') {
            sender.send(Announcement { page: page.to_owned(), title: title.to_owned() }).await?;
        }
    }
    drop(sender);
    match service.await? {
        0 => Ok(()),
        failed => Err(format!("{failed} jobs failed").into()),
    }
}
