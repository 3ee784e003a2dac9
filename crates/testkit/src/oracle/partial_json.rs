//! Properties of `windlass-partial-json`.

mod rebuilt;
mod shown;

use serde_json::Value;
use windlass_partial_json::{Completeness, Error, JsonLimits, Kind, Node, Parser, Status, repair};

use crate::split;
use rebuilt::Rebuilt;
use shown::ObservedNode;

/// The final result equals that of `serde_json` on the whole text (J6).
///
/// # Panics
/// The verdict or the value differs.
pub fn partial_json_oracle(bytes: &[u8]) {
    let mut parser = Parser::new();
    let pushed = parser.push_bytes(bytes);
    let checked = parser.check();
    let ours = parser.finish();
    assert_eq!(checked.err(), ours.as_ref().err().copied(), "check and finish differ");
    if let Err(error) = pushed {
        assert_eq!(ours.as_ref().err(), Some(&error), "a failed push and finish differ");
    }
    match (serde_json::from_slice::<Value>(bytes), ours) {
        (Ok(theirs), Ok(ours)) => assert_eq!(ours, theirs, "another value than serde_json's"),
        (Err(_), Err(ours)) => assert!(ours.offset() <= bytes.len(), "{ours} is beyond the end"),
        (theirs, ours) => assert_eq!(
            ours.map_err(|error| error.to_string()),
            theirs.map_err(|error| error.to_string()),
            "another verdict than serde_json's"
        ),
    }
}

/// The observable results of a parser after the whole text.
#[derive(Debug, PartialEq)]
struct ObservedText {
    shown: Option<ObservedNode>,
    rebuilt: Option<Value>,
    status: Status,
    pending_key: Option<(String, bool)>,
    forgiven: usize,
    duplicates: usize,
    end: Result<Value, Error>,
}

/// Snapshots, counts, events and the final result do not depend on how the text is split (S14).
///
/// # Panics
/// A split gives another result.
pub fn partial_json_split(bytes: &[u8]) {
    let whole = read(&[bytes]);
    for parts in split::ways(bytes) {
        assert_eq!(read(&parts), whole, "split {parts:?}");
    }
}

fn read(parts: &[&[u8]]) -> ObservedText {
    let mut parser = Parser::new();
    let mut rebuilt = Rebuilt::default();
    for part in parts {
        // The error is sticky, so the final result contains it.
        let _ = parser.push_bytes(part);
        parser.drain_events(|event| rebuilt.take(event));
    }
    ObservedText {
        shown: parser.snapshot().root().map(ObservedNode::observe),
        rebuilt: rebuilt.value(),
        status: parser.status(),
        pending_key: parser.pending_key().map(|key| (key.text.to_owned(), key.is_complete)),
        forgiven: parser.forgiven(),
        duplicates: parser.duplicates(),
        end: parser.finish(),
    }
}

/// For every prefix of a text (for 2,048 prefixes of a long one), a snapshot only grows (J3), the events
/// so far reproduce its value, and serde deserialises the same value from it.
///
/// # Panics
/// A visible value was retracted, or the events give another value.
pub fn partial_json_snapshot(bytes: &[u8]) {
    const MOST_STEPS: usize = 2_048;
    let mut parser = Parser::new();
    let mut rebuilt = Rebuilt::default();
    let mut before: Option<ObservedNode> = None;
    let mut duplicates = 0;
    for part in bytes.chunks(bytes.len().div_ceil(MOST_STEPS).max(1)) {
        let _ = parser.push_bytes(part);
        parser.drain_events(|event| rebuilt.take(event));
        let snapshot = parser.snapshot();
        let value = snapshot.to_value();
        assert_eq!(rebuilt.value(), value, "the events describe another value");
        let whole = snapshot.deserialize::<Value>().expect("a value has any type");
        assert_eq!(
            Some(&whole).filter(|whole| !whole.is_null()),
            value.as_ref().filter(|value| !value.is_null())
        );
        let known = snapshot.deserialize::<Option<Value>>().expect("a value has any type");
        assert_eq!(known, value.filter(|value| !value.is_null()), "serde reads another value");
        let now = snapshot.root().map(ObservedNode::observe);
        // A repeated key replaces the earlier value and is counted.
        if parser.duplicates() == duplicates
            && let Some(before) = &before
        {
            let now = now.as_ref().expect("a value that was shown is still shown");
            before.assert_grew_into(now);
        }
        duplicates = parser.duplicates();
        before = now;
    }
    let last = parser.snapshot().to_value();
    let written = serde_json::to_value(parser.snapshot()).expect("a snapshot has nothing that JSON has not");
    assert_eq!(written, last.clone().unwrap_or_default(), "the written text differs from the shown text");
    if parser.status() == Status::Complete
        && let Ok(end) = parser.finish()
    {
        assert_eq!(last, Some(end), "the end differs from the last shown text");
    }
}

/// The result of a repair is valid JSON that needs no further repair, valid JSON is returned unchanged, and
/// an open string is never closed (J8).
///
/// # Panics
/// The property is violated.
pub fn partial_json_repair(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let is_json = serde_json::from_str::<Value>(&text).is_ok();
    let Ok(repaired) = repair(&text, JsonLimits::default()) else {
        // Only a JSON string whose content is not JSON may be refused.
        assert!(!is_json || text.trim_start().starts_with('"'), "JSON is refused");
        return;
    };
    serde_json::from_str::<Value>(&repaired.text).expect("the repaired text is JSON");
    let again = repair(&repaired.text, JsonLimits::default()).expect("the repaired text is accepted");
    let is_string = repaired.text.trim_start().starts_with('"');
    assert!(
        again.repairs.is_empty() || is_string,
        "the repaired text is repaired again: {:?}",
        again.repairs
    );
    let is_encoded = text.trim_start().starts_with('"');
    assert!(!is_json || is_encoded || repaired.text == text, "JSON is not given back as it was");
    let mut parser = Parser::new();
    if parser.push(&text).is_ok() && parser.check().is_err() {
        let open = parser.snapshot().root().map(innermost);
        let is_open_string = open.is_some_and(|node| node.kind() == Kind::String && !node.is_complete());
        assert!(!is_open_string, "an open string was closed");
    }
}

/// Returns the value at the end of the open path.
fn innermost(root: Node<'_>) -> Node<'_> {
    let mut node = root;
    while node.completeness() == Completeness::Growing {
        let last = match node.kind() {
            Kind::Object => node.members().last().map(|(_, member)| member),
            _ => node.elements().last(),
        };
        let Some(last) = last else { break };
        node = last;
    }
    node
}
