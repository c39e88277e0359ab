//! Longest common subsequence.

/// Maximum number of pairs of positions that are compared, far more than two pages have.
const PAIRS: usize = 1 << 22;

/// Returns the index pairs of a longest common subsequence of two sequences, in order. Where they are too long, only those at both ends.
pub(super) fn common_subsequence<T: Eq>(one: &[T], other: &[T]) -> Vec<(usize, usize)> {
    let prefix = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let (one_rest, other_rest) = (&one[prefix..], &other[prefix..]);
    let suffix = one_rest
        .iter()
        .rev()
        .zip(other_rest.iter().rev())
        .take_while(|(one, other)| one == other)
        .count();
    let (left, right) =
        (&one_rest[..one_rest.len() - suffix], &other_rest[..other_rest.len() - suffix]);

    let mut pairs: Vec<(usize, usize)> = (0..prefix).map(|nth| (nth, nth)).collect();
    pairs.extend(middle(left, right).into_iter().map(|(a, b)| (a + prefix, b + prefix)));
    let (ends, other_ends) = (prefix + left.len(), prefix + right.len());
    pairs.extend((0..suffix).map(|nth| (ends + nth, other_ends + nth)));
    pairs
}

fn middle<T: Eq>(one: &[T], other: &[T]) -> Vec<(usize, usize)> {
    if one.len().saturating_mul(other.len()) > PAIRS {
        return Vec::new();
    }
    let width = other.len() + 1;
    // Lengths of the longest subsequences of what begins at each pair of positions.
    let mut lengths = vec![0_u32; (one.len() + 1) * width];
    for a in (0..one.len()).rev() {
        for b in (0..other.len()).rev() {
            lengths[a * width + b] = if one[a] == other[b] {
                lengths[(a + 1) * width + b + 1] + 1
            } else {
                lengths[(a + 1) * width + b].max(lengths[a * width + b + 1])
            };
        }
    }
    let (mut a, mut b, mut pairs) = (0, 0, Vec::new());
    while a < one.len() && b < other.len() {
        if one[a] == other[b] {
            pairs.push((a, b));
            (a, b) = (a + 1, b + 1);
        } else if lengths[(a + 1) * width + b] >= lengths[a * width + b + 1] {
            a += 1;
        } else {
            b += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_common_subsequence_is_found() {
        for (one, other, length) in [
            ("", "abc", 0),
            ("abc", "abc", 3),
            ("xabcy", "abc", 3),
            ("abcbdab", "bdcaba", 4),
            ("aab", "aba", 2),
            ("abxcd", "abycd", 4),
        ] {
            let (one, other): (Vec<char>, Vec<char>) =
                (one.chars().collect(), other.chars().collect());
            let pairs = common_subsequence(&one, &other);
            assert_eq!(pairs.len(), length, "{one:?} {other:?}");
            assert!(pairs.iter().all(|(a, b)| one[*a] == other[*b]));
            assert!(pairs.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1));
        }
    }
}
