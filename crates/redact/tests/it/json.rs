//! JSON stays JSON.

use serde_json::{Value, json};
use windlass_redact::Redactor;

#[track_caller]
fn check(text: &str, expected: &str) {
    let redactor = Redactor::new(["n3cret-word".into(), "two\nlines\"".into(), "12345678".into()]);
    assert_eq!(redactor.redact_json(text), expected);
    if let Ok(mut value) = serde_json::from_str::<Value>(text) {
        redactor.redact_value(&mut value);
        assert_eq!(value, serde_json::from_str::<Value>(expected).expect("it stays JSON"));
    }
}

#[test]
fn secrets_in_json_strings_are_redacted_and_other_bytes_kept() {
    check(r#"{ "a":1.0,  "b":"n3cret-word" }"#, r#"{ "a":1.0,  "b":"[redacted]" }"#);
    check(r#"{"n3cret-word":["x n3cret-word y"]}"#, r#"{"[redacted]":["x [redacted] y"]}"#);
    check(r#"["\u006e3cret-word"]"#, r#"["[redacted]"]"#);
    check(r#"["two\nlines\"", "plain \u00e9"]"#, r#"["[redacted]", "plain \u00e9"]"#);
    check(r#"["{\"k\":\"two\\nlines\\\"\"}"]"#, r#"["{\"k\":\"[redacted]\"}"]"#);
}

#[test]
fn text_that_resembles_a_secret_is_unchanged() {
    // JSON decodes `\n3cret-word` to a line break and `3cret-word`, which is not the secret. Replacing the escaped
    // bytes, which resemble the secret, would leave invalid JSON.
    check(r#"["\n3cret-word"]"#, r#"["\n3cret-word"]"#);
    // A number that equals a secret is redacted; a number that only contains the secret's digits is not.
    check(r#"{"number":12345678,"text":"12345678"}"#, r#"{"number":"[redacted]","text":"[redacted]"}"#);
    check(r#"{"number":123456789,"at":[12345678.5]}"#, r#"{"number":123456789,"at":[12345678.5]}"#);
}

#[test]
fn input_that_is_not_json_is_treated_as_text() {
    check(r#"{"a": "n3cret-word"#, r#"{"a": "[redacted]"#);
    check(r#"n3cret-word "\q""#, r#"[redacted] "\q""#);
}

#[test]
fn escapes_hide_no_secret() {
    let redactor = Redactor::new(["n3cret-word".into()]);
    assert!(redactor.contains_secret_in_json(r#"{"a":"\u006e3cret\u002dword"}"#));
    assert!(redactor.contains_secret_in_json("no JSON, n3cret-word"));
    assert!(!redactor.contains_secret(r#"{"a":"\u006e3cret\u002dword"}"#));
    assert!(!redactor.contains_secret_in_json(r#"{"a":"secret-word"}"#));
}

#[test]
fn keys_are_values_too() {
    let mut value = json!({"n3cret-word": {"n3cret-word": 1}, "plain": true});
    Redactor::new(["n3cret-word".into()]).redact_value(&mut value);
    assert_eq!(value, json!({"[redacted]": {"[redacted]": 1}, "plain": true}));
}
