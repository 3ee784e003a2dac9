//! Lone surrogates in JSON text.

use windlass_wire::replace_lone_surrogates;

#[track_caller]
fn check(json: &str, expected: &str) {
    let replaced = replace_lone_surrogates(json);
    assert_eq!(replaced.as_deref().unwrap_or(json), expected);
    assert_eq!(replaced.is_none(), json == expected);
}

// J4
#[test]
fn halves_are_replaced_and_pairs_are_kept() {
    check(r#""plain""#, r#""plain""#);
    check(r#""\ud83d\ude00""#, r#""\ud83d\ude00""#);
    check(r#""\ud83d""#, r#""\ufffd""#);
    check(r#""\ude00""#, r#""\ufffd""#);
    check(r#""\ude00\ud83d""#, r#""\ufffd\ufffd""#);
    check(r#""\ud83d\ud83d\ude00x""#, r#""\ufffd\ud83d\ude00x""#);
    check(r#""\uD83Dü\n""#, r#""\ufffdü\n""#);
    check(r#""\ud83d"#, r#""\ufffd"#);
    check(r#""\ud83"#, r#""\ud83"#);
    check(r#""\"#, r#""\"#);
}

#[test]
fn an_escaped_backslash_begins_no_escape() {
    check(r#""\\ud83d""#, r#""\\ud83d""#);
    check(r#""\\\ud83d""#, r#""\\\ufffd""#);
}
