//! `links auth login`: obtains credentials from the browser, a token or a command, chooses the place for the secret, and stores the login:
//! the account, then its secret.

use std::io::Read;

use clap::ValueEnum;
use links_sdk::oauth::Connector;
use links_sdk::types::Me;
use links_sdk::{BaseUrl, Token};
use zeroize::Zeroizing;

use super::oauth::{connect, revoke};
use crate::auth::{
    Account, AccountName, Accounts, AccountsFile, ClientAuth, SecretLocation, Store, TokenCommand,
    Value, check_keyring,
};
use crate::commands::prelude::*;
use crate::context::no_service;
use crate::env_vars;
use crate::process;
use crate::settings::{ServiceTarget, TokenOrigin};

#[derive(Args, Debug)]
#[command(examples = ["links auth login --base-url https://links.example/api/v1", "links auth login --base-url https://links.example/api/v1 --token-stdin < token"])]
pub(crate) struct AuthLoginArgs {
    /// Read a personal token from standard input, or ask for it on the terminal
    #[arg(long, conflicts_with_all = ["token_command", "mcp_url", "no_browser", "callback_port"])]
    token_stdin: bool,
    /// Run this command to get the token each time, for example from a password manager
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["store", "mcp_url", "no_browser", "callback_port"])]
    token_command: Option<String>,
    /// Where to store the secret
    #[arg(long, value_name = "STORE")]
    store: Option<StoreChoice>,
    /// URL of the connector
    #[arg(
        long,
        value_name = "URL",
        help = "URL of the authorization server; by default, the service provides it [env: LINKS_MCP_URL]",
        hide_short_help = true
    )]
    mcp_url: Option<String>,
    /// Don't open a browser: print the URL to open, and read the final redirect URL from standard input
    #[arg(long)]
    no_browser: bool,
    /// Local port for the browser redirect; chosen automatically by default
    #[arg(long, value_name = "PORT", hide_short_help = true)]
    callback_port: Option<u16>,
}

pub(super) async fn run(context: &mut Context, args: AuthLoginArgs) -> CommandResult {
    let base = match &context.settings.target {
        ServiceTarget::Service(url) => url.base()?.clone(),
        ServiceTarget::Sandbox(_) => {
            return Err(CommandError::usage("cannot log in to the sandbox, which has no accounts")
                .with_hint("unset LINKS_SANDBOX, and leave out --sandbox"));
        }
        ServiceTarget::Unset => return Err(no_service()),
    };
    let file = AccountsFile::new(context.config_directory()?);
    if let Some(name) = &context.settings.account {
        refuse_taken(&file.load()?, name, &base, None)?;
    }
    let mut obtained = new_credentials(context, &args, &base, &file).await?;
    let stored = store(context, &file, &base, &mut obtained).await;
    if let (Err(_), Some(Value::Connection(unused))) = (&stored, &obtained.value) {
        // The service would list it at the account for as long as it is valid.
        if let Err(note) = revoke(context, unused).await {
            context.ui.tell(Style::Changed, note);
        }
    }
    stored
}

/// Stores the login that was obtained, and returns the output about it. The secret stays in `obtained` if it was not stored.
async fn store(
    context: &Context,
    file: &AccountsFile,
    base: &BaseUrl,
    obtained: &mut NewCredentials,
) -> CommandResult {
    let named = context.settings.account.as_ref();
    let client = context.client_of(base, ClientAuth::from(obtained.token.clone()))?;
    let me = owner(&client, &obtained.token).await?;
    let account = Account {
        base_url: base.as_str().to_owned(),
        mcp_url: obtained.mcp_url.clone(),
        kept: obtained.kept.clone(),
        user_id: me.user_id,
        user: me.name.clone(),
    };
    let name = store_login(file, base, named, &account, &mut obtained.value)?;
    let output = described(&client, &me, "account", Some((&name, &account.kept))).await;
    let mut variables = [env_vars::TOKEN, env_vars::TOKEN_FILE].into_iter();
    let before = variables.find(|name| std::env::var_os(name).is_some_and(|it| !it.is_empty()));
    if let Some(variable) = before {
        let text = format!(
            "{variable} is set and overrides this account; unset it, or pass --account {name}"
        );
        context.ui.tell(Style::Changed, text);
    }
    Ok(output)
}

