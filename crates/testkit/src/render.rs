//! Turns of a script as the bytes that a provider sends.

mod anthropic;
mod chat;
mod gemini;
mod responses;

use serde_json::Value;

use crate::script::{ScriptUsage, Step, Turn};

/// The formats that a scripted provider speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Chat,
    Responses,
    Anthropic,
    Gemini,
}

/// What of the request shows in the answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting<'a> {
    pub(crate) format: Format,
    /// The number of the turn, which makes ids.
    pub(crate) number: usize,
    pub(crate) model: &'a str,
    pub(crate) request_bytes: usize,
    pub(crate) stream_usage: StreamUsage,
}

/// Whether a Chat stream was asked to tell its usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StreamUsage {
    Tell,
    Leave,
}

/// A streamed answer, one event a frame.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    pub(crate) frames: Vec<Vec<u8>>,
    /// How many frames come before those that close the answer.
    pub(crate) open: usize,
}

/// The turn as a stream.
pub(crate) fn stream(turn: &Turn, setting: Setting<'_>) -> Frames {
    match setting.format {
        Format::Chat => chat::stream(turn, setting),
        Format::Responses => responses::stream(turn, setting),
        Format::Anthropic => anthropic::stream(turn, setting),
        Format::Gemini => gemini::stream(turn, setting),
    }
}

/// The turn as one body.
pub(crate) fn whole(turn: &Turn, setting: Setting<'_>) -> Vec<u8> {
    let body = match setting.format {
        Format::Chat => chat::whole(turn, setting),
        Format::Responses => responses::whole(turn, setting),
        Format::Anthropic => anthropic::whole(turn, setting),
        Format::Gemini => return gemini::whole(turn, setting),
    };
    body.to_string().into_bytes()
}

/// An error as an event of a stream that began well.
pub(crate) fn error_event(format: Format, error: &Value) -> Vec<u8> {
    match format {
        Format::Chat | Format::Gemini => format!("data: {error}\n\n").into_bytes(),
        Format::Responses => responses::error_event(error),
        Format::Anthropic => format!("event: error\ndata: {error}\n\n").into_bytes(),
    }
}

/// The reason for the stop in the format's own word. Responses has a status instead, which is made of Chat's word.
fn finish(turn: &Turn, format: Format) -> &str {
    // The words that all formats have, each in all.
    const WORDS: [[&str; 3]; 4] = [
        ["stop", "end_turn", "STOP"],
        ["tool_calls", "tool_use", "STOP"],
        ["length", "max_tokens", "MAX_TOKENS"],
        ["content_filter", "refusal", "SAFETY"],
    ];
    let given = match &turn.finish {
        Some(word) => word.as_str(),
        None if turn.calls().next().is_some() => "tool_calls",
        None => "stop",
    };
    match (WORDS.iter().find(|words| words.contains(&given)), format) {
        (Some([chat, ..]), Format::Chat | Format::Responses) => chat,
        (Some([_, anthropic, _]), Format::Anthropic) => anthropic,
        (Some([.., gemini]), Format::Gemini) => gemini,
        (None, _) => given,
    }
}

/// The tokens as given, else a quarter of the bytes.
fn usage(turn: &Turn, request_bytes: usize) -> ScriptUsage {
    let said = |step: &Step| match step {
        Step::Reasoning(text) | Step::Text(text) => text.len(),
        Step::Call(call) => call.name.len().saturating_add(call.arguments.as_str().len()),
    };
    let tokens = |bytes: usize| u64::try_from(bytes.div_ceil(4)).unwrap_or(u64::MAX);
    turn.usage.unwrap_or_else(|| ScriptUsage {
        input: tokens(request_bytes),
        output: tokens(turn.steps.iter().map(said).sum()),
    })
}

/// The text in pieces of so many characters.
fn pieces(text: &str, size: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest.char_indices().nth(size.max(1)).map_or(rest.len(), |(at, _)| at);
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(piece)
    })
}

/// The call's id, or one made of the turn's number and the call's place in it.
fn call_id(given: Option<&str>, format: Format, number: usize, place: usize) -> String {
    let prefix = match format {
        Format::Chat | Format::Responses | Format::Gemini => "call",
        Format::Anthropic => "toolu",
    };
    given.map_or_else(|| format!("{prefix}_{number}_{place}"), str::to_owned)
}
