//! The requests of the load, and the answers that they must get.

use std::fmt::Write as _;

use serde_json::{Value, json};

/// The kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Traffic {
    /// A stream of 50 deltas with a pause of 40 ms after each.
    Paced,
    /// A stream of 50 deltas without pauses.
    Stream,
    /// An answer in one body.
    Whole,
    /// A request of 17 MB with a short answer.
    LargeBody,
    /// A conversation with 16,000 calls in one message, and their results.
    ManyCalls,
    /// A paced stream; one request in ten meets a fault of the upstream, and one in ten is abandoned.
    Faults,
}

/// The fate of one request of [`Traffic::Faults`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// A whole answer.
    Answered,
    /// The upstream breaks the answer off.
    Cut,
    /// The upstream answers with status 503.
    Refused,
    /// The client leaves in the middle.
    Abandoned,
}

const LARGE_BYTES: usize = 17_000_000;
const CALLS: usize = 16_000;
const DELTAS: usize = 50;
/// Characters of a delta, the default of the scripted provider.
const PIECE: usize = 12;

impl Traffic {
    pub(crate) fn fate(self, number: usize) -> Fate {
        match (self, number % 20) {
            (Self::Faults, 3) => Fate::Cut,
            (Self::Faults, 9) => Fate::Refused,
            (Self::Faults, 13 | 17) => Fate::Abandoned,
            _ => Fate::Answered,
        }
    }

    /// Returns the body of a request to Chat Completions.
    pub(crate) fn body(self, fate: Fate) -> Vec<u8> {
        let words = match (self, fate) {
            (_, Fate::Cut) => "meet a cut".to_owned(),
            (_, Fate::Refused) => "meet a refusal".to_owned(),
            (Self::Paced | Self::Faults, _) => "answer with pauses".to_owned(),
            (Self::LargeBody, _) => "x".repeat(LARGE_BYTES),
            (Self::Stream | Self::Whole | Self::ManyCalls, _) => "answer".to_owned(),
        };
        let mut messages = vec![json!({"role": "user", "content": words})];
        if self == Self::ManyCalls {
            messages.extend(calls());
        }
        let is_stream = matches!(self, Self::Paced | Self::Stream | Self::Faults);
        json!({"model": "scripted-1", "messages": messages, "stream": is_stream}).to_string().into_bytes()
    }

    /// Returns the text of the answer.
    pub(crate) fn text(self) -> String {
        if matches!(self, Self::LargeBody | Self::ManyCalls) { "ok".to_owned() } else { long_text() }
    }
}

fn calls() -> Vec<Value> {
    let call = |at: usize| json!({"id": format!("call_{at}"), "type": "function", "function": {"name": "read", "arguments": "{}"}});
    let result = |at: usize| json!({"role": "tool", "tool_call_id": format!("call_{at}"), "content": "fine"});
    let calls: Vec<Value> = (0..CALLS).map(call).collect();
    let mut messages = vec![json!({"role": "assistant", "content": null, "tool_calls": calls})];
    messages.extend((0..CALLS).map(result));
    messages
}

fn long_text() -> String {
    let mut text = String::new();
    for number in 0..DELTAS {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "{:<width$}", format!("delta {number}"), width = PIECE);
    }
    text
}

/// Returns the script of the upstream.
pub(crate) fn script() -> String {
    let text = json!([{"text": long_text()}]);
    let fault = |switch: &str| json!([{"steps": text, "delay_ms": 40, "hostile": {"switch": switch, "status": 503, "after_bytes": 2000}}]);
    json!({
        "turns": [{"steps": text}],
        "fallback": "ok",
        "parts": {
            "answer with pauses": [{"steps": text, "delay_ms": 40}],
            "meet a cut": fault("cut"),
            "meet a refusal": fault("status"),
            "xxxxxxxxxxxxxxxx": [{"steps": [{"text": "ok"}]}],
        },
    })
    .to_string()
}
