//! `links auth login`

use std::io::{self, Read};

use clap::{Args, ValueEnum};
use links_sdk::{BaseUrl, Token};

use super::describe::{self, Described};
use crate::context::{Context, no_service};
use crate::credentials::{
    Account, AccountsFile, Given, Kept, Secret, Store, TokenCommand, Value, check_keyring,
};
use crate::diagnostic::Failure;
use crate::exit::Exit;
use crate::outcome::{Line, Outcome, Tone, View};
use crate::settings::Target;

/// Arguments of `links auth login`.
#[derive(Args, Debug)]
pub(crate) struct AuthLoginArgs {
    /// Read a personal token from standard input, or ask for it on the terminal
    #[arg(long)]
    token_stdin: bool,
    /// Take the token from this program whenever it is needed: a password manager's, for example
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["token_stdin", "store"])]
    token_command: Option<String>,
    /// Where to keep the secret
    #[arg(long, value_name = "STORE")]
    store: Option<StoreWord>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum StoreWord {
    /// The keyring of the system
    Keyring,
    /// A file that only you can read
    File,
}

pub(crate) async fn run(context: &mut Context, args: AuthLoginArgs) -> Result<Outcome, Failure> {
    let base = match &context.settings.target {
        Target::Service { address, from } => {
            BaseUrl::new(address).map_err(|error| Failure::usage(format!("{from}: {error}")))?
        }
        Target::Sandbox => return Err(Failure::usage("the sandbox needs no account")),
        Target::Unset => return Err(no_service()),
    };
    let file = AccountsFile::new(context.config_folder()?);
    let (kept, token) = match &args.token_command {
        Some(line) => from_command(line)?,
        None => (place(context, &args, &file)?, read_token(context)?),
    };
    let client = context.client_of(&base, Given::from(token.clone()))?;
    let me = client.me().await?;

    let named = context.settings.account.as_ref().map(|it| it.name.clone());
    let known = file.load()?;
    let name = named.unwrap_or_else(|| known.name_for(&base, me.user_id));
    if let Some(store) = Store::of(file.folder(), &name, &kept, base.origin()) {
        let text = token.secret().to_owned();
        store.save(&Secret { origin: base.origin(), value: Value::Token(text) }).map_err(
            |error| {
                Failure::new(Exit::Refused, format!("the token works, but was not kept: {error}"))
            },
        )?;
    }
    let account = Account {
        base_url: base.as_str().to_owned(),
        mcp_url: None,
        kept: kept.clone(),
        user_id: me.user_id,
        user: me.name.clone(),
    };
    let former = file.change(|accounts| {
        accounts.current = Some(name.clone());
        accounts.known.insert(name.clone(), account)
    })?;
    if let Some(former) = former.filter(|former| former.kept != kept) {
        let origin = former.origin().unwrap_or_default();
        if let Some(store) = Store::of(file.folder(), &name, &former.kept, origin) {
            // What cannot be removed there is never looked at again.
            let _ = store.remove();
        }
    }
    let described = Described {
        account: Some(&name),
        base: &base,
        source: "account",
        store: Some(describe::store(&kept)),
        me: &me,
        settings_url: None,
    };
    let described = described.with_room(&client).await;
    Ok(Outcome::own(described.data(), View::Lines(described.lines())))
}

/// Where the secret goes. Into a file only if the user says so: nobody finds it in one by surprise.
fn place(context: &Context, args: &AuthLoginArgs, file: &AccountsFile) -> Result<Kept, Failure> {
    let folder = file.folder().display();
    if args.store == Some(StoreWord::File) {
        let said = format!(
            "the secret is kept in a file below {folder} that only you can read, not encrypted"
        );
        context.ui.say(&Line::new(Tone::Faint, said));
        return Ok(Kept::File);
    }
    let Err(error) = check_keyring() else { return Ok(Kept::Keyring) };
    let question =
        format!("{error}. Keep the secret in a file below {folder} that only you can read?");
    if args.store.is_none() && context.ui.ask(&question) == Some(true) {
        return Ok(Kept::File);
    }
    Err(Failure::new(Exit::Refused, error.to_string()).hint(format!(
        "--store file keeps the secret in a file below {folder} that only you can read; LINKS_TOKEN needs no store at all"
    )))
}

fn from_command(line: &str) -> Result<(Kept, Token), Failure> {
    let words = shlex::split(line).filter(|words| !words.is_empty());
    let words = words.ok_or_else(|| Failure::usage("--token-command: the quotes do not match"))?;
    let token = TokenCommand::new(&words).get();
    let token = token.map_err(|error| Failure::new(Exit::NotAuthenticated, error.to_string()))?;
    Ok((Kept::Command(words), token))
}

/// The token that is piped in or typed; what is wrong with it is said without showing it.
fn read_token(context: &Context) -> Result<Token, Failure> {
    let text = context.ui.ask_secret("Token (it is not shown)").unwrap_or_else(|| {
        let most = Token::MOST_BYTES as u64;
        let mut text = String::new();
        io::stdin().lock().take(most).read_to_string(&mut text).map(|_| text)
    });
    let text = text.map_err(|error| Failure::usage(format!("cannot read the token: {error}")))?;
    Token::new(&text).map_err(|error| {
        Failure::usage(error.to_string())
            .hint("pipe it in: `links auth login --token-stdin < FILE`")
    })
}
