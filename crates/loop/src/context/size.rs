//! How large messages are, in tokens as far as that can be said without the model's own count.

use windlass_protocol::{Content, Message, Part, ToolSpec, Usage};

use super::Fill;
use crate::OfferedTool;

/// How many bytes a token has, where nothing else is known. English text has a little more, code a little less.
const BYTES_PER_TOKEN: u64 = 4;
/// What a message and each of its parts take besides their text.
const FRAME: u64 = 4;
/// What an image takes. Providers scale large ones down to about this.
const IMAGE: u64 = 1_600;

/// In thousandths: what is estimated is what it says.
const EVEN: u64 = 1_000;
/// The provider's count is believed within these bounds, in thousandths of the estimate. Beyond them it counts something
/// else.
const RATES: (u64, u64) = (400, 4_000);

fn text(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(BYTES_PER_TOKEN)
}

/// The size of a message, in estimated tokens.
pub(crate) fn message_size(message: &Message) -> u64 {
    message.parts.iter().map(part_size).fold(FRAME, u64::saturating_add)
}

fn part_size(part: &Part) -> u64 {
    let size = match part {
        Part::Text(said) => text(said.text.len()),
        Part::Reasoning(thought) => text(thought.text.len()),
        Part::Call(call) => text(call.payload.text().len())
            .saturating_add(text(call.name.as_str().len() + call.id.as_str().len())),
        Part::Result(result) => result.content.iter().map(content_size).fold(0, u64::saturating_add),
        Part::Image(_) => IMAGE,
        // What else there is has a form that only its provider knows; its text is what it travels as.
        other => text(serde_json::to_string(other).map_or(0, |json| json.len())),
    };
    size.saturating_add(FRAME)
}

fn content_size(content: &Content) -> u64 {
    match content {
        Content::Text { text: said } => text(said.len()),
        Content::Image(_) => IMAGE,
        other => text(serde_json::to_string(other).map_or(0, |json| json.len())),
    }
}

/// The size of what stands before a conversation, in estimated tokens.
pub(crate) fn tools_size(system: Option<&str>, tools: &[OfferedTool]) -> u64 {
    let tool = |tool: &OfferedTool| {
        let schema = match &tool.spec {
            ToolSpec::Function { parameters, .. } => parameters.as_str().len(),
            _ => 0,
        };
        let words = tool.spec.description().len() + tool.spec.name().as_str().len();
        text(schema.saturating_add(words)).saturating_add(FRAME)
    };
    tools.iter().map(tool).fold(text(system.map_or(0, str::len)), u64::saturating_add)
}

/// What is known of how the provider counts.
#[derive(Debug)]
pub(crate) struct Meter {
    /// The size of what stands before the conversation.
    pub(crate) before: u64,
    /// The provider's count in thousandths of the estimate.
    rate: u64,
    /// What watchers were told last.
    pub(crate) told: Fill,
    /// Whether the present request was made shorter because the provider refused it.
    pub(crate) has_shrunk: bool,
}

impl Meter {
    pub(crate) fn new(before: u64) -> Self {
        Self { before, rate: EVEN, told: Fill::default(), has_shrunk: false }
    }

    /// A conversation of this estimated size, as the provider would count it.
    pub(crate) fn tokens(&self, size: u64) -> u64 {
        size.saturating_add(self.before).saturating_mul(self.rate) / EVEN
    }

    /// The provider has counted a request whose conversation was estimated at this size.
    pub(crate) fn learn(&mut self, size: u64, usage: &Usage) {
        let estimated = size.saturating_add(self.before);
        if usage.input_tokens > 0 && estimated > 0 {
            let rate = usage.input_tokens.saturating_mul(EVEN) / estimated;
            self.rate = rate.clamp(RATES.0, RATES.1);
        }
    }
}
