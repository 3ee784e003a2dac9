//! Whole texts.

use windlass_redact::{Redactor, Registration};

const KEY: &str = "sk-4f9a/0c+d 2é";

#[track_caller]
fn check(text: &str, expected: &str) {
    let redactor = Redactor::new([KEY.into(), "hunter22".into(), "ter22-and-more".into()]);
    assert_eq!(redactor.redact(text), expected);
    assert_eq!(redactor.contains_secret(text), text != expected);
    assert_eq!(redactor.redact_bytes(text.as_bytes()), expected.as_bytes());
}

#[test]
fn a_secret_is_redacted_at_any_position() {
    check("", "");
    check("nothing here, hunter2", "nothing here, hunter2");
    check("hunter22", "[redacted]");
    check("a hunter22 and hunter22, hunter222", "a [redacted] and [redacted], [redacted]2");
    check(&format!("größe {KEY}é"), "größe [redacted]é");
}

#[test]
fn overlapping_secrets_leave_nothing_of_either() {
    check("x hunter22-and-more y", "x [redacted] y");
    check("hunter22hunter22", "[redacted][redacted]");
}

#[test]
fn encoded_values_are_found() {
    // The encoded texts were made with other programs than this crate's libraries: coreutils, Python, a browser.
    check("hex 68756e7465723232!", "hex [redacted]!");
    check("HEX 68756E7465723232!", "HEX [redacted]!");
    check("aHVudGVyMjI=", "[redacted]");
    check("aHVudGVyMjI", "[redacted]");
    check("Basic bWU6aHVudGVyMjI=", "Basic bWU6[redacted]");
    check("eDpodW50ZXIyMjp5", "eDp[redacted]jp5");
    check("key=sk-4f9a%2F0c%2Bd%202%C3%A9&x", "key=[redacted]&x");
    check("key=sk-4f9a%2F0c%2Bd+2%C3%A9&x", "key=[redacted]&x");
    check(r#"{"k":"sk-4f9a\/0c+d 2\u00e9"}"#, r#"{"k":"[redacted]"}"#);
    check(r"c2stNGY5YS8wYytkIDLDqQ==", "[redacted]");
}

#[test]
fn base64_is_found_at_each_place_in_a_longer_text() {
    let redactor = Redactor::new(["correct-horse-battery".into()]);
    for (encoded, rest) in [
        ("Y29ycmVjdC1ob3JzZS1iYXR0ZXJ5", 0),
        ("IWNvcnJlY3QtaG9yc2UtYmF0dGVyeSE=", 8),
        ("ISFjb3JyZWN0LWhvcnNlLWJhdHRlcnkhIQ==", 10),
    ] {
        let clean = redactor.redact(encoded);
        let left = clean.replace(Redactor::MARK, "");
        assert!(clean.contains(Redactor::MARK) && left.len() <= rest, "{encoded} became {clean}");
    }
}

#[test]
fn each_long_line_of_a_value_is_a_secret() {
    let key =
        "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nAQEFAASCBKcwggSjAgEAAoIB\nAQ==\n-----END KEY-----\n";
    let redactor = Redactor::new([key.into()]);
    let shown = "1 | -----BEGIN KEY-----\n2 | MIIEvQIBADANBgkqhkiG9w0B\n3 | AQEFAASCBKcwggSjAgEAAoIB";
    assert_eq!(redactor.redact(shown), "1 | -----BEGIN KEY-----\n2 | [redacted]\n3 | [redacted]");
    assert_eq!(redactor.redact(&format!("it is {key}.")), "it is [redacted]\n.");
}

#[test]
fn a_long_value_leaves_nothing() {
    let numbers = (0..2_000_u32).map(|number| number.wrapping_mul(0x9e37_79b9).to_string());
    let value = numbers.collect::<Vec<_>>().join(".");
    let redactor = Redactor::new([value.as_str().into()]);
    let clean = redactor.redact(&value).into_owned();
    assert_eq!(clean, Redactor::MARK);
}

#[test]
fn too_short_or_mark_like_secrets_are_refused() {
    let mut redactor = Redactor::default();
    for (value, registration) in [
        ("a", Registration::TooShort),
        ("", Registration::TooShort),
        ("Bearer abc", Registration::TooShort),
        ("     12345     ", Registration::TooShort),
        ("redacted", Registration::LikeMark),
        ("123456", Registration::Added),
        ("123456\n", Registration::Known),
        ("bearer 123456", Registration::Known),
    ] {
        assert_eq!(redactor.register(&value.into()), registration, "{value:?}");
    }
    assert_eq!(redactor.redact("123456 a redacted text"), "[redacted] a redacted text");
}

#[test]
fn an_empty_registry_changes_nothing() {
    let redactor = Redactor::default();
    assert!(redactor.is_empty());
    assert_eq!(redactor.redact("anything"), "anything");
    assert_eq!(redactor.redact_bytes(b"\xff\x00"), &b"\xff\x00"[..]);
}

#[test]
fn a_clone_does_not_see_later_secrets() {
    let mut redactor = Redactor::new(["first-secret".into()]);
    let clone = redactor.clone();
    redactor.extend(["second-secret".into(), "x".into()]);
    assert_eq!(redactor.redact("first-secret second-secret"), "[redacted] [redacted]");
    assert_eq!(clone.redact("first-secret second-secret"), "[redacted] second-secret");
}

#[test]
fn debug_shows_counts_only() {
    let redactor = Redactor::new(["hunter22".into()]);
    let mut stream = redactor.stream();
    stream.push(b"hunter2");
    let shown = format!("{redactor:?} {stream:?}");
    assert!(shown.contains("values: 1"), "{shown}");
    assert!(!redactor.contains_secret(&shown) && !shown.contains("hunter"), "{shown}");
}
