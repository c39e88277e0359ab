//! Where each setting comes from: flag over environment over default, in one pure function.

use std::path::PathBuf;
use std::time::Duration;

use crate::args::Global;
use crate::diagnostic::Failure;
use crate::formats::Format;

/// What a run works with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    /// How data is printed.
    pub(crate) output: Format,
    /// Which service is spoken to.
    pub(crate) target: Target,
    /// Where the token is.
    pub(crate) token: TokenSource,
    /// The folder of state that outlives a run, if the user names one.
    pub(crate) state_dir: Option<PathBuf>,
    /// Longest wait for the rate limits, if there is one.
    pub(crate) max_wait: Option<Duration>,
    /// The folder of what can be fetched again, if the user names one.
    pub(crate) cache_dir: Option<PathBuf>,
    /// Whether colour may be used at all.
    pub(crate) color: bool,
}

/// Which service is spoken to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// The one at an address; with what named it.
    Service {
        /// The address, not checked yet.
        address: String,
        /// The flag or variable it came from.
        from: &'static str,
    },
    /// The embedded one.
    Sandbox,
    /// None was named.
    Unset,
}

/// Where the token is. It is read only when the service is spoken to.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum TokenSource {
    /// In the environment.
    Variable(String),
    /// In a file.
    File(PathBuf),
    /// Nowhere.
    Unset,
}

/// Reads an environment variable.
pub(crate) type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Settles every setting.
///
/// # Errors
///
/// When a variable holds a word that is none of its values.
pub(crate) fn resolve(flags: &Global, env: Env<'_>) -> Result<Settings, Failure> {
    let set = |name: &str| env(name).filter(|value| !value.is_empty());
    let output = match (flags.output, set("LINKS_OUTPUT")) {
        (Some(format), _) => format,
        (None, _) if flags.jq.is_some() => Format::Json,
        (None, Some(word)) => Format::from_word(&word).ok_or_else(|| {
            Failure::usage(format!(
                "LINKS_OUTPUT is `{word}`, which is none of {}",
                Format::words()
            ))
        })?,
        (None, None) => Format::Table,
    };
    let target = match (&flags.base_url, flags.sandbox, set("LINKS_BASE_URL")) {
        (Some(address), ..) => Target::Service { address: address.clone(), from: "--base-url" },
        (None, true, _) => Target::Sandbox,
        (None, false, address) => {
            match (is_on("LINKS_SANDBOX", set("LINKS_SANDBOX").as_deref())?, address) {
                (true, _) => Target::Sandbox,
                (false, Some(address)) => Target::Service { address, from: "LINKS_BASE_URL" },
                (false, None) => Target::Unset,
            }
        }
    };
    // An empty LINKS_TOKEN is kept: it is a mistake to name, not a token to look for elsewhere.
    let token = match (env("LINKS_TOKEN"), set("LINKS_TOKEN_FILE")) {
        (Some(token), _) => TokenSource::Variable(token),
        (None, Some(path)) => TokenSource::File(path.into()),
        (None, None) => TokenSource::Unset,
    };
    let max_wait = match (flags.max_wait, set("LINKS_MAX_WAIT")) {
        (Some(seconds), _) => Some(seconds),
        (None, Some(text)) => Some(text.parse().map_err(|_| {
            Failure::usage(format!("LINKS_MAX_WAIT is `{text}`, not a number of seconds"))
        })?),
        (None, None) => None,
    };
    Ok(Settings {
        output,
        target,
        token,
        state_dir: set("LINKS_STATE_DIR").map(Into::into),
        max_wait: max_wait.map(Duration::from_secs),
        cache_dir: set("LINKS_CACHE_DIR").map(Into::into),
        color: set("NO_COLOR").is_none() && set("TERM").is_none_or(|it| it != "dumb"),
    })
}

fn is_on(name: &str, value: Option<&str>) -> Result<bool, Failure> {
    match value {
        None | Some("0" | "false" | "no" | "off") => Ok(false),
        Some("1" | "true" | "yes" | "on") => Ok(true),
        Some(word) => Err(Failure::usage(format!("{name} is `{word}`, not 1 or 0"))),
    }
}

