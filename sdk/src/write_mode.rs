//! Modes for the writes of a client.

/// Handling of calls that would change something. Reads are sent in every mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WriteMode {
    /// They are sent.
    #[default]
    Send,
    /// They are sent as dry runs, which change nothing (the interface, section 4.1.3), and end with an error that
    /// [`Error::is_dry_run_accepted`](crate::Error::is_dry_run_accepted) when the service would accept them. What has no dry run, the delete of a
    /// single slot by its path, is withheld.
    DryRun,
    /// None is sent. Each ends with an error that has the [request](crate::Error::withheld) as it would have been sent.
    Withhold,
}
