//! Removal of registered secrets from a run. Everything from outside is redacted once before the machine
//! receives it, so that the conversation, its record and the model's requests are equal (I6, I7). The
//! arguments of a call run as the model wrote them; they are redacted only where they are shown and recorded.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use windlass_hitl::ApprovalOutcome;
use windlass_loop::{
    CallDecision, CallIndex, EarlyRefusal, Event, Input, SpeculativeOutcome, StreamFailure, Transcript,
};
use windlass_protocol::{ResultStatus, ToolCall, ToolResult};
use windlass_redact::{RedactStream, Redactor};
use windlass_stream::Chunk;

/// The text that replaces a result if the redacted result cannot be parsed.
const WITHHELD: &str = "the result is withheld: it contains a secret in a place that cannot be redacted";

/// The removal of registered secrets from the inputs of the machine and from the events of a run.
pub(crate) struct Redacting {
    redactor: Redactor,
    words: RedactStream,
    thoughts: RedactStream,
    arguments: HashMap<CallIndex, RedactStream>,
    previews: HashMap<CallIndex, RedactStream>,
}

impl Redacting {
    pub(crate) fn new(redactor: Redactor) -> Self {
        Self {
            words: redactor.stream(),
            thoughts: redactor.stream(),
            arguments: HashMap::new(),
            previews: HashMap::new(),
            redactor,
        }
    }

    /// Returns whether no secrets are registered.
    pub(crate) fn is_idle(&self) -> bool {
        self.redactor.is_empty()
    }

    /// Redacts an input. A secret can be split between chunks, so text is held back; the first element is
    /// held-back text that precedes the input.
    pub(crate) fn input(&mut self, input: Input) -> [Option<Input>; 2] {
        if self.redactor.is_empty() {
            return [None, Some(input)];
        }
        let redactor = &self.redactor;
        let clean = match input {
            Input::Chunk(chunk) => return self.chunk(chunk).map(|chunk| chunk.map(Input::Chunk)),
            Input::StreamEnd(end) => {
                let end = end.map_err(|mut failure: StreamFailure| {
                    failure.message = clean(redactor, failure.message);
                    failure
                });
                return [self.take_held().map(Input::Chunk), Some(Input::StreamEnd(end))];
            }
            // The machine keeps the text so far, to which the held-back text belongs.
            Input::Cancel => return [self.take_held().map(Input::Chunk), Some(Input::Cancel)],
            Input::RefusedEarly { answer, key, refusal } => {
                let refusal = match refusal {
                    EarlyRefusal::Refused { status, text } => {
                        EarlyRefusal::Refused { status, text: clean(redactor, text) }
                    }
                    EarlyRefusal::Denied(mut reason) => {
                        reason.text = clean(redactor, reason.text);
                        EarlyRefusal::Denied(reason)
                    }
                };
                Input::RefusedEarly { answer, key, refusal }
            }
            Input::Speculative { answer, call, outcome } => {
                let outcome = Box::new(redact_speculative(redactor, *outcome));
                Input::Speculative { answer, call, outcome }
            }
            Input::Decided { call, decision } => {
                Input::Decided { call, decision: Box::new(redact_decision(redactor, *decision)) }
            }
            Input::Result(result) => Input::Result(result_without(redactor, result)),
            Input::Fatal { call, message } => Input::Fatal { call, message: clean(redactor, message) },
            Input::InterruptReply { id, words } => {
                Input::InterruptReply { id, words: words.map(|words| clean(redactor, words)) }
            }
            Input::Say { id, text, when } => Input::Say { id, text: clean(redactor, text), when },
            Input::Start { task } => Input::Start { task: clean(redactor, task) },
            Input::Approval(outcome) => Input::Approval(redact_outcome(redactor, outcome)),
            other => other,
        };
        [None, Some(clean)]
    }

