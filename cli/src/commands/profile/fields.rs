//! `links profile create`, `update`, `edit` and `settings`: fields of a page.

use links_sdk::types::Profile;
use links_sdk::{NewProfile, ProfileChanges, ProfileHandle, SettingsChanges};

use super::login;
use crate::args::images;
use crate::commands::prelude::*;
use crate::editor;
use links_pages::profile_key::broken_login_rule;

/// Fields of a page that are shown first.
pub(super) const FIRST: &[&str] = &["id", "login", "title", "description", "computed.url"];

/// Refuses a `login` among the fields: a login changes the public URL, so it has a command of its own.
fn without_login(fields: FieldValues) -> Result<FieldValues> {
    if fields.get("login").is_some() {
        let message = "changing the login breaks every link to the page";
        return Err(CommandError::usage(message).with_hint("use `links profile rename KEY NEW`"));
    }
    Ok(fields)
}

#[derive(Args, Debug)]
#[command(
    override_usage = "links profile create [OPTIONS] <LOGIN> [FILE] [FIELD=VALUE]...",
    examples = ["links profile create spring.menu title='Spring menu' --yes"]
)]
pub(crate) struct ProfileCreateArgs {
    /// Unused login for the page's URL: 4 to 60 characters of `a-z A-Z 0-9 . _`
    login: String,
    /// Other fields, such as `title=Menu`, `languageId:=1` (JSON), `description=@file` or `avatar@logo.png` (uploads the file); or a YAML or
    /// JSON file with the fields (`-`: standard input)
    #[arg(value_name = "FILE|FIELD=VALUE")]
    words: Vec<String>,
    /// Don't ask for confirmation
    #[arg(short, long)]
    yes: bool,
    #[command(flatten)]
    create: CreateArgs,
}

pub(super) async fn create(context: &mut Context, args: ProfileCreateArgs) -> CommandResult {
    let fields = FieldValues::read_with_images(&args.words)?.no_local_images(images::OF_PAGE)?;
    if args.login.contains('=') || fields.get("login").is_some() {
        return Err(CommandError::usage("pass the login before the fields, not as a field")
            .with_hint("for example, run `links profile create LOGIN title=TITLE`"));
    }
    let client = context.writer(args.create.dry_run).await?;
    let key = args.create.idempotency_key.as_ref();
    // With a key, the login may be taken by the same command before, and the answer of that is what counts.
    if key.is_none() || broken_login_rule(&args.login).is_some() {
        login::check_available(&client, &args.login, None).await?;
    }
    let question =
        format!("Create the page {}? You can delete a page only in the dashboard.", args.login);
    context.ui.confirm(args.yes, &question)?;
    let fields = fields.upload(context, &client, ("createProfile", key)).await?;
    let mut profile: Object = [("login", args.login.clone())].into_iter().collect();
    profile.extend(fields.object().0);
    let call = client.profiles().create(NewProfile(profile.clone()));
    let sent = (&*args.login, profile);
    let created = create_record(context, "createProfile", sent, args.create, call).await;
    fields.shown(created, "created")
}

