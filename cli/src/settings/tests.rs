use std::time::Duration;

use super::config_file::Config;
use super::global_args::GlobalArgs;
use super::*;
use crate::auth::Accounts;
use crate::error::Result;

fn resolved(flags: &GlobalArgs, env: &[(&str, &str)]) -> Result<Settings> {
    with_config(flags, env, &Config::default())
}

fn with_config(flags: &GlobalArgs, env: &[(&str, &str)], config: &Config) -> Result<Settings> {
    let env =
        |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
    resolve(flags, &env, config)
}

fn service(url: &str, from: &'static str) -> ServiceTarget {
    ServiceTarget::Service(ServiceUrl::new(url.into(), from))
}

#[test]
fn flags_override_the_environment_which_overrides_the_defaults() {
    let none = GlobalArgs::default();
    let here = GlobalArgs {
        base_url: Some("https://flag".into()),
        output: Some(Format::Json),
        ..GlobalArgs::default()
    };
    let sandbox = GlobalArgs { sandbox: Some(SandboxMode::Unlimited), ..GlobalArgs::default() };
    let env = [("LINKS_BASE_URL", "https://env"), ("LINKS_OUTPUT", "json")];

    assert_eq!(resolved(&none, &[]).unwrap().target, ServiceTarget::Unset);
    assert_eq!(resolved(&none, &env).unwrap().target, service("https://env", "LINKS_BASE_URL"));
    assert_eq!(resolved(&here, &env).unwrap().target, service("https://flag", "--base-url"));
    assert_eq!(
        resolved(&sandbox, &env).unwrap().target,
        ServiceTarget::Sandbox(SandboxMode::Unlimited)
    );
    assert_eq!(
        resolved(&here, &[("LINKS_SANDBOX", "1")]).unwrap().target,
        service("https://flag", "--base-url")
    );

    assert_eq!(resolved(&none, &[]).unwrap().output, Format::Table);
    assert_eq!(resolved(&none, &env).unwrap().output, Format::Json);
    assert_eq!(resolved(&here, &[("LINKS_OUTPUT", "table")]).unwrap().output, Format::Json);
}

#[test]
fn the_sandbox_variable_overrides_the_base_url_variable() {
    let env = [("LINKS_SANDBOX", "1"), ("LINKS_BASE_URL", "https://env")];
    assert_eq!(
        resolved(&GlobalArgs::default(), &env).unwrap().target,
        ServiceTarget::Sandbox(SandboxMode::Unlimited)
    );
    for off in ["", "0", "no", "false", "off"] {
        let env = [("LINKS_SANDBOX", off), ("LINKS_BASE_URL", "https://env")];
        assert_eq!(
            resolved(&GlobalArgs::default(), &env).unwrap().target,
            service("https://env", "LINKS_BASE_URL")
        );
    }
    assert!(resolved(&GlobalArgs::default(), &[("LINKS_SANDBOX", "perhaps")]).is_err());
}

#[test]
fn max_wait_is_a_whole_number_of_seconds() {
    let flag = GlobalArgs { max_wait: Some(0), ..GlobalArgs::default() };
    let env = [("LINKS_MAX_WAIT", "12")];
    let wait =
        |flags: &GlobalArgs, env: &[(&str, &str)]| resolved(flags, env).map(|it| it.max_wait);
    assert_eq!(wait(&GlobalArgs::default(), &[]).unwrap(), None);
    assert_eq!(wait(&GlobalArgs::default(), &env).unwrap(), Some(Duration::from_secs(12)));
    assert_eq!(wait(&flag, &env).unwrap(), Some(Duration::ZERO));
    for text in ["-1", "1.5", "a minute"] {
        assert!(wait(&GlobalArgs::default(), &[("LINKS_MAX_WAIT", text)]).is_err());
    }
}

#[test]
fn jobs_of_a_ci_service_are_background_work_unless_the_variable_says_otherwise() {
    let flag = GlobalArgs { background: true, ..GlobalArgs::default() };
    let of =
        |flags: &GlobalArgs, env: &[(&str, &str)]| resolved(flags, env).map(|it| it.is_background);
    let of_env = |env: &[(&str, &str)]| of(&GlobalArgs::default(), env).unwrap();
    assert!(!of_env(&[]) && of_env(&[("LINKS_BACKGROUND", "1")]) && of_env(&[("CI", "true")]));
    assert!(!of_env(&[("CI", "")]) && !of_env(&[("CI", "false")]) && !of_env(&[("CI", "0")]));
    assert!(!of_env(&[("CI", "true"), ("LINKS_BACKGROUND", "0")]));
    assert!(of(&flag, &[("LINKS_BACKGROUND", "0")]).unwrap(), "an option comes first");
    assert!(of(&GlobalArgs::default(), &[("LINKS_BACKGROUND", "maybe")]).is_err());
}

