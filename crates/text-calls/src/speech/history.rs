//! Calls and results of the messages, in words.

use std::collections::BTreeMap;

use serde_json::json;
use windlass_protocol::{CallId, Content, History, Message, Part, Role, Text, ToolName, ToolResult};

use crate::{Dialect, render_call, results};

/// The messages with all calls and results in words. Neighbours of one human speaker become one message, because
/// the templates of many models take turns only.
pub(super) fn spoken(dialect: Dialect, messages: &History) -> History {
    let mut names: BTreeMap<&CallId, &ToolName> = BTreeMap::new();
    let mut spoken: Vec<Message> = Vec::with_capacity(messages.len());
    for message in messages {
        names.extend(message.calls().map(|call| (&call.id, &call.name)));
        let message = match message.role {
            Role::Assistant => Message::assistant(said(dialect, &message.parts)),
            Role::Tool => Message::new(Role::User, answered(dialect, &message.parts, &names)),
            _ => message.clone(),
        };
        match spoken.last_mut() {
            Some(last) if last.role == Role::User && message.role == Role::User => {
                last.parts.extend(message.parts);
            }
            _ => spoken.push(message),
        }
    }
    spoken.into()
}

/// What the model said, with its calls as it would have written them.
fn said(dialect: Dialect, parts: &[Part]) -> Vec<Part> {
    if dialect == Dialect::Structured {
        return structured(parts);
    }
    let mut said: Vec<Part> = Vec::with_capacity(parts.len());
    for part in parts {
        let Part::Call(call) = part else {
            said.push(part.clone());
            continue;
        };
        let call = render_call(dialect, call.name.as_str(), &call.payload.as_arguments());
        match said.last_mut() {
            // What travels with the words was made for them alone.
            Some(Part::Text(words)) if words.opaque.is_none() => {
                if !words.text.is_empty() && !words.text.ends_with('\n') {
                    words.text.push('\n');
                }
                words.text.push_str(&call);
            }
            _ => said.push(Part::Text(Text::new(call))),
        }
    }
    said
}

/// The whole answer as one object, in the place of its first words or call.
fn structured(parts: &[Part]) -> Vec<Part> {
    let mut content = String::new();
    let mut calls = Vec::new();
    for part in parts {
        match part {
            Part::Text(words) => content.push_str(&words.text),
            Part::Call(call) => calls.push(format!(
                r#"{{"name":{},"arguments":{}}}"#,
                json!(call.name.as_str()),
                call.payload.as_arguments().as_str().trim()
            )),
            _ => {}
        }
    }
    let answer = format!(
        r#"{{"content":{},"toolCalls":[{}],"needsMoreWork":{}}}"#,
        json!(content),
        calls.join(","),
        !calls.is_empty()
    );
    let is_said = |part: &Part| matches!(part, Part::Text(_) | Part::Call(_));
    let mut answer = Some(Part::text(answer)).filter(|_| parts.iter().any(is_said));
    let place = |part: &Part| if is_said(part) { answer.take() } else { Some(part.clone()) };
    parts.iter().filter_map(place).collect()
}

/// What the tools answered, and the pictures beside it (RULES R8).
fn answered(dialect: Dialect, parts: &[Part], names: &BTreeMap<&CallId, &ToolName>) -> Vec<Part> {
    let all: Vec<&ToolResult> = parts
        .iter()
        .filter_map(|part| match part {
            Part::Result(result) => Some(result),
            _ => None,
        })
        .collect();
    // A result whose call is not in the history still has something to say.
    let nameless = ToolName::new("unknown").ok();
    let name_of = |result: &ToolResult| names.get(&result.call).copied().or(nameless.as_ref());
    let pairs = all.iter().filter_map(|result| Some((name_of(result)?, *result)));
    let mut answered = vec![Part::text(results(dialect, pairs))];
    for piece in all.iter().flat_map(|result| &result.content) {
        if let Content::Image(image) = piece {
            answered.push(Part::Image(image.clone()));
        }
    }
    answered
}
