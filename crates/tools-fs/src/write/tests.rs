//! Fences around a whole file.

use super::*;

#[track_caller]
fn check(path: &str, content: &str, expected: Option<&str>) {
    assert_eq!(strip_fence(path, content), expected);
}

// E7
#[test]
fn a_fence_is_removed_only_around_the_whole_content() {
    check("a.rs", "```rust\nfn f() {}\n```\n", Some("fn f() {}\n"));
    check("a.rs", "```\nx\n```", Some("x\n"));
    check("a.md", "```rust\nfn f() {}\n```\n", None);
    check("a.rs", "fn f() {}\n", None);
    check("a.rs", "```rust\nfn f() {}\n", None);
    check("a.rs", "text\n```\nx\n```\n", None);
    check("a.rs", "```\nx\n```\ny\n```\nz\n```", None);
    check("a.rs", "```two words\nx\n```", None);
    check("a.rs", "```\nx```", None);
}
