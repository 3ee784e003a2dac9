//! Values that keep their type although a secret equals a part of it.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use windlass_redact::Redactor;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Event {
    CallRunning { call: String },
    CallEnded { results: Vec<Piece>, name: Name, count_of_bytes: u64, note: Option<String> },
    Nested { anything: Value },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Piece {
    content: String,
    #[serde(default)]
    detail: Option<String>,
}

/// A name of letters, as the names of tools are.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
struct Name(String);

impl TryFrom<String> for Name {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let is_name = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if is_name { Ok(Self(text)) } else { Err("not a name") }
    }
}

impl From<Name> for String {
    fn from(name: Name) -> Self {
        name.0
    }
}

impl Clone for Name {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

fn ended(content: &str) -> Event {
    let piece = |content: &str| Piece { content: content.to_owned(), detail: Some(content.to_owned()) };
    Event::CallEnded {
        results: vec![piece(content), piece("nothing"), piece(content)],
        name: Name(content.to_owned()),
        count_of_bytes: 1_234_567,
        note: Some(content.to_owned()),
    }
}

#[test]
fn a_secret_that_equals_a_part_of_the_type_stays_there_and_is_removed_elsewhere() {
    // Names of variants, of the tag, of fields that are required, optional and inside a list; a number; a prefix
    // and a suffix of such names.
    for secret in
        ["call_ended", "call_e", "_ended", "results", "content", "detail", "count_of_bytes", "1234567"]
    {
        let redactor = Redactor::new([secret.into()]);
        let clean = redactor.redact_typed(&ended(secret)).unwrap();
        let Some(Event::CallEnded { results, name, count_of_bytes, note }) = clean else {
            panic!("{secret}: {clean:?}")
        };
        assert_eq!(count_of_bytes, 1_234_567, "{secret}");
        assert_eq!(name, Name("redacted".to_owned()), "{secret}");
        assert_eq!(note.as_deref(), Some("[redacted]"), "{secret}");
        let contents: Vec<_> = results.iter().map(|piece| piece.content.as_str()).collect();
        assert_eq!(contents, ["[redacted]", "nothing", "[redacted]"], "{secret}");
        assert_eq!(
            results[0].detail.as_deref(),
            Some("[redacted]"),
            "{secret}: an optional field is not lost"
        );
    }
}

#[test]
fn secrets_that_look_like_json_leave_valid_values() {
    let secrets =
        ["\"call\":\"", "{\"event\"", "\\\"\\\"}}}", "[[1,2,3]]", "falsetrue", "-12345.5e3", "null,null"];
    for secret in secrets {
        let redactor = Redactor::new([secret.into()]);
        let event = Event::CallRunning { call: format!("a{secret}b") };
        let clean = Event::CallRunning { call: "a[redacted]b".into() };
        assert_eq!(redactor.redact_typed(&event).unwrap(), Some(clean), "{secret}");
        let event = Event::Nested { anything: json!({ secret: [secret, true, 1] }) };
        let clean = Event::Nested { anything: json!({ "[redacted]": ["[redacted]", true, 1] }) };
        assert_eq!(redactor.redact_typed(&event).unwrap(), Some(clean), "{secret}");
    }
}

#[test]
fn a_number_that_is_a_secret_is_replaced_where_the_type_allows_text() {
    let redactor = Redactor::new(["1234567".into()]);
    let event = Event::Nested { anything: json!([1_234_567, { "n": -1_234_567 }, 12_345_678]) };
    let clean = Event::Nested { anything: json!(["[redacted]", { "n": "[redacted]" }, 12_345_678]) };
    assert_eq!(redactor.redact_typed(&event).unwrap(), Some(clean));
}

#[test]
fn a_value_without_a_secret_is_not_copied() {
    assert_eq!(Redactor::default().redact_typed(&ended("results")).unwrap(), None);
    assert_eq!(Redactor::new(["nowhere".into()]).redact_typed(&ended("results")).unwrap(), None);
}

#[test]
fn a_value_that_is_nested_too_deeply_is_an_error_and_its_json_is_redacted() {
    let mut anything = json!("hunter22");
    for _ in 0..200 {
        anything = json!([anything]);
    }
    let redactor = Redactor::new(["hunter22".into()]);
    let event = Event::Nested { anything };
    assert!(redactor.redact_typed(&event).is_err());
    let text = redactor.to_redacted_json(&event).unwrap();
    assert!(text.contains("[redacted]") && !text.contains("hunter22"), "{text}");
}
