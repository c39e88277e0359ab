//! The log of the requests of one token in the server, which a script asks and changes.

use std::fmt;
use std::sync::{Arc, LazyLock};

use redis::{RedisError, Script};

use crate::operation::Bucket;
use crate::transport::pacing::{RateLimits, Ticket};
use crate::transport::redis_server::{RedisConnection, RedisServer};

static SCRIPT: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("shared_log.lua")));

/// Maximum number of requests of a limit, as the script counts them: what is more is no limit.
const MOST: usize = 1_000_000_000;

/// What goes along with each question.
#[derive(Debug, Default)]
pub(super) struct Context {
    /// The epoch that the client knows; empty if it has sent nothing.
    pub(super) epoch: String,
    pub(super) ceiling: Option<RateLimits>,
    /// What the client has sent, as JSON, or empty.
    pub(super) report: String,
    /// The time in microseconds, in tests of the script.
    pub(super) now: Option<u64>,
}

/// Answer of the script.
#[derive(Debug, PartialEq)]
pub(super) struct LogAnswer {
    /// Set if the client has to report first what it has sent.
    pub(super) must_report: bool,
    pub(super) epoch: String,
    pub(super) remaining: usize,
    /// Time to wait in microseconds; negative if the request is admitted.
    pub(super) wait: i64,
    pub(super) reason: u8,
}

/// The log of the requests of one token in the server.
pub(super) struct SharedLog {
    pub(super) server: RedisServer,
    keys: [String; 5],
}

impl SharedLog {
    pub(super) fn new(server: RedisServer, name: &str) -> Self {
        let key = |part: &str| format!("links:pacing:{name}:{part}");
        let keys = ["state", "all", "analytics", "music"].map(key);
        let [state, all, analytics, music] = keys;
        let keys = ["links:pacing".to_owned(), state, all, analytics, music];
        Self { server, keys }
    }

    /// Asks, over a new connection if the old one is broken. To ask twice has no other effect than once.
    pub(super) async fn ask(
        &self,
        operation: &str,
        details: &[String],
        context: &Context,
    ) -> Result<LogAnswer, RedisError> {
        let (connection, is_new) = self.server.connection().await?;
        match self.ask_over(&connection, operation, details, context).await {
            Err(error) if !is_new && error.is_io_error() && !error.is_timeout() => {}
            answer => return answer,
        }
        let (connection, _) = self.server.connection().await?;
        self.ask_over(&connection, operation, details, context).await
    }

    /// Asks over this connection, which is not used again after an error.
    async fn ask_over(
        &self,
        connection: &Arc<RedisConnection>,
        operation: &str,
        details: &[String],
        context: &Context,
    ) -> Result<LogAnswer, RedisError> {
        let mut script = SCRIPT.prepare_invoke();
        for key in &self.keys {
            script.key(key);
        }
        script
            .arg(operation)
            .arg(context.now.map(|now| now.to_string()).unwrap_or_default())
            .arg(&connection.run)
            .arg(&context.epoch)
            .arg(context.ceiling.as_ref().map(limits).unwrap_or_default())
            .arg(limits(&RateLimits::default()))
            .arg(&context.report);
        for detail in details {
            script.arg(detail);
        }
        let answer = script.invoke_async(&mut connection.commands.clone()).await;
        if answer.is_err() {
            self.server.disconnect(connection).await;
        }
        let (must_report, epoch, remaining, wait, reason): (u8, _, _, _, _) = answer?;
        Ok(LogAnswer { must_report: must_report == 1, epoch, remaining, wait, reason })
    }
}

/// Returns limits as the script reads them.
pub(super) fn limits(limits: &RateLimits) -> String {
    let RateLimits { per_second, per_minute, analytics_per_minute, music_per_minute } = limits;
    let all = [per_second, per_minute, analytics_per_minute, music_per_minute];
    all.map(|most| (*most).min(MOST).to_string()).join(",")
}

/// Returns the name of a ticket in the server, whose numbers are not as large.
pub(super) fn ticket_name(ticket: Ticket) -> String {
    format!("{:016x}", ticket.0)
}

pub(super) fn bucket_name(bucket: Bucket) -> &'static str {
    match bucket {
        Bucket::General => "general",
        Bucket::Analytics => "analytics",
        Bucket::Music => "music",
    }
}

impl fmt::Debug for SharedLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedLog").field("server", &self.server).finish_non_exhaustive()
    }
}
