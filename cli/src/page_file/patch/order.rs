//! Moves that bring the items of a list into another order.

use super::edit::{Edit, Path};

/// Returns the fewest moves that bring items of a list into an order. `order` names items by index, each at most once; the others, which
/// may be removed by other edits, stay where they are among the items that do not move. A first item that moves becomes the first of all.
pub(crate) fn moves(list: &Path, order: &[usize]) -> Vec<Edit> {
    let stays = longest_increasing(order);
    let mut after = None;
    let mut moves = Vec::new();
    for (&item, stays) in order.iter().zip(stays) {
        if !stays {
            moves.push(Edit::Move { list: list.clone(), item, after });
        }
        after = Some(item);
    }
    moves
}

/// Tells for each number whether it is in the longest increasing subsequence.
fn longest_increasing(numbers: &[usize]) -> Vec<bool> {
    // By length of a subsequence, the place of the smallest number that ends one.
    let mut ends: Vec<usize> = Vec::new();
    let mut before = vec![None; numbers.len()];
    for (at, number) in numbers.iter().enumerate() {
        let length = ends.partition_point(|end| numbers[*end] < *number);
        before[at] = length.checked_sub(1).map(|shorter| ends[shorter]);
        if length == ends.len() {
            ends.push(at);
        } else {
            ends[length] = at;
        }
    }
    let mut is_in = vec![false; numbers.len()];
    let mut next = ends.last().copied();
    while let Some(at) = next {
        is_in[at] = true;
        next = before[at];
    }
    is_in
}
