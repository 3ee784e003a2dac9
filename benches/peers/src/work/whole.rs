//! W4: the whole text in one push, into a readable document.

use std::hint::black_box;

use serde_json::Value;
use simd_json::prelude::ValueAsScalar;
use sonic_rs::{JsonContainerTrait, JsonValueTrait};
use windlass_partial_json::Parser;

use super::{Case, Work, keep};

pub(super) fn find(peer: &str, case: &Case) -> Option<Work> {
    let parse: fn(&str) -> Option<usize> = match peer {
        "serde_json whole" => serde_json_document,
        "simd-json whole" => simd_json_document,
        "sonic-rs whole" => sonic_document,
        "jiter whole" => jiter_document,
        "push whole" => windlass_document,
        _ => return None,
    };
    let text = if case.cut == "W4" { case.text()? } else { return None };
    let check = move || {
        let wanted = serde_json_document(text);
        let read = parse(text);
        if read == wanted { Ok(()) } else { Err(format!("reads {read:?}, not {wanted:?}")) }
    };
    Some(Work::new(text.len(), move || keep(&parse(black_box(text))), check))
}

// Each function reads one value from its document, so that lazy parsers cannot defer the work: the length of
// `content`, or the number of `edits`.

fn windlass_document(text: &str) -> Option<usize> {
    let mut parser = Parser::new();
    parser.push(text).ok()?;
    let root = parser.snapshot().root()?;
    match root.get("content") {
        Some(content) => content.as_str().map(str::len),
        None => root.get("edits").map(windlass_partial_json::Node::len),
    }
}

fn serde_json_document(text: &str) -> Option<usize> {
    let value: Value = serde_json::from_str(text).ok()?;
    match value.get("content") {
        Some(content) => content.as_str().map(str::len),
        None => value.get("edits").and_then(Value::as_array).map(Vec::len),
    }
}

/// simd-json parses in place, so it gets a copy of the text; its tape is the fastest of its documents.
fn simd_json_document(text: &str) -> Option<usize> {
    let mut bytes = text.as_bytes().to_vec();
    let tape = simd_json::to_tape(&mut bytes).ok()?;
    let root = tape.as_value();
    match root.get("content") {
        Some(content) => content.as_str().map(str::len),
        None => root.get("edits").and_then(|edits| edits.as_array().map(|edits| edits.len())),
    }
}

fn sonic_document(text: &str) -> Option<usize> {
    let value: sonic_rs::Value = sonic_rs::from_str(text).ok()?;
    match value.get("content") {
        Some(content) => content.as_str().map(str::len),
        None => value.get("edits").and_then(|edits| edits.as_array().map(sonic_rs::Array::len)),
    }
}

fn jiter_document(text: &str) -> Option<usize> {
    let value = jiter::JsonValue::parse(text.as_bytes(), false).ok()?;
    let jiter::JsonValue::Object(members) = &value else { return None };
    members.iter().find_map(|(key, value)| match (key.as_ref(), value) {
        ("content", jiter::JsonValue::Str(content)) => Some(content.len()),
        ("edits", jiter::JsonValue::Array(edits)) => Some(edits.len()),
        _ => None,
    })
}
