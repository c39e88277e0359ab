//! Settings of a page: address and language (the interface, sections 2.6 and 4.5).

use super::login::login_in;
use super::profiles::ProfileHandle;
use crate::call::{Call, Write};
use crate::changes::SettingsChanges;
use crate::generated::types::ProfileSettings;
use crate::operation;

impl ProfileHandle {
    /// Address, language, and what they can be set to.
    ///
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/support/example.rs")); }
    /// # example::run(async |client| {
    /// let settings = client.profile("cafe").settings().await?;
    /// assert_eq!(settings.options.login.min_length, 4);
    /// # Ok(()) });
    /// ```
    pub fn settings(&self) -> Call<ProfileSettings> {
        self.call(
            operation::GET_PROFILE_SETTINGS,
            |api, key| async move { api.get_profile_settings(&key).await },
            |envelope| envelope.data,
        )
    }

    /// Changes the address or the language.
    ///
    /// A new login breaks every link to the old address, and the old login no longer addresses the page. The page is read first, so that
    /// it can be addressed by its id. After a lost answer it is read again: what is sent twice is known not to have been executed, and
    /// where the page has got a third login meanwhile the call fails with [`Error::is_conflict`](crate::Error::is_conflict).
    ///
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/support/example.rs")); }
    /// # example::run(async |client| {
    /// use links_sdk::SettingsChanges;
    ///
    /// let changes = SettingsChanges::default().login("cafe.mole");
    /// let settings = client.profile("cafe").update_settings(changes).await?;
    /// assert_eq!(settings.login, "cafe.mole");
    /// assert!(client.profile("cafe").get().await.unwrap_err().is_not_found());
    /// # Ok(()) });
    /// ```
    pub fn update_settings(&self, changes: SettingsChanges) -> Call<ProfileSettings, Write> {
        if let Some(login) = login_in(changes.fields()) {
            return self.change_login(login, changes);
        }
        self.call(
            operation::UPDATE_PROFILE_SETTINGS,
            |api, key| async move { api.update_profile_settings(&key, &changes).await },
            |envelope| envelope.data,
        )
    }
}