#[test]
fn a_token_is_not_in_debug_output_and_an_empty_variable_is_not_ignored() {
    let env = [("LINKS_TOKEN", "s3cret"), ("LINKS_TOKEN_FILE", "/t")];
    let settings = resolved(&GlobalArgs::default(), &env).unwrap();
    assert_eq!(settings.token, TokenOrigin::Variable("s3cret".into()));
    assert!(!format!("{settings:?}").contains("s3cret"));
    let env = [("LINKS_TOKEN", ""), ("LINKS_TOKEN_FILE", "/t")];
    assert_eq!(
        resolved(&GlobalArgs::default(), &env).unwrap().token,
        TokenOrigin::Variable(String::new())
    );
    let env = [("LINKS_TOKEN_FILE", "/t")];
    assert_eq!(
        resolved(&GlobalArgs::default(), &env).unwrap().token,
        TokenOrigin::File("/t".into())
    );
}

const HERE: &str = "https://links.example/api/v1";

/// Returns accounts: `work` and `home` at one service, `other` at another one.
fn accounts(current: Option<&str>) -> Accounts {
    let account = |base_url: &str| Account {
        base_url: base_url.to_owned(),
        mcp_url: None,
        kept: crate::auth::SecretLocation::File,
        user_id: 7,
        user: "Aliya".to_owned(),
    };
    let mut accounts = Accounts::default();
    for (name, url) in [("work", HERE), ("home", HERE), ("other", "https://other.example/v1")] {
        accounts.known.insert(name.parse().unwrap(), account(url));
    }
    accounts.current = current.map(|name| name.parse().unwrap());
    accounts
}

/// Returns the URL and the origin of the token, in a few words.
fn chosen(line: &[&str], env: &[(&str, &str)], current: Option<&str>) -> String {
    let flag =
        |name: &str| line.iter().position(|it| *it == name).map(|at| line[at + 1].to_owned());
    let flags = GlobalArgs {
        base_url: flag("--base-url"),
        account: flag("--account").map(|name| name.parse().unwrap()),
        ..GlobalArgs::default()
    };
    let settings = resolved(&flags, env).unwrap().with_accounts(&accounts(current));
    let url = match settings.target {
        ServiceTarget::Service(url) => url.text.clone(),
        target => format!("{target:?}"),
    };
    let token = match settings.token {
        TokenOrigin::Variable(_) => "variable".to_owned(),
        TokenOrigin::File(_) => "file".to_owned(),
        TokenOrigin::Account(name, _) => name.to_string(),
        TokenOrigin::Nowhere(MissingToken::NotLoggedIn) => "none".to_owned(),
        TokenOrigin::Nowhere(MissingToken::NoSuchAccount(name)) => format!("no {name}"),
        TokenOrigin::Nowhere(MissingToken::Several(names)) => format!("one of {}", names.len()),
        TokenOrigin::Nowhere(MissingToken::OtherOrigin(name, _)) => format!("not {name}"),
        TokenOrigin::Nowhere(MissingToken::OnlyForNamed(variable)) => format!("not {variable}"),
    };
    let url = url.strip_prefix("https://").unwrap_or(&url);
    format!("{token} at {}", url.split('/').next().unwrap_or_default())
}

#[test]
fn an_account_sets_the_base_url_and_is_used_with_no_other() {
    let here = [("LINKS_BASE_URL", HERE)];
    assert_eq!(chosen(&[], &[], Some("work")), "work at links.example");
    assert_eq!(chosen(&[], &[], None), "none at Unset");
    assert_eq!(chosen(&[], &here, Some("home")), "home at links.example");
    assert_eq!(chosen(&[], &here, Some("other")), "one of 2 at links.example");
    assert_eq!(
        chosen(&["--base-url", "https://other.example"], &[], Some("work")),
        "other at other.example"
    );
    for elsewhere in
        ["https://links.example:444", "http://links.example", "https://evil.example", "nonsense"]
    {
        let url = chosen(&["--base-url", elsewhere], &[], Some("work"));
        assert!(url.starts_with("none at"), "{elsewhere}: {url}");
    }
    assert_eq!(chosen(&["--account", "other"], &[], Some("work")), "other at other.example");
    assert_eq!(chosen(&["--account", "nobody"], &here, Some("work")), "no nobody at links.example");
    let line = ["--account", "other", "--base-url", HERE];
    assert_eq!(chosen(&line, &[], Some("work")), "not other at links.example");
}

