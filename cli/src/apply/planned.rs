//! A plan with all that it was made from.

use std::path::PathBuf;

use clap::Args;
use links_sdk::apply::{GuardRefusal, PageSnapshot, Plan, PlanOptions, Proposal};
use links_sdk::{Client, ProfileKey};

use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::output::{Style, StyledLine};
use crate::page_file::local_image::LocalImage;
use crate::page_file::{FieldDiagnostic, PageFile, ReferencePlace};
use crate::schema::slot_types::SlotTypeCatalog;
use crate::ui;

/// What may be done to make a page like a file.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ApplyArgs {
    /// Delete the slots that the file does not mention
    #[arg(long)]
    pub(crate) prune: bool,
    /// Delete the legacy slots that the file does not mention, which cannot be created again
    #[arg(long, hide_short_help = true)]
    pub(crate) prune_unsupported: bool,
    /// Confirm deletes and uploads without being asked
    #[arg(long)]
    pub(crate) yes: bool,
    /// Maximum number of deletes; required for large deletions
    #[arg(long, value_name = "N")]
    pub(crate) max_deletes: Option<usize>,
    /// Allow an empty file, or a page found unexpectedly empty
    #[arg(long, hide_short_help = true)]
    pub(crate) allow_empty: bool,
    /// Let the images of the file lie beneath this directory too, not only beneath the file's own
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, hide_short_help = true)]
    pub(crate) upload_root: Vec<PathBuf>,
    /// Leave it to the service to check the slots against the schemas of their types
    #[arg(long, hide_short_help = true)]
    pub(crate) no_validate: bool,
    /// Why slots stay that the file does not mention, where it is not for want of --prune
    #[arg(skip)]
    pub(crate) unnamed: Option<&'static str>,
    /// The only page that may be changed.
    #[arg(skip)]
    pub(crate) profile: Option<ProfileKey>,
}

/// A page file, and its page as it is.
pub(crate) struct PlanInputs {
    pub(crate) file: PageFile,
    pub(crate) client: Client,
    pub(crate) page: PageSnapshot,
    /// The images that the file names.
    pub(crate) images: Vec<Image>,
    /// References that stand for nothing.
    pub(crate) broken: Vec<FieldDiagnostic>,
}

/// A plan with all that it was made from.
pub(crate) struct PlannedPage {
    pub(crate) file: PageFile,
    pub(crate) client: Client,
    pub(crate) page: PageSnapshot,
    pub(crate) images: Vec<Image>,
    /// The slot types. None where there is nothing to do and nothing was known of them.
    pub(crate) described: Option<SlotTypeCatalog>,
    pub(crate) options: PlanOptions,
    pub(crate) plan: Plan,
    /// Whether the slots were left to the service to check.
    pub(crate) no_validate: bool,
    /// Requests it took to plan.
    pub(crate) sent: u64,
    /// Why slots stay that the file does not mention.
    pub(crate) unnamed: &'static str,
    /// Whether what stays came after what the file says.
    pub(crate) came_since: bool,
    /// Why `apply` would not carry it out.
    pub(crate) refusal: Option<GuardRefusal>,
}

impl PlannedPage {
    /// What the plan comes to, in one line.
    pub(crate) fn summary(&self) -> StyledLine {
        let text = if self.plan.is_empty() {
            "no changes".to_owned()
        } else {
            format!("{} ({} requests)", self.plan, self.requests())
        };
        StyledLine::new(Style::Plain, text)
    }

    /// The plan as it is shown, uploads included.
    pub(crate) fn shown(&self) -> ui::plan::PlanView<'_> {
        let upload = |it: &Image| ui::plan::Upload {
            index: it.place.index,
            path: it.place.path.join("."),
            file: it.local.path().display().to_string(),
            media_type: it.local.image_type.media_type(),
            bytes: it.local.size,
        };
        let shown = ui::plan::PlanView::of(&self.plan, &self.page.slots);
        shown.with_uploads(self.new_images().map(upload).collect())
    }

    /// The plan for people.
    pub(crate) fn lines(&self) -> Vec<StyledLine> {
        ui::plan::lines(&self.shown(), self.unnamed)
    }

    /// Where a page is not made as it was, because slots came since.
    pub(crate) fn came_since(&self) -> Option<StyledLine> {
        let text = match self.plan.kept.len() {
            0 => return None,
            1 => "1 slot that came since stays; `links slots delete` deletes it".to_owned(),
            many => {
                format!("{many} slots that came since stay; `links slots delete` deletes them")
            }
        };
        self.came_since.then(|| StyledLine::new(Style::Changed, text))
    }

    /// What is carried out, and what for.
    pub(crate) fn proposal(&self) -> Proposal {
        let (desired, options) = (self.file.page.content.clone(), self.options.clone());
        Proposal { desired, options, plan: self.plan.clone() }
    }

    /// Requests of the whole run if nothing goes wrong, those included that it took to plan.
    pub(crate) fn requests(&self) -> usize {
        // The plan counts the one that read the page.
        let sent = usize::try_from(self.sent).unwrap_or_default();
        sent + self.upload_requests() + self.plan.request_count() - 1
    }
}

/// A guard's refusal with the flag that lifts it.
pub(crate) fn refused(refusal: GuardRefusal) -> CommandError {
    let flag = match refusal {
        GuardRefusal::Empty => "pass --allow-empty if this is intended",
        GuardRefusal::ManyDeletes { .. } => "pass --max-deletes N if this is intended",
        GuardRefusal::OverMaxDeletes { .. } => "raise --max-deletes if this is intended",
    };
    CommandError::new(Exit::Refused, refusal.to_string()).hint(flag)
}

/// An image that a page file names.
#[derive(Clone, Debug)]
pub(crate) struct Image {
    pub(crate) place: ReferencePlace,
    /// As it is written in the file.
    pub(crate) name: String,
    pub(crate) local: LocalImage,
    /// Whether the service has it already.
    pub(crate) uploaded: bool,
}
