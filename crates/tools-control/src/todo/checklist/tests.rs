//! Lines that are items, and lines that are not.

use super::*;

#[track_caller]
fn check(line: &str, expected: Option<(&str, TodoState)>) {
    assert_eq!(item(line), expected.map(|(text, state)| TodoItem::new(text, state)), "{line:?}");
}

#[test]
fn every_common_way_to_write_an_item_is_read() {
    let (pending, begun, done) = (TodoState::Pending, TodoState::InProgress, TodoState::Completed);
    check("- [ ] a b", Some(("a b", pending)));
    check("[ ] a", Some(("a", pending)));
    check("[] a", Some(("a", pending)));
    check("* [x] a", Some(("a", done)));
    check("  + [X]  a ", Some(("a", done)));
    check("- [-] a", Some(("a", begun)));
    check("-[~] a", Some(("a", begun)));
    check("12. [x] a [b] c", Some(("a [b] c", done)));
    check("3) [ ] a", Some(("a", pending)));
}

#[test]
fn lines_that_are_not_items_are_refused() {
    for line in
        ["a", "# [ ] a", "- a", "- [o] a", "[x](https://a.test)", "- [ ]", "12 [ ] a", ". [ ] a", "- [x"]
    {
        check(line, None);
    }
}

#[test]
fn a_wrong_line_is_named() {
    let error = read("- [ ] a\n\nb\n").unwrap_err().to_string();
    assert!(error.starts_with("line 3 of the list is not an item"), "{error}");
}
