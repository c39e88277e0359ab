//! Configuration file: TOML in the configuration directory. A file in the current directory is never read, and no key holds a secret.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use links_sdk::BaseUrl;
use toml_edit::{DocumentMut, Item, Value};

use super::global_args::Color;
use crate::env_vars;
use crate::error::file_error::cannot;
use crate::error::{CommandError, Result};
use crate::output::format::Format;
use links_pages::fs::private;
use links_pages::suggest::did_you_mean;

/// Function that returns the value of an environment variable.
pub(super) type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Name of the file in its directory.
const NAME: &str = "config.toml";

/// Maximum size of the file.
const MAX_BYTES: u64 = 1024 * 1024;

/// Key of the file.
#[derive(Debug)]
pub(crate) struct ConfigKey {
    /// Name in the file.
    pub(crate) name: &'static str,
    /// Variable of the environment that takes precedence.
    pub(crate) variable: &'static str,
    /// Value without either.
    pub(crate) default: &'static str,
    /// Description.
    pub(crate) about: &'static str,
}

const fn config_key(
    name: &'static str,
    variable: &'static str,
    default: &'static str,
    about: &'static str,
) -> ConfigKey {
    ConfigKey { name, variable, default, about }
}

/// All keys.
pub(crate) const KEYS: &[ConfigKey] = &[
    config_key("output", env_vars::OUTPUT, "table", "output format"),
    config_key(
        "base-url",
        env_vars::BASE_URL,
        "",
        "URL of the service, including the version segment",
    ),
    config_key("color", env_vars::COLOR, "auto", "when to use color: auto, always or never"),
    config_key(
        "progress",
        env_vars::PROGRESS,
        "true",
        "whether to show progress on a terminal: true or false",
    ),
    config_key(
        "confirm",
        env_vars::CONFIRM,
        "all",
        "which changes `apply` asks about on a terminal: all, or deletes (deletes, uploads and changes that cannot be undone)",
    ),
    config_key(
        "timeout",
        env_vars::TIMEOUT,
        "120",
        "time limit per call in seconds, including waits and retries",
    ),
    config_key("max-wait", env_vars::MAX_WAIT, "", "maximum wait for rate limits, in seconds"),
    config_key(
        "safe-directory",
        env_vars::SAFE_DIRECTORY,
        "",
        "directories whose files may belong to other users, separated as in PATH; * allows all",
    ),
];

/// Content of the file.
#[derive(Debug, Default)]
pub(crate) struct Config {
    document: DocumentMut,
}

impl Config {
    /// Reads a file. A missing file has no keys.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, is not TOML, or has an unknown key or an invalid value.
    pub(crate) fn load(path: &Path) -> Result<Self> {
        let text = match read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(cannot("read", path)(error)),
        };
        let wrong = |at: usize, why: &str| {
            let line = text[..at.min(text.len())].matches('\n').count() + 1;
            CommandError::usage(format!("{}:{line}: {why}", path.display()))
                .with_hint(format!("edit {0}, or delete it to use the defaults", path.display()))
        };
        // The parsed form has the positions of its values, the editable form has not.
        let parsed = toml_edit::Document::parse(text.as_str())
            .map_err(|error| wrong(error.span().map_or(0, |span| span.start), error.message()))?;
        for (name, item) in parsed.iter() {
            let at = parsed.key(name).and_then(toml_edit::Key::span).map_or(0, |it| it.start);
            let key = key(name).map_err(|failure| wrong(at, &failure.to_string()))?;
            let text = text_of(item)
                .ok_or_else(|| wrong(at, &format!("`{name}` must be a single value")))?;
            key.value(&text).map_err(|why| wrong(at, &why))?;
        }
        Ok(Self { document: parsed.into_mut() })
    }

    /// Creates a file with these keys.
    #[cfg(test)]
    pub(crate) fn of(keys: &[(&str, &str)]) -> Self {
        let mut config = Self::default();
        for (name, text) in keys {
            config.document[name] = Item::Value(Value::from(*text));
        }
        config
    }

    /// Returns the value of a key.
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        text_of(self.document.get(name)?)
    }

    /// Returns the value of the key that corresponds to a variable.
    pub(crate) fn of_variable(&self, variable: &str) -> Option<String> {
        self.get(KEYS.iter().find(|key| key.variable == variable)?.name)
    }

    /// Sets a key in the file, or removes it. Everything else in the file stays, comments included.
    ///
    /// # Errors
    ///
    /// When the key cannot have the value, or the file cannot be written.
    pub(crate) fn change(path: &Path, key: &ConfigKey, text: Option<&str>) -> Result<()> {
        let unwritable = cannot("write", path);
        let _lock = private::lock(&path.with_extension("lock")).map_err(unwritable)?;
        let mut config = Self::load(path)?;
        config.set(key, text)?;
        private::write(path, config.document.to_string().as_bytes()).map_err(unwritable)
    }

    fn set(&mut self, key: &ConfigKey, text: Option<&str>) -> Result<()> {
        let Some(text) = text else {
            self.document.remove(key.name);
            return Ok(());
        };
        let value = key.value(text).map_err(CommandError::usage)?;
        match self.document.get_mut(key.name).and_then(Item::as_value_mut) {
            Some(old) => {
                let decor = old.decor().clone();
                *old = value;
                *old.decor_mut() = decor;
            }
            None => self.document[key.name] = Item::Value(value),
        }
        Ok(())
    }
}

