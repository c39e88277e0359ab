//! `links profile`: commands for pages.

mod fields;
pub(crate) mod login;
mod preview;
mod socials;

use clap::ValueEnum;

use super::prelude::*;
use crate::process;

#[derive(Debug, Subcommand)]
#[command(defer = true, after_help = POINTER)]
pub(crate) enum ProfileCommand {
    /// List the pages in the account
    #[command(alias = "ls", examples = ["links profile list", "links profile list -o csv --fields login,computed.url"])]
    List,
    /// Show one page
    #[command(alias = "show", examples = ["links profile get cafe", "links profile get cafe --include slots -o json", "links profile get https://links.example/cafe -o json"])]
    Get {
        /// ID, login or URL of the page
        key: PageKey,
        /// Also show this part of the page
        #[arg(long, value_name = "WHAT")]
        include: Option<Include>,
    },
    /// Create a page, after checking that its login is free
    Create(fields::ProfileCreateArgs),
    /// Change fields of a page
    Update(fields::ProfileUpdateArgs),
    /// Change fields of a page in an editor
    Edit(fields::ProfileEditArgs),
    /// Change the login of a page; links to the old URL break
    Rename(login::ProfileRenameArgs),
    /// Show or change the settings of a page, such as its language
    Settings(fields::ProfileSettingsArgs),
    /// Add and remove social links of a page
    #[command(subcommand)]
    Socials(socials::SocialsCommand),
    /// Print the URL of a page; on a terminal, also open it in a browser
    #[command(examples = ["links profile open cafe"])]
    Open {
        /// ID, login or URL of the page
        key: PageKey,
    },
    /// Print a page as its readers see it, in Markdown
    Preview(preview::ProfilePreviewArgs),
    /// Check whether logins are free, and exit with 3 if one is taken
    CheckLogin(login::ProfileCheckLoginArgs),
}

/// Part of a page that is not among its fields.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Include {
    /// Slots of the page
    Slots,
}

const COLUMNS: &[Column] = &[
    Column::at("ID", "id"),
    Column::at("LOGIN", "login"),
    Column::at("TITLE", "title"),
    Column::at("MAIN", "computed.isMain"),
    Column::at("URL", "computed.url"),
];

impl ProfileCommand {
    pub(super) async fn run(self, context: &mut Context) -> CommandResult {
        match self {
            Self::List => {
                let client = context.client().await?;
                shown(client.profiles().list(), View::Table(COLUMNS)).await
            }
            Self::Get { key, include } => {
                let profile = key.page(&context.client().await?).await?;
                let call = match include {
                    Some(Include::Slots) => profile.get_with_slots(),
                    None => profile.get(),
                };
                shown(call, View::Record(fields::FIRST)).await
            }
            Self::Create(args) => fields::create(context, args).await,
            Self::Update(args) => fields::update(context, args).await,
            Self::Edit(args) => fields::edit(context, args).await,
            Self::Rename(args) => login::rename(context, args).await,
            Self::Settings(args) => fields::settings(context, args).await,
            Self::Socials(command) => command.run(context).await,
            Self::Open { key } => open(context, &key).await,
            Self::Preview(args) => preview::preview(context, args).await,
            Self::CheckLogin(args) => login::check_logins(context, args).await,
        }
    }
}

/// Prints the URL of a page, and opens it in a browser on a terminal.
async fn open(context: &mut Context, key: &PageKey) -> CommandResult {
    let page = key.read(&context.client().await?).await?;
    let url = page.computed.url;
    if context.ui.is_read()
        && let Err(error) = process::browse(context.settings.browser.as_deref(), &url)
    {
        let text = format!("cannot open a browser: {error}");
        context.ui.tell(Style::Changed, text);
    }
    Ok(said(json!({ "id": page.id, "login": page.login, "url": url }), url))
}
