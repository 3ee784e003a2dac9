//! The property of decoders, for each wire format.

use windlass_wire_anthropic::Anthropic;
use windlass_wire_gemini::Gemini;
use windlass_wire_openai_chat::OpenAiChat;
use windlass_wire_openai_responses::OpenAiResponses;

use super::wire;

/// Checks [`wire`] for `OpenAI` chat completions.
///
/// # Panics
/// The property is violated.
pub fn wire_openai_chat(bytes: &[u8]) {
    wire(&OpenAiChat::default(), bytes);
}

/// Checks [`wire`] for Anthropic messages.
///
/// # Panics
/// The property is violated.
pub fn wire_anthropic(bytes: &[u8]) {
    wire(&Anthropic::default(), bytes);
}

/// Checks [`wire`] for `OpenAI` responses.
///
/// # Panics
/// The property is violated.
pub fn wire_openai_responses(bytes: &[u8]) {
    wire(&OpenAiResponses::default(), bytes);
}

/// Checks [`wire`] for Gemini answers.
///
/// # Panics
/// The property is violated.
pub fn wire_gemini(bytes: &[u8]) {
    wire(&Gemini::default(), bytes);
}
