//! `links slots pull`

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use links_sdk::ProfileKey;
use links_sdk::apply::DesiredPage;
use serde_json::{Value, json};

use crate::context::Context;
use crate::diagnostic::Failure;
use crate::exit::Exit;
use crate::key;
use crate::manifest::Page;
use crate::outcome::{Line, Outcome, Tone, View};
use crate::slot_types;

/// Arguments of `links slots pull`.
#[derive(Args, Debug)]
pub(crate) struct SlotsPullArgs {
    /// Id, login or address of the page
    #[arg(value_name = "KEY", value_parser = key::parse)]
    profile: ProfileKey,
    /// Write to this file, as JSON if its name ends so
    #[arg(short = 'O', long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace the file if it is there
    #[arg(long, requires = "out")]
    force: bool,
}

pub(crate) async fn run(context: &mut Context, args: SlotsPullArgs) -> Result<Outcome, Failure> {
    let client = context.client().await?;
    let profile = client.profile(args.profile).get_with_slots().await?;
    let types = slot_types::read(context).await?.rules();
    // A login of digits only cannot address its page.
    let key = profile
        .login
        .parse()
        .ok()
        .filter(|it| matches!(it, ProfileKey::Login(_)))
        .unwrap_or(ProfileKey::Id(profile.id));
    let page = Page { profile: key, content: DesiredPage::from_page(&profile.slots, &types) };
    let data = serde_json::to_value(&page).map_err(Failure::internal)?;
    let yaml = page.to_yaml().map_err(Failure::internal)?;
    let Some(path) = args.out else { return Ok(Outcome::own(data, View::Document(yaml))) };

    let json = path.extension().is_some_and(|it| it.eq_ignore_ascii_case("json"));
    let text = if json { format!("{data:#}\n") } else { yaml };
    write(&path, &text, args.force).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            Failure::new(Exit::Refused, format!("{} is there already", path.display()))
                .hint("--force replaces it")
        }
        _ => Failure::usage(format!("cannot write {}: {error}", path.display())),
    })?;
    let blocks = page.content.slots.len();
    let name = path.display().to_string();
    let said =
        Line::new(Tone::Plain, format!("{blocks} blocks of {} written to {name}", profile.login));
    Ok(Outcome::own(json!({ "file": name, "slots": blocks }) as Value, View::Lines(vec![said])))
}

/// Writes beside the target and moves into place, so that there is never half a file.
fn write(path: &Path, text: &str, replace: bool) -> io::Result<()> {
    let target = if replace {
        path.canonicalize().unwrap_or_else(|_| path.to_owned())
    } else {
        path.to_owned()
    };
    let folder = target.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = new_file(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    if replace { file.persist(&target) } else { file.persist_noclobber(&target) }
        .map_err(|error| error.error)?;
    Ok(())
}

fn new_file(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".links-");
    // A page is no secret: the user's own umask decides who reads it.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}
