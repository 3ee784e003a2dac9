//! Values that keep their type although a secret equals a part of it. The types are those of the standard library
//! with serde's own forms, so that the tests of this crate need no derive macro.

use std::ops::Bound;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_core::de::Error as _;
use serde_core::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};
use windlass_redact::Redactor;

/// A name of letters, as the names of tools are.
#[derive(Debug, PartialEq)]
struct Name(String);

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let is_name = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if is_name { Ok(Self(text)) } else { Err(D::Error::custom("not a name")) }
    }
}

/// A struct, a variant with its name, a name, a number and texts.
type Form = Vec<(SystemTime, Bound<String>, Name, u64, Value)>;

fn form(text: &str) -> Form {
    let time = UNIX_EPOCH + Duration::from_secs(7_654_321);
    let row = |text: &str| {
        let value = json!({ text: [text, "nothing"] });
        (time, Bound::Included(text.to_owned()), Name(text.to_owned()), 1_234_567, value)
    };
    vec![row(text), row("nothing"), row(text)]
}

/// The form whose texts had the secret, after redaction.
fn clean_form() -> Form {
    let mut rows = form("[redacted]");
    for (.., name, _, _) in &mut rows {
        if name.0 != "nothing" {
            *name = Name("redacted".to_owned());
        }
    }
    rows
}

#[test]
fn a_secret_equal_to_a_type_name_is_redacted_in_values_only() {
    // The name of a variant, names of fields, a part of such names, and numbers that count something.
    for secret in ["Included", "Includ", "secs_since_epoch", "since_epoch", "1234567", "7654321"] {
        let redactor = Redactor::new([secret.into()]);
        assert_eq!(redactor.redact_typed(&form(secret)).unwrap(), Some(clean_form()), "{secret}");
        let json = redactor.to_redacted_json(&form(secret)).unwrap();
        assert_eq!(json, serde_json::to_string(&clean_form()).unwrap(), "{secret}");
    }
    let all = ["Included", "secs_since_epoch", "nanos_since_epoch", "1234567", "7654321"];
    let redactor = Redactor::new(all.map(Into::into));
    assert_eq!(redactor.redact_typed(&form("nanos_since_epoch")).unwrap(), Some(clean_form()));
}

#[test]
fn secrets_that_look_like_json_leave_valid_values() {
    let secrets =
        ["\"call\":\"", "{\"event\"", "\\\"\\\"}}}", "[[1,2,3]]", "falsetrue", "-12345.5e3", "null,null"];
    for secret in secrets {
        let redactor = Redactor::new([secret.into()]);
        let value = Bound::Excluded(format!("a{secret}b"));
        let clean = Bound::Excluded("a[redacted]b".to_owned());
        assert_eq!(redactor.redact_typed(&value).unwrap(), Some(clean), "{secret}");
        let value = json!({ secret: [secret, true, 1] });
        let clean = json!({ "[redacted]": ["[redacted]", true, 1] });
        assert_eq!(redactor.redact_typed(&value).unwrap(), Some(clean), "{secret}");
    }
}

#[test]
fn a_number_that_is_a_secret_is_replaced_where_the_type_allows_text() {
    let redactor = Redactor::new(["1234567".into()]);
    let value = json!([1_234_567, { "n": -1_234_567 }, 12_345_678]);
    let clean = json!(["[redacted]", { "n": "[redacted]" }, 12_345_678]);
    assert_eq!(redactor.redact_typed(&value).unwrap(), Some(clean));
}

#[test]
fn a_value_without_a_secret_is_not_copied() {
    assert_eq!(Redactor::default().redact_typed(&form("Included")).unwrap(), None);
    assert_eq!(Redactor::new(["nowhere".into()]).redact_typed(&form("Included")).unwrap(), None);
}

#[test]
fn a_value_that_is_nested_too_deeply_is_an_error_and_its_json_is_redacted() {
    let mut value = json!("hunter22");
    for _ in 0..200 {
        value = json!([value]);
    }
    let redactor = Redactor::new(["hunter22".into()]);
    assert!(redactor.redact_typed(&value).is_err());
    let text = redactor.to_redacted_json(&value).unwrap();
    assert!(text.contains("[redacted]") && !text.contains("hunter22"), "{text}");
}
