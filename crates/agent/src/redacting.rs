//! Keeping registered secrets out of a run. What comes in from outside is redacted once, before the machine has it, so
//! that the conversation, its record and what a model is sent are the same (I6, I7). The arguments of a call stay as
//! the model wrote them, because they are run; they are redacted where they are shown and recorded.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Serialize;
use serde::de::DeserializeOwned;
use windlass_loop::{Ahead, EarlyRefusal, Event, Input, Judgement, StreamFailure, Transcript};
use windlass_protocol::{ResultStatus, ToolCall, ToolResult};
use windlass_redact::{RedactStream, Redactor};
use windlass_stream::{CallKey, Chunk};

/// What a model is told where a result cannot be kept without a secret in it.
const WITHHELD: &str = "the result is withheld: a secret is where none can be taken out";

/// Takes registered secrets out of everything that comes into a run and that is shown of it.
pub(crate) struct Redacting {
    redactor: Redactor,
    words: RedactStream,
    thoughts: RedactStream,
    arguments: HashMap<CallKey, RedactStream>,
    previews: HashMap<CallKey, RedactStream>,
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

    /// Whether there is no secret to look for.
    pub(crate) fn is_idle(&self) -> bool {
        self.redactor.is_empty()
    }

    /// An input as the machine gets it, behind what was held back of the words before it.
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
                return [self.held().map(Input::Chunk), Some(Input::StreamEnd(end))];
            }
            // The words so far are kept, so the held ones belong to them.
            Input::Cancel => return [self.held().map(Input::Chunk), Some(Input::Cancel)],
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
            Input::Ahead { answer, call, outcome } => {
                let outcome = Box::new(ahead_without(redactor, *outcome));
                Input::Ahead { answer, call, outcome }
            }
            Input::Judged { call, judgement } => {
                Input::Judged { call, judgement: Box::new(judgement_without(redactor, *judgement)) }
            }
            Input::Result(result) => Input::Result(result_without(redactor, result)),
            Input::Fatal { call, message } => Input::Fatal { call, message: clean(redactor, message) },
            Input::Guidance { id, words } => {
                Input::Guidance { id, words: words.map(|words| clean(redactor, words)) }
            }
            Input::Say { id, text, when } => Input::Say { id, text: clean(redactor, text), when },
            Input::Start { task } => Input::Start { task: clean(redactor, task) },
            Input::Approval(outcome) => match through_json(redactor, outcome.clone()) {
                Some(clean) => Input::Approval(clean),
                // Its id is nothing that was asked for, and is refused.
                None => Input::Approval(outcome),
            },
            other => other,
        };
        [None, Some(clean)]
    }

    /// An event as it is shown, behind what was held back of the same call's arguments.
    pub(crate) fn event(&mut self, event: Event) -> [Option<Event>; 2] {
        if self.redactor.is_empty() {
            return [None, Some(event)];
        }
        let mut before = None;
        match &event {
            // They are redacted before the machine has them.
            Event::Text { .. } | Event::Reasoning { .. } => return [None, Some(event)],
            Event::CallArguments { key, delta } => {
                let stream = self.arguments.entry(*key).or_insert_with(|| self.redactor.stream());
                return [
                    None,
                    shown(stream.push(delta.as_bytes()), |delta| Event::CallArguments { key: *key, delta }),
                ];
            }
            Event::CallPreview { key, text } => {
                let stream = self.previews.entry(*key).or_insert_with(|| self.redactor.stream());
                return [
                    None,
                    shown(stream.push(text.as_bytes()), |text| Event::CallPreview { key: *key, text }),
                ];
            }
            Event::CallFinished { key, .. }
            | Event::CallMalformed { key, .. }
            | Event::CallRefusedEarly { key, .. } => {
                self.previews.remove(key);
                let rest = self.arguments.remove(key).map(|mut stream| stream.finish());
                before = shown(rest.unwrap_or_default(), |delta| Event::CallArguments { key: *key, delta });
            }
            // Keys begin anew with each answer.
            Event::TurnStarted { .. } | Event::AttemptDiscarded { .. } => {
                self.arguments.clear();
                self.previews.clear();
                self.words = self.redactor.stream();
                self.thoughts = self.redactor.stream();
            }
            _ => {}
        }
        [before, through_json(&self.redactor, event)]
    }

    fn chunk(&mut self, chunk: Chunk) -> [Option<Chunk>; 2] {
        match chunk {
            Chunk::Text { text } => {
                let thoughts = shown(self.thoughts.finish(), Chunk::reasoning);
                [thoughts, shown(self.words.push(text.as_bytes()), Chunk::text)]
            }
            Chunk::Reasoning { text } => {
                let words = shown(self.words.finish(), Chunk::text);
                [words, shown(self.thoughts.push(text.as_bytes()), Chunk::reasoning)]
            }
            // A count of tokens stands between words without ending them.
            Chunk::Usage { .. } => [None, Some(chunk)],
            Chunk::Error { mut error } => {
                error.message = clean(&self.redactor, error.message);
                [self.held(), Some(Chunk::Error { error })]
            }
            other => [self.held(), Some(other)],
        }
    }

    /// What is held back of words or thoughts; never of both, for each ends the other.
    fn held(&mut self) -> Option<Chunk> {
        let words = shown(self.words.finish(), Chunk::text);
        let thoughts = shown(self.thoughts.finish(), Chunk::reasoning);
        words.or(thoughts)
    }
}

