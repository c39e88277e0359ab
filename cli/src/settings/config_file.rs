//! The configuration file: TOML in the platform's directory for it, and nowhere else. A file in the current directory is never read, and no
//! key holds a secret.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use links_sdk::BaseUrl;
use toml_edit::{DocumentMut, Item, Value};

use crate::env_vars;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::fs::private;
use crate::output::format::Format;
use crate::suggest::nearest;

/// The file's name in its directory.
const NAME: &str = "config.toml";

/// A larger file is not one of ours.
const MAX_BYTES: u64 = 1024 * 1024;

/// A key of the file.
#[derive(Debug)]
pub(crate) struct ConfigKey {
    /// Its name in the file.
    pub(crate) name: &'static str,
    /// The variable of the environment that goes before it.
    pub(crate) variable: &'static str,
    /// What applies without either.
    pub(crate) default: &'static str,
    /// What it sets.
    pub(crate) about: &'static str,
    kind: KeyKind,
}

/// What a key may be set to.
#[derive(Clone, Copy, Debug)]
enum KeyKind {
    Format,
    Address,
    Color,
    Switch,
    Seconds,
    Wait,
}

/// Every key.
pub(crate) const KEYS: &[ConfigKey] = &[
    ConfigKey {
        name: "output",
        variable: env_vars::OUTPUT,
        default: "table",
        about: "how data is printed",
        kind: KeyKind::Format,
    },
    ConfigKey {
        name: "base-url",
        variable: env_vars::BASE_URL,
        default: "",
        about: "URL of the service, including the version segment",
        kind: KeyKind::Address,
    },
    ConfigKey {
        name: "color",
        variable: env_vars::COLOR,
        default: "auto",
        about: "colour: auto, always or never",
        kind: KeyKind::Color,
    },
    ConfigKey {
        name: "progress",
        variable: env_vars::PROGRESS,
        default: "true",
        about: "whether long work shows its progress on a terminal",
        kind: KeyKind::Switch,
    },
    ConfigKey {
        name: "timeout",
        variable: env_vars::TIMEOUT,
        default: "120",
        about: "time limit per call in seconds, including waits and retries",
        kind: KeyKind::Seconds,
    },
    ConfigKey {
        name: "max-wait",
        variable: env_vars::MAX_WAIT,
        default: "",
        about: "longest wait for the rate limits in seconds",
        kind: KeyKind::Wait,
    },
];

/// What the file says.
#[derive(Debug, Default)]
pub(crate) struct Config {
    document: DocumentMut,
}

