//! Notification channels (the interface, section 2.5).

use super::listing::Listing;
use crate::call::Call;
use crate::client::Client;
use crate::generated::types::NotificationChannel;
use crate::operation;

impl Client {
    /// Returns the owner's verified channels, inactive ones included. Recipients are masked. Channels are added and changed in the
    /// dashboard.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let channels = client.notification_channels().await?;
    /// assert!(channels.iter().any(|channel| !channel.is_active));
    /// # Ok(()) });
    /// ```
    pub fn notification_channels(&self) -> Call<Listing<NotificationChannel>> {
        Call::of(
            self,
            operation::LIST_NOTIFICATION_CHANNELS,
            |api| api.list_notification_channels(),
            |envelope| Listing::new(envelope.data, envelope.meta.total),
        )
    }
}
