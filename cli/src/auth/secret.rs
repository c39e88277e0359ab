//! Stored secret of an account.

use std::fmt;

use links_sdk::oauth::Credentials;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

/// Secret with the origin it belongs to. Its value is never shown.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Secret {
    /// Scheme, host and port: the secret is sent nowhere else, whatever the accounts file says.
    pub(crate) origin: String,
    #[serde(flatten)]
    pub(crate) value: Value,
}

/// Value of a secret.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Value {
    /// Personal token.
    Token(Zeroizing<String>),
    /// Credentials from a login at the connector.
    Connection(Box<Credentials>),
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secret").field("origin", &self.origin).finish_non_exhaustive()
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Token(_) => "Token(***)",
            Self::Connection(_) => "Connection(***)",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fault_75_a_secret_is_stored_with_its_origin_and_hidden_in_debug_output() {
        let value = Value::Token("canary".to_owned().into());
        let secret = Secret { origin: "https://links.example".to_owned(), value };
        let text = serde_json::to_string(&secret).unwrap();
        assert_eq!(text, r#"{"origin":"https://links.example","token":"canary"}"#);
        assert_eq!(serde_json::from_str::<Secret>(&text).unwrap(), secret);
        assert!(!format!("{secret:?} {:?}", secret.value).contains("canary"));
    }
}