impl std::fmt::Debug for TokenSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Variable(_) => f.write_str("Variable(***)"),
            Self::File(path) => f.debug_tuple("File").field(path).finish(),
            Self::Unset => f.write_str("Unset"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(flags: &Global, env: &[(&str, &str)]) -> Result<Settings, Failure> {
        resolve(flags, &|name| {
            env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    }

    fn service(address: &str, from: &'static str) -> Target {
        Target::Service { address: address.into(), from }
    }

    #[test]
    fn a_flag_goes_before_the_environment_and_that_before_the_default() {
        let none = Global::default();
        let here = Global {
            base_url: Some("https://flag".into()),
            output: Some(Format::Json),
            ..Global::default()
        };
        let sandbox = Global { sandbox: true, ..Global::default() };
        let env = [("LINKS_BASE_URL", "https://env"), ("LINKS_OUTPUT", "json")];

        assert_eq!(resolved(&none, &[]).unwrap().target, Target::Unset);
        assert_eq!(resolved(&none, &env).unwrap().target, service("https://env", "LINKS_BASE_URL"));
        assert_eq!(resolved(&here, &env).unwrap().target, service("https://flag", "--base-url"));
        assert_eq!(resolved(&sandbox, &env).unwrap().target, Target::Sandbox);
        assert_eq!(
            resolved(&here, &[("LINKS_SANDBOX", "1")]).unwrap().target,
            service("https://flag", "--base-url")
        );

        assert_eq!(resolved(&none, &[]).unwrap().output, Format::Table);
        assert_eq!(resolved(&none, &env).unwrap().output, Format::Json);
        assert_eq!(resolved(&here, &[("LINKS_OUTPUT", "table")]).unwrap().output, Format::Json);
    }

    #[test]
    fn the_sandbox_of_the_environment_goes_before_its_address() {
        let env = [("LINKS_SANDBOX", "1"), ("LINKS_BASE_URL", "https://env")];
        assert_eq!(resolved(&Global::default(), &env).unwrap().target, Target::Sandbox);
        for off in ["", "0", "no", "false", "off"] {
            let env = [("LINKS_SANDBOX", off), ("LINKS_BASE_URL", "https://env")];
            assert_eq!(
                resolved(&Global::default(), &env).unwrap().target,
                service("https://env", "LINKS_BASE_URL")
            );
        }
        resolved(&Global::default(), &[("LINKS_SANDBOX", "perhaps")]).unwrap_err();
    }

    #[test]
    fn the_longest_wait_is_a_number_of_seconds() {
        let flag = Global { max_wait: Some(0), ..Global::default() };
        let env = [("LINKS_MAX_WAIT", "12")];
        let wait =
            |flags: &Global, env: &[(&str, &str)]| resolved(flags, env).map(|it| it.max_wait);
        assert_eq!(wait(&Global::default(), &[]).unwrap(), None);
        assert_eq!(wait(&Global::default(), &env).unwrap(), Some(Duration::from_secs(12)));
        assert_eq!(wait(&flag, &env).unwrap(), Some(Duration::ZERO));
        for text in ["-1", "1.5", "a minute"] {
            wait(&Global::default(), &[("LINKS_MAX_WAIT", text)]).unwrap_err();
        }
    }

    #[test]
    fn a_token_is_never_shown_and_an_empty_one_is_not_passed_over() {
        let env = [("LINKS_TOKEN", "s3cret"), ("LINKS_TOKEN_FILE", "/t")];
        let settings = resolved(&Global::default(), &env).unwrap();
        assert_eq!(settings.token, TokenSource::Variable("s3cret".into()));
        assert!(!format!("{settings:?}").contains("s3cret"));
        let env = [("LINKS_TOKEN", ""), ("LINKS_TOKEN_FILE", "/t")];
        assert_eq!(
            resolved(&Global::default(), &env).unwrap().token,
            TokenSource::Variable(String::new())
        );
        let env = [("LINKS_TOKEN_FILE", "/t")];
        assert_eq!(
            resolved(&Global::default(), &env).unwrap().token,
            TokenSource::File("/t".into())
        );
    }
}
