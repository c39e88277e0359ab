//! An account as people and scripts see it, the same after a login and in the status.

use links_sdk::types::Me;
use links_sdk::{BaseUrl, Client};
use serde_json::{Value, json};

use crate::auth::{AccountName, SecretLocation};
use crate::output::{Style, StyledLine};

/// One word for where a secret is kept.
pub(super) fn store(kept: &SecretLocation) -> &'static str {
    match kept {
        SecretLocation::Keyring => "keyring",
        SecretLocation::File => "file",
        SecretLocation::Command(_) => "command",
    }
}

/// What is known of the caller.
pub(super) struct AccountDescription<'a> {
    pub(super) account: Option<&'a AccountName>,
    pub(super) base: &'a BaseUrl,
    /// What gave the token.
    pub(super) source: &'a str,
    pub(super) store: Option<&'a str>,
    pub(super) me: &'a Me,
    /// Where personal tokens are issued and ended, where there is no room for another one.
    pub(super) settings_url: Option<String>,
}

impl AccountDescription<'_> {
    /// With the URL of the account's API settings if all its tokens are taken.
    pub(super) async fn with_room(mut self, client: &Client) -> Self {
        let tokens = &self.me.limits.tokens;
        if tokens.used >= tokens.max {
            // What cannot be asked now is left out: the rest is true without it.
            let index = client.index().await.ok();
            self.settings_url = index.map(|index| index.authentication.issued_at);
        }
        self
    }

    pub(super) fn data(&self) -> Value {
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
        if let Some(address) = &self.settings_url {
            data["settingsUrl"] = json!(address);
        }
        data
    }

    pub(super) fn lines(&self) -> Vec<StyledLine> {
        let me = self.me;
        let limits = &me.limits;
        let abilities =
            if me.abilities.is_empty() { "none".to_owned() } else { me.abilities.join(", ") };
        let kept = self.store.map(|it| format!(", kept in: {it}")).unwrap_or_default();
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
        if let Some(address) = &self.settings_url {
            let max = limits.tokens.max;
            lines.push(format!(
                "all {max} personal tokens are taken; end one at {address} to make another"
            ));
        }
        lines.into_iter().map(|text| StyledLine::new(Style::Plain, text)).collect()
    }
}
