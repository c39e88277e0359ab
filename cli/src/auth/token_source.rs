//! Token sources of accounts for the client.

use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::thread;
use std::time::Duration;

use links_sdk::oauth::RefreshingTokenSource;
use links_sdk::runs::{LockRetry, blocking};
use links_sdk::{
    BaseUrl, Client, ConnectionOptions, InvalidValue, Token, TokenError, TokenFuture, TokenSource,
};
use zeroize::Zeroizing;

use super::secret_store::{Connection, OTHER_ORIGIN};
use super::{Account, AccountName, SecretLocation, Store, Value};
use crate::error::{CommandError, Exit};
use crate::{process, signal};

/// Authentication of a client.
pub(crate) struct ClientAuth {
    pub(crate) source: Arc<dyn TokenSource>,
    /// Token under which requests are counted; unchanged for as long as the service counts the requests together.
    pub(crate) counted_as: Token,
    /// The source, if it is a token command.
    pub(crate) command: Option<TokenCommand>,
}

impl From<Token> for ClientAuth {
    fn from(token: Token) -> Self {
        Self { source: Arc::new(token.clone()), counted_as: token, command: None }
    }
}

/// Loads the secret of an account for requests to this URL.
///
/// # Errors
///
/// When there is no secret, or it cannot be loaded.
pub(crate) fn load_auth(
    directory: &Path,
    name: &AccountName,
    account: &Account,
    base: &BaseUrl,
    connection: ConnectionOptions,
) -> Result<ClientAuth, CommandError> {
    let none = |message: String| log_in_again(name, message);
    if let SecretLocation::Command(words) = &account.kept {
        let command = TokenCommand::new(words);
        let counted_as =
            command.get().map_err(|error| none(format!("account `{name}`: {error}")))?;
        let source = Arc::new(command.clone());
        return Ok(ClientAuth { source, counted_as, command: Some(command) });
    }
    let store = Store::of(directory, name, &account.kept, base.origin()).ok_or_else(|| {
        none(format!("account `{name}` is stored where this build cannot read it"))
    })?;
    let secret = store.load().map_err(|error| {
        let failure = none(format!("cannot use the secret of account `{name}`: {error}"));
        match error.kind() {
            OTHER_ORIGIN => failure.with_hint(
                "the accounts file was changed; log in again with `links auth login --base-url URL`",
            ),
            ErrorKind::InvalidData => failure,
            _ if store.is_in_keyring() => failure.with_hint(format!(
                "unlock the keyring, or store the secret in a file: `links auth login --account {name} --store file`"
            )),
            _ => failure,
        }
    })?;
    let secret = secret.ok_or_else(|| none(format!("account `{name}` is logged out")))?;
    let unusable = |error: InvalidValue| none(error.to_string());
    match secret {
        Value::Token(text) => Token::new(&text).map(ClientAuth::from).map_err(unusable),
        Value::Connection(credentials) => {
            // The tokens of a connection are renewed; the account and the client id stay.
            let counted_as =
                Token::new(format!("{name}.{}", credentials.client_id)).map_err(unusable)?;
            let source = RefreshingTokenSource::new(Arc::new(Connection(store)));
            let source = source.connection(connection);
            signal::lock(&LOGINS).push((name.clone(), source.clone()));
            signal::do_last(save_logins);
            Ok(ClientAuth { source: Arc::new(source), counted_as, command: None })
        }
    }
}

/// Returns the error for an account that has to log in again.
fn log_in_again(name: &AccountName, message: String) -> CommandError {
    CommandError::new(Exit::NotAuthenticated, message)
        .with_hint(format!("log in again with `links auth login --account {name}`"))
}

/// The logins that this process has used, with the names of their accounts.
static LOGINS: Mutex<Vec<(AccountName, RefreshingTokenSource)>> = Mutex::new(Vec::new());

/// Time for which the process waits at its end for another one that uses the same login.
const LONGEST_END: Duration = Duration::from_secs(5);

/// Saves the renewed logins that could not be saved before, because the process ends. Returns an error for each that is lost.
pub(crate) fn save_logins() -> Vec<CommandError> {
    let logins = std::mem::take(&mut *signal::lock(&LOGINS));
    let lost = logins.into_iter().filter_map(|(name, source)| {
        let error = source.save_renewed(LONGEST_END).err()?;
        let message = format!("the renewed login of account `{name}` could not be saved: {error}");
        Some(log_in_again(&name, message))
    });
    lost.collect()
}

/// Time limit of the program: the user may have to touch a security key.
const LIMIT: Duration = Duration::from_secs(60);