/// Returns the output about the account that a token belongs to, with the source of the token. If the account has no room for another
/// token, it has the URL at which tokens are revoked.
pub(super) async fn described(
    client: &Client,
    me: &Me,
    source: &str,
    account: Option<(&AccountName, &SecretLocation)>,
) -> CommandOutput {
    let (base, limits) = (client.base_url(), &me.limits);
    let (account, store) = account.map(|(name, kept)| (name, kept.word())).unzip();
    let mut data = json!({
        "account": account,
        "origin": base.origin(),
        "baseUrl": base.as_str(),
        "source": source,
        "store": store,
        "user": { "id": me.user_id, "name": me.name },
        "abilities": me.abilities,
        "canWrite": me.can_write,
        "profiles": limits.profiles,
        "tokens": limits.tokens,
    });
    let mut lines = vec![format!("{} (user {}) at {base}", me.name, me.user_id)];
    lines.extend(account.map(|name| format!("account: {name}")));
    let stored = store.map(|it| format!(", stored in: {it}")).unwrap_or_default();
    let abilities =
        if me.abilities.is_empty() { "none".to_owned() } else { me.abilities.join(", ") };
    let writes = if me.can_write { "" } else { " (cannot write)" };
    lines.extend([
        format!("token from: {source}{stored}"),
        format!("scopes: {abilities}{writes}"),
        format!(
            "in use: {} of {} pages, {} of {} tokens",
            limits.profiles.used, limits.profiles.max, limits.tokens.used, limits.tokens.max
        ),
    ]);
    // If the index cannot be read, only the URL is left out.
    if limits.tokens.used >= limits.tokens.max
        && let Ok(index) = client.index().await
    {
        let (max, url) = (limits.tokens.max, index.authentication.issued_at);
        lines.push(format!(
            "all {max} personal tokens are in use; revoke one at {url} to create another"
        ));
        data["settingsUrl"] = json!(url);
    }
    CommandOutput::own(data, View::Lines(lines.into_iter().map(StyledLine::plain).collect()))
}

/// Obtains the credentials in the way that the arguments ask for.
async fn new_credentials(
    context: &Context,
    args: &AuthLoginArgs,
    base: &BaseUrl,
    file: &AccountsFile,
) -> Result<NewCredentials> {
    if let Some(line) = &args.token_command {
        return from_command(line);
    }
    let kept = choose(context, args.store, file)?;
    if args.token_stdin {
        return from_stdin(context, kept);
    }
    let mcp_url = mcp_url(context, args.mcp_url.as_ref(), base).await?;
    let port = args.callback_port.unwrap_or(0);
    let credentials = connect(context, &mcp_url, !args.no_browser, port, file).await?;
    let token = Token::new(&credentials.access_token).map_err(CommandError::unreadable)?;
    let value = Some(Value::Connection(Box::new(credentials)));
    Ok(NewCredentials { kept, token, value, mcp_url: Some(mcp_url) })
}

/// Credentials that a login obtained.
struct NewCredentials {
    /// Location for the secret.
    kept: SecretLocation,
    /// Token that requests carry now.
    token: Token,
    /// Secret to store; `None` for a token command, which stores its token itself.
    value: Option<Value>,
    /// URL of the connector that issued the credentials.
    mcp_url: Option<String>,
}

/// Runs a token command, whose line is split as a shell would.
fn from_command(line: &str) -> Result<NewCredentials> {
    let words = process::words(line).filter(|words| !words.is_empty());
    let words = words
        .ok_or_else(|| CommandError::usage("--token-command: empty, or a quote is not closed"))?;
    let token = TokenCommand::new(&words).get();
    let token = token.map_err(|error| CommandError::new(Exit::NotAuthenticated, error))?;
    Ok(NewCredentials { kept: SecretLocation::Command(words), token, value: None, mcp_url: None })
}

