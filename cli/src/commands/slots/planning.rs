//! From a page file to a plan for its page: what `plan` and `apply` have in common.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use links_sdk::Client;
use links_sdk::apply::{
    self, GuardRefusal, ItemError, ItemProblem, Limits, Options, Page, Plan, PlanError,
};

use super::state;
use crate::context::Context;
use crate::diagnostic::Failure;
use crate::exit::Exit;
use crate::manifest::PageFile;
use crate::outcome::{Line, Tone};

/// A page file and what may be done to make the page like it.
#[derive(Args, Debug)]
pub(crate) struct PlanningArgs {
    /// The page file, YAML or JSON (`-`: standard input)
    file: PathBuf,
    #[command(flatten)]
    allowed: AllowedArgs,
}

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
    /// Agree to the deletes without being asked
    #[arg(long)]
    pub(super) yes: bool,
    /// Agree to at most this many deletes; needed to delete much of a page
    #[arg(long, value_name = "N")]
    pub(super) max_deletes: Option<usize>,
    /// Let a file without any blocks be meant, and a page that has lost all of its own
    #[arg(long)]
    pub(super) allow_empty: bool,
}

/// A page file, and its page as it is.
pub(super) struct Read {
    pub(super) file: PageFile,
    pub(super) client: Client,
    pub(super) page: Page,
}

/// A plan with all that it was made from.
pub(super) struct Planned {
    pub(super) file: PageFile,
    pub(super) client: Client,
    pub(super) page: Page,
    pub(super) options: Options,
    pub(super) plan: Plan,
    /// Why `apply` would not carry it out.
    pub(super) refusal: Option<GuardRefusal>,
}

impl Planned {
    /// What the plan comes to, in one line.
    pub(super) fn summary(&self) -> Line {
        let text = match self.requests() {
            1 => "no changes".to_owned(),
            requests => format!("{} ({requests} requests)", self.plan),
        };
        Line::new(Tone::Plain, text)
    }

    /// The same for the page as it is now, with ids that an interrupted run noted.
    pub(super) async fn again(
        self,
        allowed: &AllowedArgs,
        created: BTreeMap<usize, i64>,
    ) -> Result<Self, Failure> {
        let read = Read { file: self.file, client: self.client, page: self.page };
        plan(read, allowed, Options { created, ..self.options }).await
    }

    /// Requests of the whole run if nothing goes wrong: those of the plan, and one for the slot types where something is to be written.
    pub(super) fn requests(&self) -> usize {
        self.plan.request_count() + usize::from(!self.plan.is_empty())
    }
}

/// Reads the file, then the page, and plans. Nothing is sent before the file is known to be good.
pub(super) async fn planned(
    context: &mut Context,
    args: &PlanningArgs,
) -> Result<Planned, Failure> {
    let read = read(context, PageFile::read(&args.file)?).await?;
    let created = state::created(context, &read)?;
    plan(read, &args.allowed, Options { created, ..Options::default() }).await
}

/// Reads the page that a file is for.
pub(super) async fn read(context: &mut Context, file: PageFile) -> Result<Read, Failure> {
    let client = context.client().await?;
    let page = Page::read(&client, &file.page.profile).await?;
    Ok(Read { file, client, page })
}

/// Plans with what is known already.
pub(super) async fn plan(
    Read { file, client, page }: Read,
    allowed: &AllowedArgs,
    known: Options,
) -> Result<Planned, Failure> {
    let (prune, prune_unsupported) = (allowed.prune, allowed.prune_unsupported);
    let mut options = Options { prune, prune_unsupported, ..known };
    let desired = &file.page.content;
    // A page that is as the file says shows it without the types, so that a second run costs one request.
    let plan = match Plan::new(&page.slots, desired, &options) {
        Ok(plan) if plan.is_empty() || !options.types.is_empty() => plan,
        _ => {
            options.types = super::types(&client).await?;
            Plan::new(&page.slots, desired, &options).map_err(|error| not_planned(error, &file))?
        }
    };
    let limits = Limits { max_deletes: allowed.max_deletes, allow_empty: allowed.allow_empty };
    let refusal = apply::guard(&plan, page.slots.len(), &limits).err();
    Ok(Planned { file, client, page, options, plan, refusal })
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

fn not_planned(error: PlanError, file: &PageFile) -> Failure {
    let PlanError::Items(items) = error else {
        let exit = if matches!(error, PlanError::TooManySlots { .. }) {
            Exit::Conflict
        } else {
            Exit::Server
        };
        return Failure::new(exit, error.to_string());
    };
    let said: Vec<_> = items.iter().map(|it| (place(it), it.problem.to_string())).collect();
    file.document
        .refuse(said.iter().map(|(path, message)| (path.as_str(), message.as_str())))
        .into()
}

fn place(item: &ItemError) -> String {
    let below = match &item.problem {
        ItemProblem::NotOnPage { .. } | ItemProblem::RepeatedId { .. } => ".id".to_owned(),
        ItemProblem::TypeDiffers { .. } | ItemProblem::NotCreatable { .. } => ".type".to_owned(),
        ItemProblem::NotClearable { key, .. } => format!(".data.{key}"),
        ItemProblem::NotEditable { keys, .. } => {
            keys.first().map_or_else(String::new, |key| format!(".data.{key}"))
        }
        ItemProblem::Ambiguous { .. } => String::new(),
    };
    format!("slots.{}{below}", item.index)
}
