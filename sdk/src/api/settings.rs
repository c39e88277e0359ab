//! Settings of a page: login and language (the interface, sections 2.6 and 4.5).

use std::fmt;

use super::conditional::{login_in, update_unchanged};
use super::profiles::{ProfileHandle, converted};
use crate::call::{Call, Write};
use crate::changes::SettingsChanges;
use crate::generated::types::ProfileSettings;
use crate::operation;

impl ProfileHandle {
    /// Login, language, and what they can be set to.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let settings = client.profile("cafe").settings().await?;
    /// assert_eq!(settings.options.login.min_length, 4);
    /// # Ok(()) });
    /// ```
    pub fn settings(&self) -> Call<ProfileSettings> {
        self.call(operation::GET_PROFILE_SETTINGS, |api, key| api.get_profile_settings(&key))
    }

    /// Changes the login or the language.
    ///
    /// A new login breaks every link to the old URL, and the old login no longer identifies the page. The page is read first, so that it
    /// can be addressed by its id. After a lost answer the page is read again: a change is only sent twice if it is known not to have been
    /// executed, and if the page has a third login by then, the call fails with [`Error::is_conflict`](crate::Error::is_conflict).
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
        match converted::<SettingsChanges>(changes) {
            Ok(changes) if login_in(changes.fields()).is_some() => {
                self.change_login(changes.0, |settings| settings.profile_id)
            }
            changes => {
                self.call_with(operation::UPDATE_PROFILE_SETTINGS, changes, |api, key, changes| {
                    api.update_profile_settings(&key, changes.fields())
                })
            }
        }
    }

    /// Changes the login or the language if they still are what they were in `seen`; `None` stands for what a first read shows.
    ///
    /// The settings are read right before each request, and again after every wait. A change by another client in between ends the call
    /// with [`Error::is_conflict`](crate::Error::is_conflict), and nothing is overwritten. With `seen` the page is addressed by its id,
    /// which outlives its login.
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
        update_unchanged(
            &self.client,
            key,
            seen,
            converted::<SettingsChanges>(changes).map(|it| it.0),
        )
    }
}
