//! Translates events to chunks.

use std::borrow::Cow;

use serde_json::value::RawValue;
use windlass_protocol::{StopReason, Unknown, Usage};
use windlass_stream::{CallKey, Chunk};
use windlass_wire::{DecodeError, LenientStr, Template, replace_lone_surrogates};

use crate::error::stream_error;
use crate::event::{ContentPart, Event, Item, Response, argument_text, read};
use crate::item::{Field, OpenItem};
use crate::names::NAME;
use crate::open::{OpenItems, Place};
use crate::shape::{Extent, Shape, is_progress, lent_text, text_of};
use crate::spoken::REFUSAL_FIELD;
use crate::stop::{Held, stop_reason};

/// The state of reading one response's events (RULES S13).
#[derive(Debug, Default)]
pub(crate) struct Reader {
    template: Template<Shape>,
    open: OpenItems,
    /// The number of items in the whole body, used as the next slot and call key. It is not reset by a second
    /// response, so keys are unique.
    items: u64,
    /// True if the response has an item.
    begun: bool,
    /// True if the response has ended.
    ended: bool,
    held: Held,
    told: Usage,
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
        if let Some((shape, text)) = self.template.read(json)
            && let Some(item) = self.open.get_mut(shape.slot)
            && item.push(shape.field, shape.index, text, chunks)
        {
            return Ok(());
        }
        match serde_json::from_str::<Event<'_>>(json) {
            Ok(event) => {
                // Serde does not look into nested raw values, so repair lone surrogates in them now.
                let is_deep = event.item.is_some() || event.response.is_some() || event.part.is_some();
                match replace_lone_surrogates(json).filter(|_| is_deep) {
                    Some(repaired) => return self.read(&repaired, number, chunks),
                    None => self.take(json, event, chunks),
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

    fn take(&mut self, json: &str, event: Event<'_>, chunks: &mut Vec<Chunk>) {
        let kind: &str = &event.kind.0;
        if let Some((field, extent)) = text_of(kind) {
            return self.text(json, event, field, extent, chunks);
        }
        match kind {
            "response.output_item.added" => match event.item {
                Some(raw) => self.start(&event, raw, chunks),
                None => unknown(json, chunks),
            },
            "response.output_item.done" => match event.item {
                Some(raw) => self.end(&event, raw, chunks),
                None => unknown(json, chunks),
            },
            "response.output_text.annotation.added" => self.annotation(json, &event, chunks),
            "response.content_part.done" => self.part(&event, chunks),
            "response.created" => self.begin(chunks),
            "response.completed" | "response.incomplete" | "response.failed" | "response.cancelled" => {
                let response = event.response.and_then(read::<Response<'_>>).unwrap_or_default();
                self.close(kind.trim_start_matches("response."), &response, chunks);
            }
            "error" | "response.error" => self.error(json, chunks),
            _ if is_progress(kind) => {}
            // A gateway may insert an error object of its own form, or a whole response, into the stream.
            _ if event.error.is_some() => self.error(json, chunks),
            "" => match serde_json::from_str::<Response<'_>>(json) {
                Ok(response) if response.is_response() && !self.begun => self.whole(&response, chunks),
                _ => unknown(json, chunks),
            },
            _ => unknown(json, chunks),
        }
    }

    /// Begins the next response. If the previous one has no end, it was cut, together with its calls.
    fn begin(&mut self, chunks: &mut Vec<Chunk>) {
        self.abandon(chunks);
        if self.begun && !self.ended && !self.failed {
            chunks.push(Chunk::Finish { reason: StopReason::Error, raw: String::new() });
        }
        (self.begun, self.ended, self.failed) = (false, false, false);
        self.held = Held::default();
    }

    fn text(&mut self, json: &str, event: Event<'_>, field: Field, extent: Extent, chunks: &mut Vec<Chunk>) {
        let lent = lent_text(&event);
        let slot = self.slot(&event, field);
        let index = event.content_index.or(event.summary_index).unwrap_or(0);
        let Some(item) = self.open.get_mut(slot) else { return };
        let is_taken = match extent {
            Extent::Piece => item.push(field, index, event.delta.0, chunks),
            Extent::Whole => {
                let text = match field {
                    Field::Refusal => event.refusal.0,
                    Field::Arguments => Cow::Owned(argument_text(event.arguments)),
                    Field::Input => event.input.0,
                    Field::Text | Field::Thought(_) => event.text.0,
                };
                item.complete(field, index, text, chunks)
            }
        };
        match lent {
            _ if !is_taken => unknown(json, chunks),
            Some(text) if extent == Extent::Piece => {
                self.template.learn(json, text, Shape { slot, field, index });
            }
            _ => {}
        }
    }

    /// Returns the slot of the item that a text belongs to. Opens the item if its start never came.
    fn slot(&mut self, event: &Event<'_>, field: Field) -> u64 {
        let place = Place { id: &event.item_id.0, index: event.output_index };
        self.open.find(place).unwrap_or_else(|| {
            let slot = self.next();
            self.open.insert(slot, place, OpenItem::of(field, CallKey(slot)));
            slot
        })
    }

    fn next(&mut self) -> u64 {
        let slot = self.items;
        self.items = self.items.saturating_add(1);
        self.begun = true;
        slot
    }

    fn start(&mut self, event: &Event<'_>, raw: &RawValue, chunks: &mut Vec<Chunk>) {
        let Some(item) = read::<Item<'_>>(raw) else { return };
        if let Some(before) = event.output_index.and_then(|index| self.open.at(index)) {
            // The previous item with this index was never ended.
            self.open.remove(before).into_iter().for_each(|item| item.abandon(chunks));
        }
        let slot = self.next();
        let (place, before) = (Place { id: &item.id.0, index: event.output_index }, chunks.len());
        self.open.insert(slot, place, OpenItem::open(&item, CallKey(slot), chunks));
        self.look(None, before, chunks);
    }

    fn end(&mut self, event: &Event<'_>, raw: &RawValue, chunks: &mut Vec<Chunk>) {
        let Some(item) = read::<Item<'_>>(raw) else { return unknown(raw.get(), chunks) };
        let slot = self.open.find(Place { id: &item.id.0, index: event.output_index });
        match slot.and_then(|slot| Some((slot, self.open.remove(slot)?))) {
            Some((slot, open)) => {
                let before = chunks.len();
                open.close(&item, raw, CallKey(slot), chunks);
                self.look(Some(&item), before, chunks);
            }
            None => self.item(&item, raw, chunks),
        }
    }

    /// Reads an item that arrives whole.
    fn item(&mut self, item: &Item<'_>, raw: &RawValue, chunks: &mut Vec<Chunk>) {
        let (key, before) = (CallKey(self.next()), chunks.len());
        OpenItem::open(item, key, chunks).close(item, raw, key, chunks);
        self.look(Some(item), before, chunks);
    }

    /// Records the content that the response's status does not show: calls, cut calls, refusals. `item` is
    /// the final version of an item, if it has ended.
    fn look(&mut self, item: Option<&Item<'_>>, before: usize, chunks: &[Chunk]) {
        let mut is_call = item.is_some_and(|item| item.kind.0 == "function_call");
        for chunk in chunks.iter().skip(before) {
            match chunk {
                Chunk::Call(_) => is_call = true,
                Chunk::Unknown(kept) if kept.value.get(REFUSAL_FIELD).is_some() => self.held.refusal = true,
                _ => {}
            }
        }
        self.held.calls |= is_call;
        self.held.cut |= is_call && item.is_some_and(Item::is_cut);
    }

    fn annotation(&mut self, json: &str, event: &Event<'_>, chunks: &mut Vec<Chunk>) {
        let slot = self.open.find(Place { id: &event.item_id.0, index: event.output_index });
        match (slot.and_then(|slot| self.open.get_mut(slot)), event.annotation) {
            (Some(OpenItem::Message(message)), Some(annotation)) => {
                message.annotate(event.content_index.unwrap_or(0), annotation, chunks);
            }
            _ => unknown(json, chunks),
        }
    }

    /// Handles a complete part, which counts only if its text has not come in another event.
    fn part(&mut self, event: &Event<'_>, chunks: &mut Vec<Chunk>) {
        let Some(part) = event.part.and_then(read::<ContentPart<'_>>) else { return };
        let (field, text) = match part.kind.0.as_ref() {
            "output_text" | "text" => (Field::Text, part.text),
            "refusal" => (Field::Refusal, part.refusal),
            _ => return,
        };
        let (LenientStr(text), index) = (text, event.content_index.unwrap_or(0));
        let slot = self.slot(event, field);
        if let Some(item) = self.open.get_mut(slot) {
            item.complete(field, index, text, chunks);
        }
    }

    /// Reads a whole response.
    pub(crate) fn whole(&mut self, response: &Response<'_>, chunks: &mut Vec<Chunk>) {
        self.close("completed", response, chunks);
    }

    /// Ends the response.
    fn close(&mut self, kind: &str, response: &Response<'_>, chunks: &mut Vec<Chunk>) {
        // Servers that do not stream items send them here; other servers repeat them here or leave them out.
        if !self.begun {
            for raw in response.output.iter().flatten() {
                match read::<Item<'_>>(raw) {
                    Some(item) => self.item(&item, raw, chunks),
                    None => unknown(raw.get(), chunks),
                }
            }
        }
        let status = if response.status.0.is_empty() { kind } else { &response.status.0 };
        let before = chunks.len();
        for item in self.open.drain() {
            if status == "completed" { item.finish(chunks) } else { item.abandon(chunks) }
        }
        self.look(None, before, chunks);
        if let Some(error) = response.error.filter(|_| !self.failed) {
            self.error(error.get(), chunks);
        }
        let reason = stop_reason(status, &response.incomplete_reason(), self.held);
        if reason == StopReason::Error && status == "failed" && !self.failed {
            self.error("null", chunks);
        }
        self.ended = true;
        chunks.push(Chunk::Finish { reason, raw: status.to_owned() });
        let usage = response.usage().map_or(self.told, super::usage::WireUsage::to_usage);
        if usage != self.told {
            self.told = usage;
            chunks.push(Chunk::Usage { usage });
        }
    }

    /// Emits an error, from an error object in any wrapping (RULES S12).
    pub(crate) fn error(&mut self, json: &str, chunks: &mut Vec<Chunk>) {
        self.failed = true;
        chunks.push(Chunk::Error { error: stream_error(json) });
    }

    /// Ends all open items, because the bytes have ended or another response begins.
    pub(crate) fn abandon(&mut self, chunks: &mut Vec<Chunk>) {
        for item in self.open.drain() {
            item.abandon(chunks);
        }
    }
}

fn unknown(json: &str, chunks: &mut Vec<Chunk>) {
    if let Ok(value) = serde_json::from_str(json) {
        chunks.push(Chunk::Unknown(Unknown::new(NAME, value)));
    }
}
