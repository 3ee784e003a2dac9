//! Translates events to chunks.

use std::borrow::Cow;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use windlass_protocol::{Opaque, Unknown, Usage};
use windlass_stream::{Chunk, StreamError, StreamErrorKind};
use windlass_wire::{DecodeError, Template, replace_lone_surrogates};

use crate::call::{Calls, SIGNATURE};
use crate::error::stream_error;
use crate::event::{Candidate, Event, Part, PromptFeedback};
use crate::names::NAME;
use crate::shape::Shape;
use crate::sources;
use crate::stop::stop_reason;
use crate::usage::WireUsage;

/// The field of an `Unknown` value that holds an uninterpreted part, which is sent back unchanged. An unknown
/// event does not have this field, so it is never sent.
pub(crate) const PART_FIELD: &str = "part";

/// The state of reading one response's events (RULES S13).
#[derive(Debug, Default)]
pub(crate) struct Reader {
    template: Template<Shape>,
    calls: Calls,
    /// The kind of the last part, if the next one can continue it.
    grows: Option<Shape>,
    usage: WireUsage,
    told: Usage,
    /// The last emitted sources of each kind.
    grounded: [Option<String>; 3],
    /// True if the citations were emitted.
    cited: bool,
    stopped: bool,
    failed: bool,
}

impl Reader {
    /// Reads the data of one event.
    pub(crate) fn read(
        &mut self,
        json: &str,
        number: usize,
        chunks: &mut Vec<Chunk>,
    ) -> Result<(), DecodeError> {
        if let Some((shape, text)) = self.template.read(json) {
            let shape = *shape;
            self.grow(shape, text, chunks);
            return Ok(());
        }
        match serde_json::from_str(json) {
            Ok(event) => {
                let told = self.told;
                self.take(json, &event, chunks);
                // If the counts change with each event, no event repeats the previous one.
                if self.told == told
                    && let Some((shape, text)) = Shape::from_event(&event)
                {
                    self.template.learn(json, text, shape);
                }
            }
            Err(error) if error.is_data() => unknown(json, chunks),
            Err(error) => match replace_lone_surrogates(json) {
                Some(repaired) => return self.read(&repaired, number, chunks),
                None => return Err(DecodeError::Json { event: number, source: error }),
            },
        }
        Ok(())
    }

    /// Reads a whole body. It is complete, so it ends the answer even without a finish reason.
    pub(crate) fn whole(&mut self, json: &str, event: &Event<'_>, chunks: &mut Vec<Chunk>) {
        self.take(json, event, chunks);
        if !self.stopped && !self.failed {
            self.finish("", chunks);
        }
        self.end(chunks);
    }

    /// Handles the end of the bytes.
    pub(crate) fn end(&mut self, chunks: &mut Vec<Chunk>) {
        self.end_growth(chunks);
        self.cite(chunks);
    }

    /// Emits the citations of the last sources, once: a stream repeats and extends its sources.
    fn cite(&mut self, chunks: &mut Vec<Chunk>) {
        if let [_, Some(metadata), _] = &self.grounded
            && !std::mem::replace(&mut self.cited, true)
        {
            chunks.extend(value(metadata).iter().flat_map(sources::citations));
        }
    }

    fn take(&mut self, json: &str, event: &Event<'_>, chunks: &mut Vec<Chunk>) {
        let Event { candidates, prompt_feedback, usage_metadata, error } = event;
        if candidates.is_none() && prompt_feedback.is_none() && usage_metadata.is_none() && error.is_none() {
            return unknown(json, chunks);
        }
        for candidate in candidates.iter().flatten() {
            // Further candidates are alternative answers; only the first is read.
            if candidate.index.unwrap_or(0) == 0 {
                self.candidate(candidate, chunks);
            }
        }
        if let Some(feedback) = prompt_feedback {
            self.emit_blocked(feedback, chunks);
        }
        if let Some(error) = error {
            self.failed = true;
            let value = serde_json::from_str(error.get()).unwrap_or(Value::Null);
            chunks.push(Chunk::Error { error: stream_error(&value) });
        }
        self.count(*usage_metadata, chunks);
    }

    fn candidate(&mut self, candidate: &Candidate<'_>, chunks: &mut Vec<Chunk>) {
        let parts = candidate.content.as_ref().and_then(|content| content.parts.as_deref());
        for part in parts.unwrap_or_default() {
            self.part(part, chunks);
        }
        let sources = [
            ("citationMetadata", candidate.citation_metadata),
            ("groundingMetadata", candidate.grounding_metadata),
            ("urlContextMetadata", candidate.url_context_metadata),
        ];
        for ((name, source), told) in sources.into_iter().zip(&mut self.grounded) {
            ground(name, source, told, chunks);
        }
        if !candidate.finish_reason.0.is_empty() {
            self.finish(&candidate.finish_reason.0, chunks);
        }
    }

