//! Storage of a new login: the account, then its secret.

use links_sdk::types::Me;
use links_sdk::{BaseUrl, Client, Error, Token};

use crate::auth::{
    Account, AccountName, Accounts, AccountsFile, Secret, SecretLocation, Store, Value,
};
use crate::error::CommandError;
use crate::error::exit_code::Exit;

/// Reads the owner of a token that a login obtained.
pub(super) async fn owner(client: &Client, token: &Token) -> Result<Me, CommandError> {
    match client.me().await {
        Ok(me) => Ok(me),
        Err(error) if error.is_not_authenticated() => {
            Err(unknown_token(client, token, error).await)
        }
        Err(error) => Err(error.into()),
    }
}

/// Returns the error for a token that the service does not know, with a hint if its prefix is not that of this service.
async fn unknown_token(client: &Client, token: &Token, error: Error) -> CommandError {
    let prefix = client.index().await.map(|index| index.authentication.token_prefix);
    let failure = CommandError::from(error);
    match prefix {
        Ok(prefix) if !token.secret().starts_with(&prefix) => {
            failure.with_hint(format!("the tokens of this service begin with `{prefix}`"))
        }
        _ => failure.with_hint(
            "nothing was stored; check in the account's API settings whether the token still exists",
        ),
    }
}

/// Stores an account and its secret, and makes the account the current one. Returns the name of the account.
pub(super) fn store_login(
    file: &AccountsFile,
    base: &BaseUrl,
    named: Option<&AccountName>,
    account: &Account,
    value: Option<Value>,
) -> Result<AccountName, CommandError> {
    // A new account is stored before its secret, so that a secret without an account is never left.
    let (name, is_new) = store_account(file, base, named, account)?;
    let store = Store::of(file.directory(), &name, &account.kept, base.origin());
    if let (Some(store), Some(value)) = (store, value) {
        let secret = Secret { origin: base.origin(), value };
        // The lock keeps other processes from renewing the former secret while it is replaced.
        if let Err(error) = store.lock().and_then(|_lock| store.save(&secret)) {
            if is_new {
                file.change(|accounts| accounts.remove(&name))?;
            }
            let message = format!("the login succeeded, but could not be stored: {error}");
            return Err(CommandError::new(Exit::Refused, message));
        }
    }
    let former = file.change(|accounts| {
        accounts.current = Some(name.clone());
        accounts.known.insert(name.clone(), account.clone())
    })?;
    if let Some(former) = former.filter(|it| is_elsewhere(it, &account.kept, &base.origin())) {
        remove_secret(file, &name, &former);
    }
    Ok(name)
}

/// Stores the account if there is none with its name. Returns the name, and whether the account is new.
fn store_account(
    file: &AccountsFile,
    base: &BaseUrl,
    named: Option<&AccountName>,
    account: &Account,
) -> Result<(AccountName, bool), CommandError> {
    let name_in = |accounts: &Accounts| {
        let name = named.cloned().unwrap_or_else(|| accounts.name_for(base, account.user_id));
        refuse_other(accounts, &name, base).map(|()| name)
    };
    let accounts = file.load()?;
    let name = name_in(&accounts)?;
    if accounts.known.contains_key(&name) {
        return Ok((name, false));
    }
    let name = file.change(|accounts| {
        let name = name_in(accounts)?;
        accounts.known.entry(name.clone()).or_insert_with(|| account.clone());
        Ok::<_, CommandError>(name)
    })??;
    Ok((name, true))
}

/// Refuses a name that already belongs to an account of another service.
pub(super) fn refuse_other(
    accounts: &Accounts,
    name: &AccountName,
    base: &BaseUrl,
) -> Result<(), CommandError> {
    match accounts.known.get(name) {
        Some(known) if known.origin() != Some(base.origin()) => {
            let message = format!("`{name}` is the account at {}", known.base_url);
            Err(CommandError::new(Exit::Refused, message).with_hint(format!(
                "choose another name with --account, or `links auth logout {name}` first"
            )))
        }
        _ => Ok(()),
    }
}

/// Tells whether the former secret of an account is not the one that the secret at `kept` has replaced.
fn is_elsewhere(former: &Account, kept: &SecretLocation, origin: &str) -> bool {
    match kept {
        SecretLocation::Keyring => {
            former.kept != *kept || former.origin().as_deref() != Some(origin)
        }
        SecretLocation::File | SecretLocation::Command(_) => former.kept != *kept,
    }
}

/// Removes the former secret of an account.
fn remove_secret(file: &AccountsFile, name: &AccountName, former: &Account) {
    let origin = former.origin().unwrap_or_default();
    if let Some(store) = Store::of(file.directory(), name, &former.kept, origin) {
        // A secret that cannot be removed there is never read again.
        let _ = store.lock().and_then(|_lock| store.remove());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "https://links.example/api/v1";
    const ORIGIN: &str = "https://links.example";

    fn account(base_url: &str, kept: SecretLocation) -> Account {
        let (base_url, user) = (base_url.to_owned(), "Aliya".to_owned());
        Account { base_url, mcp_url: None, kept, user_id: 7, user }
    }

    #[test]
    fn an_account_name_is_refused_for_another_service() {
        let mut accounts = Accounts::default();
        let name: AccountName = "work".parse().unwrap();
        let (base, other) =
            (BaseUrl::new(URL).unwrap(), BaseUrl::new("https://b.example").unwrap());
        refuse_other(&accounts, &name, &base).unwrap();
        accounts.known.insert(name.clone(), account(URL, SecretLocation::File));
        refuse_other(&accounts, &name, &base).unwrap();
        assert_eq!(refuse_other(&accounts, &name, &other).unwrap_err().exit(), Exit::Refused);
    }

    #[test]
    fn only_a_secret_that_was_not_replaced_is_removed() {
        use SecretLocation::{File, Keyring};
        assert!(!is_elsewhere(&account(URL, File), &File, ORIGIN));
        assert!(!is_elsewhere(&account(URL, Keyring), &Keyring, ORIGIN));
        assert!(is_elsewhere(&account(URL, Keyring), &File, ORIGIN));
        assert!(is_elsewhere(&account(URL, File), &Keyring, ORIGIN));
        // An entry of the keyring belongs to an origin; the file has the name of the account only.
        let elsewhere = "https://b.example/api/v1";
        assert!(is_elsewhere(&account(elsewhere, Keyring), &Keyring, ORIGIN));
        assert!(!is_elsewhere(&account(elsewhere, File), &File, ORIGIN));
    }
}
