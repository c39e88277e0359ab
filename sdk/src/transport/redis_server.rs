//! A Redis server, given by its URL, and connections to it.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{
    AsyncConnectionConfig, ConnectionAddr, IntoConnectionInfo, RedisConnectionInfo, RedisError,
};
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio_rustls::TlsConnector;
use url::Url;

use super::tls;
use crate::blocking::locked;
use crate::ids::InvalidValue;

/// Maximum time to connect, and to answer one command.
const PATIENCE: Duration = Duration::from_secs(2);
const PORT: u16 = 6379;

/// A Redis server through which machines share limits and logins: `redis://`, `rediss://` (TLS, with the certificates of the system) or,
/// for a socket on this machine, `unix://`.
///
/// Clones share one connection, which is opened when it is needed. `Display` and `Debug` show neither the user name nor the password.
///
/// ```
/// use links_sdk::RedisServer;
///
/// let server = RedisServer::new("rediss://links:secret@redis.example:6380/1")?;
/// assert_eq!(server.to_string(), "rediss://redis.example:6380/1");
/// assert!(RedisServer::new("http://redis.example").is_err());
/// # Ok::<(), links_sdk::InvalidValue>(())
/// ```
#[derive(Clone)]
pub struct RedisServer {
    address: ConnectionAddr,
    /// Set for TLS, which the library does not have here: a program has one TLS, set up for each connection.
    is_encrypted: bool,
    login: RedisConnectionInfo,
    url: Url,
    shown: String,
    shared: Arc<SharedConnection>,
}

/// The connection that all clones share.
#[derive(Default)]
struct SharedConnection {
    current: std::sync::Mutex<Option<Arc<RedisConnection>>>,
    /// Number of attempts to connect that have failed, and the last failure.
    failed: std::sync::Mutex<(u64, Option<RedisError>)>,
    /// Held by the one who connects.
    connecting: Mutex<()>,
}

/// A connection, and the run of the server to which it leads.
pub(crate) struct RedisConnection {
    pub(crate) commands: MultiplexedConnection,
    /// Changes when the server is restarted; empty if the server does not tell.
    pub(crate) run: String,
}

impl RedisServer {
    /// Reads a URL. Nothing is sent.
    ///
    /// # Errors
    ///
    /// When the text is not the URL of a Redis server.
    pub fn new(url: impl AsRef<str>) -> Result<Self, InvalidValue> {
        let invalid = |why: &str| InvalidValue::new(format!("not a Redis URL: {why}"));
        let parse = |text: &str| Url::parse(text).map_err(|error| invalid(&error.to_string()));
        let mut url = parse(url.as_ref().trim())?;
        let scheme = url.scheme().to_owned();
        let is_socket = matches!(&*scheme, "unix" | "redis+unix");
        if !is_socket && !matches!(&*scheme, "redis" | "rediss") {
            return Err(invalid("it must start with redis://, rediss:// or unix://"));
        }
        let is_encrypted = scheme == "rediss";
        if is_encrypted {
            url = parse(&url.as_str().replacen("rediss", "redis", 1))?;
        }
        let info = url.clone().into_connection_info();
        let info =
            info.map_err(|error| invalid(error.detail().unwrap_or("it cannot be parsed")))?;
        let address = info.addr().clone();
        let shown = match &address {
            ConnectionAddr::Unix(path) => format!("unix://{}", path.display()),
            _ => {
                let (host, port) = (url.host_str().unwrap_or_default(), url.port().unwrap_or(PORT));
                format!("{scheme}://{host}:{port}{}", url.path().trim_end_matches('/'))
            }
        };
        let login = info.redis_settings().clone();
        Ok(Self { address, is_encrypted, login, url, shown, shared: Arc::default() })
    }

    /// Returns the connection that all clones share, and whether it was made just now. An attempt that fails fails for all who wait for it: of a
    /// server that does not respond, each attempt takes as long as there is patience.
    pub(crate) async fn connection(&self) -> Result<(Arc<RedisConnection>, bool), RedisError> {
        let SharedConnection { current, failed, connecting } = &*self.shared;
        let known = || Some((locked(current).clone()?, false));
        let failures = locked(failed).0;
        if let Some(known) = known() {
            return Ok(known);
        }
        let _connecting = connecting.lock().await;
        if let Some(known) = known() {
            return Ok(known);
        }
        if let (count, Some(failure)) = &*locked(failed)
            && *count > failures
        {
            return Err(failure.clone());
        }
        match self.connect().await.map(Arc::new) {
            Ok(made) => {
                *locked(current) = Some(made.clone());
                Ok((made, true))
            }
            Err(error) => {
                let mut failed = locked(failed);
                *failed = (failed.0 + 1, Some(error.clone()));
                Err(error)
            }
        }
    }

    /// Uses a connection no more, after an error.
    pub(crate) fn disconnect(&self, connection: &Arc<RedisConnection>) {
        locked(&self.shared.current).take_if(|current| Arc::ptr_eq(current, connection));
    }

