//! What every command is given: the settings, the person, and the service, which is reached only when a command asks for it.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use links_sdk::{BaseUrl, Client, SharedFile, Token};

use crate::diagnostic::Failure;
use crate::exit::Exit;
use crate::folders;
use crate::settings::{Settings, Target, TokenSource};
use crate::ui::Ui;

/// More bytes than any token has.
const TOKEN_FILE_MAX: u64 = 64 * 1024;

/// What a command works with.
#[derive(Debug)]
pub(crate) struct Context {
    /// What the user set.
    pub(crate) settings: Settings,
    /// The person at the terminal, if there is one.
    pub(crate) ui: Ui,
    client: Option<Client>,
    /// Kept running until the command has ended.
    #[cfg(feature = "sandbox")]
    sandbox: Option<links_fixtures::ContractServer>,
}

impl Context {
    pub(crate) fn new(settings: Settings, ui: Ui) -> Self {
        Self {
            settings,
            ui,
            client: None,
            #[cfg(feature = "sandbox")]
            sandbox: None,
        }
    }

    /// The service that the settings name; the sandbox is started when it is asked for the first time.
    pub(crate) async fn client(&mut self) -> Result<Client, Failure> {
        if let Some(client) = &self.client {
            return Ok(client.clone());
        }
        let client = match self.settings.target.clone() {
            Target::Unset => return Err(no_service()),
            Target::Sandbox => self.sandbox_client().await?,
            Target::Service { address, from } => {
                let base = BaseUrl::new(&address)
                    .map_err(|error| Failure::usage(format!("{from}: {error}")))?;
                let token = token(&self.settings.token)?;
                let rate = SharedFile::name(&base, &token);
                self.build(&base, token, &rate)?
            }
        };
        Ok(self.client.insert(client).clone())
    }

    /// A file of what this service said that can be fetched again. None where no service is named.
    pub(crate) fn cache_file(&self, what: &str) -> Option<PathBuf> {
        let service = self.service()?;
        folders::cache(&self.settings).map(|folder| folder.join(format!("{what}-{service}.json")))
    }

    /// A name for the service, by which files about it are told apart: its origin, as far as file names allow.
    pub(crate) fn service(&self) -> Option<String> {
        let origin = match &self.settings.target {
            Target::Unset => return None,
            Target::Sandbox => return Some("sandbox".to_owned()),
            Target::Service { address, .. } => BaseUrl::new(address).ok()?.origin(),
        };
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
        Some(origin.replace("://", "-").chars().map(plain).collect())
    }

    /// The sandbox has a token of its own: that of the environment is never sent to it.
    #[cfg(feature = "sandbox")]
    async fn sandbox_client(&mut self) -> Result<Client, Failure> {
        use crate::sandbox;
        let server = sandbox::start(&self.settings, None, true).await?;
        let base = BaseUrl::new(&server.base_url()).map_err(Failure::internal)?;
        let token = Token::new(&server.token()).map_err(Failure::internal)?;
        self.sandbox = Some(server);
        self.build(&base, token, sandbox::RATE)
    }

    #[cfg(not(feature = "sandbox"))]
    async fn sandbox_client(&mut self) -> Result<Client, Failure> {
        std::future::ready(Err(Failure::usage("this program was built without the sandbox"))).await
    }

    /// A client that keeps within the rate limits together with all other processes that use this file.
    fn build(&self, base: &BaseUrl, token: Token, rate: &str) -> Result<Client, Failure> {
        let watch = Arc::new(self.ui.watch());
        let builder = Client::builder(base.as_str())
            .token(token)
            .user_agent(concat!("links-cli/", env!("CARGO_PKG_VERSION")))
            .observer(watch.clone());
        let builder = match self.settings.max_wait {
            Some(wait) => builder.max_wait(wait),
            None => builder,
        };
        let builder = match folders::state(&self.settings) {
            Some(folder) => {
                builder.pacer(Arc::new(SharedFile::new(folder.join(rate)).observer(watch)))
            }
            None => builder,
        };
        #[cfg(debug_assertions)]
        let builder = crate::hurry::up(builder);
        builder.build().map_err(|error| Failure::new(Exit::Network, error.to_string()))
    }
}

fn no_service() -> Failure {
    Failure::usage("no service is named").hint(
        "set LINKS_BASE_URL or give --base-url; or try it with --sandbox, which needs no account",
    )
}

fn token(source: &TokenSource) -> Result<Token, Failure> {
    let (text, name) = match source {
        TokenSource::Variable(text) => (text.clone(), "LINKS_TOKEN".to_owned()),
        TokenSource::File(path) => (read_token(path)?, path.display().to_string()),
        TokenSource::Unset => {
            return Err(Failure::new(Exit::NotAuthenticated, "there is no token")
                .hint("set LINKS_TOKEN or LINKS_TOKEN_FILE; tokens are issued in the account's API settings"));
        }
    };
    Token::new(&text)
        .map_err(|error| Failure::new(Exit::NotAuthenticated, format!("{name}: {error}")))
}

fn read_token(path: &Path) -> Result<String, Failure> {
    let mut text = String::new();
    File::open(path).and_then(|file| file.take(TOKEN_FILE_MAX).read_to_string(&mut text)).map_err(
        |error| {
            Failure::usage(format!("LINKS_TOKEN_FILE: cannot read {}: {error}", path.display()))
        },
    )?;
    Ok(text)
}
