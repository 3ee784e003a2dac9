//! Diffs of files in any encoding.

use windlass_text::{Room, Side, diff};

#[track_caller]
fn check(before: Option<&[u8]>, after: Option<&[u8]>, room: Room, expected: &str) {
    let side = |bytes| Side::new("f", bytes);
    assert_eq!(diff(before.map(side), after.map(side), room), expected);
}

#[test]
fn texts_are_compared_in_their_own_encoding() {
    let all = Room::default();
    check(None, Some(b"a\n"), all, "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n");
    let wide = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n";
    check(Some(b"\xff\xfea\0\n\0"), Some(b"\xff\xfeb\0\n\0"), all, wide);
    check(Some(b"a\n"), Some(b"\0"), all, "--- a/f\n+++ b/f\n[binary: 2 bytes become 1]\n");
    let cut = "--- a/f\n+++ b/f\n[2 of 5 lines of the diff shown]\n";
    check(Some(b"a\n"), Some(b"b\n"), all.with_lines(2), cut);
    check(Some(b"a\n"), Some(b"b\n"), all.with_bytes(20), cut);
    let long = vec![b'a'; 17 * 1024 * 1024];
    let told = "--- a/f\n+++ b/f\n[too long to be compared: 17825792 bytes become 1]\n";
    check(Some(&long), Some(b"b"), all, told);
}

#[test]
fn two_names_are_a_move() {
    let (from, to) = (Side::new("a", b"x\0"), Side::new("b", b"x\0"));
    assert_eq!(diff(Some(from), Some(to), Room::default()), "rename from a\nrename to b\n");
    let told = diff(Some(Side::new("a", b"x\n")), Some(Side::new("b", b"y\n")), Room::default());
    assert_eq!(told, "rename from a\nrename to b\n--- a/a\n+++ b/b\n@@ -1 +1 @@\n-x\n+y\n");
}
