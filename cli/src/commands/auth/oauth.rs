//! Login at the connector with the user's browser.

use std::fmt::Display;
use std::time::Duration;

use links_sdk::oauth::{Connector, Credentials, Login, LoginError};
use tokio::sync::mpsc::{Receiver, channel};

use super::callback_server::Listener;
use crate::auth::AccountsFile;
use crate::commands::prelude::*;
use crate::context::clock;
use crate::process;

/// Client name for which the user approves access.
const NAME: &str = "links (command line)";
/// Time limit for the user's approval.
const LIMIT: Duration = Duration::from_secs(5 * 60);
/// Logs in with the client registration that is stored with the accounts. If the authorization server has forgotten the registration, the
/// program registers again, once. Without `browser`, none is opened here, and the URL at which the login ends is read from standard input.
/// The browser is redirected to the port, or to any free one if that is 0.
///
/// # Errors
///
/// When the connector does not lead to a login, the access is not approved in time, or the answer is not to be trusted.
pub(crate) async fn connect(
    context: &Context,
    mcp_url: &str,
    browser: bool,
    port: u16,
    accounts: &AccountsFile,
) -> Result<Credentials> {
    let mut client_id = accounts.load()?.clients.remove(mcp_url);
    let mut pasted = None;
    loop {
        let login = (mcp_url, browser, port);
        match attempt(context, login, accounts, client_id.as_deref(), &mut pasted).await? {
            Some(credentials) => return Ok(credentials),
            None if client_id.is_none() => {
                let message = "the authorization server does not recognize this program, which has just registered";
                return Err(CommandError::new(Exit::NotAuthenticated, message)
                    .with_hint("run `links auth login` again"));
            }
            None => client_id = None,
        }
        accounts.register(mcp_url, None)?;
        let text = "the service no longer recognizes this program; registering again, so you need to approve access again";
        context.ui.instruct(&StyledLine::changed(text));
    }
}

/// Tries to log in. Returns `None` if the authorization server does not know the client registration of this program.
async fn attempt(
    context: &Context,
    (mcp_url, browser, port): (&str, bool, u16),
    accounts: &AccountsFile,
    client_id: Option<&str>,
    pasted: &mut Option<Receiver<String>>,
) -> Result<Option<Credentials>> {
    let listener = Listener::bind(port).map_err(|error| cannot_listen(port, &error))?;
    let connection = context.settings.connection.read()?;
    let connector = Connector::discover(mcp_url, &connection).await?;
    let login = match connector.begin(&listener.redirect_uri(), NAME, client_id).await {
        Err(error) if error.is_unknown_client() => return Ok(None),
        login => login?,
    };
    if client_id != Some(login.client_id()) {
        accounts.register(mcp_url, Some(login.client_id()))?;
    }
    ask(context, browser, login.url(), pasted);
    let clock = clock();
    let answer = tokio::select! {
        biased;
        answer = listener.answer(|it| login.is_answer(it)) => {
            answer.map_err(|error| cannot_listen(port, &error))?
        }
        answer = paste(context, pasted, &login) => answer?,
        () = clock.sleep(LIMIT) => {
            // A server may report only to its user that it has forgotten this program.
            accounts.register(mcp_url, None)?;
            let minutes = LIMIT.as_secs() / 60;
            let message = format!("access was not approved within {minutes} minutes");
            return Err(CommandError::new(Exit::NotAuthenticated, message)
                .with_hint("run `links auth login` again; nothing was stored"));
        }
    };
    match login.finish(&answer).await {
        Err(error) if error.is_unknown_client() => Ok(None),
        credentials => Ok(Some(credentials?)),
    }
}

/// Opens the URL in a browser, or asks the user to open it and begins to read pasted lines.
fn ask(context: &Context, browser: bool, url: &str, pasted: &mut Option<Receiver<String>>) {
    let tell = |text: &str| context.ui.instruct(&StyledLine::plain(text));
    if browser {
        match process::browse(context.settings.browser.as_deref(), url) {
            Ok(()) => {
                tell("approve access in the browser; if no browser opens, open this URL:");
                return tell(url);
            }
            Err(error) => tell(&format!("cannot open a browser: {error}")),
        }
    }
    tell("open this URL in a browser and approve access:");
    tell(url);
    tell("then paste the URL that the browser shows at the end, even if the page does not load:");
    pasted.get_or_insert_with(lines);
}

/// Returns the lines of standard input. Unread lines are dropped when the process ends.
fn lines() -> Receiver<String> {
    let (sender, receiver) = channel(1);
    std::thread::spawn(move || {
        let mut lines = io::stdin().lines().map_while(Result::ok);
        lines.all(|line| sender.blocking_send(line).is_ok())
    });
    receiver
}

/// Waits for a pasted line that is the answer to this login; forever if standard input is not read.
async fn paste(
    context: &Context,
    pasted: &mut Option<Receiver<String>>,
    login: &Login,
) -> Result<String> {
    let Some(lines) = pasted else { return std::future::pending().await };
    while let Some(line) = lines.recv().await {
        let line = line.trim();
        if login.is_answer(line) {
            return Ok(line.to_owned());
        }
        if !line.is_empty() {
            let text =
                "this is not the final URL of this login; that URL contains `state` and `code`";
            context.ui.instruct(&StyledLine::changed(text));
        }
    }
    let message = "access was not approved: no URL was pasted";
    Err(CommandError::new(Exit::NotAuthenticated, message)
        .with_hint("to log in without a browser, use a token: `links auth login --token-stdin`"))
}

fn cannot_listen(port: u16, error: &std::io::Error) -> CommandError {
    CommandError::usage(format!("cannot listen for the browser's redirect: {error}"))
        .hinted((port != 0).then_some("choose another port with --callback-port"))
}

impl From<LoginError> for CommandError {
    fn from(error: LoginError) -> Self {
        let exit = if error.is_unreachable() {
            Exit::Network
        } else if error.is_denied() || error.is_unknown_client() {
            Exit::NotAuthenticated
        } else {
            Exit::Server
        };
        Self::new(exit, error)
    }
}

/// Revokes a login at the service.
///
/// # Errors
///
/// When the credentials keep working, with a note for the user.
pub(super) async fn revoke(context: &Context, credentials: &Credentials) -> Result<(), String> {
    let failed = |error: &dyn Display| {
        format!(
            "revoking access failed ({error}), so the tokens of the login may stay valid; disconnect `links` in your account settings"
        )
    };
    let connection = context.settings.connection.read().map_err(|error| failed(&error))?;
    match credentials.revoke(&connection).await {
        Ok(true) => Ok(()),
        Ok(false) => Err("the service can't revoke the login, so its tokens may stay valid; disconnect `links` in your account settings".to_owned()),
        Err(error) => Err(failed(&error)),
    }
}
