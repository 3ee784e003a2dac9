//! Text, reasoning and calls of an answer, in the order in which they were written (RULES P4).

use std::ops::Range;

use windlass_protocol::{Citation, Opaque, Part, Reasoning, Text, Unknown};
use windlass_stream::RangeUnit;

/// A part, or the index of a call.
#[derive(Debug)]
pub(crate) enum Slot {
    Part(Part),
    Call(usize),
}

/// The parts of an answer received up to now.
#[derive(Debug, Default)]
pub(crate) struct AnswerBuilder {
    slots: Vec<Slot>,
    /// True while text may be appended to the last text part.
    speaking: bool,
    /// True while text may be appended to the last reasoning part.
    thinking: bool,
    bytes: usize,
    /// The citations with the position of their text. Their ranges are converted at the end, when the texts are complete.
    citations: Vec<(usize, Citation, RangeUnit)>,
}

impl AnswerBuilder {
    /// Returns the number of bytes of text and reasoning.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn speak(&mut self, text: String) {
        self.thinking = false;
        self.bytes = self.bytes.saturating_add(text.len());
        if text.is_empty() {
            return;
        }
        match self.slots.last_mut() {
            Some(Slot::Part(Part::Text(last))) if self.speaking => last.text.push_str(&text),
            _ => self.slots.push(Slot::Part(Part::Text(Text::new(text)))),
        }
        self.speaking = true;
    }

    /// Ends a text part. Without text, the provider's fields become a part with empty text.
    pub(crate) fn end_words(&mut self, opaque: Option<Opaque>) {
        let was_speaking = std::mem::take(&mut self.speaking);
        match (self.slots.last_mut(), opaque) {
            (Some(Slot::Part(Part::Text(last))), opaque) if was_speaking => last.opaque = opaque,
            (_, Some(opaque)) => {
                self.slots.push(Slot::Part(Part::Text(Text::new("").with_opaque(Some(opaque)))));
            }
            (_, None) => {}
        }
    }

    pub(crate) fn think(&mut self, text: String) {
        self.bytes = self.bytes.saturating_add(text.len());
        if text.is_empty() {
            return;
        }
        match self.slots.last_mut() {
            Some(Slot::Part(Part::Reasoning(last))) if self.thinking => last.text.push_str(&text),
            _ => self.slots.push(Slot::Part(Part::Reasoning(Reasoning::new(text, None)))),
        }
        self.thinking = true;
    }

    /// Ends a reasoning part. Without text, the provider's fields become a part with empty text.
    pub(crate) fn end_thoughts(&mut self, opaque: Option<Opaque>) {
        let was_thinking = std::mem::take(&mut self.thinking);
        match (self.slots.last_mut(), opaque) {
            (Some(Slot::Part(Part::Reasoning(last))), opaque) if was_thinking => last.opaque = opaque,
            (_, Some(opaque)) => {
                self.slots.push(Slot::Part(Part::Reasoning(Reasoning::new("", Some(opaque)))));
            }
            (_, None) => {}
        }
    }

    pub(crate) fn keep(&mut self, unknown: Unknown) {
        self.slots.push(Slot::Part(Part::Unknown(unknown)));
    }

    pub(crate) fn call(&mut self, at: usize) {
        self.thinking = false;
        self.slots.push(Slot::Call(at));
    }

    /// Adds a citation to the last text. Without a text the citation is dropped.
    pub(crate) fn cite(&mut self, citation: Citation, unit: RangeUnit) {
        let is_text = |slot: &Slot| matches!(slot, Slot::Part(Part::Text(_)));
        if let Some(at) = self.slots.iter().rposition(is_text) {
            self.citations.push((at, citation, unit));
        }
    }

    pub(crate) fn into_slots(mut self) -> Vec<Slot> {
        for (at, mut citation, unit) in self.citations {
            let Some(Slot::Part(Part::Text(text))) = self.slots.get_mut(at) else { continue };
            citation.range = citation.range.and_then(|range| to_bytes(&text.text, range, unit));
            text.citations.push(citation);
        }
        self.slots
    }
}

/// Converts a range to bytes of the text. Returns `None` for a range that is not in the text.
fn to_bytes(text: &str, range: Range<usize>, unit: RangeUnit) -> Option<Range<usize>> {
    let bytes = match unit {
        RangeUnit::Bytes => range,
        RangeUnit::Chars => {
            let mut starts = text.char_indices().map(|(at, _)| at).chain([text.len()]).skip(range.start);
            let start = starts.next()?;
            let length = range.end.checked_sub(range.start)?;
            let end = if length == 0 { start } else { starts.nth(length.checked_sub(1)?)? };
            start..end
        }
    };
    text.get(bytes.clone()).map(|_| bytes)
}
