//! The words that differ between two versions of a line.

use unicode_segmentation::UnicodeSegmentation as _;

/// Range of bytes.
pub(super) type Part = Option<(usize, usize)>;

/// Returns the range of each line that differs: without the words that both begin with, and those that both end with.
/// Returns no ranges if the lines have little in common or are longer than `limit` bytes.
pub(super) fn find_changed_parts(old: &str, new: &str, limit: usize) -> (Part, Part) {
    if old.len() > limit || new.len() > limit {
        return (None, None);
    }
    let pairs = old.split_word_bounds().zip(new.split_word_bounds());
    let head: usize = pairs.take_while(|(one, other)| one == other).map(|(word, _)| word.len()).sum();
    let (Some(old_rest), Some(new_rest)) = (old.get(head..), new.get(head..)) else { return (None, None) };
    let pairs = old_rest.split_word_bounds().rev().zip(new_rest.split_word_bounds().rev());
    let tail: usize = pairs.take_while(|(one, other)| one == other).map(|(word, _)| word.len()).sum();
    let common = head.saturating_add(tail);
    let spaces = new.len().saturating_sub(new.trim_start().len()).min(head);
    // Lines that share less than a third are different lines.
    if common.saturating_sub(spaces).saturating_mul(3) < old.len().max(new.len()).saturating_sub(spaces) {
        return (None, None);
    }
    (Some((head, old.len().saturating_sub(tail))), Some((head, new.len().saturating_sub(tail))))
}
