//! Pages of the account and their settings.

use std::fmt;

use serde::Deserialize;

use super::conditional::update_record;
use crate::api::Listing;
use crate::call::{Call, Create, Write};
use crate::call_sender::{Envelope, copies};
use crate::changes::{NewProfile, ProfileChanges, SettingsChanges};
use crate::client::Client;
use crate::conditional_write::Basis;
use crate::generated::types::{LoginCheck, Profile, ProfileSettings};
use crate::generated::{Client as Api, TypedRequest};
use crate::operation;
use crate::profile_key::ProfileKey;
use crate::slot::Slot;
use crate::transport::Answer;

/// All pages of the account. From [`Client::profiles`].
#[derive(Clone, Debug)]
pub struct ProfilesHandle {
    client: Client,
}

/// One page. From [`Client::profile`].
#[derive(Clone, Debug)]
pub struct ProfileHandle {
    #[doc(hidden)]
    pub client: Client,
    #[doc(hidden)]
    pub key: Result<ProfileKey, String>,
}

/// Answer with a page that was read with its slots.
#[derive(Deserialize)]
struct PageAnswer {
    data: PageWithSlots,
}

#[derive(Deserialize)]
struct PageWithSlots {
    /// `None` if the answer leaves them out, as that of an empty page does not.
    slots: Option<Vec<Slot>>,
    #[serde(flatten)]
    page: Profile,
}

envelopes! { |answer| answer.data; PageAnswer: PageWithSlots }

/// A page rendered as Markdown.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Markdown {
    /// The text. Bytes that are not UTF-8 are replaced.
    pub text: String,
    /// Number of tokens for a language model, if the service reported it.
    pub tokens: Option<u64>,
}

impl Client {
    /// Returns the handle for all pages of the account.
    pub fn profiles(&self) -> ProfilesHandle {
        ProfilesHandle { client: self.clone() }
    }

    /// Returns the handle for one page, by ID or login. If the key is neither, each call fails when you await it, before anything is sent.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let login = String::from("cafe");
    /// let page = client.profile(&login).get().await?;
    /// assert_eq!(client.profile(page.id).get().await?.login, login);
    /// assert!(client.profile("me?x").get().await.unwrap_err().is_invalid_input());
    /// # Ok(()) });
    /// ```
    pub fn profile(&self, key: impl TryInto<ProfileKey, Error: fmt::Display>) -> ProfileHandle {
        ProfileHandle { client: self.clone(), key: converted(key) }
    }
}

/// Returns an argument as the type that is sent, or why it is not one.
pub(super) fn converted<T>(value: impl TryInto<T, Error: fmt::Display>) -> Result<T, String> {
    value.try_into().map_err(|error| error.to_string())
}

impl ProfilesHandle {
    /// Returns every page of the account, without its slots.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let pages = client.profiles().list().await?;
    /// assert!(pages.iter().any(|page| page.login == "cafe"));
    /// assert_eq!(pages.total, 2);
    /// # Ok(()) });
    /// ```
    pub fn list(&self) -> Call<Listing<Profile>> {
        Call::of(&self.client, operation::LIST_PROFILES, Ok(()), |api, ()| api.list_profiles())
    }

    /// Creates a page. An account can have at most 100 pages; beyond that, the error is a 409.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_sdk::NewProfile;
    ///
    /// let page = client.profiles().create(NewProfile::with_login("spring.menu")).await?;
    /// assert_eq!(page.login, "spring.menu");
    /// # Ok(()) });
    /// ```
    pub fn create(
        &self,
        profile: impl TryInto<NewProfile, Error: fmt::Display>,
    ) -> Call<Profile, Create> {
        let profile = converted::<NewProfile>(profile);
        Call::of(&self.client, operation::CREATE_PROFILE, profile, |api, profile| {
            api.create_profile(&profile.0)
        })
    }

    /// Checks whether a login is available, and returns the reason if it is not.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let profiles = client.profiles();
    /// assert!(!profiles.check_login("cafe").await?.available);
    /// assert!(profiles.check_login("spring.menu").await?.available);
    /// # Ok(()) });
    /// ```
    pub fn check_login(&self, login: impl Into<String>) -> Call<LoginCheck> {
        check_login(&self.client, login.into(), Ok(None))
    }
}