/// Program with its arguments that writes a token to its standard output. Runs once per command, and once more if the service refuses the
/// token.
#[derive(Clone, Debug, Default)]
pub(crate) struct TokenCommand {
    words: Vec<String>,
    token: Arc<Mutex<Option<Token>>>,
    /// Held while the program runs again.
    running: Arc<tokio::sync::Mutex<()>>,
    /// User of the tokens, once that is known, and a client that asks for the user of another token.
    owner: Arc<OnceLock<(i64, Client)>>,
}

impl TokenCommand {
    /// Creates a source for a program and its arguments; nothing runs yet.
    pub(crate) fn new(words: &[String]) -> Self {
        Self { words: words.to_owned(), ..Self::default() }
    }

    /// Returns the token that the program gave; runs the program if it has not run yet.
    pub(crate) fn get(&self) -> Result<Token, TokenError> {
        if let Some(token) = &*self.last() {
            return Ok(token.clone());
        }
        let token = self.run(|| true)?;
        Ok(self.last().insert(token).clone())
    }

    /// Runs the program for another token, unless another call has done so.
    async fn again(&self, refused: &Token) -> Result<bool, TokenError> {
        let running = self.running.clone().lock_owned().await;
        if self.last().as_ref().is_some_and(|last| last != refused) {
            return Ok(true);
        }
        let command = self.clone();
        // Gone when the call does not wait any more, for example because of its deadline.
        let waiting = Arc::new(());
        let call = Arc::downgrade(&waiting);
        let run = move || (command.run(|| call.strong_count() > 0), running);
        let (token, _running) = blocking(run).await;
        drop(waiting);
        let token = token?;
        if token == *refused {
            return Ok(false);
        }
        self.check(&token).await?;
        *self.last() = Some(token);
        Ok(true)
    }

    /// Sets the user of this token, to whom all later ones have to belong, and a client of the service.
    pub(crate) fn belongs_to(&self, user: i64, client: &Client, token: Token) {
        // Not this source, which would own itself.
        let _ = self.owner.set((user, client.with_token(token)));
    }

    /// Checks whose token it is: what is written for one user must not reach the account of another.
    async fn check(&self, token: &Token) -> Result<(), TokenError> {
        let Some((user, client)) = self.owner.get() else { return Ok(()) };
        let me = client.with_token(token.clone()).me().await.map_err(|error| {
            let message = format!("cannot check the token that the token command printed: {error}");
            let failed = if error.is_not_authenticated() {
                TokenError::login_needed(message)
            } else {
                TokenError::temporary(message)
            };
            failed.caused_by(error)
        })?;
        if me.user_id == *user {
            return Ok(());
        }
        let now = me.user_id;
        Err(TokenError::login_needed(format!(
            "the token command now prints the token of user {now}, not of user {user}"
        )))
    }

    fn last(&self) -> MutexGuard<'_, Option<Token>> {
        signal::lock(&self.token)
    }

    fn run(&self, is_awaited: impl Fn() -> bool) -> Result<Token, TokenError> {
        let program = self.words.first().map_or("", String::as_str);
        let failed =
            |why: String| TokenError::login_needed(format!("the token command `{program}` {why}"));
        let mut child = process::command(program)
            .args(self.words.iter().skip(1))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| failed(format!("cannot be started: {error}")))?;
        let ended = output(&mut child, LIMIT, is_awaited);
        let (status, output) = ended.map_err(|error| failed(error.to_string()))?;
        if !status.success() {
            return Err(failed(format!("failed ({status})")));
        }
        let text = Zeroizing::new(String::from_utf8(output).unwrap_or_default());
        Token::new(&text).map_err(|error| failed(format!("did not print a valid token: {error}")))
    }
}

/// Returns the status and the output of a program, which is killed if it takes longer than `limit`, or if nobody awaits it any more.
fn output(
    child: &mut Child,
    limit: Duration,
    is_awaited: impl Fn() -> bool,
) -> io::Result<(ExitStatus, Vec<u8>)> {
    let stdout = child.stdout.take().ok_or_else(|| io::Error::other("cannot be read"))?;
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // One byte more than allowed, so that an oversized token is detected.
        let read = stdout.take(Token::MAX_BYTES as u64 + 1).read_to_end(&mut bytes);
        // Fails after the limit, when the receiver is gone.
        sender.send(read.map(|_| bytes))
    });
    let (mut retry, mut read) = (LockRetry::default(), None);
    while retry.waited() <= limit && is_awaited() {
        let Some(bytes) = read.take() else {
            read = receiver.recv_timeout(retry.wait()).ok();
            continue;
        };
        // A program can close its output and run on.
        if let Some(status) = child.try_wait()? {
            return Ok((status, bytes?));
        }
        read = Some(bytes);
        #[expect(clippy::disallowed_methods, reason = "the program has no clock of a test")]
        thread::sleep(retry.wait());
    }
    child.kill()?;
    child.wait()?;
    Err(io::Error::other(format!("took longer than {} seconds", limit.as_secs())))
}

