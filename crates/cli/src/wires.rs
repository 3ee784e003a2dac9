//! The wire formats by name.

use std::sync::Arc;

use windlass_wire::{Server, Wire};
use windlass_wire_anthropic::Anthropic;
use windlass_wire_gemini::Gemini;
use windlass_wire_openai_chat::OpenAiChat;
use windlass_wire_openai_responses::OpenAiResponses;

use crate::arguments::WireName;

impl WireName {
    /// All formats.
    pub(crate) const ALL: [Self; 4] =
        [Self::OpenaiChat, Self::OpenaiResponses, Self::Anthropic, Self::Gemini];

    /// The provider's side of the format of this name.
    pub(crate) fn server(self) -> Arc<dyn Server> {
        match self {
            Self::OpenaiChat => Arc::new(OpenAiChat::default()),
            Self::OpenaiResponses => Arc::new(OpenAiResponses::default()),
            Self::Anthropic => Arc::new(Anthropic::default()),
            Self::Gemini => Arc::new(Gemini::default()),
        }
    }

    /// The format of this name.
    pub(crate) fn wire(self) -> Arc<dyn Wire> {
        match self {
            Self::OpenaiChat => Arc::new(OpenAiChat::default()),
            Self::OpenaiResponses => Arc::new(OpenAiResponses::default()),
            Self::Anthropic => Arc::new(Anthropic::default()),
            Self::Gemini => Arc::new(Gemini::default()),
        }
    }

    /// The name as endpoints have it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::OpenaiChat => "openai-chat",
            Self::OpenaiResponses => "openai-responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }
}
