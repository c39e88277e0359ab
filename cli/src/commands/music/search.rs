//! Search arguments that `lookup` and `add` share.

use clap::{Args, ValueEnum};
use links_sdk::{MusicQuery, MusicType};

// A release to look for. Not a doc comment: clap would take it for the text of the command.
#[derive(Args, Debug)]
pub(crate) struct SearchArgs {
    /// UPC, ISRC, the release's URL on a music platform, or its title
    query: String,
    /// Artist, for a search by title
    #[arg(long)]
    artist: Option<String>,
    /// Type of release that a search by title and artist looks for
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<SearchKind>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SearchKind {
    Album,
    Track,
}

impl SearchArgs {
    pub(super) fn query(self) -> MusicQuery {
        let query = MusicQuery::new(self.query);
        let query = match self.artist {
            Some(artist) => query.artist(artist),
            None => query,
        };
        match self.kind {
            Some(SearchKind::Album) => query.of_type(MusicType::Album),
            Some(SearchKind::Track) => query.of_type(MusicType::Track),
            None => query,
        }
    }
}
