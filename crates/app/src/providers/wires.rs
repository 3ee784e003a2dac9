//! The implementations of the wire formats.

use std::sync::Arc;

use windlass_wire::{Server, Wire};
use windlass_wire_anthropic::Anthropic;
use windlass_wire_gemini::Gemini;
use windlass_wire_openai_chat::OpenAiChat;
use windlass_wire_openai_responses::OpenAiResponses;

use crate::config::WireFormat;

impl WireFormat {
    /// All wire formats.
    pub const ALL: [Self; 4] = [Self::OpenaiChat, Self::OpenaiResponses, Self::Anthropic, Self::Gemini];

    /// Returns the server side of the wire format.
    pub fn server(self) -> Arc<dyn Server> {
        match self {
            Self::OpenaiChat => Arc::new(OpenAiChat::default()),
            Self::OpenaiResponses => Arc::new(OpenAiResponses::default()),
            Self::Anthropic => Arc::new(Anthropic::default()),
            Self::Gemini => Arc::new(Gemini::default()),
        }
    }

    /// Returns the client side of the wire format.
    pub fn wire(self) -> Arc<dyn Wire> {
        match self {
            Self::OpenaiChat => Arc::new(OpenAiChat::default()),
            Self::OpenaiResponses => Arc::new(OpenAiResponses::default()),
            Self::Anthropic => Arc::new(Anthropic::default()),
            Self::Gemini => Arc::new(Gemini::default()),
        }
    }

    /// Returns the name that endpoints use for the wire format.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenaiChat => "openai-chat",
            Self::OpenaiResponses => "openai-responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }
}
