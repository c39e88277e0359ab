//! Hints for refusals of the service: the name that was probably meant, or the command that lists the names.

use links_sdk::BaseUrl;

use crate::apply::sync::other_account;
use crate::context::prelude::*;
use crate::settings::ServiceTarget;
use crate::settings::global_args::PartialLine;
use links_pages::form_file::{CHANNELS, FORM_FIELDS, INPUT_FIELDS, INPUTS};
use links_pages::page_file::fields::PROFILE_FIELDS;
use links_pages::suggest::nearest;

/// Adds a hint to the failure if there is one.
pub(crate) async fn add_hint(context: &mut Context, failure: CommandError) -> CommandError {
    if failure.exit() == Exit::NotFound
        && let Some(other) = other_account::of_missing(context).await
    {
        return other;
    }
    let failure = of_target(&context.settings.target, failure);
    let Some(operation) = failure.operation() else { return failure };
    let failure = match missing(context, &failure) {
        Some(named) if !context.ui.says_json() => failure.saying(named),
        _ => failure,
    };
    let did_you_mean = |name| format!("did you mean `{name}`?");
    let hint = match failure.exit() {
        Exit::NotFound if failure.hint().is_none() => {
            let meant = meant_name(context, operation).await.map(did_you_mean);
            meant.or_else(|| listed(operation).map(str::to_owned))
        }
        Exit::Invalid => match not_a_field(operation, &failure) {
            None => meant_field(context, operation, &failure).await.map(did_you_mean),
            hint => hint,
        },
        _ => None,
    };
    failure.hinted(hint)
}

/// Returns what was not found with its name, where the command line leaves no doubt which one it is.
fn missing(context: &Context, failure: &CommandError) -> Option<String> {
    let line = PartialLine::read(&context.words);
    let (noun, verb) = context.command.split_once(' ')?;
    let args = line.words.get(1 + verb.split(' ').count()..)?;
    Some(match (&*failure.to_string(), noun, args) {
        _ if !line.other_options.is_empty() => return None,
        ("page not found", "profile" | "slots" | "music", [key, ..])
            if !["rewrite", "plan", "apply"].contains(&verb) =>
        {
            format!("page `{key}` not found")
        }
        ("slot not found", "slots", [key, id, ..]) => format!("slot {id} not found on {key}"),
        ("release not found", "music", [.., query]) => format!("no release found for `{query}`"),
        _ => return None,
    })
}

/// Adds a hint about the URL of the service: its origin, or its missing version segment.
fn of_target(target: &ServiceTarget, failure: CommandError) -> CommandError {
    let url = match target {
        ServiceTarget::Service(url) => url,
        ServiceTarget::Sandbox(_) => return failure.undocumented(),
        ServiceTarget::Unset => return failure,
    };
    match (failure.exit(), url.base()) {
        (Exit::Network, _) if failure.hint().is_none() => {
            failure.with_hint(format!("check the URL from {}: {}", url.from, url.text))
        }
        (Exit::NotFound, Ok(base)) if failure.operation().is_some() && !has_version(base) => {
            failure.with_hint(format!(
                "add the version segment to the URL, as in {}/api/v1; the URL from {} is {base}",
                base.origin(),
                url.from
            ))
        }
        _ => failure,
    }
}

/// Tells whether a URL has a segment like `v1`.
fn has_version(base: &BaseUrl) -> bool {
    let path = base.as_str().strip_prefix(&base.origin()).unwrap_or_default();
    path.split('/')
        .any(|it| it.strip_prefix('v').is_some_and(|number| number.parse::<u16>().is_ok()))
}

/// Returns the command that lists the records among which an operation did not find one.
fn listed(operation: &str) -> Option<&'static str> {
    Some(match operation {
        "getSlotType" => "`links slots types` lists the types",
        "showForm" | "updateForm" | "getFormAnalytics" => "`links forms list` lists the forms",
        "lookupMusic" => {
            "try --artist, or search by UPC, ISRC or the release's URL on a music platform"
        }
        "getSlot" | "updateSlot" | "deleteSlot" => {
            "`links slots list KEY` lists the slots of a page, and `links profile list` lists the pages"
        }
        _ if operation.contains("Profile") || operation.contains("Slot") => {
            "`links profile list` lists the pages of this account"
        }
        _ => return None,
    })
}

