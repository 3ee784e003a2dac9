//! Encodes an answer, part by part.

use std::collections::VecDeque;

use serde_json::{Map, Value, json};
use windlass_protocol::{Opaque, StopReason, Unknown, Usage};
use windlass_stream::{Chunk, StreamError, StreamErrorKind};
use windlass_wire::{DecodedRequest, EncodeError, Encoder, Framing, ProviderError, ResponseHead};

use crate::call::SIGNATURE;
use crate::names::NAME;
use crate::reader::PART_FIELD;
use crate::server::calls::OpenCall;
use crate::server::error::error_object;
use crate::server::event::{Candidate, Event, Part, finish_word, usage_metadata};
use crate::server::whole::Whole;
use crate::shape::Shape;

/// The encoder of one answer, as events, as the elements of an array, or as one body.
pub(crate) struct AnswerEncoder {
    framing: Framing,
    reply: ResponseHead,
    whole: Whole,
    /// The number of events written.
    events: u64,
    /// The last text or reasoning. It waits for the next chunk, because a signature that follows belongs to
    /// exactly this part.
    held: Option<(Shape, String)>,
    /// The calls in the order in which they started. This API sends a call only when it is complete, and the
    /// calls after it wait (RULES P4).
    pub(super) calls: VecDeque<OpenCall>,
    /// True if a call could not be encoded.
    pub(super) broken: bool,
    /// True if an error was written.
    failed: bool,
    usage: Option<Usage>,
    finish: Option<(StopReason, String)>,
}

impl AnswerEncoder {
    pub(crate) fn new(asked: &DecodedRequest, reply: ResponseHead) -> Self {
        Self {
            framing: asked.framing,
            reply,
            whole: Whole::default(),
            events: 0,
            held: None,
            calls: VecDeque::new(),
            broken: false,
            failed: false,
            usage: None,
            finish: None,
        }
    }

    pub(super) fn event(&mut self, bytes: &mut Vec<u8>, event: Event<'_>) -> Result<(), EncodeError> {
        if self.framing == Framing::Whole {
            return self.whole.take(event);
        }
        let json = serde_json::to_string(&event.name_event(&self.reply))?;
        self.frame(bytes, &json);
        Ok(())
    }

    pub(super) fn frame(&mut self, bytes: &mut Vec<u8>, json: &str) {
        let before = match (self.framing, self.events) {
            (Framing::Events, _) => "data: ",
            (_, 0) => "[",
            _ => ",\r\n",
        };
        bytes.extend_from_slice(before.as_bytes());
        bytes.extend_from_slice(json.as_bytes());
        if self.framing == Framing::Events {
            bytes.extend_from_slice(b"\r\n\r\n");
        }
        self.events = self.events.saturating_add(1);
    }

    pub(super) fn part(&mut self, bytes: &mut Vec<u8>, part: Part<'_>) -> Result<(), EncodeError> {
        self.event(bytes, Event::candidate(Candidate::part(part)))
    }

    /// Writes the held text with its signature.
    pub(super) fn release(
        &mut self,
        bytes: &mut Vec<u8>,
        signature: Option<&str>,
    ) -> Result<(), EncodeError> {
        match self.held.take() {
            Some((shape, text)) => {
                self.part(bytes, Part::Words { thought: shape == Shape::Thoughts, text: &text, signature })
            }
            None => Ok(()),
        }
    }

    fn grow(&mut self, bytes: &mut Vec<u8>, shape: Shape, text: &str) -> Result<(), EncodeError> {
        if !text.is_empty() {
            self.release(bytes, None)?;
            self.held = Some((shape, text.to_owned()));
        }
        Ok(())
    }

    /// Ends a segment of text or reasoning. Only a signature has to be written for it.
    fn end(&mut self, bytes: &mut Vec<u8>, shape: Shape, opaque: Option<&Opaque>) -> Result<(), EncodeError> {
        let signature = mark(opaque, SIGNATURE);
        match (&self.held, signature) {
            (Some((held, _)), _) if *held == shape => self.release(bytes, signature),
            (_, Some(_)) => {
                self.release(bytes, None)?;
                self.part(bytes, Part::Words { thought: shape == Shape::Thoughts, text: "", signature })
            }
            (_, None) => Ok(()),
        }
    }

    /// Writes the sources of the text, if they are in this API's own form.
    fn ground(&mut self, bytes: &mut Vec<u8>, value: &Value) -> Result<(), EncodeError> {
        let names = ["citationMetadata", "groundingMetadata", "urlContextMetadata"];
        match value.as_object() {
            Some(fields) if fields.keys().all(|name| names.contains(&name.as_str())) => {
                self.release(bytes, None)?;
                self.event(bytes, Event::candidate(Candidate::fields(fields.clone())))
            }
            _ => Ok(()),
        }
    }

