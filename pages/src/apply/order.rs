//! Order of the slots that stay on a page.

use std::hash::Hash;

use foldhash::{HashMap, HashMapExt, HashSet};

/// Returns the slots of `page` that are not to be deleted, in the order of `wanted`. A slot that `wanted` does not mention stays after the
/// nearest mentioned slot to its left, or before all others.
pub(super) fn arrange<T: Copy + Eq + Hash>(
    page: &[T],
    wanted: &[T],
    to_delete: &HashSet<T>,
) -> Vec<T> {
    let mentioned: HashSet<T> = wanted.iter().copied().collect();
    let mut followers: HashMap<Option<T>, Vec<T>> = HashMap::new();
    let mut left = None;
    for slot in page.iter().copied().filter(|slot| !to_delete.contains(slot)) {
        if mentioned.contains(&slot) {
            left = Some(slot);
        } else {
            followers.entry(left).or_default().push(slot);
        }
    }
    let with_followers = |slot: Option<T>| {
        slot.into_iter().chain(followers.get(&slot).into_iter().flatten().copied())
    };
    std::iter::once(None).chain(wanted.iter().copied().map(Some)).flat_map(with_followers).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_that_are_not_mentioned_follow_their_left_neighbour() {
        for (page, wanted, to_delete, expected) in [
            ("abc", "abc", "", "abc"),
            ("abc", "cba", "", "cba"),
            ("xaybz", "ba", "", "xbzay"),
            ("axyb", "ba", "", "baxy"),
            ("adxb", "ba", "d", "bax"),
            ("dxab", "ab", "d", "xab"),
            ("xy", "", "", "xy"),
            ("xy", "", "xy", ""),
            ("abcN", "aNb", "c", "aNb"),
        ] {
            let slots = |text: &str| text.chars().collect::<Vec<_>>();
            let arranged = arrange(&slots(page), &slots(wanted), &to_delete.chars().collect());
            assert_eq!(arranged, slots(expected), "{page} as {wanted} without {to_delete}");
        }
    }
}
