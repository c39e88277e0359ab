//! Owner of a run.

use serde::{Deserialize, Serialize};

use super::hash::short_hash;
use links_sdk::Token;

/// The account that a run belongs to, as far as that is known without asking the service.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunOwner {
    /// Id of the user (`getMe`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<i64>,
    /// Digest of the token, from which the token cannot be recovered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

impl RunOwner {
    /// Returns a user of the service.
    pub fn of_user(id: i64) -> Self {
        Self { user: Some(id), token: None }
    }

    /// Returns the holder of this token.
    pub fn of_token(token: &Token) -> Self {
        Self {
            user: None,
            token: Some(short_hash(format!("Bearer {}", token.secret()).as_bytes())),
        }
    }

    /// Returns whether both are the same account. `None` if that is unknown: two tokens may belong to one user.
    pub fn is(&self, other: &Self) -> Option<bool> {
        match (self.user, other.user) {
            (Some(one), Some(two)) => Some(one == two),
            _ => (self.token.is_some() && self.token == other.token).then_some(true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_users_differ_and_two_tokens_may_belong_to_one() {
        let token = |text| RunOwner::of_token(&Token::new(text).unwrap());
        let both = RunOwner { user: Some(7), ..token("lnk_one") };
        assert_eq!(RunOwner::of_user(7).is(&RunOwner::of_user(7)), Some(true));
        assert_eq!(RunOwner::of_user(7).is(&RunOwner::of_user(8)), Some(false));
        assert_eq!(both.is(&RunOwner::of_user(8)), Some(false));
        assert_eq!(both.is(&token("lnk_one")), Some(true));
        assert_eq!(token("lnk_one").is(&token("lnk_two")), None);
        assert_eq!(token("lnk_one").is(&RunOwner::of_user(7)), None);
        assert_eq!(RunOwner::default().is(&RunOwner::default()), None);
        let written = serde_json::to_string(&token("lnk_one")).unwrap();
        assert!(!written.contains("lnk_one") && written.len() < 60, "{written}");
    }
}
