//! From a page file to a plan for its page: what `plan` and `apply` have in common.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use clap::Args;
use links_sdk::apply::{
    self, DeleteLimits, GuardRefusal, PageSnapshot, Plan, PlanError, PlanOptions, Proposal,
};
use links_sdk::{Client, ProfileKey};

use super::references::Image;
use super::{problems, references};
use crate::context::Context;
use crate::diagnostic::Failure;
use crate::exit::Exit;
use crate::manifest::{PageFile, Problem};
use crate::outcome::{Line, Tone};
use crate::schema;
use crate::slot_types::{self, Described};
use crate::ui;

/// What may be done to make a page like a file.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct AllowedArgs {
    /// Delete the blocks that the file does not mention
    #[arg(long)]
    pub(super) prune: bool,
    /// Delete the legacy blocks that the file does not mention, which cannot be created again
    #[arg(long)]
    pub(super) prune_unsupported: bool,
    /// Agree to the deletes and uploads without being asked
    #[arg(long)]
    pub(super) yes: bool,
    /// Agree to at most this many deletes; needed to delete much of a page
    #[arg(long, value_name = "N")]
    pub(super) max_deletes: Option<usize>,
    /// Let a file without any blocks be meant, and a page that has lost all of its own
    #[arg(long)]
    pub(super) allow_empty: bool,
    /// Let the images of the file lie beneath this directory too, not only beneath the file's own
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub(super) upload_root: Vec<PathBuf>,
    /// Leave it to the service to check the blocks against the schemas of their types
    #[arg(long)]
    pub(super) no_validate: bool,
    /// Why blocks stay that the file does not mention, where it is not for want of --prune
    #[arg(skip)]
    pub(super) unnamed: Option<&'static str>,
    /// The only page that may be changed.
    #[arg(skip)]
    pub(super) profile: Option<ProfileKey>,
}

/// A page file, and its page as it is.
pub(super) struct Read {
    pub(super) file: PageFile,
    pub(super) client: Client,
    pub(super) page: PageSnapshot,
    /// The images that the file names.
    pub(super) images: Vec<Image>,
    /// References that stand for nothing.
    pub(super) broken: Vec<Problem>,
}

/// A plan with all that it was made from.
pub(super) struct Planned {
    pub(super) file: PageFile,
    pub(super) client: Client,
    pub(super) page: PageSnapshot,
    pub(super) images: Vec<Image>,
    /// The slot types. None where there is nothing to do and nothing was known of them.
    pub(super) described: Option<Described>,
    pub(super) options: PlanOptions,
    pub(super) plan: Plan,
    /// Whether the blocks were left to the service to check.
    pub(super) no_validate: bool,
    /// Requests it took to plan.
    sent: u64,
    /// Why blocks stay that the file does not mention.
    pub(super) unnamed: &'static str,
    /// Whether what stays came after what the file says.
    came_since: bool,
    /// Why `apply` would not carry it out.
    pub(super) refusal: Option<GuardRefusal>,
}

impl Planned {
    /// What the plan comes to, in one line.
    pub(super) fn summary(&self) -> Line {
        let text = if self.plan.is_empty() {
            "no changes".to_owned()
        } else {
            format!("{} ({} requests)", self.plan, self.requests())
        };
        Line::new(Tone::Plain, text)
    }

    /// The plan as it is shown, uploads included.
    pub(super) fn shown(&self) -> ui::plan::Shown<'_> {
        let upload = |it: &Image| ui::plan::Upload {
            index: it.place.index,
            path: it.place.path.join("."),
            file: it.local.path().display().to_string(),
            media_type: it.local.image_type.media_type(),
            bytes: it.local.size,
        };
        let shown = ui::plan::Shown::of(&self.plan, &self.page.slots);
        shown.with_uploads(self.new_images().map(upload).collect())
    }

    /// The plan for people.
    pub(super) fn lines(&self) -> Vec<Line> {
        ui::plan::lines(&self.shown(), self.unnamed)
    }

    /// Where a page is not made as it was, because blocks came since.
    pub(super) fn came_since(&self) -> Option<Line> {
        let text = match self.plan.kept.len() {
            0 => return None,
            1 => "1 block that came since stays; `links slots delete` deletes it".to_owned(),
            many => {
                format!("{many} blocks that came since stay; `links slots delete` deletes them")
            }
        };
        self.came_since.then(|| Line::new(Tone::Changed, text))
    }

    /// What is carried out, and what for.
    pub(super) fn proposal(&self) -> Proposal {
        let (desired, options) = (self.file.page.content.clone(), self.options.clone());
        Proposal { desired, options, plan: self.plan.clone() }
    }

    /// Requests of the whole run if nothing goes wrong, those included that it took to plan.
    pub(super) fn requests(&self) -> usize {
        // The plan counts the one that read the page.
        let sent = usize::try_from(self.sent).unwrap_or_default();
        sent + self.upload_requests() + self.plan.request_count() - 1
    }
}

