//! Reads what is searched or checked: page files and form files, pages of the account, and lead forms.

use super::Source;
use super::texts::Area;
use crate::account::file_filter::FileFilter;
use crate::account::files::AccountFiles;
use crate::account::{estimate, live_page};
use crate::context::prelude::*;
use crate::output::read_data;
use links_pages::page_file::Document;
use links_pages::page_file::node::Node;
use links_sdk::Slot;

/// What was read, and what could not be.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    pub(crate) read: Vec<Source>,
    pub(crate) failures: Vec<CommandError>,
    /// Number of pages that were not read, because a failure would have been theirs, too.
    pub(crate) not_begun: usize,
}

/// Reads page files and form files.
pub(crate) fn of_files(
    context: &Context,
    paths: &[PathBuf],
    filter: &FileFilter,
) -> Result<Vec<Source>> {
    let files = AccountFiles::read(context, paths, &[], filter)?.all_usable()?;
    if files.is_empty() && !filter.compares() {
        return Err(CommandError::usage("no page or form file found")
            .with_hint("a page file starts with `profile: LOGIN`, a form file with `form: NAME`"));
    }
    let source = |name, path, document: Document, is_form| {
        let file = Some((path, document.sources));
        Source { file, ..Source::new(name, document.root, is_form) }
    };
    let pages = files.pages.into_iter().map(|(path, file)| {
        let key = &file.page.profile;
        let (page, login) = match key {
            ProfileKey::Id(id) => (Some(*id), None),
            ProfileKey::Login(login) => (None, Some(login.clone())),
        };
        Source { page, login, ..source(key.to_string(), path, file.document, false) }
    });
    let forms = files.forms.into_iter();
    let forms = forms.map(|(path, file)| source(file.form.name, path, file.document, true));
    Ok(pages.chain(forms).collect())
}

/// Reads pages of the account and lead forms: those of these `keys` with the forms that they show, or all pages and forms if there are none;
/// of them the `areas` that are needed, or all.
///
/// # Errors
///
/// When the pages cannot be listed.
pub(crate) async fn of_account(
    context: &mut Context,
    keys: &[ProfileKey],
    areas: &[Area],
    sources: &mut Sources,
) -> Result<()> {
    let client = context.client().await?;
    let is_all = keys.is_empty();
    let has_forms = areas.is_empty() || areas.contains(&Area::Forms);
    // The pages that are named say which forms are meant.
    let has_pages = !is_all || areas.is_empty() || areas.iter().any(|area| *area != Area::Forms);
    // The list has the fields of pages, but not their slots.
    let is_listed = is_all && has_pages && !areas.is_empty() && !areas.contains(&Area::Slots);
    if is_listed {
        let listed = client.profiles().list().answer().await?;
        for record in read_data::<Vec<Map<String, Value>>>(listed.body())? {
            sources.add(&record.into(), &[]);
        }
    }
    let keys = match (is_all, has_pages && !is_listed) {
        (true, false) => Vec::new(),
        (true, true) => live_page::all_keys(&client).await?,
        (false, _) => keys.to_vec(),
    };
    let others = usize::from(is_all) + usize::from(has_forms);
    estimate::announce(&context.ui, keys.len(), keys.len() + others);
    let mut shown = BTreeSet::new();
    let progress = context.ui.progress(keys.len() + usize::from(has_forms));
    for (nth, key) in keys.iter().enumerate() {
        progress.now(&key.to_string());
        match PageSnapshot::read(&client, key).await {
            Ok(page) => {
                shown.extend(page.slots.iter().filter_map(live_page::form_of).map(str::to_owned));
                sources.add(&page.record, &page.slots);
            }
            Err(error) => {
                let failure = CommandError::from(error);
                let is_general = failure.exit().is_general();
                let failure =
                    if keys.len() == 1 { failure } else { failure.about(&key.to_string()) };
                sources.failures.push(failure);
                if is_general {
                    sources.not_begun = keys.len() - nth - 1;
                    return Ok(());
                }
            }
        }
        progress.step();
    }
    if has_forms && (is_all || !shown.is_empty()) {
        progress.now("forms");
        match client.forms().list().await {
            Ok(forms) => {
                let is_meant = |form: &&LeadForm| is_all || shown.contains(form.id.as_str());
                let source = |form: &LeadForm| {
                    Source::new(form.id.to_string(), Node::of_json(&json!(form)), true)
                };
                sources.read.extend(forms.items.iter().filter(is_meant).map(source));
            }
            Err(error) => sources.failures.push(CommandError::from(error).about("forms")),
        }
    }
    Ok(())
}

impl Sources {
    /// Adds a page, unless another key has named it.
    fn add(&mut self, record: &Object, slots: &[Slot]) {
        let page = record.get("id").and_then(Value::as_i64).map(ProfileId::new);
        if self.read.iter().any(|known| known.file.is_none() && known.page == page) {
            return;
        }
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        let login = text(record.get("login"));
        let url = text(record.get("computed").and_then(|it| it.get("url")));
        let root = Node::of_json(&live_page::content(record, slots));
        let source = Source::new(login.clone().unwrap_or_default(), root, false);
        self.read.push(Source { page, login, url, ..source });
    }
}
