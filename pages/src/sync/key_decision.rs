//! Three-way comparison of one value.

use serde_json::Value;

use super::{HashPair, ValueHash};
use crate::apply::same;

/// How the value of a key that the file mentions relates to the page and to the last sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyDecision {
    /// File and page hold the same.
    Agreed,
    /// They differ as they did after the last sync: the service normalised the value.
    Unchanged,
    /// Only the file changed.
    ChangedHere,
    /// Only the page changed.
    ChangedThere,
    /// Both changed, differently.
    Conflict,
    /// They differ, and nothing is known about the last sync.
    Unrecorded,
}

/// Compares a value of the file with the page. `said` is the file's value as it is hashed, `sent` as it would be sent.
pub(super) fn decide(
    pair: Option<HashPair>,
    said: &Value,
    sent: &Value,
    page: &Value,
) -> KeyDecision {
    if same(sent, page) {
        return KeyDecision::Agreed;
    }
    let Some(pair) = pair else { return KeyDecision::Unrecorded };
    match (pair.file == Some(ValueHash::of(said)), pair.page == ValueHash::of(page)) {
        (true, true) => KeyDecision::Unchanged,
        (false, true) => KeyDecision::ChangedHere,
        (true, false) => KeyDecision::ChangedThere,
        (false, false) => KeyDecision::Conflict,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_table_of_the_three_way_merge() {
        use KeyDecision::*;
        let pair = |file: Option<&str>, page: &str| {
            let hash = |text: &str| ValueHash::of(&json!(text));
            Some(HashPair { file: file.map(hash), page: hash(page) })
        };
        for (name, pair, file, page, expected) in [
            ("nothing changed", pair(Some("a"), "a"), "a", "a", Agreed),
            ("both changed alike", pair(Some("a"), "a"), "b", "b", Agreed),
            ("normalised, nothing changed", pair(Some("a"), "A"), "a", "A", Unchanged),
            ("changed here", pair(Some("a"), "a"), "b", "a", ChangedHere),
            ("normalised, changed here", pair(Some("a"), "A"), "b", "A", ChangedHere),
            ("changed there", pair(Some("a"), "a"), "a", "b", ChangedThere),
            ("normalised, changed there", pair(Some("a"), "A"), "a", "b", ChangedThere),
            ("cleared there", pair(Some("a"), "a"), "a", "", ChangedThere),
            ("cleared here", pair(Some("a"), "a"), "", "a", ChangedHere),
            ("both changed", pair(Some("a"), "a"), "b", "c", Conflict),
            ("cleared here, changed there", pair(Some("a"), "a"), "", "c", Conflict),
            ("mentioned for the first time", pair(None, "a"), "b", "a", ChangedHere),
            ("mentioned after a foreign edit", pair(None, "a"), "b", "c", Conflict),
            ("mentioned as the page has it", pair(None, "a"), "c", "c", Agreed),
            ("new on both sides", Some(HashPair::UNMENTIONED), "a", "b", Conflict),
            ("new here", Some(HashPair::UNMENTIONED), "a", "", ChangedHere),
            ("no record", None, "a", "b", Unrecorded),
            ("no record, equal", None, "a", " a", Agreed),
        ] {
            let (file, page) = (json!(file), json!(page));
            assert_eq!(decide(pair, &file, &file, &page), expected, "{name}");
        }
    }

    #[test]
    fn a_reference_is_hashed_as_it_is_said_and_compared_as_it_is_sent() {
        let said = json!({"$upload": "5f3c"});
        let (path, other) = (json!("uploads/a.png"), json!("uploads/b.png"));
        let pair = Some(HashPair { file: Some(ValueHash::of(&said)), page: ValueHash::of(&path) });
        assert_eq!(decide(pair, &said, &path, &path), KeyDecision::Agreed);
        assert_eq!(decide(pair, &said, &said, &path), KeyDecision::Unchanged);
        assert_eq!(decide(pair, &said, &said, &other), KeyDecision::ChangedThere);
        let new = json!({"$upload": "77aa"});
        assert_eq!(decide(pair, &new, &new, &path), KeyDecision::ChangedHere);
    }
}