impl ConfigKey {
    /// Returns the value that a text stands for.
    ///
    /// # Errors
    ///
    /// When the key cannot have this value.
    fn value(&self, text: &str) -> Result<Value, String> {
        let (value, expected) = match self.name {
            "output" => (Format::from_word(text).map(|_| text.into()), Format::WORDS),
            "base-url" => {
                let url = BaseUrl::new(text).map_err(|why| format!("`{}`: {why}", self.name));
                return url.map(|_| text.into());
            }
            "color" => (Color::from_str(text, false).ok().map(|_| text.into()), COLORS),
            "confirm" => (confirms_all(text).map(|_| text.into()), CONFIRMED),
            "progress" => (text.parse::<bool>().ok().map(Value::from), "true or false"),
            "timeout" | "max-wait" => {
                let least = u32::from(self.name == "timeout");
                let seconds = text.parse::<u32>().ok().filter(|it| *it >= least);
                let expected = if least == 1 { "a number of seconds, at least 1" } else { SECONDS };
                (seconds.map(|it| i64::from(it).into()), expected)
            }
            "safe-directory" => {
                let is_whole = |it: PathBuf| it.as_os_str() == "*" || it.is_absolute();
                let text = Some(text).filter(|text| std::env::split_paths(text).all(is_whole));
                (text.map(Value::from), "absolute paths, or *")
            }
            _ => return Ok(text.into()),
        };
        value.ok_or_else(|| format!("`{}` must be {expected}, not `{text}`", self.name))
    }
}

/// What the use of colour must be.
pub(super) const COLORS: &str = "auto, always or never";

/// What is asked about must be.
pub(super) const CONFIRMED: &str = "all or deletes";

/// Tells whether a word means that all changes are asked about.
pub(super) fn confirms_all(word: &str) -> Option<bool> {
    match word {
        "all" => Some(true),
        "deletes" => Some(false),
        _ => None,
    }
}

/// What a time must be.
pub(super) const SECONDS: &str = "a number of seconds";

/// Returns the value of a variable, if it is set.
///
/// # Errors
///
/// When it has another value than the expected ones.
pub(super) fn variable<T>(
    set: Env<'_>,
    name: &str,
    expected: &str,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<Option<T>> {
    let Some(text) = set(name) else { return Ok(None) };
    parse(&text)
        .map(Some)
        .ok_or_else(|| CommandError::usage(format!("{name} must be {expected}, not `{text}`")))
}

/// Returns the key of this name.
///
/// # Errors
///
/// When there is none; the error names a similar one.
pub(crate) fn key(name: &str) -> Result<&'static ConfigKey> {
    KEYS.iter().find(|key| key.name == name).ok_or_else(|| {
        CommandError::usage(format!("unknown key `{name}`"))
            .with_hint("`links config list` shows all keys")
            .hinted(did_you_mean(name, KEYS.iter().map(|key| key.name)))
    })
}

/// Returns the path of the file.
pub(crate) fn path(directory: &Path) -> PathBuf {
    directory.join(NAME)
}

