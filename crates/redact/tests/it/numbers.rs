//! Secrets that are numbers in JSON.

use serde_json::{Value, json};
use windlass_redact::Redactor;

fn redactor() -> Redactor {
    Redactor::new(["4930127788"].map(Into::into))
}

// correctness-3 16
#[test]
fn a_number_that_is_a_secret_becomes_the_mark() {
    let (redactor, mark) = (redactor(), Redactor::MARK);
    for (text, expected) in [
        (r#"{"pin": 4930127788, "n": 1}"#, json!({"pin": mark, "n": 1})),
        ("[4930127788,-4930127788]", json!([mark, mark])),
        ("4930127788", json!(mark)),
        (r#"{"a":"4930127788","b":4930127788}"#, json!({"a": mark, "b": mark})),
        // A larger number that contains the digits by chance is not redacted.
        ("[149301277881, 493012778.8]", json!([149_301_277_881_u64, 493_012_778.8])),
    ] {
        let clean: Value = serde_json::from_str(&redactor.redact_json(text)).unwrap();
        assert_eq!(clean, expected, "{text}");
        let mut value: Value = serde_json::from_str(text).unwrap();
        redactor.redact_value(&mut value);
        assert_eq!(value, expected, "{text}");
    }
    assert!(matches!(redactor.redact_json("[1, 2.5, true]"), std::borrow::Cow::Borrowed(_)));
}
