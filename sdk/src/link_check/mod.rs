//! Check of the links of a page: which are dead, which should be looked at, and which moved.
//!
//! [`read_link`] judges what needs no request, such as `mailto:`. A [`LinkChecker`] requests the rest, and [`judge`] turns what it saw into
//! a [`Judgement`]. Nothing of a [`Client`](crate::Client) takes part: no token, no cookie and no state is sent to the site of a link.
//!
//! ```
//! use std::time::SystemTime;
//!
//! use links_sdk::link_check::{LinkChecker, LinkKind, Verdict, judge, read_link};
//!
//! async fn is_dead(text: &str, now: SystemTime) -> Result<bool, Box<dyn std::error::Error>> {
//!     let judgement = match read_link(text) {
//!         LinkKind::Judged(judgement) => judgement,
//!         LinkKind::Web(link) => {
//!             let checker = LinkChecker::builder().build()?;
//!             judge(&link, &checker.visit(&link).await, now, 14)
//!         }
//!     };
//!     Ok(judgement.verdict == Verdict::Broken)
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let now = SystemTime::UNIX_EPOCH;
//! assert!(is_dead("tel:reception", now).await?);
//! assert!(is_dead("http://192.168.0.1/menu", now).await?);
//! # Ok(())
//! # }
//! ```

mod checker;
mod judge;
mod link;
mod outbound;
mod single_visit;
mod verdict;
mod visit;

pub use checker::{LinkChecker, LinkCheckerBuilder};
pub use judge::judge;
pub use link::{LinkKind, WebLink, read_link};
pub use verdict::{Judgement, LinkNote, Verdict, VerdictReason};
pub use visit::{Hop, NETWORK_UNREACHABLE, Visit, VisitEnd};