fn read(path: &Path) -> io::Result<String> {
    let file = private::open_file(path)?;
    // The file may name the service, to which the token is sent.
    if private::is_public(path)? {
        return Err(io::Error::other("it is writable by others"));
    }
    if private::is_public(path.parent().unwrap_or(Path::new("/")))? {
        return Err(io::Error::other("its directory is writable by others"));
    }
    let mut text = String::new();
    file.take(MAX_BYTES).read_to_string(&mut text)?;
    Ok(text)
}

fn text_of(item: &Item) -> Option<String> {
    match item.as_value()? {
        Value::String(text) => Some(text.value().clone()),
        Value::Integer(number) => Some(number.value().to_string()),
        Value::Boolean(switch) => Some(switch.value().to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(NAME);
        std::fs::write(&path, text).unwrap();
        (directory, path)
    }

    #[test]
    fn values_are_read_by_key_and_by_variable() {
        let (_directory, path) = file("output = \"json\"\ntimeout = 30\nprogress = false\n");
        let config = Config::load(&path).unwrap();
        assert_eq!(config.of_variable("LINKS_OUTPUT").as_deref(), Some("json"));
        assert_eq!(config.of_variable("LINKS_TIMEOUT").as_deref(), Some("30"));
        assert_eq!(config.get("progress").as_deref(), Some("false"));
        assert_eq!(config.of_variable("LINKS_TOKEN"), None);
        assert!(Config::load(&path.with_file_name("none")).unwrap().get("output").is_none());
    }

    #[test]
    fn an_invalid_key_or_value_is_reported_with_its_line() {
        for (text, why) in [
            ("a = ", ":1: "),
            ("\noutptu = \"json\"", ":2: unknown key `outptu`"),
            ("output = \"xml\"", ":1: `output` must be one of"),
            ("timeout = 0", "`timeout` must be a number of seconds, at least 1"),
            ("safe-directory = \"rel/path\"", "must be absolute paths, or *"),
            ("safe-directory = \"\"", "must be absolute paths, or *"),
            ("base-url = \"http://links.test\"", "`base-url`: "),
            ("color = [\"never\"]", "must be a single value"),
            ("token = \"x\"", "unknown key `token`"),
        ] {
            let (_directory, path) = file(text);
            let failure = Config::load(&path).unwrap_err();
            assert!(failure.to_string().contains(why), "{text}: {failure}");
        }
    }

    #[test]
    fn setting_a_key_keeps_comments_and_other_keys() {
        let (_directory, path) = file("# mine\noutput = \"json\" # always\n");
        let change = |name, text| Config::change(&path, key(name).unwrap(), text);
        change("output", Some("yaml")).unwrap();
        change("timeout", Some("30")).unwrap();
        assert!(change("timeout", Some("x")).is_err());
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, "# mine\noutput = \"yaml\" # always\ntimeout = 30\n");
        change("output", None).unwrap();
        assert_eq!(Config::load(&path).unwrap().get("output"), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_followed_and_a_dangling_one_refused() {
        let (directory, path) = file("");
        let link = directory.path().join("link.toml");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let change = |text| Config::change(&link, key("output").unwrap(), Some(text));
        change("csv").unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "output = \"csv\"\n");
        std::fs::remove_file(&path).unwrap();
        assert!(change("yaml").is_err());
        let left = std::fs::read_dir(directory.path()).unwrap().count();
        assert_eq!(left, 2, "nothing but the link and the lock");
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_anyone_can_write_to_is_not_read() {
        use std::os::unix::fs::PermissionsExt;
        let allow = |path: &Path, mode| {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        let (directory, path) = file("output = \"json\"\n");
        allow(&path, 0o666);
        let failure = Config::load(&path).unwrap_err();
        assert!(failure.to_string().contains("it is writable by others"), "{failure}");
        allow(&path, 0o664);
        allow(directory.path(), 0o777);
        let failure = Config::load(&path).unwrap_err();
        assert!(failure.to_string().contains("its directory is writable by others"), "{failure}");
        for mode in [0o1777, 0o775, 0o700] {
            allow(directory.path(), mode);
            assert!(Config::load(&path).is_ok(), "{mode:o}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn only_a_regular_file_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let pipe = directory.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        for path in [directory.path(), &pipe, Path::new("/dev/zero")] {
            let failure = Config::load(path).unwrap_err();
            assert!(failure.to_string().ends_with("it is not a regular file"), "{failure}");
        }
    }
}
