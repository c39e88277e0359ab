//! Tests of the points on which the interface is silent or contradicts itself: the default reading, and the switch to the other.

mod protocol;
mod records;
mod values;

use links_fixtures::Choices;

use crate::support::Api;

/// Returns a server for each reading of a switch.
async fn both(change: impl FnOnce(&mut Choices)) -> (Api, Api) {
    let mut choices = Choices::default();
    change(&mut choices);
    assert_ne!(choices, Choices::default(), "the switch changes nothing");
    (Api::choosing(Choices::default()).await, Api::choosing(choices).await)
}