    /// Writes an unknown value of this API: a part, or an event. The words of a refusal, which this API does not
    /// have, become text.
    fn unknown(&mut self, bytes: &mut Vec<u8>, unknown: &Unknown) -> Result<(), EncodeError> {
        if let Some(refusal) = unknown.value.get("refusal").and_then(Value::as_str) {
            return self.grow(bytes, Shape::Words, refusal);
        }
        let Some(value) = Some(&unknown.value).filter(|_| unknown.wire == NAME) else { return Ok(()) };
        self.release(bytes, None)?;
        if let Some(part) = value.get(PART_FIELD) {
            self.part(bytes, Part::Raw(part))
        } else if self.framing != Framing::Whole {
            self.frame(bytes, &value.to_string());
            Ok(())
        } else {
            Ok(())
        }
    }

    fn error(&mut self, bytes: &mut Vec<u8>, error: &StreamError) -> Result<(), EncodeError> {
        self.release(bytes, None)?;
        self.failed = true;
        let fields = if error.kind == StreamErrorKind::Blocked {
            let reason = error.code.as_deref().unwrap_or("OTHER");
            json!({ "promptFeedback": { "blockReason": reason, "blockReasonMessage": error.message } })
        } else {
            let (_, mut fields) = error_object(&ProviderError::from_stream_error(error.clone()));
            let exact = match error.kind {
                StreamErrorKind::Overloaded => Some((503, "UNAVAILABLE")),
                StreamErrorKind::Unknown => Some((500, "UNKNOWN")),
                _ => None,
            };
            if let Some((code, status)) = exact
                && let Some(fields) = fields.as_object_mut()
            {
                fields.insert("code".to_owned(), code.into());
                fields.insert("status".to_owned(), status.into());
            }
            json!({ "error": fields })
        };
        match fields {
            Value::Object(fields) => self.event(bytes, Event::fields(fields)),
            _ => Ok(()),
        }
    }
}

/// Returns an opaque field of this API.
pub(super) fn mark<'a>(opaque: Option<&'a Opaque>, name: &str) -> Option<&'a str> {
    opaque?.for_wire(NAME)?.get(name)?.as_str()
}

impl Encoder for AnswerEncoder {
    fn content_type(&self) -> &'static str {
        if self.framing == Framing::Events { "text/event-stream" } else { "application/json" }
    }

    fn keep_alive(&mut self, bytes: &mut Vec<u8>) {
        // Some of Google's libraries parse every line that is not empty, so a comment would be an error.
        if self.framing != Framing::Whole {
            bytes.extend_from_slice(b"\r\n");
        }
    }

    fn push(&mut self, chunk: &Chunk, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        match chunk {
            Chunk::Text { text } => self.grow(bytes, Shape::Words, text),
            Chunk::TextEnd { opaque } => self.end(bytes, Shape::Words, opaque.as_ref()),
            Chunk::Reasoning { text } => self.grow(bytes, Shape::Thoughts, text),
            Chunk::ReasoningEnd { opaque } => self.end(bytes, Shape::Thoughts, opaque.as_ref()),
            Chunk::Call(piece) => self.call(bytes, piece),
            Chunk::Usage { usage } => {
                self.usage = Some(*usage);
                Ok(())
            }
            Chunk::Grounding { value } => self.ground(bytes, value),
            Chunk::Finish { reason, raw } => {
                self.finish = Some((reason.clone(), raw.clone()));
                Ok(())
            }
            Chunk::Error { error } => self.error(bytes, error),
            Chunk::Unknown(unknown) => self.unknown(bytes, unknown),
            _ => Ok(()),
        }
    }

    fn finish(&mut self, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.release(bytes, None)?;
        // A call that was cut is not written, because clients run every call that has a name (RULES S10).
        for call in std::mem::take(&mut self.calls) {
            if call.open.is_none() {
                self.whole_call(bytes, &call)?;
            } else {
                self.broken = true;
            }
        }
        let usage = self.usage.map(usage_metadata);
        let mut last = Event { usage, ..Event::default() };
        if let Some((reason, raw)) = self.finish.take() {
            let word = finish_word(&reason, &raw, self.broken);
            let fields = Map::from_iter([("finishReason".to_owned(), word.into())]);
            last = Event { usage, ..Event::candidate(Candidate::fields(fields)) };
        } else if self.framing == Framing::Whole && !self.failed {
            // A stream that broke off has no finish reason; a whole body needs an error.
            let fields = Map::from_iter([("finishReason".to_owned(), "OTHER".into())]);
            last = Event { usage, ..Event::candidate(Candidate::fields(fields)) };
            let error = json!({ "code": 500, "message": "the answer ended early", "status": "INTERNAL" });
            last.beside.insert("error".to_owned(), error);
        }
        if last.candidate.is_some() || usage.is_some() {
            self.event(bytes, last)?;
        }
        match self.framing {
            Framing::Whole => self.whole.write(&self.reply, bytes)?,
            Framing::Array if self.events == 0 => bytes.extend_from_slice(b"[]"),
            Framing::Array => bytes.extend_from_slice(b"]"),
            _ => {}
        }
        Ok(())
    }
}
