//! A secret is found however it is cut.

use super::{Held, Redactor, is_recorded};

fn check(pieces: &[&str], expected: &str) {
    let redactor = Redactor::new(["sk-secret-1".to_owned().into(), "sk-secret-12345".to_owned().into()]);
    let (mut held, mut clean) = (Held::default(), Vec::new());
    for piece in pieces {
        clean.extend(redactor.push(&mut held, piece.as_bytes()));
    }
    clean.extend(redactor.finish(&mut held));
    assert_eq!(String::from_utf8(clean).unwrap(), expected, "{pieces:?}");
}

#[test]
fn a_secret_is_found_whole_in_pieces_and_inside_of_another() {
    check(&["a sk-secret-1 b"], "a [redacted] b");
    check(&["a sk-", "secret", "-1", " b"], "a [redacted] b");
    check(&["sk-secret-12345!"], "[redacted]!");
    check(&["sk-secret", "-12345"], "[redacted]");
    check(&["sk-", "secrets"], "sk-secrets");
    check(&["sk-secre"], "sk-secre");
    check(&["é sk-sec", "ret-1é"], "é [redacted]é");
}

#[test]
fn what_is_too_short_is_no_secret() {
    let redactor = Redactor::new(["ab".to_owned().into(), String::new().into()]);
    assert_eq!(redactor.text("ab abab"), "ab abab");
}

#[test]
fn a_scheme_is_not_part_of_the_key() {
    let mut redactor = Redactor::default();
    redactor.add("Bearer sk-abcdef");
    assert_eq!(redactor.text("key sk-abcdef"), "key [redacted]");
}

#[test]
fn what_was_taken_out_may_have_been_anything() {
    for (recorded, met, is_same) in [
        ("plain", "plain", true),
        ("plain", "plain!", false),
        ("key [redacted]!", "key sk-other!", true),
        ("key [redacted]!", "key sk-other", false),
        ("[redacted]", "", true),
        ("a [redacted] b [redacted]", "a x b y", true),
        ("a [redacted] b [redacted] c", "a x c", false),
        ("a [redacted]", "b x", false),
    ] {
        assert_eq!(is_recorded(recorded, met), is_same, "{recorded} / {met}");
    }
}
