//! The environment variables of this program, each with what it sets: the help topic `environment` is made from them.

/// The format of the output.
pub(crate) const OUTPUT: &str = "LINKS_OUTPUT";
/// The URL of the service.
pub(crate) const BASE_URL: &str = "LINKS_BASE_URL";
/// The use of colour.
pub(crate) const COLOR: &str = "LINKS_COLOR";
/// The display of progress.
pub(crate) const PROGRESS: &str = "LINKS_PROGRESS";
/// What `apply` asks about on a terminal.
pub(crate) const CONFIRM: &str = "LINKS_CONFIRM";
/// Time limit of one call.
pub(crate) const TIMEOUT: &str = "LINKS_TIMEOUT";
/// The maximum wait for the rate limits.
pub(crate) const MAX_WAIT: &str = "LINKS_MAX_WAIT";
/// Whether a fifth of each rate limit is left to people.
pub(crate) const BACKGROUND: &str = "LINKS_BACKGROUND";
/// The server that shares the rate limits between machines.
pub(crate) const PACER: &str = "LINKS_PACER";
/// What happens while that server cannot be reached.
pub(crate) const PACER_UNREACHABLE: &str = "LINKS_PACER_UNREACHABLE";
/// A file that requests and responses are recorded in.
pub(crate) const RECORD: &str = "LINKS_RECORD";
/// The access token.
pub(crate) const TOKEN: &str = "LINKS_TOKEN";
/// A file with the access token.
pub(crate) const TOKEN_FILE: &str = "LINKS_TOKEN_FILE";
/// The account.
pub(crate) const ACCOUNT: &str = "LINKS_ACCOUNT";
/// The URL of the connector.
pub(crate) const MCP_URL: &str = "LINKS_MCP_URL";
/// A file with certificates to trust.
pub(crate) const CA_FILE: &str = "LINKS_CA_FILE";
/// A file with a client certificate and its key.
pub(crate) const CLIENT_CERT: &str = "LINKS_CLIENT_CERT";
/// The use of the embedded service.
pub(crate) const SANDBOX: &str = "LINKS_SANDBOX";
/// Whether every write has to be planned before.
pub(crate) const PLAN_FIRST: &str = "LINKS_PLAN_FIRST";
/// Whether an agent reads the output.
pub(crate) const AGENT: &str = "LINKS_AGENT";
/// The detail of messages about requests.
pub(crate) const LOG: &str = "LINKS_LOG";
/// The directory of the configuration.
pub(crate) const CONFIG_DIR: &str = "LINKS_CONFIG_DIR";
/// Directories whose files are trusted whoever owns them.
pub(crate) const SAFE_DIRECTORY: &str = links_pages::fs::named::SAFE_DIRECTORY;
/// The directory of state.
pub(crate) const STATE_DIR: &str = "LINKS_STATE_DIR";
/// The directory of the caches.
pub(crate) const CACHE_DIR: &str = "LINKS_CACHE_DIR";
/// The shell that requests completion candidates. The shell's script sets it, not the user.
pub(crate) const COMPLETE: &str = "LINKS_COMPLETE";
/// The words of the line to complete, one a line: not all versions of PowerShell hand over every argument as it is.
pub(crate) const COMPLETE_WORDS: &str = "LINKS_COMPLETE_WORDS";
/// The use of a clock that does not wait, in a test.
#[cfg(debug_assertions)]
pub(crate) const TEST_NO_WAIT: &str = "LINKS_TEST_NO_WAIT";
/// A file that a test tries to open in a confined process.
#[cfg(debug_assertions)]
pub(crate) const TEST_PROBE: &str = "LINKS_TEST_PROBE";
/// Whether there is a network, in a test.
#[cfg(debug_assertions)]
pub(crate) const TEST_ONLINE: &str = "LINKS_TEST_ONLINE";
/// The text of a panic, in a test.
#[cfg(debug_assertions)]
pub(crate) const TEST_PANIC: &str = "LINKS_TEST_PANIC";

/// Variables that hold a secret or lead to it: no other program gets them.
pub(crate) const SECRET: [&str; 3] = [TOKEN, TOKEN_FILE, PACER];

/// Variables without a key in the configuration file, each with its meaning.
pub(crate) const ABOUT: &[(&str, &str)] = &[
    (TOKEN, "access token"),
    (TOKEN_FILE, "file that contains the access token"),
    (ACCOUNT, "name of the account to use"),
    (MCP_URL, "URL of the authorization server, for logging in"),
    (SANDBOX, "1: use the built-in sandbox instead of an account; limits: also apply rate limits"),
    (CA_FILE, "PEM file with certificates to trust, in addition to the system's"),
    (CLIENT_CERT, "PEM file with a client certificate and its private key"),
    (PACER, "Redis server that shares the rate limits with other machines, such as redis://HOST"),
    (
        PACER_UNREACHABLE,
        "what to do if that server cannot be reached: wait, fail, or share:N to use one Nth of each limit",
    ),
    (BACKGROUND, "1: leave a fifth of each rate limit to people; 0: use all of it, even in CI"),
    (
        PLAN_FIRST,
        "1: require a saved plan or a dry run before every write (see `links help agents`)",
    ),
    (AGENT, "1: mark where the data of an output begins and ends (see `links help agents`)"),
    (LOG, "1: log each request; 2: also log headers and bodies"),
    (RECORD, "file to add each request and its response to, as JSON lines without tokens"),
    (CONFIG_DIR, "configuration directory"),
    (STATE_DIR, "state directory, for rate limits, runs of apply, and the sandbox"),
    (CACHE_DIR, "cache directory, which you can delete"),
    ("NO_COLOR", "any value: turn off color"),
    ("CLICOLOR_FORCE", "1: use color even without a terminal"),
    ("VISUAL, EDITOR", "editor for pages, forms and slots"),
    ("BROWSER", "browser for pages and for logging in"),
    ("HTTPS_PROXY, HTTP_PROXY, NO_PROXY", "proxies, and hosts that are reached without one"),
];
