//! Set of positions on a page, one bit each.

/// Set of positions of slots. Sets that are combined belong to the same page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Positions(Vec<u64>);

impl Positions {
    pub(super) fn none(page_len: usize) -> Self {
        Self(vec![0; page_len.div_ceil(64)])
    }

    pub(super) fn insert(&mut self, position: usize) {
        self.0[position / 64] |= 1 << (position % 64);
    }

    pub(super) fn remove(&mut self, position: usize) {
        self.0[position / 64] &= !(1 << (position % 64));
    }

    pub(super) fn contains(&self, position: usize) -> bool {
        self.0[position / 64] & (1 << (position % 64)) != 0
    }

    pub(super) fn intersect(&mut self, other: &Self) {
        self.each(other, |word, mask| word & mask);
    }

    pub(super) fn subtract(&mut self, other: &Self) {
        self.each(other, |word, mask| word & !mask);
    }

    pub(super) fn common(&self, other: &Self) -> Self {
        let mut common = self.clone();
        common.intersect(other);
        common
    }

    pub(super) fn retain(&mut self, mut keeps: impl FnMut(usize) -> bool) {
        for position in self.clone().iter().filter(|position| !keeps(*position)) {
            self.remove(position);
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().flat_map(|(index, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(index * 64 + bit)
            })
        })
    }

    /// Returns the first position in both sets.
    pub(super) fn first_common(&self, other: &Self) -> Option<usize> {
        let (index, common) = self
            .0
            .iter()
            .zip(&other.0)
            .map(|(one, other)| one & other)
            .enumerate()
            .find(|(_, common)| *common != 0)?;
        Some(index * 64 + common.trailing_zeros() as usize)
    }

    fn each(&mut self, other: &Self, merge: impl Fn(u64, u64) -> u64) {
        for (word, mask) in self.0.iter_mut().zip(&other.0) {
            *word = merge(*word, *mask);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    use super::*;

    const LEN: usize = 130;

    fn set(positions: &BTreeSet<usize>) -> Positions {
        let mut set = Positions::none(LEN);
        for position in positions {
            set.insert(*position);
        }
        set
    }

    proptest! {
        #[test]
        fn behaves_as_a_sorted_set(
            one in proptest::collection::btree_set(0..LEN, 0..40),
            other in proptest::collection::btree_set(0..LEN, 0..40),
            position in 0..LEN,
        ) {
            let listed = |set: &Positions| set.iter().collect::<BTreeSet<_>>();
            let changed = |change: fn(&mut Positions, &Positions)| {
                let mut set = set(&one);
                change(&mut set, &super::tests::set(&other));
                listed(&set)
            };
            prop_assert_eq!(changed(Positions::intersect), &one & &other);
            prop_assert_eq!(changed(Positions::subtract), &one - &other);
            prop_assert_eq!(set(&one).first_common(&set(&other)), one.intersection(&other).next().copied());
            prop_assert_eq!(set(&one).contains(position), one.contains(&position));
            let mut without = set(&one);
            without.remove(position);
            prop_assert!(!without.contains(position));
        }
    }
}
