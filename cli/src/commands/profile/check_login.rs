//! `links profile check-login`: asks whether logins are free.

use std::path::PathBuf;

use clap::Args;
use links_sdk::ProfileKey;

use super::login;
use super::login_list::{ListedLogin, read};
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::help::HelpText;
use crate::output::{Column, CommandOutput, View};
use crate::profile_key;
use crate::ui::annotations::Annotate;

#[derive(Args, Debug)]
#[command(examples = ["links profile check-login spring.menu summer.menu", "links profile check-login -f logins.txt --annotate github"])]
pub(crate) struct ProfileCheckLoginArgs {
    /// Logins to check
    #[arg(value_name = "NAME", required_unless_present = "file")]
    names: Vec<String>,
    /// A file with one login a line (`-`: standard input); what follows a `#` is a comment
    #[arg(short, long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Id, login or URL of your page that would use the login; its current login then counts as free
    #[arg(long = "as", value_name = "PROFILE", value_parser = profile_key::parse)]
    profile: Option<ProfileKey>,
    /// Annotate the lines that are not free, for a CI service
    #[arg(long, value_name = "SERVICE")]
    annotate: Option<Annotate>,
}

const COLUMNS: &[Column] = &[
    Column::at("LOGIN", "login"),
    Column::at("AVAILABLE", "available"),
    Column::at("REASON", "reason"),
    Column::at("MESSAGE", "message"),
];

pub(crate) async fn run(
    context: &mut Context,
    args: ProfileCheckLoginArgs,
) -> Result<CommandOutput, CommandError> {
    let named = args.names.into_iter().map(|login| ListedLogin { login, place: None });
    let mut logins: Vec<_> = named.collect();
    if let Some(file) = &args.file {
        logins.extend(read(file)?);
    }
    let client = context.client().await?;
    let progress = context.ui.progress(logins.len());
    let mut checks = Vec::with_capacity(logins.len());
    for ListedLogin { login, place } in logins {
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
