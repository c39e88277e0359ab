//! `links auth login`: obtains credentials from the browser, a token or a command, chooses the place for the secret, and stores the login.

use std::io;
use std::io::Read;

use clap::{Args, ValueEnum};
use links_sdk::oauth::Connector;
use links_sdk::types::Me;
use links_sdk::{BaseUrl, Client, Token};
use zeroize::Zeroizing;

use super::describe;
use super::describe::AccountDescription;
use super::oauth::{LoginOptions, connect};
use super::store_login::{owner, refuse_other, store_login};
use crate::auth::{
    Account, AccountName, AccountsFile, ClientAuth, SecretLocation, TokenCommand, Value,
    check_keyring,
};
use crate::commands::common::CommandResult;
use crate::context::{Context, clock, no_service};
use crate::env_vars;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::help::HelpText;
use crate::output::{CommandOutput, Style};
use crate::settings::{ServiceTarget, TokenOrigin};

#[derive(Args, Debug)]
#[command(examples = ["links auth login --base-url https://links.example/api/v1", "links auth login --base-url https://links.example/api/v1 --token-stdin < token"])]
pub(crate) struct AuthLoginArgs {
    /// Read a personal token from standard input, or ask for it on the terminal
    #[arg(long, conflicts_with_all = ["token_command", "mcp_url", "no_browser", "callback_port"])]
    token_stdin: bool,
    /// Get the token from this program whenever it is needed, such as a password manager
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["store", "mcp_url", "no_browser", "callback_port"])]
    token_command: Option<String>,
    /// Where to keep the secret
    #[arg(long, value_name = "STORE")]
    store: Option<StoreChoice>,
    /// URL of the connector
    #[arg(
        long,
        value_name = "URL",
        help = "URL of the connector; by default the one that the service names [env: LINKS_MCP_URL]",
        hide_short_help = true
    )]
    mcp_url: Option<String>,
    /// Only show the URL to open, and read the final redirect URL from standard input
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
            return Err(CommandError::usage("the sandbox needs no account"));
        }
        ServiceTarget::Unset => return Err(no_service()),
    };
    let file = AccountsFile::new(context.config_directory()?);
    let named = context.settings.account.as_ref().map(|it| it.name.clone());
    if let Some(name) = &named {
        refuse_other(&file.load()?, name, &base)?;
    }
    let obtained = new_credentials(context, &args, &base, &file).await?;

    let client = context.client_of(&base, ClientAuth::from(obtained.token.clone()))?;
    let me = owner(&client, &obtained.token).await?;
    let account = Account {
        base_url: base.as_str().to_owned(),
        mcp_url: obtained.mcp_url,
        kept: obtained.kept,
        user_id: me.user_id,
        user: me.name.clone(),
    };
    let name = store_login(&file, &base, named.as_ref(), &account, obtained.value)?;
    Ok(described(context, &client, &me, &name, &account.kept).await)
}

/// Obtains the credentials in the way that the arguments ask for.
async fn new_credentials(
    context: &Context,
    args: &AuthLoginArgs,
    base: &BaseUrl,
    file: &AccountsFile,
) -> Result<NewCredentials, CommandError> {
    if let Some(line) = &args.token_command {
        return from_command(line);
    }
    let kept = choose(context, args.store, file)?;
    if args.token_stdin {
        return from_stdin(context, kept);
    }
    let mcp_url = mcp_url(context, args.mcp_url.as_ref(), base).await?;
    let options = LoginOptions {
        mcp_url: &mcp_url,
        browser: !args.no_browser,
        port: args.callback_port.unwrap_or(0),
        clock: clock(),
    };
    from_browser(context, &options, file, kept).await
}

