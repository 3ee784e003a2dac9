//! The place of a text, and the error if it is not found.

use super::*;

#[track_caller]
fn check(body: &str, old: &str, likeness: Likeness, expected: &[&str]) {
    let lines = Lines::new(body, Charset::Utf8);
    let found = find(&lines, old);
    let texts: Vec<_> = found.places.iter().map(|place| &body[place.clone()]).collect();
    assert_eq!((texts.as_slice(), found.likeness), (expected, likeness));
}

// E2
#[test]
fn an_exact_match_later_beats_a_forgiving_one_earlier() {
    let (exact, trimmed, folded) = (Likeness::Exact, Likeness::Trimmed, Likeness::Folded);
    check("a  \nb\na\nb\n", "a\nb\n", exact, &["a\nb\n"]);
    check("a\r\nb\r\n", "a\nb", trimmed, &["a\r\nb"]);
    check("x = f(\r\n  1)\r\n", "f(\n  1", trimmed, &["f(\r\n  1"]);
    check("a  \nb\t\nc\n", "a\nb\n", trimmed, &["a  \nb\t\n"]);
    check("a  \nb\t\nc\n", "a\nb", trimmed, &["a  \nb\t"]);
    check("a  \nb", "a\nb\n", trimmed, &["a  \nb"]);
    check("a \nx\na \n", "a\n", trimmed, &["a \n", "a \n"]);
    check("say \u{201c}a\u{201d}\nsay \"a\" \n", "say \"a\"\n", trimmed, &["say \"a\" \n"]);
    check("say \u{201c}a\u{201d}\n", "say \"a\"\n", folded, &["say \u{201c}a\u{201d}\n"]);
    check("abc", "x", folded, &[]);
    check("a\n \n", "  \n\n", folded, &[]);
}

#[test]
fn a_line_end_is_never_torn() {
    check("x\r\ny\r\n", "\ny", Likeness::Trimmed, &["\r\ny"]);
    check("x\r\ny\r\n", "x\r", Likeness::Trimmed, &["x"]);
}

// E8: the second byte of many letters of Shift_JIS is one of ASCII.
#[test]
fn a_letter_of_an_unknown_encoding_is_never_torn() {
    let lines = Lines::new("\u{f783}e e", Charset::Unknown);
    assert_eq!(find(&lines, "e").places.first(), Some(&(5..6)));
    assert_eq!(find(&Lines::new("\u{f783}e e", Charset::Utf8), "e").places, [3..4, 5..6]);
}
