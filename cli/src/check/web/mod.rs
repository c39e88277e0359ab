//! Requests of links: which are dead, which should be looked at, and which moved.
//!
//! [`link::read_link`] judges what needs no request, such as `mailto:`. A [`checker::LinkChecker`] requests the rest, and [`judge::judge`]
//! turns what it saw into a judgement. Nothing of a client of the service takes part: no token, no cookie and no state is sent to the site of
//! a link.

pub(super) mod checker;
pub(super) mod judge;
pub(super) mod link;
mod outbound;
pub(super) mod verdict;
pub(super) mod visit;

#[cfg(test)]
mod tests;