#[test]
fn the_account_flag_overrides_the_account_variable() {
    let env = [("LINKS_ACCOUNT", "home"), ("LINKS_BASE_URL", HERE)];
    assert_eq!(chosen(&[], &env, Some("work")), "home at links.example");
    assert_eq!(chosen(&["--account", "other"], &env, None), "not other at links.example");
    assert_eq!(chosen(&["--account", "other"], &env[..1], None), "other at other.example");
    let env = [("LINKS_ACCOUNT", "other"), ("LINKS_BASE_URL", HERE)];
    assert_eq!(chosen(&[], &env, None), "not other at links.example");
    assert!(resolved(&GlobalArgs::default(), &[("LINKS_ACCOUNT", "../x")]).is_err());
}

#[test]
fn the_token_of_the_environment_is_not_used_with_the_url_of_the_file() {
    let config = Config::of(&[("base-url", HERE)]);
    let none = GlobalArgs::default();
    let settings = |flags: &GlobalArgs, env: &[(&str, &str)]| {
        with_config(flags, env, &config).unwrap().with_accounts(&accounts(Some("work")))
    };
    for (variable, value) in [("LINKS_TOKEN", "t"), ("LINKS_TOKEN_FILE", "/t"), ("LINKS_TOKEN", "")]
    {
        let alone = settings(&none, &[(variable, value)]);
        assert_eq!(alone.token, TokenOrigin::Nowhere(MissingToken::OnlyForNamed(variable)));
        assert_eq!(alone.target, service(HERE, OF_CONFIG));
        let named = [(variable, value), ("LINKS_BASE_URL", HERE)];
        assert!(!matches!(settings(&none, &named).token, TokenOrigin::Nowhere(_)));
        let flag = GlobalArgs { base_url: Some(HERE.into()), ..GlobalArgs::default() };
        assert!(!matches!(settings(&flag, &[(variable, value)]).token, TokenOrigin::Nowhere(_)));
        let account =
            GlobalArgs { account: Some("home".parse().unwrap()), ..GlobalArgs::default() };
        let settings = settings(&account, &[(variable, value)]);
        assert!(matches!(settings.token, TokenOrigin::Account(..)), "{settings:?}");
    }
    assert!(matches!(settings(&none, &[]).token, TokenOrigin::Account(..)));
    // An account on the command line takes precedence over the URL of the file.
    let other = GlobalArgs { account: Some("other".parse().unwrap()), ..GlobalArgs::default() };
    assert_eq!(settings(&other, &[]).target, service("https://other.example/v1", OF_ACCOUNT));
}

#[test]
fn the_token_of_the_environment_is_not_used_with_the_url_of_an_account() {
    for token in [("LINKS_TOKEN", "t"), ("LINKS_TOKEN_FILE", "/t"), ("LINKS_TOKEN", "")] {
        let word = if token.0 == "LINKS_TOKEN" { "variable" } else { "file" };
        assert_eq!(chosen(&[], &[token], Some("work")), format!("{word} at Unset"));
        let env = [token, ("LINKS_ACCOUNT", "work")];
        assert_eq!(chosen(&[], &env, Some("work")), format!("{word} at Unset"));
        let env = [token, ("LINKS_BASE_URL", HERE)];
        assert_eq!(chosen(&[], &env, Some("work")), format!("{word} at links.example"));
        assert_eq!(chosen(&["--account", "work"], &env, None), "work at links.example");
    }
    let sandbox = [("LINKS_SANDBOX", "1"), ("LINKS_ACCOUNT", "work")];
    assert_eq!(chosen(&[], &sandbox, Some("work")), "none at Sandbox(Unlimited)");
}

#[test]
fn the_sandbox_has_rate_limits_only_where_they_are_asked_for() {
    let flag = |sandbox| GlobalArgs { sandbox, ..GlobalArgs::default() };
    let (unlimited, limits) = (Some(SandboxMode::Unlimited), Some(SandboxMode::Limits));
    for (flag, variable, expected) in [
        (flag(None), "1", SandboxMode::Unlimited),
        (flag(None), "limits", SandboxMode::Limits),
        (flag(unlimited), "", SandboxMode::Unlimited),
        (flag(unlimited), "0", SandboxMode::Unlimited),
        (flag(unlimited), "limits", SandboxMode::Limits),
        (flag(limits), "1", SandboxMode::Limits),
        (flag(limits), "", SandboxMode::Limits),
    ] {
        let target = resolved(&flag, &[("LINKS_SANDBOX", variable)]).unwrap().target;
        assert_eq!(target, ServiceTarget::Sandbox(expected), "{flag:?} {variable}");
    }
    assert!(resolved(&flag(None), &[("LINKS_SANDBOX", "limit")]).is_err());
}
