//! Settings of a page: address and language (the interface, sections 2.6 and 4.5).

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

    /// Changes the address or the language. A new login breaks every link to the old address. Where the login changes, address the
    /// page by its id: the old login is gone as soon as the service has executed the call.
    ///
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/support/example.rs")); }
    /// # example::run(async |client| {
    /// use links_sdk::SettingsChanges;
    ///
    /// let page = client.profile("cafe").get().await?;
    /// let changes = SettingsChanges::default().login("cafe.mole");
    /// let settings = client.profile(page.id).update_settings(changes).await?;
    /// assert_eq!(settings.login, "cafe.mole");
    /// # Ok(()) });
    /// ```
    pub fn update_settings(&self, changes: SettingsChanges) -> Call<ProfileSettings, Write> {
        self.call(
            operation::UPDATE_PROFILE_SETTINGS,
            |api, key| async move { api.update_profile_settings(&key, &changes).await },
            |envelope| envelope.data,
        )
    }
}
