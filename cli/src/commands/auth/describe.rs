//! Description of an account, for people and for scripts, that the login and the status share.

use links_sdk::types::Me;
use links_sdk::{BaseUrl, Client};
use serde_json::{Value, json};

use crate::auth::{AccountName, SecretLocation};
use crate::output::{CommandOutput, Style, StyledLine, View};

/// Returns the word for the location of a secret.
pub(super) fn store(kept: &SecretLocation) -> &'static str {
    match kept {
        SecretLocation::Keyring => "keyring",
        SecretLocation::File => "file",
        SecretLocation::Command(_) => "command",
    }
}

/// Account that a token belongs to, with the origin of the token.
pub(super) struct AccountDescription<'a> {
    pub(super) account: Option<&'a AccountName>,
    pub(super) base: &'a BaseUrl,
    /// Origin of the token.
    pub(super) source: &'a str,
    pub(super) store: Option<&'a str>,
    pub(super) me: &'a Me,
    /// URL at which personal tokens are issued and revoked; set if the account has no room for another one.
    pub(super) settings_url: Option<String>,
}

impl AccountDescription<'_> {
    /// Adds the URL of the account's API settings if all its tokens are taken.
    pub(super) async fn with_room(mut self, client: &Client) -> Self {
        let tokens = &self.me.limits.tokens;
        if tokens.used >= tokens.max {
            // If the index cannot be read, only the URL is left out.
            let index = client.index().await.ok();
            self.settings_url = index.map(|index| index.authentication.issued_at);
        }
        self
    }

    pub(super) fn output(&self) -> CommandOutput {
        CommandOutput::own(self.data(), View::Lines(self.lines()))
    }

    fn data(&self) -> Value {
        let limits = &self.me.limits;
        let mut data = json!({
            "account": self.account,
            "origin": self.base.origin(),
            "baseUrl": self.base.as_str(),
            "source": self.source,
            "store": self.store,
            "user": { "id": self.me.user_id, "name": self.me.name },
            "abilities": self.me.abilities,
            "canWrite": self.me.can_write,
            "profiles": limits.profiles,
            "tokens": limits.tokens,
        });
        if let Some(url) = &self.settings_url {
            data["settingsUrl"] = json!(url);
        }
        data
    }

    fn lines(&self) -> Vec<StyledLine> {
        let me = self.me;
        let limits = &me.limits;
        let abilities =
            if me.abilities.is_empty() { "none".to_owned() } else { me.abilities.join(", ") };
        let kept = self.store.map(|it| format!(", stored in: {it}")).unwrap_or_default();
        let writes = if me.can_write { "" } else { " (cannot write)" };
        let mut lines = vec![
            format!("{} (user {}) at {}", me.name, me.user_id, self.base),
            format!("token from: {}{kept}", self.source),
            format!("abilities: {abilities}{writes}"),
            format!(
                "in use: {} of {} profiles, {} of {} tokens",
                limits.profiles.used, limits.profiles.max, limits.tokens.used, limits.tokens.max
            ),
        ];
        if let Some(name) = self.account {
            lines.insert(1, format!("account: {name}"));
        }
        if let Some(url) = &self.settings_url {
            let max = limits.tokens.max;
            lines.push(format!(
                "all {max} personal tokens are in use; revoke one at {url} to create another"
            ));
        }
        lines.into_iter().map(|text| StyledLine::new(Style::Plain, text)).collect()
    }
}
