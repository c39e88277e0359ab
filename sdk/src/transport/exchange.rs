//! What became of one call: its answer or its failure, and what all its attempts prove together.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use reqwest::Request;

use super::answer::Answer;
use super::pacing::WaitReason;
use super::retry::{End, Evidence};
use crate::error::Outcome;
use crate::operation::Operation;
use crate::token::Token;
use crate::token_source::TokenError;
use crate::view::RequestView;

/// All that happened in one call.
#[derive(Debug)]
pub(crate) struct Exchange {
    pub(crate) operation: &'static Operation,
    /// Requests that were sent or tried.
    pub(crate) sent: u32,
    /// The strongest proof of any attempt.
    pub(crate) evidence: Evidence,
    /// How long the service asked to wait, where the call ended for that.
    pub(crate) retry_after: Option<Duration>,
    /// The token that was sent last.
    pub(crate) token: Option<Token>,
    pub(crate) result: Result<Answer, Failure>,
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The request could not be made from what the caller gave.
    Request(io::Error),
    /// The attempt ended without a whole answer.
    Broken(Broken),
    /// There was no token to send.
    Token(TokenError),
    /// The client sends no writes.
    Withheld(Box<RequestView>),
    /// A wait was longer than the call may take.
    Deadline { wait: Duration, reason: WaitReason },
}

/// How an attempt ended without a whole answer, and what the network library says of it.
#[derive(Debug)]
pub(crate) struct Broken {
    pub(crate) end: End,
    pub(crate) source: Box<dyn StdError + Send + Sync>,
}

impl Exchange {
    /// A request that was only made.
    pub(crate) fn withheld(operation: &'static Operation, made: io::Result<Request>) -> Self {
        let failure = match made {
            Ok(request) => Failure::Withheld(Box::new(RequestView::new(&request))),
            Err(error) => Failure::Request(error),
        };
        let evidence = Evidence::NotSent;
        Self { operation, sent: 0, evidence, retry_after: None, token: None, result: Err(failure) }
    }

    /// The answer, if it is a 2xx.
    pub(crate) fn answer(&self) -> Option<&Answer> {
        self.result.as_ref().ok().filter(|answer| answer.status.is_success())
    }

    /// Whether the write took place, as far as the evidence of all attempts goes.
    pub(crate) fn outcome(&self) -> Outcome {
        match self.evidence {
            Evidence::NotSent | Evidence::NotExecuted => Outcome::NotExecuted,
            Evidence::Unknown => Outcome::Unknown,
            Evidence::Executed => Outcome::Executed,
        }
    }
}
