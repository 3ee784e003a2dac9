//! Text encoding of the calls and results in messages.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;
use windlass_protocol::{
    CallId, Content, History, Message, Part, RewrittenHistory, Role, Text, ToolName, ToolResult,
};

use crate::{Dialect, render_call, results};

/// A cache of the last conversation that was encoded as text, so that its next turn costs only the new
/// messages. It accepts another conversation or dialect, which it then encodes as a whole.
#[derive(Clone, Debug, Default)]
pub struct SpokenHistory {
    dialect: Option<Dialect>,
    history: RewrittenHistory,
    /// The tool of each call so far, to name the results that follow.
    names: BTreeMap<CallId, ToolName>,
    /// The number of assistant messages so far.
    pub(super) answers: usize,
}

impl SpokenHistory {
    /// Returns the messages with all calls and results as text. Merges adjacent user messages, because the
    /// chat templates of many models require alternating roles.
    pub(super) fn write_as_text(&mut self, dialect: Dialect, messages: &History) -> History {
        if self.dialect != Some(dialect) {
            *self = Self { dialect: Some(dialect), ..Self::default() };
        }
        let Self { history, names, answers, .. } = self;
        history.update(messages, |position, message, spoken| {
            if position == 0 {
                names.clear();
                *answers = 0;
            }
            if message.role == Role::Assistant {
                *answers = answers.saturating_add(1);
            }
            names.extend(message.calls().map(|call| (call.id.clone(), call.name.clone())));
            let message = match message.role {
                Role::Assistant => Arc::new(Message::assistant(encode_assistant(dialect, &message.parts))),
                Role::Tool => {
                    Arc::new(Message::new(Role::User, encode_results(dialect, &message.parts, names)))
                }
                _ => message.clone(),
            };
            let last = spoken.len().checked_sub(1).filter(|_| message.role == Role::User);
            match last.filter(|at| spoken.get(*at).is_some_and(|last| last.role == Role::User)) {
                Some(at) => {
                    if let Some(last) = spoken.get_mut(at) {
                        last.parts.extend(message.parts.iter().cloned());
                    }
                }
                None => spoken.push(message),
            }
        })
    }
}

/// Encodes an assistant message with its calls as the model would have written them.
fn encode_assistant(dialect: Dialect, parts: &[Part]) -> Vec<Part> {
    if dialect == Dialect::Structured {
        return encode_structured(parts);
    }
    let mut said: Vec<Part> = Vec::with_capacity(parts.len());
    for part in parts {
        let Part::Call(call) = part else {
            said.push(part.clone());
            continue;
        };
        let call = render_call(dialect, call.name.as_str(), &call.payload.as_arguments());
        match said.last_mut() {
            // A text part with opaque provider data must not change, because that data belongs to its exact
            // text.
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

/// Encodes the whole answer as one object, at the position of its first text or call.
fn encode_structured(parts: &[Part]) -> Vec<Part> {
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

/// Encodes tool results as text, followed by their images (RULES R8).
fn encode_results(dialect: Dialect, parts: &[Part], names: &BTreeMap<CallId, ToolName>) -> Vec<Part> {
    let all: Vec<&ToolResult> = parts
        .iter()
        .filter_map(|part| match part {
            Part::Result(result) => Some(result),
            _ => None,
        })
        .collect();
    // A result whose call is missing from the history is still sent.
    let nameless = ToolName::new("unknown").ok();
    let name_of = |result: &ToolResult| names.get(&result.call).or(nameless.as_ref());
    let pairs = all.iter().filter_map(|result| Some((name_of(result)?, *result)));
    let mut answered = vec![Part::text(results(dialect, pairs))];
    for piece in all.iter().flat_map(|result| &result.content) {
        if let Content::Image(image) = piece {
            answered.push(Part::Image(image.clone()));
        }
    }
    answered
}