#[derive(Args, Debug)]
#[command(
    override_usage = "links profile update [OPTIONS] <KEY> [FILE] [FIELD=VALUE]...",
    examples = ["links profile update cafe title='Closed on Mondays'", "links profile update cafe avatar@logo.png moodText:=null"]
)]
pub(crate) struct ProfileUpdateArgs {
    /// ID, login or URL of the page
    key: PageKey,
    /// Fields to change, such as `title=Menu`, `languageId:=1` (JSON), `description=@file` or `avatar@logo.png` (uploads the file); or a
    /// YAML or JSON file with the fields (`-`: standard input)
    #[arg(value_name = "FILE|FIELD=VALUE")]
    words: Vec<String>,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

pub(super) async fn update(context: &mut Context, args: ProfileUpdateArgs) -> CommandResult {
    let fields = FieldValues::read_with_images(&args.words)?.some("title=Menu")?;
    let fields = without_login(fields)?.no_local_images(images::OF_PAGE)?;
    let client = context.writer(args.dry_run).await?;
    if fields.has_images() {
        // A page that is not there is noticed before anything is uploaded.
        args.key.read(&client).await?;
    } else {
        args.key.check_host(context).await?;
    }
    let fields = fields.upload(context, &client, ("updateProfile", None)).await?;
    let sent = fields.object();
    let call = client.profile(&*args.key).update_unchanged(None, ProfileChanges(sent.clone()));
    let changed = write_fields(context, &args.key, call, &sent).await;
    fields.shown(changed, "updated")
}

#[derive(Args, Debug)]
#[command(
    override_usage = "links profile settings [OPTIONS] <KEY> [FILE] [FIELD=VALUE]...",
    examples = ["links profile settings cafe", "links profile settings cafe languageCode=kk"]
)]
pub(crate) struct ProfileSettingsArgs {
    /// ID, login or URL of the page
    key: PageKey,
    /// Settings to change, such as `languageCode=kk`, or a YAML or JSON file (`-`: standard input); by default, shows the settings
    #[arg(value_name = "FILE|FIELD=VALUE")]
    words: Vec<String>,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

impl ProfileSettingsArgs {
    /// Tells whether the settings are only shown.
    pub(crate) fn is_read(&self) -> bool {
        self.words.is_empty()
    }
}

/// Settings of a page that are shown first.
const FIRST_SETTINGS: &[&str] = &["profileId", "login", "languageCode", "computed.url"];

pub(super) async fn settings(context: &mut Context, args: ProfileSettingsArgs) -> CommandResult {
    let fields = without_login(FieldValues::read(&args.words)?)?;
    let profile = args.key.page(&context.writer(args.dry_run).await?).await?;
    if args.is_read() {
        return shown(profile.settings(), View::Record(FIRST_SETTINGS)).await;
    }
    let sent = fields.some("languageCode=kk")?.object();
    let call = profile.update_settings_unchanged(None, SettingsChanges(sent.clone()));
    let answer = write_fields(context, &args.key, call, &sent).await?;
    Ok(CommandOutput::wrote("updated", &answer))
}

#[derive(Args, Debug)]
#[command(examples = ["EDITOR='code --wait' links profile edit cafe"])]
pub(crate) struct ProfileEditArgs {
    /// ID, login or URL of the page
    key: PageKey,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

/// Fields of a page's record that an update does not take: those that the service computes, those with a command of their own, and the
/// theme, which the interface leaves to the dashboard.
const NOT_EDITED: [&str; 5] = ["id", "login", "themeId", "computed", "slots"];

pub(super) async fn edit(context: &mut Context, args: ProfileEditArgs) -> CommandResult {
    let profile = args.key.page(&context.writer(args.dry_run).await?).await?;
    let (mut opened, _) = record(&profile).await?;

    let text = yaml(&opened)?;
    let apply = async |context: &mut Context, document, _: &Path| {
        let edited = without_login(FieldValues::of(document)?)?;
        let (now, seen) = record(&profile).await?;
        let changes = edited.merge(&mut opened, &now)?;
        if changes.is_empty() {
            return Ok(None);
        }
        let call = profile.update_unchanged(&seen, ProfileChanges(changes.clone()));
        let updated = write_fields(context, &args.key, call, &changes).await;
        edited.shown(updated, "updated").map(Some)
    };
    editor::edit(context, "profile.yaml", &text, "`links profile update`", apply).await
}

/// Reads a page: its fields for editing, and as a typed value for the comparison with a later read.
async fn record(profile: &ProfileHandle) -> Result<(Map<String, Value>, Profile)> {
    let (seen, answer) = profile.get().with_answer().await?;
    let mut fields: Map<String, Value> = read_data(answer.body())?;
    fields.retain(|name, _| !NOT_EDITED.contains(&name.as_str()));
    Ok((fields, seen))
}
