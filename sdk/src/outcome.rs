//! The answer to the question whether a call wrote something.

/// Whether something was written. A read writes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// Nothing: the request was never sent, or it was refused, or it was a read.
    NotExecuted,
    /// It was; only the answer is lost.
    Executed,
    /// Nobody knows: no answer came, or one that proves nothing. Look before you repeat it.
    Unknown,
}
