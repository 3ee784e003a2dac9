//! The open items of a response.

use std::borrow::Cow;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use windlass_protocol::Unknown;
use windlass_stream::{CallKey, Chunk};

use crate::call::{Form, OpenCall, whole_call};
use crate::hosted_items::show_item;
use crate::names::NAME;
use windlass_wire::LenientStr;

use crate::event::{ContentPart, Item, read};
use crate::reasoning::{OpenReasoning, Thought};
use crate::spoken::OpenMessage;

/// The field of an `Unknown` value or opaque data that holds an item to send back unchanged. Events do not
/// have a field of this name.
pub(crate) const ITEM_FIELD: &str = "output_item";

/// The text of an item that an event extends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Text,
    Refusal,
    Thought(Thought),
    Arguments,
    Input,
}

/// An item whose start has arrived and whose end has not.
#[derive(Debug)]
pub(crate) enum OpenItem {
    Message(OpenMessage),
    Reasoning(OpenReasoning),
    Call(OpenCall),
    /// An item that is emitted only when it is complete: a tool that the provider ran, or an unknown type.
    Other,
}

impl OpenItem {
    /// Opens an item and emits the data that its start already has.
    pub(crate) fn open(item: &Item<'_>, key: CallKey, chunks: &mut Vec<Chunk>) -> Self {
        match item.kind.0.as_ref() {
            "message" => Self::Message(OpenMessage::default()),
            "reasoning" => Self::Reasoning(OpenReasoning::default()),
            "function_call" => Self::Call(OpenCall::open(Form::Function, item, key, chunks)),
            "custom_tool_call" => Self::Call(OpenCall::open(Form::Custom, item, key, chunks)),
            _ => Self::Other,
        }
    }

    /// Opens the item for a text whose item start never came.
    pub(crate) fn open_for(field: Field, key: CallKey) -> Self {
        match field {
            Field::Text | Field::Refusal => Self::Message(OpenMessage::default()),
            Field::Thought(_) => Self::Reasoning(OpenReasoning::default()),
            Field::Arguments => Self::Call(OpenCall::nameless(Form::Function, key)),
            Field::Input => Self::Call(OpenCall::nameless(Form::Custom, key)),
        }
    }

    /// Appends a text. Returns `false` if this type of item does not have the field.
    pub(crate) fn push(
        &mut self,
        field: Field,
        index: u64,
        text: Cow<'_, str>,
        chunks: &mut Vec<Chunk>,
    ) -> bool {
        match (self, field) {
            (Self::Message(message), Field::Text) => message.speak(index, text, chunks),
            (Self::Message(message), Field::Refusal) => message.refuse(index, &text),
            (Self::Reasoning(thoughts), Field::Thought(thought)) => {
                thoughts.think((thought, index), &text, chunks);
            }
            (Self::Call(call), Field::Arguments) if call.form() == Form::Function => call.push(&text, chunks),
            (Self::Call(call), Field::Input) if call.form() == Form::Custom => call.push(&text, chunks),
            _ => return false,
        }
        true
    }

    /// Handles the complete value of a text, which counts only if no fragment of it came (RULES S6). Returns
    /// `false` if this type of item does not have the field.
    pub(crate) fn complete(
        &mut self,
        field: Field,
        index: u64,
        text: Cow<'_, str>,
        chunks: &mut Vec<Chunk>,
    ) -> bool {
        match (self, field) {
            (Self::Message(message), Field::Text) => {
                let part = ContentPart { text: LenientStr(text), ..ContentPart::default() };
                message.part(index, part, chunks);
            }
            (Self::Message(message), Field::Refusal) => {
                let part = ContentPart { refusal: LenientStr(text), ..ContentPart::default() };
                message.part(index, part, chunks);
            }
            (Self::Reasoning(thoughts), Field::Thought(thought)) => {
                thoughts.part((thought, index), &text, chunks);
            }
            (Self::Call(call), Field::Arguments) if call.form() == Form::Function => {
                call.complete(text.into_owned());
            }
            (Self::Call(call), Field::Input) if call.form() == Form::Custom => {
                call.complete(text.into_owned());
            }
            _ => return false,
        }
        true
    }

    /// Closes the item with its final version.
    pub(crate) fn close(self, item: &Item<'_>, raw: &RawValue, key: CallKey, chunks: &mut Vec<Chunk>) {
        match self {
            Self::Message(message) => message.close(item, chunks),
            Self::Reasoning(thoughts) => thoughts.close(item, raw, chunks),
            Self::Call(call) => call.close(item, chunks),
            Self::Other => match whole_call(item, raw, key) {
                Some(pieces) => chunks.extend(pieces.into_iter().map(Chunk::Call)),
                None => push_hosted(raw, chunks),
            },
        }
    }

    /// Closes the item without its own end, because the response is complete.
    pub(crate) fn finish(self, chunks: &mut Vec<Chunk>) {
        match self {
            Self::Call(call) => call.finish(chunks),
            other => other.abandon(chunks),
        }
    }

    /// Ends an incomplete item. Reasoning keeps its text but loses its opaque data, since an incomplete item
    /// is never sent back.
    pub(crate) fn abandon(self, chunks: &mut Vec<Chunk>) {
        match self {
            Self::Message(message) => message.abandon(chunks),
            Self::Reasoning(_) => chunks.push(Chunk::ReasoningEnd { opaque: None }),
            Self::Call(call) => call.abandon(chunks),
            Self::Other => {}
        }
    }
}

/// Emits an item of the API's own tools for observers, and keeps it whole for the next request (RULES P3).
fn push_hosted(raw: &RawValue, chunks: &mut Vec<Chunk>) {
    let Some(item) = read::<Value>(raw) else { return };
    chunks.extend(show_item(&item));
    chunks.push(Chunk::Unknown(Unknown::new(NAME, json!({ ITEM_FIELD: item }))));
}
