//! Options of a pull.

// How files are written. Not a doc comment: clap would take it for the text of the command.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct PullOptions {
    /// Replace the files of the pages as a whole. Without it, a file that exists takes over what changed on its page, and keeps all else
    #[arg(long)]
    pub(crate) force: bool,
    /// Download the images of new files into `images` beside them, and refer to them by `{$upload: images/NAME}`
    #[arg(long)]
    pub(crate) images: bool,
    /// Write new files for any page of any account: without ids, with the forms that the page shows, and without events and legacy slots
    #[arg(long)]
    pub(crate) portable: bool,
    /// Refer to this schema, which `links schema page` prints, in the first line, for editors that validate and complete YAML; the path is
    /// written as given and is relative to the file's directory. A `page.schema.json` there is used by default
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, hide_short_help = true)]
    pub(crate) schema: Option<String>,
}
