//! Shadow of the account: the contract server in this process, with a page and what it refers to.

use links_fixtures::{Account, Choices, ContractServer, World};
use links_sdk::{RateLimits, Slot, Token};

use super::live_account::LiveAccount;
use super::shadow_account;
use super::shown_page::{OF_FILE, Preview, TokenCount};
use crate::account::files::AccountFiles;
use crate::account::shadow_run::run_on_shadow;
use crate::apply::apply_args::RunOptions;
use crate::apply::image::find_strings;
use crate::apply::uploads::unsent_path;
use crate::context::prelude::*;
use crate::sandbox::without_limits;
use crate::schema::schema_of;

/// A shadow, which listens on no port: only its client reaches it.
pub(super) struct Shadow {
    client: Client,
    /// Beginning of the URLs of files for texts, as the service renders them; empty if unknown.
    text_base: String,
    /// That of images that a browser loads.
    image_base: String,
}

impl Shadow {
    /// Returns the shadow of an account that was read.
    pub(super) fn of_live(live: &LiveAccount, files: &AccountFiles) -> Result<Self> {
        let account = shadow_account::of_live(live, files);
        let kinds = account.profiles.iter().flat_map(|page| &page.slots).map(|slot| &*slot.kind);
        let items = files.pages.iter().flat_map(|(_, file)| &file.page.content.slots);
        let mut slot_schemas = BTreeMap::new();
        for kind in kinds.chain(items.map(|item| &*item.kind)) {
            if let Some(described) = live.types.get(kind) {
                slot_schemas.entry(kind.to_owned()).or_insert_with(|| schema_of(described));
            }
        }
        let text = live.markdown.as_ref().map(|markdown| markdown.text.as_str());
        let page = live.page.as_ref();
        let file_base = page.and_then(|page| file_base(text, &page.record, &page.slots));
        let text_base = file_base.unwrap_or_default();
        let choices = Choices {
            no_status_feature: page.is_some_and(|page| !page.record.contains_key("moodText")),
            ..choices(&text_base, slot_schemas)
        };
        let server = match start(&account, &choices) {
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                // A schema that cannot be compiled validates nothing here, as in a plan.
                let kinds = choices.slot_schemas.keys().map(|kind| (kind.clone(), json!({})));
                let slot_schemas = kinds.collect();
                start(&account, &Choices { slot_schemas, ..choices })
            }
            started => started,
        };
        let image_base = page.and_then(|page| image_base(&page.record)).unwrap_or_default();
        Ok(Self { text_base, image_base, ..Self::connected(server)? })
    }

    /// Returns the shadow of an account that has what a file names, and nothing else.
    pub(super) fn of_file(files: &AccountFiles) -> Result<Self> {
        let account = shadow_account::of_file(files);
        let items = files.pages.iter().flat_map(|(_, file)| &file.page.content.slots);
        let slot_schemas = items.map(|item| (item.kind.clone(), json!({}))).collect();
        Self::connected(start(&account, &choices("", slot_schemas)))
    }

    fn connected(server: io::Result<ContractServer>) -> Result<Self> {
        fn cannot(error: impl std::fmt::Display) -> CommandError {
            CommandError::internal(format!("cannot start the sandbox for the preview: {error}"))
        }
        let server = server.map_err(cannot)?;
        let token = Token::new(server.token()).map_err(cannot)?;
        let client =
            Client::builder(server.base_url()).token(token).rate_limits(RateLimits::unlimited());
        let client = client.in_process(move |request| server.respond(request));
        let client = client.build().map_err(cannot)?;
        Ok(Self { client, text_base: String::new(), image_base: String::new() })
    }

    /// Returns the page as the model renders it.
    pub(super) async fn markdown(&self, page: ProfileId) -> Result<String> {
        Ok(self.client.profile(page).markdown().await?.text)
    }

    /// Returns the slot types of the model.
    pub(super) async fn slot_types(&self) -> Result<SlotTypeCatalog> {
        Ok(SlotTypeCatalog::of(self.client.slot_types().await?, true))
    }

    /// Applies a page file to the shadow. Returns a preview that knows nothing of the page before.
    pub(super) async fn apply(
        &self,
        context: &Context,
        options: RunOptions,
        types: SlotTypeCatalog,
        files: AccountFiles,
    ) -> Result<Preview> {
        let file = files.pages.first().map(|(path, _)| path.display().to_string());
        let mut shadowed = context.shadowed(self.client.clone(), types);
        let (page, images, outlook) = run_on_shadow(&mut shadowed, files, options).await?;
        let mut after = self.markdown(page.id).await?;
        for (image, path) in &images {
            if *path == unsent_path(&image.local.hash) {
                after = after.replace(&format!("{}{path}", self.text_base), &image.name);
            }
        }
        let snapshot = PageSnapshot::read(&self.client, &ProfileKey::Id(page.id)).await?;
        let forms = if snapshot.slots.iter().any(|slot| slot.kind == "form") {
            self.client.forms().list().await?.items
        } else {
            Vec::new()
        };
        Ok(Preview {
            file: file.unwrap_or_default(),
            before: String::new(),
            tokens: TokenCount::of("", &after, None),
            after,
            rendered_by: OF_FILE,
            outlook,
            snapshot,
            live: None,
            forms,
            images: images.into_iter().map(|(image, path)| (path, image.local)).collect(),
            file_base: self.image_base.clone(),
        })
    }
}

