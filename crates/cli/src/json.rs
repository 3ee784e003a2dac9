//! `windlass json`: prints the partial values and events of a JSON text that arrives in pieces.

use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::{Value, json};
use windlass_partial_json::{Completeness, Event, Parser, Snapshot, Status};

use crate::arguments::Json;
use crate::{input, output};

pub(crate) fn json(arguments: &Json) -> anyhow::Result<ExitCode> {
    let text = input::text(&arguments.file)?;
    let mut parser = Parser::new();
    let characters: Vec<char> = text.chars().collect();
    for (number, delta) in characters.chunks(arguments.deltas.max(1)).enumerate() {
        let delta: String = delta.iter().collect();
        let end = parser.push(&delta);
        let mut events = Vec::new();
        parser.drain_events(|event| events.push(event_value(&event)));
        let now = parser.snapshot();
        output::line(&json!({
            "delta": number.saturating_add(1),
            "text": delta,
            "status": status(now),
            "value": now.to_value(),
            "pending_key": now.pending_key().map(|key| key.text.to_owned()),
            "events": events,
        }))?;
        end.context("the text is not JSON")?;
    }
    let (forgiven, duplicates) = (parser.forgiven(), parser.duplicates());
    let value = parser.finish().context("the text is not one JSON value")?;
    output::line(&json!({ "final": value, "forgiven": forgiven, "duplicate_keys": duplicates }))?;
    Ok(ExitCode::SUCCESS)
}

fn status(now: Snapshot<'_>) -> Value {
    match now.status() {
        Status::Incomplete => json!("incomplete"),
        Status::Complete => json!("complete"),
        Status::Malformed { at } => json!({ "malformed": at }),
    }
}

fn event_value(event: &Event<'_>) -> Value {
    match *event {
        Event::Began { path, kind } => json!({ "path": path, "began": format!("{kind:?}").to_lowercase() }),
        Event::Grew { path, text } => json!({ "path": path, "grew": text }),
        Event::Complete { path, value } => json!({
            "path": path,
            "complete": value.to_value(),
            "whole": value.completeness() == Completeness::Complete,
        }),
        Event::Repeated { path } => json!({ "path": path, "repeated": true }),
        _ => Value::Null,
    }
}
