//! Reasoning items and the data that has to be sent back with them.

use std::collections::BTreeSet;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use windlass_protocol::Opaque;
use windlass_stream::Chunk;

use crate::event::{ContentPart, Item, read};
use crate::item::ITEM_FIELD;
use crate::names::NAME;

/// The field of an item that holds the text of its reasoning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Thought {
    /// `summary`, the only one that OpenAI itself shows.
    Summary,
    /// `content`, used by open models.
    Content,
}

/// A reasoning item whose start has arrived and whose end has not.
#[derive(Debug, Default)]
pub(crate) struct OpenReasoning {
    told: BTreeSet<(Thought, u64)>,
    /// All text that was emitted.
    words: String,
}

impl OpenReasoning {
    pub(crate) fn think(&mut self, place: (Thought, u64), text: &str, chunks: &mut Vec<Chunk>) {
        if text.is_empty() {
            return;
        }
        let is_next = !self.told.is_empty();
        if self.told.insert(place) && is_next {
            // The parts are paragraphs, but their texts do not contain the separator.
            chunks.push(Chunk::reasoning("\n\n"));
            self.words.push_str("\n\n");
        }
        self.words.push_str(text);
        chunks.push(Chunk::reasoning(text));
    }

    /// Handles a complete part, and emits it if no delta did (RULES S6).
    pub(crate) fn part(&mut self, place: (Thought, u64), text: &str, chunks: &mut Vec<Chunk>) {
        if !self.told.contains(&place) {
            self.think(place, text, chunks);
        }
    }

    fn is_told(&self, parts: &[ContentPart<'_>]) -> bool {
        let texts: Vec<&str> = parts.iter().map(|part| part.text.0.as_ref()).collect();
        !texts.is_empty() && texts.join("\n\n") == self.words
    }

    /// Closes the item with its final version.
    pub(crate) fn close(mut self, item: &Item<'_>, raw: &RawValue, chunks: &mut Vec<Chunk>) {
        for (thought, parts) in [(Thought::Summary, item.summary), (Thought::Content, item.content)] {
            let parts: Vec<ContentPart<'_>> = parts.and_then(read).unwrap_or_default();
            // A server that forwards another provider's answer may stream as a summary the text that the item
            // has as its content.
            if thought == Thought::Content && self.is_told(&parts) {
                continue;
            }
            for (index, part) in (0..).zip(parts) {
                self.part((thought, index), &part.text.0, chunks);
            }
        }
        chunks.push(Chunk::ReasoningEnd { opaque: whole(raw) });
    }
}

/// Returns the item to send back (RULES P2). The API refuses `status` in a request and does not accept `null`
/// values.
fn whole(raw: &RawValue) -> Option<Opaque> {
    let Some(Value::Object(mut item)) = read(raw) else { return None };
    item.retain(|name, value| name != "status" && !value.is_null());
    Some(Opaque::new(NAME, json!({ ITEM_FIELD: item })))
}