impl Config {
    /// The file of a directory; nothing where there is none.
    ///
    /// # Errors
    ///
    /// When it cannot be read, is not TOML, or has a key or a value that is none of ours.
    pub(crate) fn load(path: &Path) -> Result<Self, CommandError> {
        let text = match read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => {
                return Err(CommandError::usage(format!(
                    "cannot read {}: {error}",
                    path.display()
                )));
            }
        };
        let wrong = |line: usize, why: &str| {
            CommandError::new(Exit::Usage, format!("{}:{line}: {why}", path.display()))
                .hint(format!("edit {0}, or delete it to do without", path.display()))
        };
        let line = |at: usize| text[..at.min(text.len())].matches('\n').count() + 1;
        // The parsed form knows the places of its values, the editable one does not.
        let parsed = toml_edit::Document::parse(text.as_str())
            .map_err(|error| wrong(line(error.span().map_or(0, |it| it.start)), error.message()))?;
        for (name, item) in parsed.iter() {
            let at = parsed.key(name).and_then(toml_edit::Key::span).map_or(0, |it| it.start);
            let key = key(name).map_err(|failure| wrong(line(at), &failure.to_string()))?;
            let text = text_of(item)
                .ok_or_else(|| wrong(line(at), &format!("`{name}` is not one value")))?;
            key.check(&text).map_err(|why| wrong(line(at), &why))?;
        }
        Ok(Self { document: parsed.into_mut() })
    }

    /// A file with these keys.
    #[cfg(test)]
    pub(crate) fn of(keys: &[(&str, &str)]) -> Self {
        let mut config = Self::default();
        for (name, text) in keys {
            config.document[name] = Item::Value(Value::from(*text));
        }
        config
    }

    /// What a key is set to.
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        text_of(self.document.get(name)?)
    }

    /// What the variable of a key would be set to, if the file has the key.
    pub(crate) fn of_variable(&self, variable: &str) -> Option<String> {
        self.get(KEYS.iter().find(|key| key.variable == variable)?.name)
    }

    /// Sets a key in the file, or removes it. What else the file holds stays, comments too.
    ///
    /// # Errors
    ///
    /// When the value is none of the key's, or the file cannot be written.
    pub(crate) fn change(
        path: &Path,
        key: &ConfigKey,
        text: Option<&str>,
    ) -> Result<(), CommandError> {
        let unwritable = |error: io::Error| {
            CommandError::usage(format!("cannot write {}: {error}", path.display()))
        };
        let _lock = private::lock(&path.with_extension("lock")).map_err(unwritable)?;
        let mut config = Self::load(path)?;
        config.set(key, text)?;
        private::write(path, config.document.to_string().as_bytes()).map_err(unwritable)
    }

    fn set(&mut self, key: &ConfigKey, text: Option<&str>) -> Result<(), CommandError> {
        let Some(text) = text else {
            self.document.remove(key.name);
            return Ok(());
        };
        key.check(text).map_err(CommandError::usage)?;
        let value = match key.kind {
            KeyKind::Switch => Value::from(text == "true"),
            KeyKind::Seconds | KeyKind::Wait => {
                Value::from(text.parse::<i64>().unwrap_or_default())
            }
            KeyKind::Format | KeyKind::Address | KeyKind::Color => Value::from(text),
        };
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
    fn check(&self, text: &str) -> Result<(), String> {
        let Self { name, .. } = self;
        match self.kind {
            KeyKind::Format if Format::from_word(text).is_none() => {
                Err(format!("`{name}` is one of {}, not `{text}`", Format::words()))
            }
            KeyKind::Address => {
                BaseUrl::new(text).map(|_| ()).map_err(|why| format!("`{name}`: {why}"))
            }
            KeyKind::Color if !matches!(text, "auto" | "always" | "never") => {
                Err(format!("`{name}` is auto, always or never, not `{text}`"))
            }
            KeyKind::Switch if !matches!(text, "true" | "false") => {
                Err(format!("`{name}` is true or false, not `{text}`"))
            }
            KeyKind::Seconds if !text.parse::<u32>().is_ok_and(|it| it > 0) => {
                Err(format!("`{name}` is a number of seconds, not `{text}`"))
            }
            KeyKind::Wait if text.parse::<u32>().is_err() => {
                Err(format!("`{name}` is a number of seconds, not `{text}`"))
            }
            _ => Ok(()),
        }
    }
}

/// The key of this name.
///
/// # Errors
///
/// When there is none; the failure names the one that may be meant.
pub(crate) fn key(name: &str) -> Result<&'static ConfigKey, CommandError> {
    KEYS.iter().find(|key| key.name == name).ok_or_else(|| {
        let failure = CommandError::usage(format!("there is no key `{name}`"));
        match nearest(name, KEYS.iter().map(|key| key.name)) {
            Some(meant) => failure.hint(format!("did you mean `{meant}`?")),
            None => failure.hint("`links config list` shows all keys"),
        }
    })
}

/// Where the file is.
///
/// # Errors
///
/// On a machine without a home directory.
pub(crate) fn path(folder: Option<PathBuf>) -> Result<PathBuf, CommandError> {
    folder.map(|folder| folder.join(NAME)).ok_or_else(|| {
        CommandError::usage("there is no home directory to keep a configuration in")
            .hint("name a directory with LINKS_CONFIG_DIR")
    })
}

