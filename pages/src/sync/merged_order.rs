//! Order of the items of a file on the page.

/// Returns the items in the order that they should have on the page: that of the file, or that of the page if `takes_page`. Items without
/// a place on the page then follow the item that is before them in the file.
pub(super) fn merged_order(
    items: &[usize],
    position: impl Fn(usize) -> Option<usize>,
    takes_page: bool,
) -> Vec<usize> {
    if !takes_page {
        return items.to_vec();
    }
    let mut order: Vec<usize> =
        items.iter().copied().filter(|item| position(*item).is_some()).collect();
    order.sort_by_key(|item| position(*item));
    let mut left = None;
    for item in items {
        if position(*item).is_none() {
            let place = left.and_then(|left| order.iter().position(|other| *other == left));
            order.insert(place.map_or(0, |place| place + 1), *item);
        }
        left = Some(*item);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_without_a_place_follow_the_item_before_them() {
        // Items 0..6; 1, 2 and 5 are new, the others are on the page as 4, 0, 3.
        let position = |item: usize| [Some(2), None, None, Some(1), Some(0), None][item];
        let items: Vec<usize> = (0..6).collect();
        assert_eq!(merged_order(&items, position, false), items);
        assert_eq!(merged_order(&items, position, true), [4, 5, 3, 0, 1, 2]);
        assert_eq!(merged_order(&[1, 0], position, true), [1, 0]);
    }
}