    /// Redacts an event. The first element contains arguments of the same call that were held back.
    pub(crate) fn event(&mut self, event: Event) -> [Option<Event>; 2] {
        if self.redactor.is_empty() {
            return [None, Some(event)];
        }
        let mut before = None;
        match &event {
            // Text is redacted before the machine receives it.
            Event::Text { .. } | Event::Reasoning { .. } => return [None, Some(event)],
            Event::CallArguments { key, delta } => {
                let stream = self.arguments.entry(*key).or_insert_with(|| self.redactor.stream());
                return [
                    None,
                    to_text(stream.push(delta.as_bytes()), |delta| Event::CallArguments { key: *key, delta }),
                ];
            }
            Event::CallPreview { key, text } => {
                let stream = self.previews.entry(*key).or_insert_with(|| self.redactor.stream());
                return [
                    None,
                    to_text(stream.push(text.as_bytes()), |text| Event::CallPreview { key: *key, text }),
                ];
            }
            Event::CallFinished { key, .. }
            | Event::CallMalformed { key, .. }
            | Event::CallRefusedEarly { key, .. } => {
                self.previews.remove(key);
                let rest = self.arguments.remove(key).map(|mut stream| stream.finish());
                before = to_text(rest.unwrap_or_default(), |delta| Event::CallArguments { key: *key, delta });
            }
            // Call keys are unique within one answer only.
            Event::TurnStarted { .. } | Event::AttemptDiscarded { .. } => {
                self.arguments.clear();
                self.previews.clear();
                self.words = self.redactor.stream();
                self.thoughts = self.redactor.stream();
            }
            _ => {}
        }
        [before, Some(redact_event(&self.redactor, event))]
    }

    fn chunk(&mut self, chunk: Chunk) -> [Option<Chunk>; 2] {
        match chunk {
            Chunk::Text { text } => {
                let thoughts = to_text(self.thoughts.finish(), Chunk::reasoning);
                [thoughts, to_text(self.words.push(text.as_bytes()), Chunk::text)]
            }
            Chunk::Reasoning { text } => {
                let words = to_text(self.words.finish(), Chunk::text);
                [words, to_text(self.thoughts.push(text.as_bytes()), Chunk::reasoning)]
            }
            // A token count can arrive between chunks of one text and does not end it.
            Chunk::Usage { .. } => [None, Some(chunk)],
            Chunk::Error { mut error } => {
                error.message = clean(&self.redactor, error.message);
                [self.take_held(), Some(Chunk::Error { error })]
            }
            other => [self.take_held(), Some(other)],
        }
    }

    /// Returns the text or reasoning that is held back. Only one of them is, because each ends the other.
    fn take_held(&mut self) -> Option<Chunk> {
        let words = to_text(self.words.finish(), Chunk::text);
        let thoughts = to_text(self.thoughts.finish(), Chunk::reasoning);
        words.or(thoughts)
    }
}

/// Returns whether the arguments of a call contain a secret in any JSON encoding, or the redaction mark. A
/// model that copies redacted text writes the mark in place of the secret, and a resumed call would run with
/// the mark from the record.
pub(crate) fn has_secret(redactor: &Redactor, call: &ToolCall) -> bool {
    if redactor.is_empty() {
        return false;
    }
    let text = call.payload.text();
    text.contains(Redactor::MARK) || redactor.contains_secret_in_json(&text)
}

/// Returns an event without secrets. An event is never dropped: observers count on the end of each call and each
/// agent. If secrets cannot be removed from an event, [`Event::Withheld`] replaces it.
fn redact_event(redactor: &Redactor, event: Event) -> Event {
    // The event of an agent has a form of its own, which must stay readable too.
    let (event, inner) = match event {
        Event::AgentEvent { call, agents, happened } => (
            Event::AgentEvent { call, agents, happened: Value::Null },
            Some(redact_inner(redactor, happened)),
        ),
        other => (other, None),
    };
    let clean = match redactor.redact_typed(&event) {
        Ok(None) => event,
        Ok(Some(clean)) => clean,
        Err(_) => return Event::Withheld { name: event_name(&event) },
    };
    match (clean, inner) {
        (Event::AgentEvent { call, agents, .. }, Some(happened)) => {
            Event::AgentEvent { call, agents, happened }
        }
        (clean, _) => clean,
    }
}

/// Returns the event of an agent without secrets. JSON that is not an event of this version is redacted without
/// regard to its form.
fn redact_inner(redactor: &Redactor, mut happened: Value) -> Value {
    if let Cow::Borrowed(_) = redactor.redact_json(&happened.to_string()) {
        return happened;
    }
    if let Ok(event) = serde_json::from_value::<Event>(happened.clone())
        && let Ok(clean) = serde_json::to_value(redact_event(redactor, event))
    {
        return clean;
    }
    redactor.redact_value(&mut happened);
    happened
}