/// Reads the token that is piped in or typed; errors do not show it.
fn from_stdin(context: &Context, kept: SecretLocation) -> Result<NewCredentials> {
    let text = context.ui.ask_secret("Token (not shown)").unwrap_or_else(|| {
        let most = Token::MAX_BYTES as u64;
        let mut text = String::new();
        io::stdin().lock().take(most).read_to_string(&mut text).map(|_| text)
    });
    let text =
        text.map_err(|error| CommandError::usage(format!("cannot read the token: {error}")))?;
    let text = Zeroizing::new(text);
    let token = Token::new(&text).map_err(|error| {
        CommandError::usage(error)
            .with_hint("read the token from a file: `links auth login --token-stdin < FILE`")
    })?;
    let value = Some(Value::Token(token.secret().to_owned().into()));
    Ok(NewCredentials { kept, token, value, mcp_url: None })
}

/// Returns the URL of the connector: the given one, that of the environment, that of the account, or the one that the service names.
async fn mcp_url(context: &Context, given: Option<&String>, base: &BaseUrl) -> Result<String> {
    let of_account = match &context.settings.token {
        TokenOrigin::Account(_, account) => account.mcp_url.as_ref(),
        _ => None,
    };
    match given.or(context.settings.mcp_url.as_ref()).or(of_account) {
        Some(url) => Ok(url.clone()),
        None => {
            Connector::url_of(base, &context.settings.connection.read()?).await.map_err(|error| {
                CommandError::from(error)
                    .with_hint("set the URL of the authorization server with --mcp-url, or log in with --token-stdin")
            })
        }
    }
}

/// Location that the user can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StoreChoice {
    /// System keyring
    Keyring,
    /// A file that only you can read
    File,
}

/// Returns the location for the secret. A file is used only if the user asks for it, so that no secret is in a file unexpectedly.
fn choose(
    context: &Context,
    choice: Option<StoreChoice>,
    file: &AccountsFile,
) -> Result<SecretLocation> {
    let directory = file.directory.display();
    if choice == Some(StoreChoice::File) {
        let text = format!(
            "storing the secret unencrypted under {directory}, in a file that only you can read"
        );
        context.ui.tell(Style::Faint, text);
        return Ok(SecretLocation::File);
    }
    let Err(error) = check_keyring() else { return Ok(SecretLocation::Keyring) };
    let question =
        format!("Store the secret under {directory}, in a file that only you can read ({error})?");
    if choice.is_none() && context.ui.ask_about(&[], &question) == Some(true) {
        return Ok(SecretLocation::File);
    }
    Err(CommandError::refused(error).with_hint(format!(
        "pass --store file to store the secret under {directory}, in a file that only you can read, or set {} instead of logging in",
        env_vars::TOKEN
    )))
}

/// Reads the owner of a token that a login obtained. If the service does not know the token, the hint says so if its prefix is not that of this
/// service.
async fn owner(client: &Client, token: &Token) -> Result<Me> {
    let error = match client.me().await {
        Err(error) if error.is_not_authenticated() => error,
        me => return Ok(me?),
    };
    let prefix = client.index().await.map(|index| index.authentication.token_prefix);
    let failure = CommandError::from(error);
    Err(match prefix {
        Ok(prefix) if !token.secret().starts_with(&prefix) => {
            failure.with_hint(format!("check the token: tokens of this service start with `{prefix}`"))
        }
        _ => failure.with_hint(
            "check in your account's API settings whether the token still exists; nothing was stored",
        ),
    })
}