/// Returns the check of a login, for any page or for one.
fn check_login(
    client: &Client,
    login: String,
    page: Result<Option<String>, String>,
) -> Call<LoginCheck> {
    Call::of(client, operation::CHECK_LOGIN, page, move |api, page| {
        api.check_login(&login, page.as_deref())
    })
}

impl ProfileHandle {
    /// Returns whether the page can take a login. The page's current login does not count as taken.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// assert!(client.profile("cafe").check_login("cafe").await?.available);
    /// # Ok(()) });
    /// ```
    pub fn check_login(&self, login: impl Into<String>) -> Call<LoginCheck> {
        check_login(&self.client, login.into(), self.key_text().map(Some))
    }

    /// Returns the page, without its slots.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let page = client.profile("cafe").get().await?;
    /// assert!(page.computed.url.ends_with("cafe"));
    /// # Ok(()) });
    /// ```
    pub fn get(&self) -> Call<Profile> {
        Call::of(&self.client, operation::GET_PROFILE, self.key_text(), |api, key| {
            api.get_profile(&key, None)
        })
    }

    /// Returns the page with its slots in page order. If the answer leaves the slots out, they are read with a second request.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let page = client.profile("cafe").get_with_slots().await?;
    /// assert_eq!(page.slots.len(), 14);
    /// # Ok(()) });
    /// ```
    pub fn get_with_slots(&self) -> Call<Profile> {
        Call::new(&self.client, operation::GET_PROFILE, self.key_text(), |sender, key| async move {
            let request = |api: Api<'_>| {
                let made = api.get_profile(&key, Some("slots"));
                made.map(|it| TypedRequest::<PageAnswer>::from(it.request))
            };
            let PageWithSlots { slots, page } = sender.send(request).await?;
            let slots = match slots {
                Some(slots) => slots,
                None => {
                    sender.beside(operation::LIST_SLOTS).send(|api| api.list_slots(&key)).await?
                }
            };
            Ok(Profile { slots, ..page })
        })
    }

    /// Changes fields of the page. Fields that you leave out are not changed. For a `login` among the changes, see
    /// [`ProfileHandle::update_settings`].
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_sdk::ProfileChanges;
    ///
    /// let changes = ProfileChanges::default().title("Closed on Mondays");
    /// client.profile("cafe").update(changes.clone()).dry_run().await?;
    /// let page = client.profile("cafe").update(changes).await?;
    /// assert_eq!(page.title.as_deref(), Some("Closed on Mondays"));
    /// # Ok(()) });
    /// ```
    pub fn update(
        &self,
        changes: impl TryInto<ProfileChanges, Error: fmt::Display>,
    ) -> Call<Profile, Write> {
        let changes = converted::<ProfileChanges>(changes).map(|it| it.0);
        update_record(&self.client, self.key_text(), Basis::Nothing, None, changes)
    }

    /// Changes fields of the page if they still have their values from `seen`. With `None`, the values of a first read count.
    ///
    /// The page is read right before each request, and again after every wait. If another client changed it in between, the call fails with
    /// [`Error::is_conflict`](crate::Error::is_conflict), and nothing is overwritten.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_sdk::ProfileChanges;
    ///
    /// let cafe = client.profile("cafe");
    /// let seen = cafe.get().await?;
    /// cafe.update_unchanged(&seen, ProfileChanges::default().title("Ours")).await?;
    /// let error = cafe.update_unchanged(&seen, ProfileChanges::default().title("Theirs")).await.unwrap_err();
    /// assert!(error.is_conflict());
    /// # Ok(()) });
    /// ```
    pub fn update_unchanged<'s>(
        &self,
        seen: impl Into<Option<&'s Profile>>,
        changes: impl TryInto<ProfileChanges, Error: fmt::Display>,
    ) -> Call<Profile, Write> {
        update_record(
            &self.client,
            self.key_text(),
            Basis::Read(None),
            seen.into(),
            converted::<ProfileChanges>(changes).map(|it| it.0),
        )
    }

    /// Returns the page rendered as Markdown, with its number of tokens.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let markdown = client.profile("cafe").markdown().await?;
    /// assert!(markdown.text.starts_with('#') && markdown.tokens > Some(0));
    /// # Ok(()) });
    /// ```
    pub fn markdown(&self) -> Call<Markdown> {
        let key = self.key_text();
        Call::new(
            &self.client,
            operation::PREVIEW_PROFILE_MARKDOWN,
            key,
            |sender, key| async move {
                let request = sender.made(|api| api.preview_profile_markdown(&key))?;
                let answer = sender.exchange(None, &mut copies(&request)).await?;
                Ok(Markdown::of(&answer))
            },
        )
    }

    /// Returns the key in paths.
    pub(crate) fn key_text(&self) -> Result<String, String> {
        self.key.as_ref().map(ToString::to_string).map_err(Clone::clone)
    }

    /// Returns the login and the language, with the available options.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let settings = client.profile("cafe").settings().await?;
    /// assert_eq!(settings.options.login.min_length, 4);
    /// # Ok(()) });
    /// ```
    pub fn settings(&self) -> Call<ProfileSettings> {
        Call::of(&self.client, operation::GET_PROFILE_SETTINGS, self.key_text(), |api, key| {
            api.get_profile_settings(&key)
        })
    }

    /// Changes the login or the language.
    ///
    /// A new login breaks every link to the old URL, and the old login no longer identifies the page. So the page is read first, and
    /// addressed by its ID. If the response is lost, the page is read again, and the change is sent again only if it was not executed. If
    /// the page has a third login by then, the call fails with [`Error::is_conflict`](crate::Error::is_conflict).
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_sdk::SettingsChanges;
    ///
    /// let changes = SettingsChanges::default().login("cafe.mole");
    /// let settings = client.profile("cafe").update_settings(changes).await?;
    /// assert_eq!(settings.login, "cafe.mole");
    /// assert!(client.profile("cafe").get().await.unwrap_err().is_not_found());
    /// # Ok(()) });
    /// ```
    pub fn update_settings(
        &self,
        changes: impl TryInto<SettingsChanges, Error: fmt::Display>,
    ) -> Call<ProfileSettings, Write> {
        let changes = converted::<SettingsChanges>(changes).map(|it| it.0);
        update_record(&self.client, self.key_text(), Basis::Nothing, None, changes)
    }

    /// Changes the login or the language if they still have their values from `seen`. With `None`, the values of a first read count.
    ///
    /// The settings are read right before each request, and again after every wait. If another client changed them in between, the call
    /// fails with [`Error::is_conflict`](crate::Error::is_conflict), and nothing is overwritten. If you pass `seen`, the page is addressed
    /// by its ID, which stays the same when the login changes.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_sdk::SettingsChanges;
    ///
    /// let cafe = client.profile("cafe");
    /// let seen = cafe.settings().await?;
    /// cafe.update_settings_unchanged(&seen, SettingsChanges::default().login("cafe.mole")).await?;
    /// let again = SettingsChanges::default().login("cafe.again");
    /// let error = client.profile("cafe.mole").update_settings_unchanged(&seen, again).await.unwrap_err();
    /// assert!(error.is_conflict());
    /// # Ok(()) });
    /// ```
    pub fn update_settings_unchanged<'s>(
        &self,
        seen: impl Into<Option<&'s ProfileSettings>>,
        changes: impl TryInto<SettingsChanges, Error: fmt::Display>,
    ) -> Call<ProfileSettings, Write> {
        let seen = seen.into();
        let key = match seen {
            Some(seen) => Ok(seen.profile_id.to_string()),
            None => self.key_text(),
        };
        update_record(
            &self.client,
            key,
            Basis::Read(None),
            seen,
            converted::<SettingsChanges>(changes).map(|it| it.0),
        )
    }
}

impl Markdown {
    /// Reads the answer of `previewProfileMarkdown`.
    pub fn of(answer: &Answer) -> Self {
        Self {
            text: String::from_utf8_lossy(answer.body()).into_owned(),
            tokens: answer.header("x-markdown-tokens").and_then(|count| count.trim().parse().ok()),
        }
    }
}
