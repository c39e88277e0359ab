//! `links auth login`: logs in, in the browser or with a token.

use std::io::{self, Read};

use clap::{Args, ValueEnum};
use links_sdk::oauth::Connector;
use links_sdk::{BaseUrl, Client, Error, Token};
use zeroize::Zeroizing;

use super::describe;
use super::describe::AccountDescription;
use super::oauth::{LoginOptions, connect};
use crate::auth::{
    Account, AccountName, Accounts, AccountsFile, ClientAuth, Secret, SecretLocation, Store,
    TokenCommand, Value, check_keyring,
};
use crate::context::{Context, clock, no_service};
use crate::env_vars;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::output::{CommandOutput, Style, StyledLine, View};
use crate::settings::{ServiceTarget, TokenOrigin};

/// Arguments of `links auth login`.
#[derive(Args, Debug)]
pub(crate) struct AuthLoginArgs {
    /// Read a personal token from standard input, or ask for it on the terminal
    #[arg(long, conflicts_with_all = ["token_command", "mcp_url", "no_browser", "callback_port"])]
    token_stdin: bool,
    /// Take the token from this program whenever it is needed: a password manager's, for example
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["store", "mcp_url", "no_browser", "callback_port"])]
    token_command: Option<String>,
    /// Where to keep the secret
    #[arg(long, value_name = "STORE")]
    store: Option<StoreChoice>,
    /// URL of the connector
    #[arg(
        long,
        value_name = "URL",
        help = "URL of the connector; the service names it unless it is given [env: LINKS_MCP_URL]",
        hide_short_help = true
    )]
    mcp_url: Option<String>,
    /// Only show the URL to open, and take the one at which the browser ends from standard input
    #[arg(long)]
    no_browser: bool,
    /// Port on this machine to which the browser comes back; a free one is taken when it is not given
    #[arg(long, value_name = "PORT", hide_short_help = true)]
    callback_port: Option<u16>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum StoreChoice {
    /// The keyring of the system
    Keyring,
    /// A file that only you can read
    File,
}

/// Credentials that a login obtained.
struct NewCredentials {
    kept: SecretLocation,
    /// Token that requests carry now.
    token: Token,
    /// Secret to store; `None` for a token command, which stores its token itself.
    value: Option<Value>,
    mcp_url: Option<String>,
}

pub(crate) async fn run(
    context: &mut Context,
    args: AuthLoginArgs,
) -> Result<CommandOutput, CommandError> {
    let base = match &context.settings.target {
        ServiceTarget::Service(url) => url.base()?.clone(),
        ServiceTarget::Sandbox => return Err(CommandError::usage("the sandbox needs no account")),
        ServiceTarget::Unset => return Err(no_service()),
    };
    let file = AccountsFile::new(context.config_folder()?);
    let named = context.settings.account.as_ref().map(|it| it.name.clone());
    if let Some(name) = &named {
        refuse_other(&file.load()?, name, &base)?;
    }
    let obtained = match &args.token_command {
        Some(line) => from_command(line)?,
        None if args.token_stdin => from_stdin(context, place(context, &args, &file)?)?,
        None => from_browser(context, &args, &base, &file).await?,
    };
    keep(context, &file, &base, named, obtained).await
}

/// Reads the owner of the token, and stores the token under the name of an account.
async fn keep(
    context: &Context,
    file: &AccountsFile,
    base: &BaseUrl,
    named: Option<AccountName>,
    obtained: NewCredentials,
) -> Result<CommandOutput, CommandError> {
    let NewCredentials { kept, token, value, mcp_url } = obtained;
    let client = context.client_of(base, ClientAuth::from(token.clone()))?;
    let me = match client.me().await {
        Ok(me) => me,
        Err(error) if error.is_not_authenticated() => {
            return Err(unknown(&client, &token, error).await);
        }
        Err(error) => return Err(error.into()),
    };
    let account = Account {
        base_url: base.as_str().to_owned(),
        mcp_url,
        kept: kept.clone(),
        user_id: me.user_id,
        user: me.name.clone(),
    };
    // A new account is stored before its secret, so that a secret without an account is never left.
    let name_in = |accounts: &Accounts| {
        let name = named.clone().unwrap_or_else(|| accounts.name_for(base, me.user_id));
        refuse_other(accounts, &name, base).map(|()| name)
    };
    let known = file.load()?;
    let mut name = name_in(&known)?;
    let is_new = !known.known.contains_key(&name);
    if is_new {
        name = file.change(|accounts| {
            let name = name_in(accounts)?;
            accounts.known.entry(name.clone()).or_insert_with(|| account.clone());
            Ok::<_, CommandError>(name)
        })??;
    }
    if let (Some(store), Some(value)) =
        (Store::of(file.folder(), &name, &kept, base.origin()), value)
    {
        let secret = Secret { origin: base.origin(), value };
        // The lock keeps other processes from renewing the former secret while it is replaced.
        if let Err(error) = store.lock().and_then(|_lock| store.save(&secret)) {
            if is_new {
                file.change(|accounts| accounts.remove(&name))?;
            }
            let message = format!("the login succeeded, but was not kept: {error}");
            return Err(CommandError::new(Exit::Refused, message));
        }
    }
    let former = file.change(|accounts| {
        accounts.current = Some(name.clone());
        accounts.known.insert(name.clone(), account)
    })?;
    let is_elsewhere = |former: &Account| match kept {
        SecretLocation::Keyring => former.kept != kept || former.origin() != Some(base.origin()),
        SecretLocation::File | SecretLocation::Command(_) => former.kept != kept,
    };
    if let Some(former) = former.filter(is_elsewhere) {
        let origin = former.origin().unwrap_or_default();
        if let Some(store) = Store::of(file.folder(), &name, &former.kept, origin) {
            // A secret that cannot be removed there is never read again.
            let _ = store.lock().and_then(|_lock| store.remove());
        }
    }
    let described = AccountDescription {
        account: Some(&name),
        base,
        source: "account",
        store: Some(describe::store(&kept)),
        me: &me,
        settings_url: None,
    };
    let described = described.with_room(&client).await;
    let mut variables = [env_vars::TOKEN, env_vars::TOKEN_FILE].into_iter();
    let before = variables.find(|name| std::env::var_os(name).is_some_and(|it| !it.is_empty()));
    if let Some(variable) = before {
        let text =
            format!("{variable} is set, and goes before this account unless --account names it");
        context.ui.say(&StyledLine::new(Style::Changed, text));
    }
    Ok(CommandOutput::own(described.data(), View::Lines(described.lines())))
}

