//! `links profile check-login`: asks whether logins are free.

use std::path::{Path, PathBuf};

use clap::Args;
use links_sdk::ProfileKey;

use super::login;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::output::{Column, CommandOutput, View};
use crate::ui::annotations::Annotate;
use crate::{page_file, profile_key};

/// Arguments of `links profile check-login`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  links profile check-login spring.menu summer.menu\n  \
    links profile check-login -f logins.txt --annotate github")]
pub(crate) struct ProfileCheckLoginArgs {
    /// Logins to ask about
    #[arg(value_name = "NAME", required_unless_present = "file")]
    names: Vec<String>,
    /// A file with one login a line (`-`: standard input); what follows a `#` is a comment
    #[arg(short, long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Id, login or URL of the own page that would take the login; the one it has now then counts as free
    #[arg(long = "as", value_name = "PROFILE", value_parser = profile_key::parse)]
    profile: Option<ProfileKey>,
    /// Say for a CI service which line is not free
    #[arg(long, value_name = "SERVICE")]
    annotate: Option<Annotate>,
}

const COLUMNS: &[Column] = &[
    Column::at("LOGIN", "login"),
    Column::at("AVAILABLE", "available"),
    Column::at("REASON", "reason"),
    Column::at("MESSAGE", "message"),
];

/// Login to check, and the line of the file that names it.
struct Name {
    login: String,
    place: Option<(String, usize)>,
}

pub(crate) async fn run(
    context: &mut Context,
    args: ProfileCheckLoginArgs,
) -> Result<CommandOutput, CommandError> {
    let mut names: Vec<Name> =
        args.names.into_iter().map(|login| Name { login, place: None }).collect();
    if let Some(file) = &args.file {
        names.extend(listed(file)?);
    }
    let client = context.client().await?;
    let progress = context.ui.progress(names.len());
    let mut checks = Vec::with_capacity(names.len());
    for Name { login, place } in names {
        progress.now(&login);
        let check = login::check(&client, &login, args.profile.as_ref()).await?;
        if let Some(annotate) = args.annotate
            && check["available"] != true
        {
            let why = check["message"].as_str().unwrap_or("it is not available");
            let place = place.as_ref().map(|(file, line)| (file.as_str(), *line));
            annotate.error(place, &format!("{login}: {why}"));
        }
        checks.push(check);
        progress.step();
    }
    drop(progress);
    let free = checks.iter().all(|check| check["available"] == true);
    Ok(CommandOutput::own(checks, View::Table(COLUMNS)).exit(if free {
        Exit::Ok
    } else {
        Exit::No
    }))
}

fn listed(file: &Path) -> Result<Vec<Name>, CommandError> {
    let (name, bytes) = page_file::read(file)?;
    let text = String::from_utf8(bytes)
        .map_err(|_| CommandError::new(Exit::Invalid, format!("{name} is not UTF-8")))?;
    let logins = text.lines().enumerate().filter_map(|(at, line)| {
        let login = line.split('#').next().unwrap_or_default().trim().to_owned();
        (!login.is_empty()).then(|| Name { login, place: Some((name.clone(), at + 1)) })
    });
    let logins: Vec<_> = logins.collect();
    if logins.is_empty() {
        return Err(CommandError::new(Exit::Invalid, format!("{name} names no login")));
    }
    Ok(logins)
}