/// Origin of the shadow's URLs, at which nothing listens.
const ORIGIN: &str = "http://localhost";

fn start(account: &Account, choices: &Choices) -> io::Result<ContractServer> {
    let builder = ContractServer::builder(World::of(account.clone())).no_request_log();
    without_limits(builder).choices(choices.clone()).at_origin(ORIGIN)
}

/// Returns the readings of the interface under which the model refuses least.
fn choices(file_base: &str, slot_schemas: BTreeMap<String, Value>) -> Choices {
    Choices {
        slot_schemas,
        public_files: Some(file_base.to_owned()),
        events_deletable: true,
        any_social_link: true,
        open_schemas: true,
        zeros: true,
        ..Choices::default()
    }
}

/// Returns the beginning of the URLs of files for a text: from the page as the service renders it, else as [`image_base`]. Somebody may have
/// written what looks like it into a text of the page, so nothing is loaded from there. `None` if the page shows no file.
fn file_base(markdown: Option<&str>, record: &Object, slots: &[Slot]) -> Option<String> {
    let shown = markdown.and_then(|text| shown_base(text, record, slots));
    shown.or_else(|| image_base(record))
}

/// Returns the beginning of the URLs of images: from the URL that the service computes for the avatar or the background image. `None` without
/// one.
fn image_base(record: &Object) -> Option<String> {
    computed_base(record, "avatar", "avatarUrl")
        .or_else(|| computed_base(record, "bgImage", "bgImageUrl"))
}

fn computed_base(record: &Object, path: &str, url: &str) -> Option<String> {
    let path = record.get(path)?.as_str()?;
    let url = record.get("computed")?.get(url)?.as_str()?;
    Some(url.strip_suffix(path).filter(|base| is_base(base))?.to_owned())
}

fn shown_base(text: &str, record: &Object, slots: &[Slot]) -> Option<String> {
    let mut paths = Vec::new();
    paths.extend(record.get("avatar").and_then(Value::as_str));
    for slot in slots {
        for (key, value) in slot.data.iter() {
            find_strings(key, value, &mut Vec::new(), &mut |_, text| {
                let is_text_or_url = text.contains("://") || text.contains(char::is_whitespace);
                paths.extend((!is_text_or_url).then_some(text));
            });
        }
    }
    paths.into_iter().filter(|path| path.contains('/')).find_map(|path| {
        let end = text.find(&format!("{path})"))?;
        let start = text[..end].rfind("](")? + 2;
        let base = &text[start..end];
        is_base(base).then(|| base.to_owned())
    })
}

fn is_base(text: &str) -> bool {
    text.ends_with('/') && text.contains("://")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shadow_is_reached_without_a_socket() {
        let _ = rustls::crypto::ring::default_provider().install_default();
        // Without I/O in its runtime nothing can connect.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let shadow = Shadow::of_file(&AccountFiles::default()).unwrap();
        let types = runtime.block_on(async { shadow.client.slot_types().await }).unwrap();
        assert!(types.iter().any(|it| it.kind == "button"));
    }

    #[test]
    fn the_beginning_is_found_by_the_path_of_a_file() {
        let record = json!({"avatar": "up/logo.png", "bgImage": "up/sea.png", "computed": {"bgImageUrl": "http://b.example/up/sea.png"}});
        let record: Object = serde_json::from_value(record).unwrap();
        let slots = json!([{"id": 1, "type": "picture", "data": {"title": "a b/c", "image": "up/a.jpg"}, "supported": true}]);
        let slots: Vec<Slot> = serde_json::from_value(slots).unwrap();
        let base = |text| file_base(text, &record, &slots);
        let shown = Some("https://files.example/v2/".to_owned());
        assert_eq!(base(Some("![Avatar](https://files.example/v2/up/logo.png)")), shown);
        let linked = "[![x](https://files.example/v2/up/a.jpg)](https://a.example)";
        assert_eq!(base(Some(linked)), shown);
        let computed = Some("http://b.example/".to_owned());
        assert_eq!(base(Some("![x](up/a.jpg)")), computed);
        assert_eq!(base(None), computed);
        assert_eq!(file_base(None, &Object::default(), &slots), None);
        assert_eq!(image_base(&record).as_deref(), Some("http://b.example/"));
    }
}
