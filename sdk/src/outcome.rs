//! Outcome of a call: whether it wrote something.

/// Outcome of a call: whether something was written. A read writes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// Nothing was written: the request was never sent, or it was refused, or it was a read.
    NotExecuted,
    /// The request was executed; only the answer is lost.
    Executed,
    /// It is unknown whether anything was written: no answer came, or one that proves nothing. Read before you repeat the call.
    Unknown,
}
