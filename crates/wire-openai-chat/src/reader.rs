//! Translates events to chunks.

use std::borrow::Cow;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use windlass_protocol::{Opaque, StopReason, Unknown, Usage};
use windlass_stream::{CallChunk, Chunk, RangeUnit};
use windlass_wire::{DecodeError, Template, replace_lone_surrogates};

use crate::citation::citation;
use crate::custom::{CustomCall, Whole};
use crate::error::stream_error;
use crate::event::{Call, Delta, Event, Function};
use crate::lenient::{ArgumentText, Content, Index};
use crate::marks;
use crate::names::NAME;
use crate::reasoning::{DetailsState, Field, Stretch};
use crate::shape::Shape;
use crate::stop::stop_reason;

/// The field of a choice that holds the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// `delta`, with one fragment per event.
    Stream,
    /// `message`, complete.
    Whole,
}

/// The state of reading one response's events (RULES S13).
#[derive(Debug, Default)]
pub(crate) struct Reader {
    template: Template<Shape>,
    thoughts: Stretch,
    refusal: String,
    customs: Vec<CustomCall>,
    /// The pieces of calls after the first free-text call, with their slots. They wait for it, so that calls keep their
    /// order.
    later: Vec<(u64, Chunk)>,
    usage: Usage,
    finish: Option<String>,
    /// Set when a part of an answer has come.
    begun: bool,
    failed: bool,
}