/// Returns the name of an event in its JSON.
fn event_name(event: &Event) -> String {
    let json = serde_json::to_value(event).unwrap_or_default();
    json.get("event").and_then(Value::as_str).unwrap_or("unknown").to_owned()
}

/// Returns the result without secrets, for the record, the events and the model.
pub(crate) fn result_without(redactor: &Redactor, result: ToolResult) -> ToolResult {
    let call = result.call.clone();
    redact_value(redactor, result)
        .filter(|clean| clean.call == call)
        .unwrap_or_else(|| ToolResult::text(call, ResultStatus::Error, WITHHELD))
}

/// Returns an imported conversation without secrets. Its calls do not run again, so their arguments are
/// redacted too. A message that cannot be parsed after redaction is removed, and the import repairs the gaps.
pub(crate) fn history_without(redactor: &Redactor, history: Transcript) -> Transcript {
    if redactor.is_empty() {
        return history;
    }
    let messages = history.messages().iter().cloned();
    Transcript::import(messages.filter_map(|message| redact_value(redactor, message))).transcript
}

/// Redacts the outcome of a call that ran while its answer streamed.
fn redact_speculative(redactor: &Redactor, outcome: SpeculativeOutcome) -> SpeculativeOutcome {
    match outcome {
        SpeculativeOutcome::NotBegun => SpeculativeOutcome::NotBegun,
        SpeculativeOutcome::Decided(decision) => {
            SpeculativeOutcome::Decided(redact_decision(redactor, decision))
        }
        SpeculativeOutcome::Ran { facts, mut decision, result } => {
            decision.reason.text = clean(redactor, decision.reason.text);
            SpeculativeOutcome::Ran { facts, decision, result: result_without(redactor, result) }
        }
        SpeculativeOutcome::Fatal { facts, mut decision, message } => {
            decision.reason.text = clean(redactor, decision.reason.text);
            SpeculativeOutcome::Fatal { facts, decision, message: clean(redactor, message) }
        }
    }
}

fn redact_decision(redactor: &Redactor, decision: CallDecision) -> CallDecision {
    match decision {
        CallDecision::Refused(result) => CallDecision::Refused(result_without(redactor, result)),
        CallDecision::Decided { facts, mut decision, request } => {
            decision.reason.text = clean(redactor, decision.reason.text);
            // The machine finds the request and the call by their ids. If redaction changes an id, the
            // request is removed, and the call does not run.
            let request = request.and_then(|request| {
                let (id, call) = (request.request_id.clone(), request.call.id.clone());
                let clean = redact_value(redactor, request)?;
                (clean.request_id == id && clean.call.id == call).then_some(clean)
            });
            CallDecision::Decided { facts, decision, request }
        }
    }
}

/// Redacts the human's comment. An outcome has no other text from outside: its id is made by the engine, which
/// finds the request by it.
fn redact_outcome(redactor: &Redactor, outcome: ApprovalOutcome) -> ApprovalOutcome {
    match outcome {
        ApprovalOutcome::Answered(mut decision) => {
            decision.reason = decision.reason.map(|reason| clean(redactor, reason));
            ApprovalOutcome::Answered(decision)
        }
        other => other,
    }
}

/// Redacts a value and keeps its type. Returns `None` if the value contains secrets that cannot be removed.
fn redact_value<T: Serialize + DeserializeOwned>(redactor: &Redactor, value: T) -> Option<T> {
    match redactor.redact_typed(&value) {
        Ok(None) => Some(value),
        Ok(clean) => clean,
        Err(_) => None,
    }
}

fn clean(redactor: &Redactor, text: String) -> String {
    match redactor.redact(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(clean) => clean,
    }
}

/// Converts the output of a redacting stream, if there is any. The input is UTF-8, so the output is UTF-8
/// too.
fn to_text<T>(bytes: Vec<u8>, make: impl FnOnce(String) -> T) -> Option<T> {
    let text = String::from_utf8(bytes).ok().filter(|text| !text.is_empty())?;
    Some(make(text))
}

#[cfg(test)]
mod tests;
