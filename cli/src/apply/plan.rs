//! Planning: the steps from a page file to a plan that `plan` and `apply` share.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use links_pages::apply::{self, DeleteLimits, PageSnapshot, Plan, PlanError, PlanOptions};
use links_sdk::{Client, ProfileKey, SlotId};

use super::known_forms::KnownForms;
use super::lock_only::{self, LockOnly};
use super::plan_target::PlanTarget;
use super::{local_images, page_host, problems, uploads};
use crate::apply::apply_args::ApplyArgs;
use crate::apply::planned::{PlanInputs, PlannedPage};
use crate::apply::sync::{MergedPage, Since, SyncRecord};
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::schema::slot_types::SlotTypeCatalog;
use crate::schema::validate;
use links_pages::page_file::{FieldDiagnostic, PageFile, profile_fields};

/// Refuses a file for another page than those that the command line names.
fn check_profile(keys: &[ProfileKey], page: &PageSnapshot) -> Result<(), CommandError> {
    let is_this = |key: &ProfileKey| match key {
        ProfileKey::Id(id) => *id == page.id,
        ProfileKey::Login(login) => login.eq_ignore_ascii_case(&page.login),
    };
    if keys.is_empty() || keys.iter().any(is_this) {
        return Ok(());
    }
    let named: Vec<String> = keys.iter().map(ToString::to_string).collect();
    let (login, id, named) = (&page.login, page.id, named.join(", "));
    let page =
        if page.exists() { format!("{login} (id {id})") } else { format!("{login}, a new one") };
    let message = format!("the file is for the page {page}, not for {named}");
    Err(CommandError::new(Exit::Refused, format!("{message}; nothing was written"))
        .with_hint("leave out --profile, or pass the file of that page"))
}

/// Resolves the references in the file of a page.
pub(crate) async fn resolve(
    context: &mut Context,
    client: Client,
    mut file: PageFile,
    page: &PageSnapshot,
    mut record: Option<Box<SyncRecord>>,
    apply_args: &ApplyArgs,
    forms: &mut KnownForms,
) -> Result<PlanInputs, CommandError> {
    if let Some(record) = &mut record {
        record.read_again(context)?;
        if page.exists() {
            record.check_page(&file, page)?;
        }
    }
    page_host::check(&file, page)?;
    check_profile(&apply_args.profiles, page)?;
    let mut images = uploads::images(&file);
    let mut broken = std::mem::take(&mut file.missing);
    broken.extend(
        uploads::resolve(context, &client, page, &mut file, &mut images, record.as_deref(), forms)
            .await?,
    );
    let lock_only_forms = record.as_deref().map(|it| lock_only::forms(it, &file, page, forms));
    let lock_only_forms = lock_only_forms.unwrap_or_default();
    Ok(PlanInputs { file, client, images, broken, record, lock_only_forms })
}

