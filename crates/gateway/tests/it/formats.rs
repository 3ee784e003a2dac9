//! The formats, each with both of its sides.

use std::sync::Arc;

use windlass_wire::{Server, Wire};
use windlass_wire_anthropic::Anthropic;
use windlass_wire_gemini::Gemini;
use windlass_wire_openai_chat::OpenAiChat;
use windlass_wire_openai_responses::OpenAiResponses;

/// A format with both of its sides.
#[derive(Clone)]
pub(crate) struct Format {
    pub(crate) wire: Arc<dyn Wire>,
    pub(crate) server: Arc<dyn Server>,
}

impl Format {
    fn of<T: Wire + Server + Default + 'static>() -> Self {
        Self { wire: Arc::new(T::default()), server: Arc::new(T::default()) }
    }

    pub(crate) fn name(&self) -> &'static str {
        self.wire.name()
    }
}

pub(crate) fn formats() -> [Format; 4] {
    [
        Format::of::<OpenAiChat>(),
        Format::of::<OpenAiResponses>(),
        Format::of::<Anthropic>(),
        Format::of::<Gemini>(),
    ]
}

/// All ordered pairs of two formats, and each format with itself if that is wanted.
pub(crate) fn pairs() -> Vec<(Format, Format)> {
    let all = formats();
    let pairs = all.iter().flat_map(|from| all.iter().map(move |to| (from.clone(), to.clone())));
    pairs.collect()
}
