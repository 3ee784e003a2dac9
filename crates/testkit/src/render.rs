//! A turn of a script in a provider's bytes, after the providers' public documentation of their streams.

mod anthropic;
mod chat;

use serde_json::Value;

use crate::script::Turn;

/// The wire formats that a scripted provider speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Chat,
    Anthropic,
}

impl Dialect {
    pub(crate) fn of(wire: &str) -> Option<Self> {
        match wire {
            "openai-chat" => Some(Self::Chat),
            "anthropic" => Some(Self::Anthropic),
            _ => None,
        }
    }

    /// The turn as server-sent events, one a frame.
    pub(crate) fn frames(self, turn: &Turn, number: usize) -> Vec<Vec<u8>> {
        match self {
            Self::Chat => chat::frames(turn, number),
            Self::Anthropic => anthropic::frames(turn, number),
        }
    }

    /// The turn as one body.
    pub(crate) fn whole(self, turn: &Turn, number: usize) -> Value {
        match self {
            Self::Chat => chat::whole(turn, number),
            Self::Anthropic => anthropic::whole(turn, number),
        }
    }

    /// A failure as it stands in the middle of a stream.
    pub(crate) fn error_frame(self) -> Vec<u8> {
        match self {
            Self::Chat => data(
                &serde_json::json!({ "error": { "message": "the script breaks off here", "code": 502 } }),
            ),
            Self::Anthropic => event(
                "error",
                &serde_json::json!({ "type": "error", "error": { "type": "overloaded_error", "message": "the script breaks off here" } }),
            ),
        }
    }

    /// A refusal in the provider's form.
    pub(crate) fn refusal(self, status: u16, kind: &str, message: &str) -> Value {
        match self {
            Self::Chat => {
                serde_json::json!({ "error": { "message": message, "type": kind, "param": null, "code": status } })
            }
            Self::Anthropic => {
                serde_json::json!({ "type": "error", "error": { "type": kind, "message": message } })
            }
        }
    }
}

fn data(value: &Value) -> Vec<u8> {
    format!("data: {value}\n\n").into_bytes()
}

fn event(name: &str, value: &Value) -> Vec<u8> {
    format!("event: {name}\ndata: {value}\n\n").into_bytes()
}
