//! Spans of attempts, and events of waits, for the feature `tracing`. Without it nothing is recorded.

#[cfg(feature = "tracing")]
mod spans;

#[cfg(feature = "tracing")]
pub(crate) use spans::{AttemptSpan, waiting};

#[cfg(not(feature = "tracing"))]
pub(crate) use without::{NoSpan as AttemptSpan, waiting};

#[cfg(not(feature = "tracing"))]
mod without {
    use std::time::Duration;

    use reqwest::Method;

    use crate::base_url::BaseUrl;
    use crate::operation::Operation;
    use crate::transport::pacing::WaitReason;
    use crate::transport::{Answer, CallFailure};

    pub(crate) fn waiting(_: &'static Operation, _: Duration, _: WaitReason) {}

    pub(crate) struct NoSpan;

    #[expect(clippy::unused_self, reason = "as with the feature")]
    impl NoSpan {
        pub(crate) fn new(_: &'static Operation, _: &Method, _: &BaseUrl, _: u32) -> Self {
            Self
        }

        pub(crate) fn in_scope<T>(&self, work: impl FnOnce() -> T) -> T {
            work()
        }

        pub(crate) fn around<F>(&self, sending: F) -> F {
            sending
        }

        pub(crate) fn ended(&self, _: &Result<Answer, CallFailure>) {}
    }
}
