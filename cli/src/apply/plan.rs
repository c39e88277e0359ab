//! Planning: the steps from a page file to a plan that `plan` and `apply` share.

use std::sync::Arc;

use links_pages::apply::{self, DeleteLimits, OpenPage, Plan, PlanError, PlanOptions, Proposal};

use super::lock_only::{self, LockOnly};
use super::locked_slots;
use super::plan_target::PlanTarget;
use super::preflight::{check_exists, check_host, check_profile};
use super::{image, problems, uploads};
use crate::apply::apply_args::{ApplyArgs, RunOptions};
use crate::apply::planned::{PlannedPage, RecordedFile};
use crate::apply::sync::SyncRecord;
use crate::context::prelude::*;
use crate::schema::validate;
use links_pages::account::KnownForms;
use links_pages::page_file::fields::{mood_fields, mood_problems};

/// Resolves the references in the file of a page.
pub(crate) async fn resolve(
    context: &mut Context,
    client: &Client,
    RecordedFile { file, record }: &mut RecordedFile,
    page: &PageSnapshot,
    profiles: &[ProfileKey],
    forms: &mut KnownForms,
) -> Result<()> {
    if let Some(record) = record {
        record.read_again(context)?;
        if page.exists() {
            record.check_page(file, page)?;
            record.check_login(file, page)?;
        }
    }
    check_host(file, page)?;
    check_profile(profiles, page)?;
    check_exists(context, file, page)?;
    uploads::resolve(context, client, page, file, record.as_deref(), forms).await
}

/// Makes a plan and validates the data that would be sent.
pub(crate) async fn plan(
    context: &mut Context,
    RecordedFile { file, mut record }: RecordedFile,
    open: &OpenPage,
    run: &RunOptions,
    forms: &KnownForms,
) -> Result<PlannedPage> {
    let page = open.snapshot().clone();
    if let Some(record) = &mut record {
        record.read_sent(context, page.id)?;
    }
    let mut options = PlanOptions {
        // A new page keeps what the service put there.
        prune: run.flags.prune && !open.is_new(),
        prune_unsupported: run.flags.prune_unsupported,
        created: open.created(),
        ..PlanOptions::default()
    };
    if run.renew_status {
        options.renewed_mood = mood_fields(&file.page.content.fields);
    }
    let mut described = context.recent_slot_types();
    let (target, plan) = loop {
        if described.is_none()
            && file.missing.is_empty()
            && let Ok(target) = PlanTarget::of(&file, &page, record.as_deref(), &options, run)
            && target.is_free_of_conflicts()
            && let Ok(plan) = Plan::of_page(&page, &target.wanted, &target.options)
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
        let target = PlanTarget::of(&file, &page, record.as_deref(), &options, run);
        let planned = target.and_then(|target| {
            let plan = checked(&page, (&file, record.as_deref()), &target, &types, run)?;
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
    if !run.flags.unlock {
        locked_slots::check(&file, &target, &plan)?;
    }
    if let Some(seen) = &run.only_deletes
        && let Some(other) = plan.deletes.iter().find(|slot| !seen.contains(&slot.id))
    {
        let message = format!(
            "the page changed: {} {} would now also be deleted; nothing was written",
            other.kind, other.id
        );
        return Err(CommandError::conflict(message)
            .with_hint("check what would be deleted, then apply again"));
    }
    let ApplyArgs { max_deletes, allow_empty, .. } = run.flags;
    let limits = DeleteLimits { max_deletes, allow_empty };
    let guarded = apply::guard(&plan, page.slots.len(), &limits);
    // A file that says nothing of slots is not one without slots.
    let refusal = guarded.err().filter(|_| file.page.has_slots);
    let mut lock_only = LockOnly::of_page(record.as_deref(), &target, &page, &plan);
    if let Some(record) = record.as_ref().filter(|_| !plan.is_empty()) {
        lock_only.forms = lock_only::forms(record, &file, &page, forms);
    }
    let PlanTarget { wanted, options, merged } = target;
    let (content, plan) = (file.page.content.clone(), Arc::new(plan));
    let proposal = Proposal { file: content, wanted, options, plan };
    Ok(PlannedPage {
        file,
        record,
        page,
        proposal,
        described,
        merged,
        refusal,
        lock_only,
        edited: None,
    })
}

/// Returns a plan for the page, or all diagnostics at their places in the file.
fn checked(
    page: &PageSnapshot,
    (file, record): (&PageFile, Option<&SyncRecord>),
    target: &PlanTarget,
    described: &SlotTypeCatalog,
    run: &RunOptions,
) -> Result<Plan> {
    target.refuse_conflicts(file, page, record)?;
    let options = &target.options;
    let validates = !run.flags.no_validate;
    if validates {
        let kinds: BTreeSet<&str> = file.page.content.slots.iter().map(|it| &*it.kind).collect();
        if let Some(kind) = validate::unbounded(described, kinds.into_iter()) {
            let message = format!(
                "the schema of the slot type `{kind}` takes too long to evaluate; nothing was written"
            );
            return Err(CommandError::new(Exit::Server, message)
                .with_hint("use --no-validate to let the service validate the slots"));
        }
    }
    let planned = Plan::of_page(page, &target.wanted, options);
    let mut problems = Vec::new();
    match &planned {
        Ok(plan) if validates => {
            // Nothing says that a new page cannot have a status.
            let fields = &file.page.content.fields;
            problems.extend(mood_problems(&file.document, fields, &page.record));
            problems.extend(problems::of_plan(plan, &page.slots, file, described, |nth| nth));
            problems.extend(image::problems(plan, file));
        }
        Ok(_) => {}
        Err(PlanError::Items(items)) => {
            problems.extend(problems::of_items(items, file, Some(described), &|_| None));
            if validates {
                problems.extend(problems::of_others(items, &page.slots, file, options, described));
            }
        }
        Err(error) => return Err(problems::unplannable(error, file, &|_| None)),
    }
    // Diagnostics about the placeholder of a broken reference are dropped: the broken reference is reported itself.
    let placeholders: BTreeSet<&str> = file.missing.iter().map(|it| it.path.as_str()).collect();
    problems.retain(|it| !placeholders.contains(it.path.as_str()));
    problems.extend_from_slice(&file.missing);
    match planned {
        Ok(plan) if problems.is_empty() => Ok(plan),
        _ => Err(file.document.bad(problems).into()),
    }
}
