//! `links auth login`: logs in, in the browser or with a token.

use clap::Args;
use links_sdk::types::Me;
use links_sdk::{BaseUrl, Client};

use super::describe;
use super::describe::AccountDescription;
use super::oauth::LoginOptions;
use super::obtain;
use super::obtain::NewCredentials;
use super::store_choice::{StoreChoice, choose};
use super::store_login::{owner, refuse_other, store_login};
use crate::auth::{Account, AccountName, AccountsFile, ClientAuth, SecretLocation};
use crate::context::{Context, clock, no_service};
use crate::env_vars;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::{CommandOutput, Style, StyledLine, View};
use crate::settings::ServiceTarget;

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

pub(crate) async fn run(
    context: &mut Context,
    args: AuthLoginArgs,
) -> Result<CommandOutput, CommandError> {
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
        return obtain::from_command(line);
    }
    let kept = choose(context, args.store, file)?;
    if args.token_stdin {
        return obtain::from_stdin(context, kept);
    }
    let mcp_url = obtain::mcp_url(context, args.mcp_url.as_ref(), base).await?;
    let options = LoginOptions {
        mcp_url: &mcp_url,
        browser: !args.no_browser,
        port: args.callback_port.unwrap_or(0),
        clock: clock(),
    };
    obtain::from_browser(context, &options, file, kept).await
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
        context.ui.say(&StyledLine::new(Style::Changed, text));
    }
    CommandOutput::own(described.data(), View::Lines(described.lines()))
}