impl TokenSource for TokenCommand {
    fn token(&self) -> TokenFuture<'_, Token> {
        Box::pin(std::future::ready(self.get()))
    }

    fn refused<'a>(&'a self, token: &'a Token) -> TokenFuture<'a, bool> {
        Box::pin(self.again(token))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn command(words: &[&str]) -> TokenCommand {
        let words: Vec<_> = words.iter().map(ToString::to_string).collect();
        TokenCommand::new(&words)
    }

    fn run(words: &[&str]) -> Result<Token, String> {
        command(words).get().map_err(|error| error.to_string())
    }

    #[test]
    fn a_token_command_runs_without_a_shell() {
        assert_eq!(run(&["echo", "$(id)`id`;id"]).unwrap(), Token::new("$(id)`id`;id").unwrap());
        assert_eq!(run(&["printf", "%s\\n", "secret"]).unwrap(), Token::new("secret").unwrap());
    }

    #[test]
    fn a_failed_token_command_is_reported_without_its_output() {
        let error = run(&["echo", "canary two"]).unwrap_err();
        assert!(
            error.contains("`echo` did not print a valid token") && !error.contains("canary"),
            "{error}"
        );
        assert!(run(&["false"]).unwrap_err().contains("failed (exit status: 1)"));
        assert!(run(&["true"]).unwrap_err().contains("the token is empty"));
        assert!(run(&["/no/such/program"]).unwrap_err().contains("cannot be started"));
        assert!(run(&[]).unwrap_err().contains("cannot be started"));
    }

    #[test]
    fn a_token_command_that_takes_too_long_is_killed() {
        let mut child =
            process::command("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take();
        let error = output(&mut child, Duration::ZERO, || true).unwrap_err();
        assert!(error.to_string().contains("took longer"), "{error}");
        assert!(child.try_wait().unwrap().is_some(), "it has ended");
        drop(stdin);
    }

    #[test]
    fn a_token_command_that_closes_its_output_and_runs_on_is_killed() {
        let directory = tempfile::tempdir().unwrap();
        let closed = directory.path().join("closed");
        let mut command = process::command("sh");
        command.args(["-c", "exec >&-; : > \"$0\"; read line"]).arg(&closed);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take();
        output(&mut child, LIMIT, || !closed.exists()).unwrap_err();
        assert!(child.try_wait().unwrap().is_some(), "it has ended");
        drop(stdin);
    }

    #[tokio::test]
    async fn a_token_command_that_runs_again_stops_no_other_task() {
        let directory = tempfile::tempdir().unwrap();
        let free = directory.path().join("free");
        let script = "until [ -e \"$0\" ]; do sleep 0.01; done; echo another";
        let command = command(&["sh", "-c", script, free.to_str().unwrap()]);
        let refused = Token::new("refused").unwrap();
        let other_task = async { std::fs::write(&free, "").unwrap() };
        let (is_other, ()) = tokio::join!(command.refused(&refused), other_task);
        assert!(is_other.unwrap());
        assert_eq!(command.token().await.unwrap(), Token::new("another").unwrap());
    }

    #[tokio::test]
    async fn a_token_command_is_killed_when_its_call_is_dropped() {
        let directory = tempfile::tempdir().unwrap();
        let begun = directory.path().join("begun");
        let script = "echo $$ > \"$0.new\"; mv \"$0.new\" \"$0\"; exec sleep 1000";
        let command = command(&["sh", "-c", script, begun.to_str().unwrap()]);
        let refused = Token::new("refused").unwrap();
        let call = command.refused(&refused);
        let begins = async {
            while !begun.exists() {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            _ = call => unreachable!("the program runs"),
            () = begins => {}
        }
        let pid = std::fs::read_to_string(&begun).unwrap().trim().parse().unwrap();
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        while rustix::process::test_kill_process(pid).is_ok() {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn a_token_command_runs_once_for_calls_that_are_refused_at_the_same_time() {
        let directory = tempfile::tempdir().unwrap();
        let runs = directory.path().join("runs");
        let script = "echo run >> \"$0\"; echo another";
        let command = command(&["sh", "-c", script, runs.to_str().unwrap()]);
        let refused = Token::new("refused").unwrap();
        let (one, two) = tokio::join!(command.refused(&refused), command.refused(&refused));
        assert!(one.unwrap() && two.unwrap());
        assert_eq!(std::fs::read_to_string(&runs).unwrap(), "run\n");
    }
}