/// Stores an account and its secret, which is taken, and makes the account the current one. Returns the name of the account.
fn store_login(
    file: &AccountsFile,
    base: &BaseUrl,
    named: Option<&AccountName>,
    account: &Account,
    value: &mut Option<Value>,
) -> Result<AccountName> {
    // A new account is stored before its secret, so that a secret without an account is never left.
    let (name, is_new) = file.change(|accounts| {
        let name = named.cloned().unwrap_or_else(|| accounts.name_for(base, account.user_id));
        refuse_taken(accounts, &name, base, Some(account))?;
        let is_new = !accounts.known.contains_key(&name);
        accounts.known.entry(name.clone()).or_insert_with(|| account.clone());
        Ok::<_, CommandError>((name, is_new))
    })??;
    let store_of = |kept: &SecretLocation| Store::of(&file.directory, &name, kept, base.origin());
    if let (Some(store), Some(new)) = (store_of(&account.kept), value.take()) {
        // The lock keeps other processes from renewing the former secret while it is replaced.
        if let Err(error) = store.lock().and_then(|_lock| store.save(new.clone())) {
            *value = Some(new);
            if is_new {
                file.change(|accounts| accounts.remove(&name))?;
            }
            let message = format!("logged in, but cannot store the login: {error}");
            return Err(CommandError::refused(message));
        }
    }
    let former = file.change(|accounts| {
        accounts.current = Some(name.clone());
        accounts.known.insert(name.clone(), account.clone())
    })?;
    let former = former.filter(|it| it.kept != account.kept);
    if let Some(store) = former.and_then(|it| store_of(&it.kept)) {
        // A secret that cannot be removed there is never read again.
        let _ = store.lock().and_then(|_lock| store.remove());
    }
    Ok(name)
}

/// Refuses a name that already belongs to an account of another service, or that some systems don't tell from a known one; or to an account of
/// another user than that of the new one, whose secret would be lost.
fn refuse_taken(
    accounts: &Accounts,
    name: &AccountName,
    base: &BaseUrl,
    new: Option<&Account>,
) -> Result<()> {
    let namesake = accounts.namesake(name);
    let message = match (namesake, accounts.known.get(name), new) {
        (Some(known), ..) => {
            format!("account `{known}` already exists, and `{name}` differs from it only in case")
        }
        (_, Some(known), _) if known.origin() != Some(base.origin()) => {
            format!("account `{name}` already exists for {}", known.base_url)
        }
        (_, Some(known), Some(new)) if known.user_id != new.user_id => format!(
            "account `{name}` is for user {} ({}), but you logged in as user {} ({}); nothing was stored",
            known.user_id, known.user, new.user_id, new.user
        ),
        _ => return Ok(()),
    };
    let taken = namesake.unwrap_or(name);
    Err(CommandError::refused(message).with_hint(format!(
        "choose another name with --account, or run `links auth logout {taken}` first"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_command_without_words_is_refused() {
        for line in ["", "  ", "pass 'token"] {
            let refused = from_command(line).err().map(|error| error.exit());
            assert_eq!(refused, Some(Exit::Usage), "{line:?}");
        }
    }
}

#[cfg(test)]
mod store_tests {
    use super::*;
    use crate::error::Exit;

    const URL: &str = "https://links.example/api/v1";

    fn account(base_url: &str, kept: SecretLocation) -> Account {
        let (base_url, user) = (base_url.to_owned(), "Aliya".to_owned());
        Account { base_url, mcp_url: None, kept, user_id: 7, user }
    }

    #[test]
    fn an_account_name_is_refused_for_another_service_or_user() {
        let mut accounts = Accounts::default();
        let name: AccountName = "work".parse().unwrap();
        let (base, other) =
            (BaseUrl::new(URL).unwrap(), BaseUrl::new("https://b.example").unwrap());
        refuse_taken(&accounts, &name, &base, None).unwrap();
        accounts.known.insert(name.clone(), account(URL, SecretLocation::File));
        refuse_taken(&accounts, &name, &base, None).unwrap();
        let refused = |accounts: &Accounts, name, base, new| {
            refuse_taken(accounts, name, base, new).unwrap_err().exit()
        };
        assert_eq!(refused(&accounts, &name, &other, None), Exit::Refused);
        let capitals: AccountName = "Work".parse().unwrap();
        assert_eq!(refused(&accounts, &capitals, &base, None), Exit::Refused);
        accounts.known.insert(capitals.clone(), account(URL, SecretLocation::File));
        refuse_taken(&accounts, &capitals, &base, None).unwrap();

        let mut new = account(URL, SecretLocation::Keyring);
        refuse_taken(&accounts, &name, &base, Some(&new)).unwrap();
        new.user_id = 8;
        assert_eq!(refused(&accounts, &name, &base, Some(&new)), Exit::Refused);
    }
}
