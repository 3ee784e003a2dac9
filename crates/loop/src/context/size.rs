//! How large messages are, in tokens: text as the model's tokenizer counts it where that is known, frames and images as
//! far as they can be estimated.

use windlass_protocol::{Content, Message, Part, ToolSpec, Usage};
use windlass_tokens::Tokenizer;

use super::Fill;
use crate::OfferedTool;

/// What a message and each of its parts take besides their text.
const FRAME: u64 = 4;
/// What an image takes. Providers scale large ones down to about this.
const IMAGE: u64 = 1_600;

/// In thousandths: what is estimated is what it says.
const EVEN: u64 = 1_000;
/// The provider's count is believed within these bounds, in thousandths of the estimate. Beyond them it counts something
/// else.
const RATES: (u64, u64) = (400, 4_000);

/// The size of a message, in tokens.
pub(crate) fn message_size(tokenizer: Tokenizer, message: &Message) -> u64 {
    message.parts.iter().map(|part| part_size(tokenizer, part)).fold(FRAME, u64::saturating_add)
}

fn part_size(tokenizer: Tokenizer, part: &Part) -> u64 {
    let count = |text: &str| tokenizer.count(text);
    let size = match part {
        Part::Text(said) => count(&said.text),
        Part::Reasoning(thought) => count(&thought.text),
        Part::Call(call) => [call.name.as_str(), call.id.as_str(), &call.payload.text()]
            .into_iter()
            .map(count)
            .fold(0, u64::saturating_add),
        Part::Result(result) => {
            result.content.iter().map(|content| content_size(tokenizer, content)).fold(0, u64::saturating_add)
        }
        Part::Image(_) => IMAGE,
        // What else there is has a form that only its provider knows; its text is what it travels as.
        other => serde_json::to_string(other).map_or(0, |json| count(&json)),
    };
    size.saturating_add(FRAME)
}

fn content_size(tokenizer: Tokenizer, content: &Content) -> u64 {
    match content {
        Content::Text { text } => tokenizer.count(text),
        Content::Image(_) => IMAGE,
        other => serde_json::to_string(other).map_or(0, |json| tokenizer.count(&json)),
    }
}

/// The size of what stands before a conversation, in tokens.
pub(crate) fn tools_size(tokenizer: Tokenizer, system: Option<&str>, tools: &[OfferedTool]) -> u64 {
    let count = |text: &str| tokenizer.count(text);
    let tool = |tool: &OfferedTool| {
        let schema = match &tool.spec {
            ToolSpec::Function { parameters, .. } => count(parameters.as_str()),
            _ => 0,
        };
        let words = count(tool.spec.description()).saturating_add(count(tool.spec.name().as_str()));
        schema.saturating_add(words).saturating_add(FRAME)
    };
    tools.iter().map(tool).fold(system.map_or(0, count), u64::saturating_add)
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