impl Reader {
    /// Reads the data of one event, or a whole body.
    pub(crate) fn read(
        &mut self,
        json: &str,
        number: usize,
        source: Source,
        chunks: &mut Vec<Chunk>,
    ) -> Result<(), DecodeError> {
        if source == Source::Stream
            && let Some((shape, text)) = self.template.read(json)
        {
            self.take_text(*shape, text, chunks);
            return Ok(());
        }
        match serde_json::from_str::<Event<'_>>(json) {
            Ok(event) => {
                if let Some((shape, text)) = Shape::from_event(&event) {
                    self.template.learn(json, text, shape);
                }
                self.take(json, event, source, chunks);
            }
            Err(error) if error.is_data() => unknown(json, chunks),
            Err(error) => match replace_lone_surrogates(json) {
                Some(repaired) => return self.read(&repaired, number, source, chunks),
                None => return Err(DecodeError::Json { event: number, source: error }),
            },
        }
        Ok(())
    }

    /// Handles an event that carries one text and nothing else.
    fn take_text(&mut self, shape: Shape, text: Cow<'_, str>, chunks: &mut Vec<Chunk>) {
        if text.is_empty() {
            return;
        }
        match shape {
            Shape::Content => self.speak(&text, chunks),
            // The slot may belong to a free-text call.
            Shape::Arguments { index } if !self.customs.is_empty() => {
                let function = Function { arguments: ArgumentText(Some(text)), ..Function::default() };
                let call = Call { index: Index(index), function: Some(function), ..Call::default() };
                self.call(0, call, chunks);
            }
            Shape::Arguments { index } => {
                self.thoughts.end(chunks);
                let arguments = Some(text.into_owned());
                let fragment =
                    CallChunk::Partial { index, position: 0, id: None, name: None, arguments, opaque: None };
                chunks.push(Chunk::Call(fragment));
            }
        }
        self.begun = true;
    }

    fn take(&mut self, json: &str, event: Event<'_>, source: Source, chunks: &mut Vec<Chunk>) {
        if event.choices.is_none() && event.usage.is_none() && event.x_groq.is_none() && event.error.is_none()
        {
            return unknown(json, chunks);
        }
        let failure = event.error;
        let mut finish = None;
        for choice in event.choices.unwrap_or_default() {
            // Further choices are alternative answers; only the first is read.
            if choice.index.0 != 0 {
                continue;
            }
            match (source, choice.delta, choice.message) {
                (Source::Stream, Some(delta), _) | (Source::Whole, Some(delta), None) => {
                    self.delta(delta, chunks);
                }
                // Some servers send the whole completion as the only event.
                (Source::Stream, None, Some(message)) if !self.begun => self.message(message, chunks),
                (Source::Whole, _, Some(message)) => self.message(message, chunks),
                (_, None, _) => {}
            }
            if let Some(raw) = choice.finish_reason.0 {
                finish = Some(raw.into_owned());
            }
            if let Some(error) = choice.error {
                self.error(error, chunks);
            }
        }
        if let Some(error) = failure {
            self.error(error, chunks);
        }
        if let Some(raw) = finish {
            self.finish(raw, chunks);
        }
        if let Some(usage) = event.usage.or_else(|| event.x_groq.and_then(|groq| groq.usage)) {
            self.usage(usage.to_usage(), chunks);
        }
    }

    fn message(&mut self, message: &RawValue, chunks: &mut Vec<Chunk>) {
        match serde_json::from_str(message.get()) {
            Ok(delta) => self.delta(delta, chunks),
            Err(_) => unknown(message.get(), chunks),
        }
    }

    fn delta(&mut self, delta: Delta<'_>, chunks: &mut Vec<Chunk>) {
        let before = chunks.len();
        self.think(&delta, chunks);
        let sources = delta.sources();
        match delta.content {
            Content::Absent => {}
            Content::Text(text) => self.speak(&text, chunks),
            Content::Parts(parts) => {
                for part in parts {
                    for thought in part.thinking.0 {
                        self.thoughts.think(Field::Content, &thought, chunks);
                    }
                    if let Some(text) = part.text.0 {
                        self.speak(&text, chunks);
                    }
                    if let Some(refusal) = part.refusal.0 {
                        self.refusal.push_str(&refusal);
                    }
                }
            }
        }
        if let Some(refusal) = delta.refusal.0 {
            self.refusal.push_str(&refusal);
        }
        if let Some(function) = delta.function_call {
            self.fragment((None, 0), None, None, function, chunks);
        }
        for (position, call) in (0..).zip(delta.tool_calls.into_iter().flatten()) {
            if let Some(call) = call {
                self.call(position, call, chunks);
            }
        }
        for value in sources {
            let citation = citation(&value);
            chunks.push(Chunk::Grounding { value });
            chunks.extend(citation.map(|citation| Chunk::Citation { citation, unit: RangeUnit::Chars }));
        }
        self.begun |= chunks.len() > before || !self.refusal.is_empty() || !self.customs.is_empty();
    }

    fn think(&mut self, delta: &Delta<'_>, chunks: &mut Vec<Chunk>) {
        // Some servers send the same reasoning in two fields.
        let mut shown = DetailsState::Already;
        match (&delta.reasoning_content.0, &delta.reasoning.0) {
            (Some(text), _) => self.thoughts.think(Field::ReasoningContent, text, chunks),
            (None, Some(text)) => self.thoughts.think(Field::Reasoning, text, chunks),
            (None, None) => shown = DetailsState::Not,
        }
        self.thoughts.note(shown);
        if let Some(details) = delta.reasoning_details {
            let details = serde_json::from_str(details.get()).unwrap_or_default();
            self.thoughts.details(details, shown, chunks);
        }
    }

    fn speak(&mut self, text: &str, chunks: &mut Vec<Chunk>) {
        self.thoughts.end(chunks);
        chunks.push(Chunk::text(text));
    }

    fn call(&mut self, position: u64, call: Call<'_>, chunks: &mut Vec<Chunk>) {
        let id = call.id.0.map(Cow::into_owned);
        let slot = call.index.0.unwrap_or(position);
        let known = self.customs.iter_mut().find(|custom| custom.slot == slot);
        match (call.custom, known) {
            (Some(custom), Some(known)) => {
                known.input.push_str(&custom.input.0.unwrap_or_default());
            }
            (Some(custom), None) => {
                self.thoughts.end(chunks);
                let name = custom.name.0.unwrap_or_default().into_owned();
                let input = custom.input.0.unwrap_or_default().into_owned();
                self.customs.push(CustomCall { slot, id, name, input });
            }
            (None, _) => {
                let opaque = call.extra_content.and_then(marks::opaque_fields);
                let place = (call.index.0, position);
                self.fragment(place, id, opaque, call.function.unwrap_or_default(), chunks);
            }
        }
    }

    fn fragment(
        &mut self,
        (index, position): (Option<u64>, u64),
        id: Option<String>,
        opaque: Option<Opaque>,
        function: Function<'_>,
        chunks: &mut Vec<Chunk>,
    ) {
        let name = function.name.0.map(Cow::into_owned);
        let arguments = function.arguments.0.map(Cow::into_owned);
        if id.is_none() && name.is_none() && arguments.is_none() && opaque.is_none() {
            return;
        }
        self.thoughts.end(chunks);
        let piece = Chunk::Call(CallChunk::Partial { index, position, id, name, arguments, opaque });
        match self.customs.first() {
            Some(first) if index.unwrap_or(position) > first.slot => {
                self.later.push((index.unwrap_or(position), piece));
            }
            _ => chunks.push(piece),
        }
    }

    fn usage(&mut self, usage: Usage, chunks: &mut Vec<Chunk>) {
        // Some servers repeat the usage with every event.
        if usage != self.usage {
            self.usage = usage;
            chunks.push(Chunk::Usage { usage });
        }
    }

    fn error(&mut self, error: &RawValue, chunks: &mut Vec<Chunk>) {
        self.failed = true;
        let value = serde_json::from_str(error.get()).unwrap_or(Value::Null);
        chunks.push(Chunk::Error { error: stream_error(&value) });
    }

    fn finish(&mut self, raw: String, chunks: &mut Vec<Chunk>) {
        if self.finish.as_ref() == Some(&raw) {
            return;
        }
        let reason = stop_reason(&raw);
        // Free text has no end mark, so a reason that may interrupt it does not prove it whole (RULES S10).
        let is_unproven = matches!(reason, StopReason::ContentFilter | StopReason::Unknown(_));
        let is_proven = !reason.is_cut() && !is_unproven;
        let whole = if is_proven { Whole::Proven } else { Whole::Unproven };
        self.flush(whole, chunks);
        let reason = match stop_reason(&raw) {
            StopReason::End if !self.refusal.is_empty() => StopReason::Refusal,
            reason => reason,
        };
        self.finish = Some(raw.clone());
        chunks.push(Chunk::Finish { reason, raw });
    }

    /// Emits everything that was buffered until it is complete.
    fn flush(&mut self, whole: Whole, chunks: &mut Vec<Chunk>) {
        self.thoughts.end(chunks);
        if self.finish.is_none() && !self.refusal.is_empty() {
            chunks.push(Chunk::Unknown(Unknown::new(NAME, json!({ "refusal": self.refusal }))));
        }
        let customs =
            self.customs.drain(..).map(|custom| (custom.slot, Chunk::Call(custom.into_chunk(whole))));
        let mut calls: Vec<(u64, Chunk)> = customs.chain(self.later.drain(..)).collect();
        calls.sort_by_key(|(slot, _)| *slot);
        chunks.extend(calls.into_iter().map(|(_, chunk)| chunk));
    }

    /// Handles the provider's end mark.
    pub(crate) fn finish_message(&mut self, chunks: &mut Vec<Chunk>) {
        if self.finish.is_none() && self.begun && !self.failed {
            // Some servers send the end mark without a finish reason.
            self.finish(String::new(), chunks);
        }
    }

    /// Handles the end of the bytes, with or without an end mark.
    pub(crate) fn end(&mut self, chunks: &mut Vec<Chunk>) {
        self.flush(Whole::Unproven, chunks);
    }
}

fn unknown(json: &str, chunks: &mut Vec<Chunk>) {
    if let Ok(value) = serde_json::from_str(json) {
        chunks.push(Chunk::Unknown(Unknown::new(NAME, value)));
    }
}
