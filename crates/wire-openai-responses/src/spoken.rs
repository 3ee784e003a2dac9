//! A message of the answer: text, its sources, and refusals.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use windlass_protocol::{Opaque, Unknown};
use windlass_stream::Chunk;
use windlass_wire::LenientStr;

use crate::event::{ContentPart, Item, read};
use crate::hosted_items::citation_chunk;
use crate::names::NAME;

/// The field of a kept part that holds a refusal.
pub(crate) const REFUSAL_FIELD: &str = "refusal";

/// A message whose start has arrived and whose end has not.
#[derive(Debug, Default)]
pub(crate) struct OpenMessage {
    /// The content that was emitted for each part, by the provider's index.
    told: BTreeMap<u64, SentText>,
    refusal: String,
    spoken: bool,
}

#[derive(Debug, Default)]
struct SentText {
    text: bool,
    refusal: bool,
    annotations: usize,
}

impl OpenMessage {
    pub(crate) fn speak(&mut self, index: u64, text: Cow<'_, str>, chunks: &mut Vec<Chunk>) {
        if !text.is_empty() {
            self.told.entry(index).or_default().text = true;
            self.spoken = true;
            chunks.push(Chunk::text(text));
        }
    }

    pub(crate) fn refuse(&mut self, index: u64, text: &str) {
        if !text.is_empty() {
            self.told.entry(index).or_default().refusal = true;
            self.refusal.push_str(text);
        }
    }

    pub(crate) fn annotate(&mut self, index: u64, annotation: &RawValue, chunks: &mut Vec<Chunk>) {
        let told = self.told.entry(index).or_default();
        told.annotations = told.annotations.saturating_add(1);
        let Some(value) = read::<Value>(annotation) else { return };
        let citation = citation_chunk(&value, index);
        chunks.push(Chunk::Grounding { value });
        chunks.extend(citation);
    }

    /// Handles a complete part, and emits the content that no delta had (RULES S6).
    pub(crate) fn part(&mut self, index: u64, part: ContentPart<'_>, chunks: &mut Vec<Chunk>) {
        let told = self.told.entry(index).or_default();
        let (has_text, has_refusal, annotations) = (told.text, told.refusal, told.annotations);
        if !has_text {
            self.speak(index, part.text.0, chunks);
        }
        for annotation in part.annotations.into_iter().flatten().skip(annotations) {
            self.annotate(index, annotation, chunks);
        }
        if !has_refusal {
            self.refuse(index, &part.refusal.0);
        }
    }

    /// Closes the message with its final version.
    pub(crate) fn close(mut self, item: &Item<'_>, chunks: &mut Vec<Chunk>) {
        if let Some(content) = item.content {
            self.parts(content, chunks);
        }
        self.end(marks(item), chunks);
    }

    fn parts(&mut self, content: &RawValue, chunks: &mut Vec<Chunk>) {
        let Some(parts) = read::<Vec<&RawValue>>(content) else {
            // Some servers send one string instead of a list.
            let text = read::<LenientStr<'_>>(content).unwrap_or_default();
            return self.part(0, ContentPart { text, ..ContentPart::default() }, chunks);
        };
        let told = self.shift_parts(parts.len());
        for (position, raw) in parts.iter().enumerate() {
            let position_index = u64::try_from(position).unwrap_or(u64::MAX);
            let index = told.get(position).copied().unwrap_or(position_index);
            match read::<ContentPart<'_>>(raw) {
                Some(part) if matches!(part.kind.0.as_ref(), "output_text" | "text" | "refusal") => {
                    self.part(index, part, chunks);
                }
                _ => unknown_part(raw, chunks),
            }
        }
    }

    /// Returns the part indexes of the deltas, if they differ from the parts' positions. gpt-oss behind
    /// Bedrock also counts the reasoning, which is an item of its own, as a part of the message.
    fn shift_parts(&self, parts: usize) -> Vec<u64> {
        let is_beyond = |index: &u64| usize::try_from(*index).map_or(true, |index| index >= parts);
        match self.told.keys().next_back() {
            Some(last) if is_beyond(last) => self.told.keys().copied().collect(),
            _ => Vec::new(),
        }
    }

    /// Ends the message without its final version.
    pub(crate) fn abandon(self, chunks: &mut Vec<Chunk>) {
        self.end(None, chunks);
    }

    fn end(self, opaque: Option<Opaque>, chunks: &mut Vec<Chunk>) {
        if self.spoken {
            chunks.push(Chunk::TextEnd { opaque });
        }
        if !self.refusal.is_empty() {
            chunks.push(Chunk::Unknown(Unknown::new(NAME, json!({ REFUSAL_FIELD: self.refusal }))));
        }
    }
}

/// Returns the fields that have to be sent back with the text. Without the phase, newer models mistake an
/// interim remark for their final answer; a server that stores items recognises the message by its id.
fn marks(item: &Item<'_>) -> Option<Opaque> {
    let fields = [("id", &item.id.0), ("phase", &item.phase.0)];
    let marks: Map<String, Value> = fields
        .into_iter()
        .filter(|(_, text)| !text.is_empty())
        .map(|(name, text)| (name.to_owned(), Value::from(text.as_ref())))
        .collect();
    (!marks.is_empty()).then(|| Opaque::new(NAME, Value::Object(marks)))
}

fn unknown_part(raw: &RawValue, chunks: &mut Vec<Chunk>) {
    chunks.extend(read(raw).map(|value| Chunk::Unknown(Unknown::new(NAME, value))));
}
