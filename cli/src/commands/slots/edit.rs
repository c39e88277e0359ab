//! `links slots edit`

use std::path::Path;

use clap::Args;
use links_sdk::ProfileKey;

use super::applying::{Job, apply};
use super::planning::AllowedArgs;
use super::pulling::pull;
use crate::context::Context;
use crate::diagnostic::Failure;
use crate::dry_run::DryRunArgs;
use crate::local_image::ImageRoots;
use crate::manifest::PageFile;
use crate::outcome::Outcome;
use crate::{editor, key};

/// Arguments of `links slots edit`.
#[derive(Args, Debug)]
pub(crate) struct SlotsEditArgs {
    /// Id, login or address of the page
    #[arg(value_name = "KEY", value_parser = key::parse)]
    profile: ProfileKey,
    #[command(flatten)]
    allowed: AllowedArgs,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

/// What somebody has to know who has the file before them.
const HEAD: &str = "\
# Save and close: the page becomes like this file. Close without a change: nothing happens.
# A block that is removed here stays on the page, unless --prune was given.
";

pub(crate) async fn run(context: &mut Context, args: SlotsEditArgs) -> Result<Outcome, Failure> {
    let dry_run = args.dry_run;
    context.writer(dry_run).await?;
    let (page, login) = pull(context, args.profile).await?;
    let text = format!("{HEAD}{}", page.to_yaml().map_err(Failure::internal)?);
    let apply = async |context: &mut Context, document, path: &Path| {
        // References are relative to where the user is, and not to where the draft is.
        let images = ImageRoots::new(Path::new(""), &args.allowed.upload_root)?;
        let source = PageFile::of(document, &images)?.into();
        let path = Some(path.display().to_string());
        let allowed = args.allowed.clone();
        let job = Job { source, path, allowed, wait: false, ask: false, dry_run };
        apply(context, job).await.map(Some)
    };
    let name = format!("{login}.yaml");
    let applied = editor::edit(context, &name, &text, apply).await?;
    Ok(applied.unwrap_or_else(editor::unchanged))
}