/// Returns the output with the account. Warns if a token of the environment is used instead of this account.
async fn described(
    context: &Context,
    client: &Client,
    me: &Me,
    name: &AccountName,
    kept: &SecretLocation,
) -> CommandOutput {
    let described = AccountDescription {
        account: Some(name),
        base: client.base_url(),
        source: "account",
        store: Some(describe::store(kept)),
        me,
        settings_url: None,
    };
    let described = described.with_room(client).await;
    let mut variables = [env_vars::TOKEN, env_vars::TOKEN_FILE].into_iter();
    let before = variables.find(|name| std::env::var_os(name).is_some_and(|it| !it.is_empty()));
    if let Some(variable) = before {
        let text =
            format!("{variable} is set and overrides this account unless --account names it");
        context.ui.tell(Style::Changed, text);
    }
    described.output()
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

/// Runs a token command.
fn from_command(line: &str) -> Result<NewCredentials, CommandError> {
    let words = words(line)?;
    let token = TokenCommand::new(&words).get();
    let token =
        token.map_err(|error| CommandError::new(Exit::NotAuthenticated, error.to_string()))?;
    Ok(NewCredentials { kept: SecretLocation::Command(words), token, value: None, mcp_url: None })
}

/// Splits the line of a token command into the command and its arguments.
fn words(line: &str) -> Result<Vec<String>, CommandError> {
    let words = shlex::split(line).filter(|words| !words.is_empty());
    words.ok_or_else(|| CommandError::usage("--token-command: the quotes do not match"))
}

/// Reads the token that is piped in or typed; errors do not show it.
fn from_stdin(context: &Context, kept: SecretLocation) -> Result<NewCredentials, CommandError> {
    let text = context.ui.ask_secret("Token (not shown)").unwrap_or_else(|| {
        let most = Token::MAX_BYTES as u64;
        let mut text = String::new();
        io::stdin().lock().take(most).read_to_string(&mut text).map(|_| text)
    });
    let text =
        text.map_err(|error| CommandError::usage(format!("cannot read the token: {error}")))?;
    let text = Zeroizing::new(text);
    let token = Token::new(&text).map_err(|error| {
        CommandError::usage(error.to_string())
            .with_hint("pipe it in: `links auth login --token-stdin < FILE`")
    })?;
    let value = Some(Value::Token(token.secret().to_owned().into()));
    Ok(NewCredentials { kept, token, value, mcp_url: None })
}

/// Returns the URL of the connector: the given one, that of the environment, that of the account, or the one that the service names.
async fn mcp_url(
    context: &Context,
    given: Option<&String>,
    base: &BaseUrl,
) -> Result<String, CommandError> {
    let of_account = match &context.settings.token {
        TokenOrigin::Account(_, account) => account.mcp_url.as_ref(),
        _ => None,
    };
    match given.or(context.settings.mcp_url.as_ref()).or(of_account) {
        Some(url) => Ok(url.clone()),
        None => Connector::url_of_with(base, &context.settings.connection.read()?).await.map_err(
            |error| {
                CommandError::from(error)
                    .with_hint("name the connector with --mcp-url, or log in with --token-stdin")
            },
        ),
    }
}

/// Logs in at the connector with the user's browser.
async fn from_browser(
    context: &Context,
    options: &LoginOptions<'_>,
    file: &AccountsFile,
    kept: SecretLocation,
) -> Result<NewCredentials, CommandError> {
    let credentials = connect(context, options, file).await?;
    let token = Token::new(&credentials.access_token).map_err(CommandError::unreadable)?;
    let value = Some(Value::Connection(Box::new(credentials)));
    Ok(NewCredentials { kept, token, value, mcp_url: Some(options.mcp_url.to_owned()) })
}

/// Location that the user can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StoreChoice {
    /// The keyring of the system
    Keyring,
    /// A file that only you can read
    File,
}

/// Returns the location for the secret. A file is used only if the user asks for it, so that no secret is in a file unexpectedly.
fn choose(
    context: &Context,
    choice: Option<StoreChoice>,
    file: &AccountsFile,
) -> Result<SecretLocation, CommandError> {
    let directory = file.directory().display();
    if choice == Some(StoreChoice::File) {
        let text = format!(
            "the secret is stored unencrypted in a file below {directory} that only you can read"
        );
        context.ui.tell(Style::Faint, text);
        return Ok(SecretLocation::File);
    }
    let Err(error) = check_keyring() else { return Ok(SecretLocation::Keyring) };
    let question =
        format!("{error}. Keep the secret in a file below {directory} that only you can read?");
    if choice.is_none() && context.ui.ask(&question) == Some(true) {
        return Ok(SecretLocation::File);
    }
    Err(CommandError::new(Exit::Refused, error.to_string()).with_hint(format!(
        "--store file keeps the secret in a file below {directory} that only you can read; {} needs no store at all",
        env_vars::TOKEN
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_command_is_split_as_a_shell_would() {
        assert_eq!(words("pass show 'my token'").unwrap(), ["pass", "show", "my token"]);
        for line in ["", "  ", "pass 'token"] {
            assert_eq!(words(line).unwrap_err().exit(), Exit::Usage, "{line:?}");
        }
    }
}
