//! Readings of the interface under which a client has to work alike.

use links_fixtures::{Choices, Collection, LegacyTypes, Strings, UpdatedSlots};

/// Returns the readings of the interface that change what is read or how it is stored: each alone, and all together.
#[must_use]
pub fn readings() -> Vec<Choices> {
    let changes: [fn(&mut Choices); 14] = [
        |it| it.empty_objects = Collection::Map,
        |it| it.unknown_fields = true,
        |it| it.legacy_types = LegacyTypes::Inside,
        |it| it.events_deletable = true,
        |it| it.updated_slots = UpdatedSlots::WholePage,
        |it| it.open_schemas = true,
        |it| it.computed_in_data = true,
        |it| it.channel_ids = Collection::Map,
        |it| it.strings = Strings::Normalized,
        |it| it.zeros = true,
        |it| it.any_social_link = true,
        |it| it.bare_links = true,
        |it| it.empty_mood_is_none = true,
        |it| it.status_feature = false,
    ];
    let mut all = Choices::default();
    let mut readings = vec![Choices::default()];
    for change in changes {
        let mut one = Choices::default();
        change(&mut one);
        change(&mut all);
        readings.push(one);
    }
    readings.push(all);
    readings
}
