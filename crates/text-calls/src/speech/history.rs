//! Calls and results of the messages, in words.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;
use windlass_protocol::{
    CallId, Content, History, Message, Part, RewrittenHistory, Role, Text, ToolName, ToolResult,
};

use crate::{Dialect, render_call, results};

/// The last conversation that was put into words, kept so that its next turn costs only what is new. It may be handed
/// another conversation or another dialect, which then is put into words as a whole.
#[derive(Clone, Debug, Default)]
pub struct SpokenHistory {
    dialect: Option<Dialect>,
    history: RewrittenHistory,
    /// The tools of the calls so far, for the results that follow them.
    names: BTreeMap<CallId, ToolName>,
    /// How many answers of the model it has.
    pub(super) answers: usize,
}

impl SpokenHistory {
    /// Returns the messages with all calls and results in words. Neighbours of one human speaker become one message,
    /// because the templates of many models take turns only.
    pub(super) fn spoken(&mut self, dialect: Dialect, messages: &History) -> History {
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
                Role::Assistant => Arc::new(Message::assistant(said(dialect, &message.parts))),
                Role::Tool => Arc::new(Message::new(Role::User, answered(dialect, &message.parts, names))),
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
fn answered(dialect: Dialect, parts: &[Part], names: &BTreeMap<CallId, ToolName>) -> Vec<Part> {
    let all: Vec<&ToolResult> = parts
        .iter()
        .filter_map(|part| match part {
            Part::Result(result) => Some(result),
            _ => None,
        })
        .collect();
    // A result whose call is not in the history still has something to say.
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
