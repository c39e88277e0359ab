//! Settings from the accounts of this machine: the token, and the URL if none is given.

use super::service_url::ServiceUrl;
use super::{MissingToken, OF_ACCOUNT, OF_CONFIG, ServiceTarget, Settings, TokenOrigin};
use crate::auth::{Account, AccountName, Accounts};

impl Settings {
    /// Tells whether the settings may depend on an account of this machine.
    pub(super) fn needs_accounts(&self) -> bool {
        let by_flag = self.account.as_ref().is_some_and(|named| named.by_flag);
        let is_given = matches!(
            self.token,
            TokenOrigin::Variable(_)
                | TokenOrigin::File(_)
                | TokenOrigin::Nowhere(MissingToken::OnlyForNamed(_))
        );
        !matches!(self.target, ServiceTarget::Sandbox(_)) && (by_flag || !is_given)
    }

    /// Adds the token and the URL of the account that the user names, or that belongs to the URL. The token of an account goes to the
    /// origin of the account only.
    #[must_use]
    pub(crate) fn with_accounts(mut self, accounts: &Accounts) -> Self {
        if !self.needs_accounts() {
            return self;
        }
        let name = match (&self.account, &self.target) {
            (Some(named), _) => Some(&named.name),
            (None, ServiceTarget::Service(url)) => {
                let origin = url.origin().unwrap_or_default();
                match *accounts.at(&origin) {
                    [first] => Some(first),
                    [first, ..] if accounts.current.as_ref() == Some(first) => Some(first),
                    [] => None,
                    ref several => {
                        let several = several.iter().copied().cloned().collect();
                        self.token = TokenOrigin::Nowhere(MissingToken::Several(several));
                        return self;
                    }
                }
            }
            (None, _) => accounts.current.as_ref(),
        };
        let Some(name) = name.cloned() else { return self };
        match accounts.known.get(&name) {
            Some(account) => self.pair(name, account),
            None => Self { token: TokenOrigin::Nowhere(MissingToken::NoSuchAccount(name)), ..self },
        }
    }

    /// Adds the token of an account, and its URL unless another one at its origin is named.
    fn pair(mut self, name: AccountName, account: &Account) -> Self {
        let takes_its_own = match &self.target {
            ServiceTarget::Service(url) => {
                let is_there = url.origin() == account.origin();
                // A URL of the configuration file yields to the account.
                if !(is_there || url.from == OF_CONFIG) {
                    self.token =
                        TokenOrigin::Nowhere(MissingToken::OtherOrigin(name, account.clone()));
                    return self;
                }
                !is_there
            }
            ServiceTarget::Sandbox(_) | ServiceTarget::Unset => true,
        };
        if takes_its_own {
            let url = ServiceUrl::new(account.base_url.clone(), OF_ACCOUNT);
            self.target = ServiceTarget::Service(url);
        }
        self.token = TokenOrigin::Account(name, account.clone());
        self
    }
}
