//! `links profile create`: creates a page.

use clap::Args;
use links_sdk::apply::RecordWrite;
use links_sdk::{NewProfile, Object};
use serde_json::Value;

use super::login;
use crate::args::dry_run::DryRunArgs;
use crate::args::fields::FieldValues;
use crate::args::idempotency_key::IdempotencyKeyArgs;
use crate::args::images;
use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::journal::{CommandRecorder, identity};
use crate::output::{CommandOutput, View};

#[derive(Args, Debug)]
#[command(
    override_usage = "links profile create [OPTIONS] <LOGIN> [FILE] [FIELD=VALUE]...",
    examples = ["links profile create spring.menu title='Spring menu'"]
)]
pub(crate) struct ProfileCreateArgs {
    /// Login, which is part of the public URL: 4 to 60 of `a-z A-Z 0-9 . _`, not in use
    login: String,
    /// Further fields of the page: `title=Menu`, `languageId:=1` (JSON), `description=@file`, `avatar@logo.png` (uploads it); or a YAML or
    /// JSON file with them (`-`: standard input)
    #[arg(value_name = "FILE|FIELD=VALUE")]
    words: Vec<String>,
    #[command(flatten)]
    key: IdempotencyKeyArgs,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

pub(crate) async fn run(
    context: &mut Context,
    args: ProfileCreateArgs,
) -> Result<CommandOutput, CommandError> {
    let fields = FieldValues::read_with_images(&args.words)?.no_local_images(images::OF_PAGE)?;
    if fields.get("login").is_some() {
        return Err(CommandError::usage("pass the login before the fields, not as a field"));
    }
    let client = context.writer(args.dry_run).await?;
    login::check_available(&client, &args.login, None).await?;
    let fields = fields.upload(context, &client).await?;
    let mut profile: Object = [("login", args.login)].into_iter().collect();
    profile.extend(fields.object().0);
    let title = profile.get("login").and_then(Value::as_str).unwrap_or_default();
    let recorder = CommandRecorder::of_new(context, "profile create", title);
    let (operation, changed) = ("createProfile".to_owned(), profile.clone());
    recorder.record(&RecordWrite { operation, changed, ..RecordWrite::default() });
    recorder.begin(0);
    let created = args.key.on(client.profiles().create(NewProfile::from(profile))).answer().await;
    recorder.stored(0, &created, |page| identity(page, "id"));
    recorder.finish(context, created.is_ok());
    let answer = created.map_err(|error| fields.failure(error, ""))?;
    Ok(CommandOutput::service(
        answer.body().clone(),
        View::Record(crate::commands::profile::view::FIRST),
    ))
}
