//! Removal of registered secrets from a run. Everything from outside is redacted once before the machine
//! receives it, so that the conversation, its record and the model's requests are equal (I6, I7). The
//! arguments of a call run as the model wrote them; they are redacted only where they are shown and recorded.

mod values;

use std::collections::HashMap;

use windlass_loop::{EarlyRefusal, Event, Input, StreamFailure};
use windlass_protocol::{CallId, Message, Role};
use windlass_redact::{RedactStream, Redactor};
use windlass_stream::Chunk;

use self::values::{
    citation_without, clean, redact_decision, redact_event, redact_outcome, redact_speculative,
};
pub(crate) use self::values::{has_secret, history_without, message_without, result_without};

/// The removal of registered secrets from the inputs of the machine and from the events of a run.
pub(crate) struct Redacting {
    redactor: Redactor,
    words: RedactStream,
    thoughts: RedactStream,
    arguments: HashMap<CallId, RedactStream>,
    previews: HashMap<CallId, RedactStream>,
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
                    EarlyRefusal::Refused { status, text, advice } => {
                        let advice = advice.map(|advice| clean(redactor, advice));
                        EarlyRefusal::Refused { status, text: clean(redactor, text), advice }
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
            Input::Say { id, text, parts, when } => {
                let parts = message_without(redactor, Message::new(Role::User, parts)).parts;
                Input::Say { id, text: clean(redactor, text), parts, when }
            }
            Input::Start { task } => Input::Start { task: message_without(redactor, task) },
            Input::Hook(mut report) => {
                report.text = clean(redactor, report.text);
                Input::Hook(report)
            }
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
            Event::Text { .. } | Event::TextEnded | Event::Reasoning { .. } | Event::ReasoningEnded => {
                return [None, Some(event)];
            }
            Event::CallArguments { call, delta } => {
                let stream = self.arguments.entry(call.clone()).or_insert_with(|| self.redactor.stream());
                let clean = stream.push(delta.as_bytes());
                return [None, to_text(clean, |delta| Event::CallArguments { call: call.clone(), delta })];
            }
            Event::CallPreview { call, text } => {
                let stream = self.previews.entry(call.clone()).or_insert_with(|| self.redactor.stream());
                let clean = stream.push(text.as_bytes());
                return [None, to_text(clean, |text| Event::CallPreview { call: call.clone(), text })];
            }
            Event::CallFinished { call } => before = self.take_arguments(&call.id),
            Event::CallMalformed { call, .. } | Event::CallRefusedEarly { call, .. } => {
                before = self.take_arguments(call);
            }
            // A discarded attempt frees the ids of its calls.
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

    /// Ends the texts of a call, and returns its arguments that were held back.
    fn take_arguments(&mut self, call: &CallId) -> Option<Event> {
        self.previews.remove(call);
        let rest = self.arguments.remove(call).map(|mut stream| stream.finish());
        to_text(rest.unwrap_or_default(), |delta| Event::CallArguments { call: call.clone(), delta })
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
            // Token counts and sources can arrive between chunks of one text and do not end it.
            Chunk::AnsweredBy { .. } | Chunk::Usage { .. } | Chunk::Grounding { .. } => [None, Some(chunk)],
            Chunk::Citation { citation, unit } => {
                let citation = citation_without(&self.redactor, citation);
                [None, Some(Chunk::Citation { citation, unit })]
            }
            Chunk::Error { mut error } => {
                error.message = clean(&self.redactor, error.message);
                [self.take_held(), Some(Chunk::Error { error })]
            }
            other => [self.take_held(), Some(other)],
        }
    }

    /// Returns the text or reasoning that is held back. At most one of them is held back, because each ends the
    /// other.
    fn take_held(&mut self) -> Option<Chunk> {
        let words = to_text(self.words.finish(), Chunk::text);
        let thoughts = to_text(self.thoughts.finish(), Chunk::reasoning);
        words.or(thoughts)
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
