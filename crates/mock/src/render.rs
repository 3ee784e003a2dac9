//! Rendering of a script's turns as bytes of a provider.

mod anthropic;
mod chat;
mod gemini;
pub(crate) mod responses;

use serde_json::Value;

use crate::script::{ScriptPart, ScriptUsage, Turn};

/// A wire format of the scripted provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// OpenAI Chat Completions.
    Chat,
    /// OpenAI Responses.
    Responses,
    /// Anthropic Messages.
    Anthropic,
    /// Google Gemini `generateContent`.
    Gemini,
}

impl Turn {
    /// Renders the turn as the body of a streamed response: the first answer of a conversation, with usage and
    /// without the fault of the turn.
    pub fn render(&self, format: Format) -> Vec<u8> {
        let stream_usage = StreamUsage::Tell;
        let (response_id, model) = ("resp_0", "scripted-1");
        let setting = Setting { format, number: 0, response_id, model, request_bytes: 0, stream_usage };
        stream(self, setting).frames.concat()
    }
}

/// Properties of the request that affect the response.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting<'a> {
    pub(crate) format: Format,
    /// The number of the turn, which is part of ids.
    pub(crate) number: usize,
    /// The id of a response of the Responses API.
    pub(crate) response_id: &'a str,
    pub(crate) model: &'a str,
    pub(crate) request_bytes: usize,
    pub(crate) stream_usage: StreamUsage,
}

/// The `stream_options.include_usage` setting of a Chat request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StreamUsage {
    Tell,
    Leave,
}

/// A streamed response, with one event per frame.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    pub(crate) frames: Vec<Vec<u8>>,
    /// Number of frames before those that close the response.
    pub(crate) open: usize,
}

/// Renders the turn as a stream.
pub(crate) fn stream(turn: &Turn, setting: Setting<'_>) -> Frames {
    match setting.format {
        Format::Chat => chat::stream(turn, setting),
        Format::Responses => responses::stream(turn, setting),
        Format::Anthropic => anthropic::stream(turn, setting),
        Format::Gemini => gemini::stream(turn, setting),
    }
}

/// Renders the turn as one body.
pub(crate) fn whole(turn: &Turn, setting: Setting<'_>) -> Vec<u8> {
    let body = match setting.format {
        Format::Chat => chat::whole(turn, setting),
        Format::Responses => responses::whole(turn, setting),
        Format::Anthropic => anthropic::whole(turn, setting),
        Format::Gemini => return gemini::whole(turn, setting),
    };
    body.to_string().into_bytes()
}

/// Renders an error as an event in the middle of a stream.
pub(crate) fn error_event(format: Format, error: &Value) -> Vec<u8> {
    match format {
        Format::Chat | Format::Gemini => format!("data: {error}\n\n").into_bytes(),
        Format::Responses => responses::error_event(error),
        Format::Anthropic => format!("event: error\ndata: {error}\n\n").into_bytes(),
    }
}

/// Returns the stop reason in the word of the format. Responses has a status instead, which is derived from
/// Chat's word.
fn finish(turn: &Turn, format: Format) -> &str {
    // The stop reasons that all formats have, with their names in Chat, Anthropic and Gemini.
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

/// Returns the usage from the script, or an estimate of one token per four bytes.
fn usage(turn: &Turn, request_bytes: usize) -> ScriptUsage {
    let said = |step: &ScriptPart| match step {
        ScriptPart::Reasoning(text) | ScriptPart::Text(text) => text.len(),
        ScriptPart::Call(call) => call.name.len().saturating_add(call.arguments.as_str().len()),
    };
    let tokens = |bytes: usize| u64::try_from(bytes.div_ceil(4)).unwrap_or(u64::MAX);
    turn.usage.unwrap_or_else(|| ScriptUsage {
        input: tokens(request_bytes),
        output: tokens(turn.steps.iter().map(said).sum()),
    })
}

/// Splits the text into pieces of `size` characters.
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

/// Returns the call's id, or an id made of the turn's number and the call's index.
fn call_id(given: Option<&str>, format: Format, number: usize, place: usize) -> String {
    let prefix = match format {
        Format::Chat | Format::Responses | Format::Gemini => "call",
        Format::Anthropic => "toolu",
    };
    given.map_or_else(|| format!("{prefix}_{number}_{place}"), str::to_owned)
}
