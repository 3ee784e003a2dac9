//! An item of the output that is open.

use std::borrow::Cow;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use windlass_protocol::Unknown;
use windlass_stream::{CallKey, Chunk};

use crate::call::{Form, OpenCall, whole_call};
use windlass_wire::Words;

use crate::event::{ContentPart, Item, read};
use crate::reasoning::{OpenReasoning, Thought};
use crate::spoken::OpenMessage;
use crate::wire::NAME;

/// The field that holds an item which goes back as it came. No event has a field of this name.
pub(crate) const ITEM_FIELD: &str = "output_item";

/// The text that an event adds to its item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Text,
    Refusal,
    Thought(Thought),
    Arguments,
    Input,
}

/// An item that has begun and not ended.
#[derive(Debug)]
pub(crate) enum OpenItem {
    Message(OpenMessage),
    Reasoning(OpenReasoning),
    Call(OpenCall),
    /// An item that is told when it is whole: a tool that the provider ran, or one that is not known here.
    Other,
}

impl OpenItem {
    /// Opens an item and says what is known of it from the start.
    pub(crate) fn open(item: &Item<'_>, key: CallKey, chunks: &mut Vec<Chunk>) -> Self {
        match item.kind.0.as_ref() {
            "message" => Self::Message(OpenMessage::default()),
            "reasoning" => Self::Reasoning(OpenReasoning::default()),
            "function_call" => Self::Call(OpenCall::open(Form::Function, item, key, chunks)),
            "custom_tool_call" => Self::Call(OpenCall::open(Form::Custom, item, key, chunks)),
            _ => Self::Other,
        }
    }

    /// The item that a text belongs to whose item never began.
    pub(crate) fn of(field: Field, key: CallKey) -> Self {
        match field {
            Field::Text | Field::Refusal => Self::Message(OpenMessage::default()),
            Field::Thought(_) => Self::Reasoning(OpenReasoning::default()),
            Field::Arguments => Self::Call(OpenCall::nameless(Form::Function, key)),
            Field::Input => Self::Call(OpenCall::nameless(Form::Custom, key)),
        }
    }

    /// Takes more of a text, and says whether this kind of item has such a text.
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

    /// Takes the whole of a text, which counts only if no piece of it came (RULES S6), and says whether this kind
    /// of item has such a text.
    pub(crate) fn complete(
        &mut self,
        field: Field,
        index: u64,
        text: Cow<'_, str>,
        chunks: &mut Vec<Chunk>,
    ) -> bool {
        match (self, field) {
            (Self::Message(message), Field::Text) => {
                let part = ContentPart { text: Words(text), ..ContentPart::default() };
                message.part(index, part, chunks);
            }
            (Self::Message(message), Field::Refusal) => {
                let part = ContentPart { refusal: Words(text), ..ContentPart::default() };
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

    /// The item's end has come, with the whole item.
    pub(crate) fn close(self, item: &Item<'_>, raw: &RawValue, key: CallKey, chunks: &mut Vec<Chunk>) {
        match self {
            Self::Message(message) => message.close(item, chunks),
            Self::Reasoning(thoughts) => thoughts.close(item, raw, chunks),
            Self::Call(call) => call.close(item, chunks),
            Self::Other => match whole_call(item, raw, key) {
                Some(pieces) => chunks.extend(pieces.into_iter().map(Chunk::Call)),
                None => chunks.extend(hosted(raw)),
            },
        }
    }

    /// The response is whole, though the item's own end never came.
    pub(crate) fn finish(self, chunks: &mut Vec<Chunk>) {
        match self {
            Self::Call(call) => call.finish(chunks),
            other => other.abandon(chunks),
        }
    }

    /// Nothing more comes of the item. What was thought keeps its words, but half an item does not go back.
    pub(crate) fn abandon(self, chunks: &mut Vec<Chunk>) {
        match self {
            Self::Message(message) => message.abandon(chunks),
            Self::Reasoning(_) => chunks.push(Chunk::ReasoningEnd { opaque: None }),
            Self::Call(call) => call.abandon(chunks),
            Self::Other => {}
        }
    }
}

/// An item that is not taken apart, kept whole for the next request (RULES P3).
fn hosted(raw: &RawValue) -> Option<Chunk> {
    let item: Value = read(raw)?;
    Some(Chunk::Unknown(Unknown::new(NAME, json!({ ITEM_FIELD: item }))))
}
