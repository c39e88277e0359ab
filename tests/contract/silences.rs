//! Points on which the interface is silent or contradicts itself: the reading taken by default, and the switch to the other.

mod compared;
mod protocol;
mod records;

use links_fixtures::Choices;

use crate::support::Api;

/// Both readings of a switch.
async fn both(change: impl FnOnce(&mut Choices)) -> (Api, Api) {
    let mut choices = Choices::default();
    change(&mut choices);
    assert_ne!(choices, Choices::default(), "the switch changes nothing");
    (Api::choosing(Choices::default()).await, Api::choosing(choices).await)
}
