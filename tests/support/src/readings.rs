//! Readings of the interface under which a client has to work alike.

use links_fixtures::Choices;

/// Returns the readings of the interface that change what is read or how it is stored: each alone, and all together.
#[must_use]
pub fn readings() -> Vec<Choices> {
    let changes: [fn(&mut Choices); 14] = [
        |it| it.empty_objects = true,
        |it| it.unknown_fields = true,
        |it| it.legacy_as_buttons = true,
        |it| it.events_deletable = true,
        |it| it.whole_page_updated = true,
        |it| it.open_schemas = true,
        |it| it.computed_in_data = true,
        |it| it.channel_ids_by_index = true,
        |it| it.strings_normalized = true,
        |it| it.zeros = true,
        |it| it.any_social_link = true,
        |it| it.bare_links = true,
        |it| it.empty_mood_is_none = true,
        |it| it.no_status_feature = true,
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
