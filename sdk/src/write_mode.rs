//! Modes for the writes of a client.

/// Handling of calls that would change something. Reads are sent in every mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum WriteMode {
    /// Writes are sent.
    #[default]
    Send,
    /// Writes are sent as dry runs, which change nothing (the interface, section 4.1.3), and end with an error for which
    /// [`Error::is_dry_run_accepted`](crate::Error::is_dry_run_accepted) is true if the service would accept them. A call without a dry
    /// run, the delete of a single slot by its path, is not sent.
    DryRun,
    /// No write is sent. Each call ends with an error that has the [request](crate::Error::not_sent) as it would have been sent.
    Withhold,
}
