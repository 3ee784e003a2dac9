//! Line diffs with a bounded cost.

use std::hash::Hash;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::effort::Effort;

/// Returns the operations that convert `old` to `new`.
///
/// Myers' algorithm is quadratic if both sides have little in common. If the cost exceeds the budget of
/// `effort`, only the common lines at both ends are kept, and the lines between them are replaced as a whole.
pub(crate) fn operations<T: Eq + Hash + Ord>(old: &[T], new: &[T], effort: &Effort) -> Vec<DiffOp> {
    let prefix = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (old_rest, new_rest) = (old.get(prefix..).unwrap_or_default(), new.get(prefix..).unwrap_or_default());
    let suffix = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(old, new)| old == new).count();
    let (old_len, new_len) = (old_rest.len() - suffix, new_rest.len() - suffix);
    if effort.can_compare(old_len.saturating_add(new_len)) {
        return capture_diff_slices(Algorithm::Myers, old, new);
    }
    let equal = |old_index, new_index, len| DiffOp::Equal { old_index, new_index, len };
    let middle = DiffOp::Replace { old_index: prefix, old_len, new_index: prefix, new_len };
    [equal(0, 0, prefix), middle, equal(prefix + old_len, prefix + new_len, suffix)].into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_beyond_the_limit_keeps_both_ends_and_still_turns_old_into_new() {
        let side = |base: usize| -> Vec<usize> {
            [1, 2].into_iter().chain(base..base + 100_000).chain([3, 4, 5]).collect()
        };
        let (old, new) = (side(1_000_000), side(2_000_000));
        let operations = operations(&old, &new, &Effort::default());
        let ranges: Vec<_> = operations.iter().map(|it| (it.tag(), it.old_range(), it.new_range())).collect();
        assert_eq!(ranges.len(), 3, "{ranges:?}");
        assert_eq!((&ranges[0].1, &ranges[2].1), (&(0..2), &(100_002..100_005)));
        let kept = |range: &std::ops::Range<usize>| range.len();
        assert_eq!(ranges.iter().map(|it| kept(&it.2)).sum::<usize>(), new.len());
    }
}
