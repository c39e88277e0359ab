//! Exit codes.

use std::process::ExitCode;

macro_rules! exit_codes {
    ($($variant:ident = $code:literal, $name:literal, $meaning:literal;)*) => {
        /// Exit code of a command.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Exit {
            $(#[doc = $meaning] $variant = $code,)*
        }

        impl Exit {
            /// All codes in ascending order.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Returns the name in JSON output.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Returns the meaning as a sentence.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)* }
            }
        }
    };
}

exit_codes! {
    Ok = 0, "ok", "Everything was done, or there was nothing to do.";
    Internal = 1, "internal", "Internal error, or the output could not be written.";
    Usage = 2, "usage", "The command line or the environment is invalid; nothing was changed unless the message says so.";
    No = 3, "no", "A check found something: a login is taken, a plan has changes, a link or a rule is broken, or nothing matched.";
    NotAuthenticated = 4, "not_authenticated", "The token is missing, or the service rejected it (401).";
    Forbidden = 5, "forbidden", "The token does not allow this (403).";
    NotFound = 6, "not_found", "Not found in this account (404).";
    Conflict = 7, "conflict", "A value changed on both sides, the page changed in the meantime, or a rule or limit of the service was violated (409).";
    Invalid = 8, "invalid", "The service rejected a value (422), or a file contains an invalid value or breaks a rule of links.toml.";
    RateLimited = 9, "rate_limited", "The rate limit requires a longer wait than allowed (429).";
    Network = 10, "network", "The service could not be reached, or did not respond in time.";
    Server = 11, "server", "The service failed, or its response could not be read.";
    Partial = 12, "partial", "Only part of the work was done; run the same command again.";
    Drift = 13, "drift", "Applied, but the page does not match the file, or another client changed the page meanwhile.";
    Refused = 14, "refused", "A safety check stopped the command, or there was no terminal to ask for confirmation.";
    Interrupted = 130, "interrupted", "Stopped by Ctrl-C; on Unix, the signal ends the process, so a shell loop also stops.";
}

impl Exit {
    /// Returns the number.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// Tells whether the next page or file of a command would fail in the same way.
    pub(crate) const fn is_general(self) -> bool {
        matches!(
            self,
            Self::NotAuthenticated | Self::Network | Self::RateLimited | Self::Interrupted
        )
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}

#[cfg(test)]
mod tests {
    use super::Exit;

    #[test]
    fn exit_codes_and_their_names_are_unique() {
        let codes: std::collections::BTreeSet<_> =
            Exit::ALL.iter().map(|exit| exit.code()).collect();
        let names: std::collections::BTreeSet<_> = Exit::ALL.iter().map(|it| it.name()).collect();
        assert_eq!((codes.len(), names.len()), (Exit::ALL.len(), Exit::ALL.len()));
        assert!(Exit::ALL.is_sorted_by_key(|exit| exit.code()));
    }
}
