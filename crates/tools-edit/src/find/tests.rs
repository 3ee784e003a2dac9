//! Where a text is found, and what is said when it is not.

use super::*;

#[track_caller]
fn check(body: &str, old: &str, exact: bool, expected: &[&str]) {
    let found = find(body, old);
    let texts: Vec<_> = found.places.iter().map(|place| &body[place.clone()]).collect();
    assert_eq!((texts.as_slice(), found.exact), (expected, exact));
}

// E2
#[test]
fn an_exact_match_later_beats_a_forgiving_one_earlier() {
    check("a  \nb\na\nb\n", "a\nb\n", true, &["a\nb\n"]);
    check("a\r\nb\r\n", "a\nb", false, &["a\r\nb"]);
    check("x = f(\r\n  1)\r\n", "f(\n  1", false, &["f(\r\n  1"]);
    check("a  \nb\t\nc\n", "a\nb\n", false, &["a  \nb\t\n"]);
    check("a  \nb\t\nc\n", "a\nb", false, &["a  \nb\t"]);
    check("a  \nb", "a\nb\n", false, &["a  \nb"]);
    check("a \nx\na \n", "a\n", false, &["a \n", "a \n"]);
    check("abc", "x", false, &[]);
    check("a\n \n", "  \n\n", false, &[]);
}

#[test]
fn a_line_end_is_never_torn() {
    check("x\r\ny\r\n", "\ny", false, &["\r\ny"]);
    check("x\r\ny\r\n", "x\r", false, &["x"]);
}