/// Whether the arguments of a call hold a secret, however they write it, or the mark of one: a model that writes what
/// it was shown would put the mark in the secret's place, and a call that was resumed would run with it.
pub(crate) fn has_secret(redactor: &Redactor, call: &ToolCall) -> bool {
    if redactor.is_empty() {
        return false;
    }
    let text = call.payload.text();
    text.contains(Redactor::MARK) || redactor.contains_secret_in_json(&text)
}

/// A result without secrets, as it is to be recorded, shown and sent.
pub(crate) fn result_without(redactor: &Redactor, result: ToolResult) -> ToolResult {
    let call = result.call.clone();
    through_json(redactor, result)
        .filter(|clean| clean.call == call)
        .unwrap_or_else(|| ToolResult::text(call, ResultStatus::Error, WITHHELD))
}

/// A conversation from elsewhere without secrets. Nothing of it is run, so its calls' arguments are redacted too. A message
/// that is none without them is left out, and what that tears apart is mended as when it came in.
pub(crate) fn history_without(redactor: &Redactor, history: Transcript) -> Transcript {
    if redactor.is_empty() {
        return history;
    }
    let messages = history.messages().iter().cloned();
    Transcript::import(messages.filter_map(|message| through_json(redactor, message))).transcript
}

/// A question that cannot be shown without a secret is not put, which is no yes.
fn ahead_without(redactor: &Redactor, outcome: Ahead) -> Ahead {
    match outcome {
        Ahead::NotBegun => Ahead::NotBegun,
        Ahead::Judged(judgement) => Ahead::Judged(judgement_without(redactor, judgement)),
        Ahead::Ran { facts, mut decision, result } => {
            decision.reason.text = clean(redactor, decision.reason.text);
            Ahead::Ran { facts, decision, result: result_without(redactor, result) }
        }
        Ahead::Fatal { facts, mut decision, message } => {
            decision.reason.text = clean(redactor, decision.reason.text);
            Ahead::Fatal { facts, decision, message: clean(redactor, message) }
        }
    }
}

fn judgement_without(redactor: &Redactor, judgement: Judgement) -> Judgement {
    match judgement {
        Judgement::Refused(result) => Judgement::Refused(result_without(redactor, result)),
        Judgement::Decided { facts, mut decision, request } => {
            decision.reason.text = clean(redactor, decision.reason.text);
            // Its call is found again by its id.
            let request = request.and_then(|request| {
                let (id, call) = (request.request_id.clone(), request.call.id.clone());
                let clean = through_json(redactor, request)?;
                (clean.request_id == id && clean.call.id == call).then_some(clean)
            });
            Judgement::Decided { facts, decision, request }
        }
    }
}

/// The value without secrets in its texts; nothing if it is no such value without them.
fn through_json<T: Serialize + DeserializeOwned>(redactor: &Redactor, value: T) -> Option<T> {
    let text = serde_json::to_string(&value).ok()?;
    match redactor.redact_json(&text) {
        Cow::Borrowed(_) => Some(value),
        Cow::Owned(clean) => serde_json::from_str(&clean).ok(),
    }
}

fn clean(redactor: &Redactor, text: String) -> String {
    match redactor.redact(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(clean) => clean,
    }
}

/// What a stream gave, if it gave anything. Text goes in, so text comes out.
fn shown<T>(bytes: Vec<u8>, make: impl FnOnce(String) -> T) -> Option<T> {
    let text = String::from_utf8(bytes).ok().filter(|text| !text.is_empty())?;
    Some(make(text))
}

#[cfg(test)]
mod tests;
