//! Recognises delta events that carry one text and nothing else. Most events of a stream are of this kind.

use std::borrow::Cow;
use windlass_wire::LenientStr;

use crate::event::{Delta, Event};

/// The place of an event's only text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The block's index, if the event has one.
    pub(crate) index: Option<u64>,
    /// The field of the delta that holds the text.
    pub(crate) field: Field,
}

/// A field of a delta that can hold the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Text,
    PartialJson,
    Thinking,
}

pub(crate) const DELTA: &str = "content_block_delta";

impl Shape {
    /// Returns the shape of an event and its text, if the text is borrowed from the event and no other field
    /// that this crate reads is set.
    pub(crate) fn from_event<'a>(event: &Event<'a>) -> Option<(Self, &'a str)> {
        let Event {
            kind,
            index,
            delta: Some(delta),
            content_block: None,
            message: None,
            usage: None,
            error: None,
        } = event
        else {
            return None;
        };
        let Delta {
            text,
            partial_json,
            thinking,
            signature,
            citation: None,
            stop_reason: None,
            container: None,
            kind: delta_kind,
        } = delta
        else {
            return None;
        };
        if kind.0 != DELTA || !signature.0.is_empty() {
            return None;
        }
        let (field, kind) = match (text.0.is_empty(), partial_json.0.is_empty(), thinking.0.is_empty()) {
            (false, true, true) => (Field::Text, text),
            (true, false, true) => (Field::PartialJson, partial_json),
            (true, true, false) => (Field::Thinking, thinking),
            _ => return None,
        };
        let LenientStr(Cow::Borrowed(text)) = kind else { return None };
        (delta_kind.0 == field.kind()).then_some((Self { index: *index, field }, text))
    }
}

impl Field {
    /// Returns the `type` of a delta with this field.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Self::Text => "text_delta",
            Self::PartialJson => "input_json_delta",
            Self::Thinking => "thinking_delta",
        }
    }
}
