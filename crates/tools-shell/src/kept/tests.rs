//! The kept parts of a long output.

use super::*;

#[track_caller]
fn check(limit: usize, pushed: &str, expected: &str) {
    for size in 1..=pushed.len() {
        let mut kept = HeadAndTail::new(limit);
        pushed.as_bytes().chunks(size).for_each(|bytes| kept.push(bytes));
        assert_eq!(kept.total(), pushed.len() as u64);
        assert_eq!(kept.text(), expected, "in pieces of {size}");
    }
}

#[test]
fn head_and_tail_are_kept_for_any_chunking() {
    check(8, "abcdefgh", "abcdefgh");
    check(8, "abcdefghi", "abcd\n[… 1 bytes left out …]\nfghi");
    check(8, "abcüüüxyz", "abc\n[… 6 bytes left out …]\nxyz");
}
