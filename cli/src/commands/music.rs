//! `links music`: commands for releases, and for the slots that show them.

use links_pages::apply::Plan;
use links_sdk::MusicQuery;
use links_sdk::types::MusicSearchType;
use links_sdk::types::NewSlot;

use super::prelude::*;
use crate::args::flags::values;

#[derive(Debug, Subcommand)]
#[command(defer = true, after_help = POINTER)]
pub(crate) enum MusicCommand {
    /// Find a release by its code, URL or title
    #[command(examples = ["links music lookup 'Steppe Radio' --artist Dala --type track"])]
    Lookup(ReleaseArgs),
    /// Find a release and add it to a page
    Add(MusicAddArgs),
}

#[derive(Args, Debug)]
#[command(
    long_examples = ["links music add cafe https://open.spotify.com/album/5tepp3Rad10 --top"]
)]
pub(crate) struct MusicAddArgs {
    /// ID, login or URL of the page
    key: PageKey,
    #[command(flatten)]
    release: ReleaseArgs,
    #[command(flatten)]
    place: PositionArgs,
    #[command(flatten)]
    create: CreateArgs,
}

// A release to look for. Not a doc comment: clap would take it for the text of the command.
#[derive(Args, Debug)]
pub(crate) struct ReleaseArgs {
    /// UPC, ISRC, the release's URL on a music platform, or its title
    query: String,
    /// Artist, for a search by title
    #[arg(long)]
    artist: Option<String>,
    /// Type of release, for a search by title and artist
    #[arg(long = "type", value_name = "TYPE", requires = "artist", value_parser = values::<MusicSearchType>(&["album", "track"]))]
    kind: Option<MusicSearchType>,
}

impl ReleaseArgs {
    fn query(self) -> MusicQuery {
        let mut query = MusicQuery::new(self.query);
        if let Some(artist) = self.artist {
            query = query.artist(artist);
        }
        self.kind.map_or(query.clone(), |kind| query.of_type(kind))
    }
}

impl MusicCommand {
    pub(super) async fn run(self, context: &mut Context) -> CommandResult {
        match self {
            Self::Lookup(release) => {
                let client = context.client().await?;
                shown(client.lookup_music(release.query()), View::Any).await
            }
            Self::Add(args) => add(context, args).await,
        }
    }
}

async fn add(context: &mut Context, args: MusicAddArgs) -> CommandResult {
    let client = context.writer(args.create.dry_run).await?;
    let page = args.key.page(&client).await?;
    let key = args.create.idempotency_key;
    let order = args.place.order(&page.slots(), key.as_ref()).await?;
    let mut slot = NewSlot::from(client.lookup_music(args.release.query()).await?.slot);
    slot.order = order;
    let write = journal::page_write(context, &args.key);
    let created = write.send(&page, &Plan::creating(slot), 0, &[], key).await;
    let answer = journal::finish(context, &write, created)?;
    Ok(CommandOutput::wrote("created", &answer))
}
