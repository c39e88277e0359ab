//! Three-way comparison of the order of the slots, which is one value.

use std::collections::HashSet;
use std::hash::Hash;

/// How the order of the file relates to that of the page and to that of the last sync, for the slots that all three share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OrderDecision {
    /// File and page have one order.
    Agreed,
    /// Only the file changed.
    ChangedHere,
    /// Only the page changed.
    ChangedThere,
    /// Both changed, differently.
    Conflict,
}

/// Compares three orders by the elements that all of them have.
pub(super) fn decide_order<T: Copy + Eq + Hash>(
    base: &[T],
    file: &[T],
    page: &[T],
) -> OrderDecision {
    let set = |all: &[T]| all.iter().copied().collect::<HashSet<T>>();
    let (in_base, in_file, in_page) = (set(base), set(file), set(page));
    let shared = |all: &[T]| {
        let is_shared =
            |one: &&T| in_base.contains(one) && in_file.contains(one) && in_page.contains(one);
        all.iter().filter(is_shared).copied().collect::<Vec<T>>()
    };
    let (base, file, page) = (shared(base), shared(file), shared(page));
    match (file == page, file == base, page == base) {
        (true, _, _) => OrderDecision::Agreed,
        (false, false, true) => OrderDecision::ChangedHere,
        (false, true, false) => OrderDecision::ChangedThere,
        (false, ..) => OrderDecision::Conflict,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_follows_the_table_over_the_slots_that_all_share() {
        for (base, file, page, expected) in [
            ("abc", "abc", "abc", OrderDecision::Agreed),
            ("abc", "bac", "bac", OrderDecision::Agreed),
            ("abc", "bac", "abc", OrderDecision::ChangedHere),
            ("abc", "abc", "bac", OrderDecision::ChangedThere),
            ("abc", "bac", "acb", OrderDecision::Conflict),
            // Slots that one side lacks do not count.
            ("abc", "nab", "axbc", OrderDecision::Agreed),
            ("abc", "ba", "abx", OrderDecision::ChangedHere),
            ("", "ab", "ba", OrderDecision::Agreed),
        ] {
            let of = |text: &str| text.chars().collect::<Vec<_>>();
            assert_eq!(
                decide_order(&of(base), &of(file), &of(page)),
                expected,
                "{base} {file} {page}"
            );
        }
    }
}