    fn part(&mut self, raw: &RawValue, chunks: &mut Vec<Chunk>) {
        let Ok(part) = serde_json::from_str::<Part<'_>>(raw.get()) else {
            // The event borrows its parts unparsed, so a lone surrogate is found only now.
            return match replace_lone_surrogates(raw.get()).map(RawValue::from_string) {
                Some(Ok(repaired)) => self.part(&repaired, chunks),
                _ => self.keep(raw, chunks),
            };
        };
        let signature = part.thought_signature.0.as_ref();
        if let Some(call) = part.function_call {
            self.end_growth(chunks);
            return self.calls.push(&call, signature, chunks);
        }
        let shape = if part.thought == Some(true) { Shape::Thoughts } else { Shape::Words };
        match part.text {
            Some(text) if signature.is_empty() => self.grow(shape, text.0, chunks),
            Some(text) => self.sign(shape, text.0, signature, chunks),
            None if !is_bare(raw) => self.keep(raw, chunks),
            // A signature can come in a part without text.
            None if !signature.is_empty() => self.sign(shape, Cow::Borrowed(""), signature, chunks),
            None => {}
        }
    }

    /// Appends text or reasoning to the current part, or starts a new one.
    fn grow(&mut self, shape: Shape, text: Cow<'_, str>, chunks: &mut Vec<Chunk>) {
        if text.is_empty() {
            return;
        }
        if self.grows != Some(shape) {
            self.end_growth(chunks);
        }
        self.grows = Some(shape);
        tell(shape, text, chunks);
    }

    /// Emits text or reasoning with a signature. The signature belongs to exactly this part, so the part is
    /// not joined with its neighbours (RULES P2).
    fn sign(&mut self, shape: Shape, text: Cow<'_, str>, signature: &str, chunks: &mut Vec<Chunk>) {
        if (self.grows, shape) == (Some(Shape::Words), Shape::Words) {
            chunks.push(Chunk::TextEnd { opaque: None });
        }
        self.end_growth(chunks);
        if !text.is_empty() {
            tell(shape, text, chunks);
        }
        let opaque = Some(Opaque::new(NAME, json!({ SIGNATURE: signature })));
        chunks.push(match shape {
            Shape::Words => Chunk::TextEnd { opaque },
            Shape::Thoughts => Chunk::ReasoningEnd { opaque },
        });
    }

    /// Keeps a part of another type whole: images, files, code that the server ran and its output.
    fn keep(&mut self, raw: &RawValue, chunks: &mut Vec<Chunk>) {
        self.end_growth(chunks);
        if let Some(part) = value(raw.get()) {
            chunks.extend(sources::show_part(&part));
            chunks.push(Chunk::Unknown(Unknown::new(NAME, json!({ PART_FIELD: part }))));
        }
    }

    /// Ends the current part, which has no signature. Text needs no end chunk, because the next chunk has
    /// another type.
    fn end_growth(&mut self, chunks: &mut Vec<Chunk>) {
        if self.grows.take() == Some(Shape::Thoughts) {
            chunks.push(Chunk::ReasoningEnd { opaque: None });
        }
    }

    fn finish(&mut self, raw: &str, chunks: &mut Vec<Chunk>) {
        self.stopped = true;
        self.end_growth(chunks);
        self.cite(chunks);
        chunks.push(Chunk::Finish { reason: stop_reason(raw), raw: raw.to_owned() });
    }

    /// Emits an error because the API refused the prompt; no answer follows (RULES S12).
    fn emit_blocked(&mut self, feedback: &PromptFeedback<'_>, chunks: &mut Vec<Chunk>) {
        let reason = feedback.block_reason.0.as_ref();
        if matches!(reason, "" | "BLOCK_REASON_UNSPECIFIED") {
            return;
        }
        self.failed = true;
        let words = match feedback.block_reason_message.0.as_ref() {
            "" => "the provider refused the prompt",
            words => words,
        };
        let error = StreamError::new(StreamErrorKind::Blocked, Some(reason.to_owned()), words);
        chunks.push(Chunk::Error { error });
    }

    /// Reads the token counts. Counts that cannot be parsed are ignored, so that the text beside them is not
    /// lost.
    fn count(&mut self, usage: Option<&RawValue>, chunks: &mut Vec<Chunk>) {
        let Some(Ok(usage)) = usage.map(|raw| serde_json::from_str::<WireUsage>(raw.get())) else { return };
        self.usage.update(usage);
        let usage = self.usage.to_usage();
        if usage != self.told {
            self.told = usage;
            chunks.push(Chunk::Usage { usage });
        }
    }
}

fn tell(shape: Shape, text: Cow<'_, str>, chunks: &mut Vec<Chunk>) {
    chunks.push(match shape {
        Shape::Words => Chunk::text(text),
        Shape::Thoughts => Chunk::reasoning(text),
    });
}

/// Returns true if a part has only the fields that every part can have.
fn is_bare(raw: &RawValue) -> bool {
    let Ok(Value::Object(part)) = serde_json::from_str(raw.get()) else { return false };
    part.iter().all(|(name, value)| value.is_null() || matches!(name.as_str(), "thought" | SIGNATURE))
}

/// Emits sources, unless they are empty or repeat the last ones: a stream repeats them.
fn ground(name: &str, source: Option<&RawValue>, told: &mut Option<String>, chunks: &mut Vec<Chunk>) {
    let Some(source) = source.map(RawValue::get) else { return };
    if told.as_deref() == Some(source) {
        return;
    }
    match value(source) {
        Some(Value::Object(fields)) if !fields.is_empty() => {
            *told = Some(source.to_owned());
            chunks.push(Chunk::Grounding { value: json!({ name: fields }) });
        }
        _ => {}
    }
}

fn unknown(json: &str, chunks: &mut Vec<Chunk>) {
    chunks.extend(value(json).map(|value| Chunk::Unknown(Unknown::new(NAME, value))));
}

/// Parses JSON that was not validated yet; repairs lone surrogates if necessary.
fn value(json: &str) -> Option<Value> {
    let repaired = || serde_json::from_str(&replace_lone_surrogates(json)?).ok();
    serde_json::from_str(json).ok().or_else(repaired)
}
