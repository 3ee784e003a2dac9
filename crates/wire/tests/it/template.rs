//! The previous event as a template for the next one.

use proptest::prelude::*;
use serde_json::{Value, json};
use windlass_wire::Template;

/// An event with a text, numbered by its length.
fn event(index: u64, text: &str, padding: Option<&str>) -> String {
    let mut event = json!({
        "index": index, "delta": {"text": text}, "usage": null, "sequence_number": text.len(),
    });
    if let Some(padding) = padding {
        event["obfuscation"] = padding.into();
    }
    event.to_string()
}

fn learned(event: &str, text: &str) -> Template<()> {
    let mut template = Template::default();
    let quoted = Value::from(text).to_string();
    let at = event.find(&quoted).unwrap().checked_add(1).unwrap();
    template.learn(event, &event[at..at.checked_add(text.len()).unwrap()], ());
    template
}

#[track_caller]
fn check(first: &str, next: &str, text: Option<&str>) {
    let read = learned(first, "one").read(next).map(|((), text)| text.into_owned());
    assert_eq!(read.as_deref(), text, "{next}");
}

#[test]
fn only_the_text_and_the_padding_may_differ() {
    let first = event(0, "one", Some("abc"));
    check(&first, &event(0, "two\n\"\u{1F600}", Some("x")), Some("two\n\"\u{1F600}"));
    check(&first, &event(0, "", Some("")), Some(""));
    check(&first, &event(1, "two", Some("abc")), None);
    check(&first, &event(0, "two", Some("a\"b")), None);
    check(&first, &event(0, "two", None), None);
    check(&first, &event(0, "two", Some("abc")).replace("null", "{}"), None);
    check(&first, &format!("{} ", event(0, "two", Some("abc"))), None);
    let bare = event(0, "one", None);
    check(&bare, &event(0, "two", None), Some("two"));
    check(&bare, &event(0, "two", Some("abc")), None);
}

#[test]
fn sequence_numbers_may_differ_between_events() {
    let first = r#"{"sequence_number":9,"delta":"one","n":1}"#;
    check(first, r#"{"sequence_number":10,"delta":"two","n":1}"#, Some("two"));
    check(first, r#"{"sequence_number":0,"delta":"two","n":1}"#, Some("two"));
    check(first, r#"{"sequence_number":10,"delta":"two","n":2}"#, None);
    for number in ["", "01", "-1", "1.5", "1e3", "null", "\"1\"", "[1]", "1 "] {
        check(first, &first.replace('9', number), None);
    }
    let odd = r#"{"sequence_number":"9","delta":"one"}"#;
    check(odd, odd, None);
    let text = r#"{"s":"\"sequence_number\":9,","delta":"one"}"#;
    check(text, &text.replace('9', "8"), None);
}

#[test]
fn invalid_json_text_is_not_read() {
    let first = event(0, "one", None);
    for text in [r"\x", r"\ud800", "\n", "\\\n", r#"a" "#, "\\"] {
        check(&first, &first.replace("one", text), None);
    }
}

#[test]
fn a_text_of_another_event_is_not_learned() {
    let first = event(0, "one", None);
    let mut template = learned(&first, "one");
    template.learn(&first, "one", ());
    assert_eq!(template.read(&first), None);
}

proptest! {
    /// The template returns the value that a parse returns.
    #[test]
    fn the_fast_reader_equals_a_full_parse(
        first in "[a-z]{0,5}", text in any::<String>(), padding in prop::option::of("[a-z]{0,9}"),
        cut in any::<prop::sample::Index>(), with in prop::sample::select(vec!["", "\"", "\\", "x", "\u{1}", "}"]),
    ) {
        let template = learned(&event(7, &first, padding.as_deref()), &first);
        let next = event(7, &text, padding.as_deref());
        let read = template.read(&next).map(|((), text)| text.into_owned());
        prop_assert_eq!(read.as_deref(), Some(text.as_str()));
        // With one more character anywhere, the template returns the right value or nothing.
        let at = next.floor_char_boundary(cut.index(next.len()));
        let changed = format!("{}{with}{}", &next[..at], &next[at..]);
        if let Some(((), text)) = template.read(&changed) {
            let parsed: Value = serde_json::from_str(&changed).unwrap();
            prop_assert_eq!(parsed["delta"]["text"].as_str(), Some(text.as_ref()));
            prop_assert_eq!(&parsed["index"], &json!(7));
        }
    }
}