/// Fields of a slot that the service computes.
const OF_SLOT: &[&str] = &["id", "supported", "clicks"];

/// Returns a hint for refused fields that no other name would make valid: the position of a slot, and fields that the service computes.
fn not_a_field(operation: &str, failure: &CommandError) -> Option<String> {
    let refused =
        || failure.errors().map(|(path, why)| (path.rsplit('.').next().unwrap_or(path), why));
    let (computed, order): (&[&str], _) = match operation {
        "createForm" | "updateForm" => (&["id", "active", "createdAt"], None),
        "createProfile" | "updateProfile" => (&["id", "computed", "themeId", "icon"], None),
        "createSlot" => {
            (OF_SLOT, Some("to set the position, pass --at N, --before ID or --after ID"))
        }
        "updateSlot" => (OF_SLOT, Some("`links slots move KEY ID --at N` moves a slot")),
        _ => (&[], None),
    };
    if let Some(order) = order.filter(|_| refused().any(|(name, _)| name == "order")) {
        return Some(order.to_owned());
    }
    let (name, _) =
        refused().find(|(name, why)| computed.contains(name) || why.contains("computed"))?;
    Some(format!("leave `{name}` out: the service sets it"))
}

/// Returns the known page or type whose name is nearest to a word of the command line.
async fn meant_name(context: &mut Context, operation: &str) -> Option<String> {
    let known: Vec<String> = match operation {
        "getSlotType" => context.slot_types().await.ok()?.names().map(str::to_owned).collect(),
        _ => context.known_logins(),
    };
    near(arguments(context), &known)
}

/// Returns the known field or type whose name is nearest to a refused one.
async fn meant_field(
    context: &mut Context,
    operation: &str,
    failure: &CommandError,
) -> Option<String> {
    let refused: Vec<&str> =
        failure.errors().filter_map(|(path, _)| path.rsplit('.').next()).collect();
    let known: Vec<String> = match operation {
        "createSlot" if refused.contains(&"type") => {
            let types = context.slot_types().await.ok()?;
            let types: Vec<_> = types.creatable().map(str::to_owned).collect();
            return near(arguments(context), &types);
        }
        "createSlot" | "updateSlot" => {
            let types = context.slot_types().await.ok()?;
            let of_line = context.words.iter().find_map(|word| types.get(word));
            let all = types.names().filter_map(|name| types.get(name));
            let schemas = all.filter(|it| of_line.is_none_or(|only| only.kind == it.kind));
            let fields = schemas.filter_map(|it| it.schema.0.get("properties")?.as_object());
            fields.flat_map(|it| it.keys().cloned()).collect()
        }
        "createProfile" | "updateProfile" => {
            let of_file = PROFILE_FIELDS.iter().map(|rule| rule.name);
            let of_page = of_file.filter(|name| !["login", "languageCode"].contains(name));
            of_page.chain(["languageId"]).map(str::to_owned).collect()
        }
        "createForm" | "updateForm" => {
            let rules = FORM_FIELDS.iter().chain(INPUT_FIELDS).map(|rule| rule.name);
            rules.chain([INPUTS, CHANNELS]).map(str::to_owned).collect()
        }
        "updateProfileSettings" => vec!["languageCode".to_owned()],
        _ => return None,
    };
    near(refused, &known)
}

/// Returns the words of the command line that are not the names of its commands.
fn arguments(context: &Context) -> impl Iterator<Item = &str> {
    let words = PartialLine::read(&context.words).words;
    words.into_iter().skip(context.command.split(' ').count())
}

/// Returns the known word that is nearest to the first of these words that is not itself known.
fn near<'w>(words: impl IntoIterator<Item = &'w str>, known: &[String]) -> Option<String> {
    let is_known = |word: &str| known.iter().any(|it| it == word);
    words.into_iter().filter(|word| !is_known(word)).find_map(|word| nearest(word, known))
}