    /// Connects and logs in. The connection lives in the runtime of the caller.
    pub(crate) async fn connect(&self) -> Result<RedisConnection, RedisError> {
        let connecting = async {
            match &self.address {
                ConnectionAddr::Unix(path) => self.log_in(unix(path).await?).await,
                ConnectionAddr::Tcp(host, port) => {
                    let stream = TcpStream::connect((host.as_str(), *port)).await?;
                    stream.set_nodelay(true)?;
                    if self.is_encrypted {
                        self.log_in(encrypted(stream, host).await?).await
                    } else {
                        self.log_in(stream).await
                    }
                }
                _ => Err(io::Error::from(io::ErrorKind::Unsupported).into()),
            }
        };
        let late = |_| io::Error::new(io::ErrorKind::TimedOut, "it did not respond in time");
        tokio::time::timeout(PATIENCE, connecting).await.map_err(late)?
    }

    async fn log_in<S>(&self, stream: S) -> Result<RedisConnection, RedisError>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let config = AsyncConnectionConfig::new().set_response_timeout(Some(PATIENCE));
        let (mut commands, driver) =
            MultiplexedConnection::new_with_config(&self.login, stream, config).await?;
        tokio::spawn(driver);
        // An account of the server may be forbidden to ask this.
        let about: Result<String, _> =
            redis::cmd("INFO").arg("server").query_async(&mut commands).await;
        let about = match about {
            Err(error) if error.is_io_error() => return Err(error),
            about => about.unwrap_or_default(),
        };
        let run = about.lines().find_map(|line| line.strip_prefix("run_id:"));
        Ok(RedisConnection { commands, run: run.unwrap_or_default().to_owned() })
    }
}

#[cfg(unix)]
async fn unix(path: &std::path::Path) -> io::Result<tokio::net::UnixStream> {
    tokio::net::UnixStream::connect(path).await
}

#[cfg(not(unix))]
#[expect(clippy::unused_async, reason = "elsewhere it waits")]
async fn unix(_: &std::path::Path) -> io::Result<TcpStream> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "this system does not support Unix sockets"))
}

async fn encrypted(
    stream: TcpStream,
    host: &str,
) -> io::Result<tokio_rustls::client::TlsStream<TcpStream>> {
    let mut config = tls::system_config().map_err(io::Error::other)?;
    config.alpn_protocols.clear();
    let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
    TlsConnector::from(Arc::new(config)).connect(name, stream).await
}

impl PartialEq for RedisServer {
    fn eq(&self, other: &Self) -> bool {
        (&self.url, self.is_encrypted) == (&other.url, other.is_encrypted)
    }
}

impl Eq for RedisServer {}

impl fmt::Display for RedisServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Debug for RedisServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RedisServer").field(&self.shown).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_shown_without_its_password() {
        let shown = |url| RedisServer::new(url).map(|it| format!("{it} {it:?}"));
        for (url, expected) in [
            ("redis://redis.example", "redis://redis.example:6379"),
            ("rediss://canary:canary@redis.example:1/2", "rediss://redis.example:1/2"),
            ("redis://:canary@[::1]:7000/", "redis://[::1]:7000"),
            ("unix:///run/redis.sock?pass=canary&db=3", "unix:///run/redis.sock"),
        ] {
            let shown = shown(url).unwrap();
            assert!(!shown.contains("canary"), "{shown}");
            assert_eq!(shown, format!("{expected} RedisServer({expected:?})"));
        }
        for url in [
            "http://canary@h",
            "canary",
            "redis://:canary@h:x",
            "rediss:///canary",
            "redis://h/canary",
        ] {
            let error = shown(url).unwrap_err().to_string();
            assert!(!error.contains("canary"), "{error}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn all_who_wait_for_a_server_that_does_not_respond_wait_for_one_attempt() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = RedisServer::new(format!("redis://{}", listener.local_addr().unwrap()));
        let server = server.unwrap();
        let start = tokio::time::Instant::now();
        for attempt in 1..=2 {
            let clones = [(); 8].map(|()| server.clone());
            let connecting = clones.iter().map(RedisServer::connection);
            for connection in futures_util::future::join_all(connecting).await {
                assert!(connection.is_err_and(|error| error.is_timeout()));
            }
            let waited = start.elapsed();
            assert!(waited < attempt * PATIENCE + PATIENCE / 2, "{attempt}: {waited:?}");
        }
    }

    #[test]
    fn the_login_is_that_of_the_url() {
        let server = RedisServer::new("rediss://links:se%20cret@redis.example/2").unwrap();
        let login = &server.login;
        assert_eq!(
            (login.username(), login.password(), login.db()),
            (Some("links"), Some("se cret"), 2)
        );
        assert!(server.is_encrypted && matches!(server.address, ConnectionAddr::Tcp(_, 6379)));
    }
}
