//! `links slots plan`

use std::path::PathBuf;

use clap::Args;
use links_sdk::ProfileKey;
use serde_json::json;

use super::applying::planned;
use super::planning::{AllowedArgs, Planned, refused};
use super::rehearsal::rehearse;
use super::saved::{SavedPlan, Source};
use crate::annotate::Annotate;
use crate::confine::NamedFiles;
use crate::context::Context;
use crate::diagnostic::Failure;
use crate::exit::Exit;
use crate::key;
use crate::outcome::{Body, Line, Outcome, Tone, View};

/// Arguments of `links slots plan`.
#[derive(Args, Debug)]
pub(crate) struct SlotsPlanArgs {
    /// The page file, YAML or JSON (`-`: standard input)
    #[arg(required_unless_present = "plan")]
    file: Option<PathBuf>,
    /// Show this plan, which --out has written, if it can still be carried out (`-`: standard input)
    #[arg(long, value_name = "PLAN", conflicts_with = "file", value_hint = clap::ValueHint::FilePath)]
    plan: Option<PathBuf>,
    /// Refuse a file or a plan that is for another page than this one
    #[arg(long, value_name = "KEY", value_parser = key::parse)]
    profile: Option<ProfileKey>,
    #[command(flatten)]
    allowed: AllowedArgs,
    /// Write the plan to this file, for `links slots apply --plan`
    #[arg(long, value_name = "PLAN")]
    out: Option<PathBuf>,
    /// Ask the service whether it would take the new and changed blocks; nothing is written
    #[arg(long)]
    check: bool,
    /// Print what is refused for annotations at the lines of the file
    #[arg(long, value_name = "FORMAT")]
    annotate: Option<Annotate>,
}

impl SlotsPlanArgs {
    /// The files that it names.
    pub(crate) fn named_files(&self) -> NamedFiles {
        let read = self.allowed.upload_root.clone();
        let write = self.out.iter().cloned().collect();
        let source = self.file.iter().chain(&self.plan);
        source.fold(NamedFiles { read, write }, |named, file| named.with_directory(file))
    }
}

pub(crate) async fn run(context: &mut Context, args: SlotsPlanArgs) -> Result<Outcome, Failure> {
    let annotate = args.annotate;
    let planned = plan(context, args).await;
    let it = planned.inspect_err(|failure| {
        if let Some(annotate) = annotate {
            annotate.failure(failure);
        }
    })?;
    Ok(shown(&it))
}

/// A plan as it is shown. Exit code 3 when there is something to do.
pub(super) fn shown(it: &Planned) -> Outcome {
    let mut lines = it.lines();
    lines.extend(summary(it));
    let body =
        json!({ "data": it.shown(), "meta": { "requests": it.requests(), "refusal": it.refusal } });
    Outcome { body: Body::Own(body), view: View::Lines(lines), exit: exit(it), then: None }
}

/// What it comes to, and whether it would be refused.
pub(super) fn summary(it: &Planned) -> impl Iterator<Item = Line> {
    let refusal = it.refusal.map(|refusal| {
        Line::new(Tone::Removed, format!("apply would refuse this: {}", refused(refusal)))
    });
    std::iter::once(it.summary()).chain(refusal)
}

/// Whether there is something to do, and `apply` would do it.
pub(super) fn exit(it: &Planned) -> Exit {
    match it.refusal {
        Some(_) => Exit::Refused,
        None if it.plan.is_empty() => Exit::Ok,
        None => Exit::No,
    }
}

async fn plan(context: &mut Context, args: SlotsPlanArgs) -> Result<Planned, Failure> {
    let mut allowed = args.allowed;
    allowed.profile = args.profile;
    let roots = &allowed.upload_root;
    let source = match (&args.file, &args.plan) {
        (Some(file), _) => Source::page(file, roots, "plan")?,
        (None, Some(plan)) => Source::plan(plan, roots, "plan")?,
        (None, None) => return Err(Failure::usage("no page file is named")),
    };
    if let Some(saved) = &source.saved {
        saved.allow(&mut allowed, false)?;
    }
    let it = planned(context, source, &allowed).await?;
    if args.check {
        rehearse(&it, &context.ui).await?;
    }
    if let Some(path) = &args.out {
        SavedPlan::of(&it, path).write(path)?;
        let mut text = format!("plan written to {0}: links slots apply --plan {0}", path.display());
        for root in &allowed.upload_root {
            text.extend([" --upload-root ", &root.display().to_string()]);
        }
        context.ui.say(&Line::new(Tone::Faint, text));
    }
    Ok(it)
}