/// Refuses a name that already belongs to an account of another service.
fn refuse_other(
    accounts: &Accounts,
    name: &AccountName,
    base: &BaseUrl,
) -> Result<(), CommandError> {
    match accounts.known.get(name) {
        Some(known) if known.origin() != Some(base.origin()) => {
            let message = format!("`{name}` is the account at {}", known.base_url);
            Err(CommandError::new(Exit::Refused, message)
                .hint(format!("give this one another name, or `links auth logout {name}` first")))
        }
        _ => Ok(()),
    }
}

/// Returns the error for a token that the service does not know, with a hint if its prefix is not that of this service.
async fn unknown(client: &Client, token: &Token, error: Error) -> CommandError {
    let prefix = client.index().await.map(|index| index.authentication.token_prefix);
    let failure = CommandError::from(error);
    match prefix {
        Ok(prefix) if !token.secret().starts_with(&prefix) => {
            failure.hint(format!("the tokens of this service begin with `{prefix}`"))
        }
        _ => failure.hint(
            "nothing was kept; see in the account's API settings whether the token still exists",
        ),
    }
}

/// Returns the location for the secret. A file is used only if the user asks for it, so that no secret is in a file unexpectedly.
fn place(
    context: &Context,
    args: &AuthLoginArgs,
    file: &AccountsFile,
) -> Result<SecretLocation, CommandError> {
    let folder = file.folder().display();
    if args.store == Some(StoreChoice::File) {
        let said = format!(
            "the secret goes into a file below {folder} that only you can read, not encrypted"
        );
        context.ui.say(&StyledLine::new(Style::Faint, said));
        return Ok(SecretLocation::File);
    }
    let Err(error) = check_keyring() else { return Ok(SecretLocation::Keyring) };
    let question =
        format!("{error}. Keep the secret in a file below {folder} that only you can read?");
    if args.store.is_none() && context.ui.ask(&question) == Some(true) {
        return Ok(SecretLocation::File);
    }
    Err(CommandError::new(Exit::Refused, error.to_string()).hint(format!(
        "--store file keeps the secret in a file below {folder} that only you can read; LINKS_TOKEN needs no store at all"
    )))
}

fn from_command(line: &str) -> Result<NewCredentials, CommandError> {
    let words = shlex::split(line).filter(|words| !words.is_empty());
    let words =
        words.ok_or_else(|| CommandError::usage("--token-command: the quotes do not match"))?;
    let token = TokenCommand::new(&words).get();
    let token =
        token.map_err(|error| CommandError::new(Exit::NotAuthenticated, error.to_string()))?;
    Ok(NewCredentials { kept: SecretLocation::Command(words), token, value: None, mcp_url: None })
}

/// Reads the token that is piped in or typed; errors do not show it.
fn from_stdin(context: &Context, kept: SecretLocation) -> Result<NewCredentials, CommandError> {
    let text = context.ui.ask_secret("Token (it is not shown)").unwrap_or_else(|| {
        let most = Token::MAX_BYTES as u64;
        let mut text = String::new();
        io::stdin().lock().take(most).read_to_string(&mut text).map(|_| text)
    });
    let text =
        text.map_err(|error| CommandError::usage(format!("cannot read the token: {error}")))?;
    let text = Zeroizing::new(text);
    let token = Token::new(&text).map_err(|error| {
        CommandError::usage(error.to_string())
            .hint("pipe it in: `links auth login --token-stdin < FILE`")
    })?;
    let value = Some(Value::Token(token.secret().to_owned().into()));
    Ok(NewCredentials { kept, token, value, mcp_url: None })
}

async fn from_browser(
    context: &Context,
    args: &AuthLoginArgs,
    base: &BaseUrl,
    file: &AccountsFile,
) -> Result<NewCredentials, CommandError> {
    let kept = place(context, args, file)?;
    let of_account = match &context.settings.token {
        TokenOrigin::Account(_, account) => account.mcp_url.as_ref(),
        _ => None,
    };
    let mcp_url = match args.mcp_url.as_ref().or(context.settings.mcp_url.as_ref()).or(of_account) {
        Some(address) => address.clone(),
        None => Connector::url_of(base).await.map_err(|error| {
            CommandError::from(error)
                .hint("name the connector with --mcp-url, or log in with --token-stdin")
        })?,
    };
    let wanted = LoginOptions {
        mcp_url: &mcp_url,
        browser: !args.no_browser,
        port: args.callback_port.unwrap_or(0),
        clock: clock(),
    };
    let credentials = connect(context, &wanted, file).await?;
    let token = Token::new(&credentials.access_token).map_err(CommandError::unreadable)?;
    let value = Some(Value::Connection(Box::new(credentials)));
    Ok(NewCredentials { kept, token, value, mcp_url: Some(mcp_url) })
}