fn read(path: &Path) -> io::Result<String> {
    let file = private::open_file(path)?;
    // It may name the service, which is told the token.
    if private::is_public(path)? {
        return Err(io::Error::other("anyone can write to it"));
    }
    if private::is_public(path.parent().unwrap_or(Path::new("/")))? {
        return Err(io::Error::other("anyone can write to its directory"));
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
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NAME);
        std::fs::write(&path, text).unwrap();
        (folder, path)
    }

    #[test]
    fn a_file_says_what_its_keys_say() {
        let (_folder, path) = file("output = \"json\"\ntimeout = 30\nprogress = false\n");
        let config = Config::load(&path).unwrap();
        assert_eq!(config.of_variable("LINKS_OUTPUT").as_deref(), Some("json"));
        assert_eq!(config.of_variable("LINKS_TIMEOUT").as_deref(), Some("30"));
        assert_eq!(config.get("progress").as_deref(), Some("false"));
        assert_eq!(config.of_variable("LINKS_TOKEN"), None);
        assert!(Config::load(&path.with_file_name("none")).unwrap().get("output").is_none());
    }

    #[test]
    fn a_mistake_is_named_with_its_line() {
        for (text, why) in [
            ("a = ", ":1: "),
            ("\noutptu = \"json\"", ":2: there is no key `outptu`"),
            ("output = \"xml\"", ":1: `output` is one of"),
            ("timeout = 0", "`timeout` is a number of seconds"),
            ("base-url = \"http://links.test\"", "`base-url`: "),
            ("color = [\"never\"]", "not one value"),
            ("token = \"x\"", "no key `token`"),
        ] {
            let (_folder, path) = file(text);
            let failure = Config::load(&path).unwrap_err();
            assert!(failure.to_string().contains(why), "{text}: {failure}");
        }
    }

    #[test]
    fn setting_a_key_keeps_everything_else() {
        let (_folder, path) = file("# mine\noutput = \"json\" # always\n");
        let change = |name, text| Config::change(&path, key(name).unwrap(), text);
        change("output", Some("yaml")).unwrap();
        change("timeout", Some("30")).unwrap();
        change("timeout", Some("x")).unwrap_err();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, "# mine\noutput = \"yaml\" # always\ntimeout = 30\n");
        change("output", None).unwrap();
        assert_eq!(Config::load(&path).unwrap().get("output"), None);
    }

    #[cfg(unix)]
    #[test]
    fn fault_68_a_link_is_followed_and_a_dangling_one_refused() {
        let (folder, path) = file("");
        let link = folder.path().join("link.toml");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let change = |text| Config::change(&link, key("output").unwrap(), Some(text));
        change("csv").unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "output = \"csv\"\n");
        std::fs::remove_file(&path).unwrap();
        change("yaml").unwrap_err();
        let left = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left, 2, "nothing but the link and the lock");
    }

    #[cfg(unix)]
    #[test]
    fn fault_68_what_everybody_can_write_is_not_read() {
        use std::os::unix::fs::PermissionsExt;
        let allow = |path: &Path, mode| {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        let (folder, path) = file("output = \"json\"\n");
        allow(&path, 0o666);
        let failure = Config::load(&path).unwrap_err();
        assert!(failure.to_string().contains("anyone can write to it"), "{failure}");
        allow(&path, 0o664);
        allow(folder.path(), 0o777);
        let failure = Config::load(&path).unwrap_err();
        assert!(failure.to_string().contains("anyone can write to its directory"), "{failure}");
        for mode in [0o1777, 0o775, 0o700] {
            allow(folder.path(), mode);
            assert!(Config::load(&path).is_ok(), "{mode:o}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn fault_67_what_is_no_file_is_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        for path in [folder.path(), &pipe, Path::new("/dev/zero")] {
            let failure = Config::load(path).unwrap_err();
            assert!(failure.to_string().ends_with("it is not a regular file"), "{failure}");
        }
    }
}