/// Makes a plan and validates the data that would be sent.
pub(crate) async fn plan(
    context: &mut Context,
    PlanInputs { file, client, images, broken, mut record, lock_only_forms }: PlanInputs,
    page: Arc<PageSnapshot>,
    apply_args: &ApplyArgs,
    created: BTreeMap<usize, SlotId>,
) -> Result<PlannedPage, CommandError> {
    if let Some(record) = &mut record {
        record.read_sent(context, page.id)?;
    }
    let (prune, prune_unsupported) = (apply_args.prune, apply_args.prune_unsupported);
    let exact = apply_args.exact.clone();
    let mut options =
        PlanOptions { prune, prune_unsupported, created, exact, ..PlanOptions::default() };
    if apply_args.renew_mood {
        options.renewed_mood = profile_fields::mood_fields(&file.page.content.fields);
    }
    let mut described = context.recent_slot_types();
    let (target, plan) = loop {
        if described.is_none()
            && broken.is_empty()
            && let Ok(target) =
                PlanTarget::of(&file, &images, &page, record.as_deref(), &options, apply_args)
            && target.is_free_of_conflicts()
            && let Ok(plan) = Plan::of_page(&page, &target.desired, &target.options)
            && plan.is_empty()
        {
            // A page that matches the file needs no slot types, so that this case costs one request.
            break (target, plan);
        }
        let types = match described.take() {
            Some(described) => described,
            None => context.fetch_slot_types().await?,
        };
        options.types = types.rules();
        let is_fresh = types.fresh;
        let target = PlanTarget::of(&file, &images, &page, record.as_deref(), &options, apply_args);
        let planned = target.and_then(|target| {
            let inputs = (&file, record.as_deref());
            let plan = checked(&page, inputs, &broken, &target, &types, apply_args)?;
            Ok((target, plan))
        });
        described = Some(types);
        match planned {
            Ok(planned) => break planned,
            // The cached slot types may be out of date.
            Err(failure) if !is_fresh && failure.exit() == Exit::Invalid => {
                described = Some(context.fetch_slot_types().await?);
            }
            Err(failure) => return Err(failure),
        }
    };
    if let Some(seen) = &apply_args.only_deletes
        && let Some(other) = plan.deletes.iter().find(|slot| !seen.contains(&slot.id))
    {
        let message = format!(
            "the page was changed: {} {} would be deleted now, too; nothing was written",
            other.kind, other.id
        );
        return Err(CommandError::new(Exit::Conflict, message)
            .with_hint("look at what is deleted, and apply again"));
    }
    let limits =
        DeleteLimits { max_deletes: apply_args.max_deletes, allow_empty: apply_args.allow_empty };
    let guarded = apply::guard(&plan, page.slots.len(), &limits);
    // A file that says nothing of slots is not one without slots.
    let refused = guarded.err().filter(|_| file.page.has_slots);
    // Below a links.lock a file whose slots are gone from the page has nothing to do.
    let refusal = refused.filter(|_| target.merge.is_none() || !plan.is_empty());
    let sent = client.requests_sent();
    let since = record.as_deref().map_or(Since::Sync, SyncRecord::since);
    let kept_reason = apply_args.kept_reason.unwrap_or(match &target.base {
        Some(_) if since == Since::Opened => "not in the text",
        Some(_) => "made on the page since the last sync; --prune deletes it",
        None => "not in the file; --prune deletes it",
    });
    let mut lock_only = LockOnly::of_page(record.as_deref(), &target, &page, &plan);
    lock_only.forms = lock_only_forms;
    let PlanTarget { desired, options, merge, base } = target;
    let merged = merge.map(|merge| Box::new(MergedPage { base, merge, since }));
    Ok(PlannedPage {
        file,
        client,
        page,
        images,
        described,
        options,
        desired,
        record,
        merged,
        plan: Arc::new(plan),
        sent,
        kept_reason,
        is_full: apply_args.full,
        is_restore: apply_args.kept_reason.is_some(),
        refusal,
        lock_only,
    })
}

/// Returns a plan for the page, or all diagnostics at their places in the file.
fn checked(
    page: &PageSnapshot,
    (file, record): (&PageFile, Option<&SyncRecord>),
    broken: &[FieldDiagnostic],
    target: &PlanTarget,
    described: &SlotTypeCatalog,
    apply_args: &ApplyArgs,
) -> Result<Plan, CommandError> {
    target.refuse_conflicts(file, page, record)?;
    let options = &target.options;
    if !apply_args.no_validate {
        let kinds: BTreeSet<&str> = file.page.content.slots.iter().map(|it| &*it.kind).collect();
        if let Some(kind) = validate::unbounded(described, kinds.into_iter()) {
            let message = format!(
                "the service's schema of the type {kind} takes too long to evaluate; nothing was written"
            );
            return Err(CommandError::new(Exit::Server, message)
                .with_hint("--no-validate leaves the validation to the service"));
        }
    }
    let planned = Plan::of_page(page, &target.desired, options);
    let mut problems = match &planned {
        Ok(_) if apply_args.no_validate => Vec::new(),
        Ok(plan) => {
            let mut all = Vec::new();
            // Nothing says that a new page cannot have a status.
            let fields = &file.page.content.fields;
            all.extend(profile_fields::mood_problems(&file.document, fields, &page.record));
            all.extend(problems::of_plan(plan, &page.slots, file, described, |nth| nth));
            // The data of a restored slot comes from the page itself.
            if apply_args.kept_reason.is_none() {
                all.extend(local_images::problems(plan, file));
            }
            all
        }
        Err(PlanError::Items(items)) => {
            let mut all = problems::of_items(items, file, Some(described));
            if !apply_args.no_validate {
                all.extend(problems::of_others(items, &page.slots, file, options, described));
            }
            all
        }
        Err(error @ PlanError::TooManySlots { .. }) => {
            return Err(CommandError::new(Exit::Conflict, error.to_string()));
        }
        Err(error) => return Err(CommandError::new(Exit::Server, error.to_string())),
    };
    // Diagnostics about the placeholder of a broken reference are dropped: the broken reference is reported itself.
    let placeholders: BTreeSet<&str> = broken.iter().map(|it| it.path.as_str()).collect();
    problems.retain(|it| !placeholders.contains(it.path.as_str()));
    problems.extend_from_slice(broken);
    match planned {
        Ok(plan) if problems.is_empty() => Ok(plan),
        _ => Err(file.document.bad(problems).into()),
    }
}