/// Refuses a file that is for another page than the command line says.
fn pinned(key: &ProfileKey, page: &PageSnapshot) -> Result<(), Failure> {
    let is_this = match key {
        ProfileKey::Id(id) => *id == page.id,
        ProfileKey::Login(login) => login.eq_ignore_ascii_case(&page.login),
    };
    if is_this {
        return Ok(());
    }
    let message =
        format!("the file is for the page {} (id {}), not for {key}", page.login, page.id);
    Err(Failure::new(Exit::Refused, format!("{message}; nothing was written"))
        .hint("leave out --profile, or name the file of that page"))
}

/// Finds out what the references in the file of a page stand for.
pub(super) async fn resolve(
    context: &mut Context,
    client: Client,
    mut file: PageFile,
    page: PageSnapshot,
    allowed: &AllowedArgs,
) -> Result<Read, Failure> {
    if let Some(key) = &allowed.profile {
        pinned(key, &page)?;
    }
    let mut images = references::images(&file);
    let mut broken = std::mem::take(&mut file.missing);
    broken.extend(references::resolve(context, &client, page.id, &mut file, &mut images).await?);
    Ok(Read { file, client, page, images, broken })
}

/// Plans, and checks what would be sent.
pub(super) async fn plan(
    context: &mut Context,
    Read { file, client, page, images, broken }: Read,
    allowed: &AllowedArgs,
    created: BTreeMap<usize, i64>,
) -> Result<Planned, Failure> {
    let (prune, prune_unsupported) = (allowed.prune, allowed.prune_unsupported);
    let mut options = PlanOptions { prune, prune_unsupported, created, ..PlanOptions::default() };
    let mut described = slot_types::kept(context);
    let plan = loop {
        if described.is_none()
            && broken.is_empty()
            && let Ok(plan) = Plan::new(&page.slots, &file.page.content, &options)
            && plan.is_empty()
        {
            // A page that is as the file says shows it without the types, so that this costs one request.
            break plan;
        }
        let types = match described.take() {
            Some(described) => described,
            None => slot_types::fetch(context).await?,
        };
        options.types = types.rules();
        let is_fresh = types.fresh;
        let planned = checked(&page, &file, &broken, &options, &types, allowed);
        described = Some(types);
        match planned {
            Ok(plan) => break plan,
            // Perhaps the service has learnt something since.
            Err(failure) if !is_fresh && failure.exit() == Exit::Invalid => {
                described = Some(slot_types::fetch(context).await?);
            }
            Err(failure) => return Err(failure),
        }
    };
    let limits =
        DeleteLimits { max_deletes: allowed.max_deletes, allow_empty: allowed.allow_empty };
    let refusal = apply::guard(&plan, page.slots.len(), &limits).err();
    let (no_validate, sent) = (allowed.no_validate, client.requests_sent());
    let unnamed = allowed.unnamed.unwrap_or("not in the file; --prune deletes it");
    Ok(Planned {
        file,
        client,
        page,
        images,
        described,
        options,
        plan,
        no_validate,
        sent,
        unnamed,
        came_since: allowed.unnamed.is_some(),
        refusal,
    })
}

/// A plan for the page; or all that stands against one, at its places in the file.
fn checked(
    page: &PageSnapshot,
    file: &PageFile,
    broken: &[Problem],
    options: &PlanOptions,
    described: &Described,
    allowed: &AllowedArgs,
) -> Result<Plan, Failure> {
    if !allowed.no_validate {
        let kinds: BTreeSet<&str> = file.page.content.slots.iter().map(|it| &*it.kind).collect();
        if let Some(kind) = schema::unbounded(described, kinds.into_iter()) {
            let message = format!(
                "the service's schema of the type {kind} takes too long to apply; nothing was written"
            );
            return Err(Failure::new(Exit::Server, message)
                .hint("--no-validate leaves it to the service to check the blocks"));
        }
    }
    let planned = Plan::new(&page.slots, &file.page.content, options);
    let mut problems = match &planned {
        Ok(_) if allowed.no_validate => Vec::new(),
        Ok(plan) => problems::of_plan(plan, &page.slots, file, described, |nth| nth),
        Err(PlanError::Items(items)) => {
            let mut all = problems::of_items(items, file, Some(described));
            if !allowed.no_validate {
                all.extend(problems::of_others(items, &page.slots, file, options, described));
            }
            all
        }
        Err(error @ PlanError::TooManySlots { .. }) => {
            return Err(Failure::new(Exit::Conflict, error.to_string()));
        }
        Err(error) => return Err(Failure::new(Exit::Server, error.to_string())),
    };
    // What stands in its place meanwhile is nobody's mistake.
    problems.retain(|it| broken.iter().all(|reference| reference.path != it.path));
    problems.extend_from_slice(broken);
    match planned {
        Ok(plan) if problems.is_empty() => Ok(plan),
        _ => Err(file.document.bad(problems).into()),
    }
}

/// A guard's refusal with the flag that lifts it.
pub(super) fn refused(refusal: GuardRefusal) -> Failure {
    let flag = match refusal {
        GuardRefusal::Empty => "--allow-empty says that this is meant",
        GuardRefusal::ManyDeletes { .. } => "--max-deletes N says that this is meant",
        GuardRefusal::OverMaxDeletes { .. } => "raise --max-deletes if this is meant",
    };
    Failure::new(Exit::Refused, refusal.to_string()).hint(flag)
}
