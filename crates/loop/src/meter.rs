//! Sizes of messages in tokens. The model's tokenizer counts text if it is known; the size of message frames
//! and images is estimated.

use windlass_protocol::{Content, Message, Part, ToolSpec, Usage};
use windlass_tokens::Tokenizer;

use crate::OfferedTool;

/// Tokens of a message, and of each of its parts, in addition to the text.
const FRAME: u64 = 4;
/// Tokens of an image. Providers scale large images down to about this size.
const IMAGE: u64 = 1_600;

/// The rate of an exact estimate, in thousandths.
const EVEN: u64 = 1_000;
/// Bounds of the rate between the provider's count and the estimate, in thousandths. Outside these bounds,
/// the count includes something other than the conversation.
const RATES: (u64, u64) = (400, 4_000);

/// Returns the size of a message in tokens.
pub(crate) fn message_size(tokenizer: &Tokenizer, message: &Message) -> u64 {
    message.parts.iter().map(|part| part_size(tokenizer, part)).fold(FRAME, u64::saturating_add)
}

fn part_size(tokenizer: &Tokenizer, part: &Part) -> u64 {
    let count = |text: &str| tokenizer.count(text);
    let size = match part {
        Part::Text(said) => count(&said.text),
        Part::Reasoning(thought) => count(&thought.text),
        Part::Call(call) => [call.name.as_str(), call.id.as_str(), &call.payload.text()]
            .into_iter()
            .map(count)
            .fold(0, u64::saturating_add),
        Part::Result(result) => {
            let advice = result.advice.as_deref().map_or(0, count);
            let sizes = result.content.iter().map(|content| content_size(tokenizer, content));
            sizes.fold(advice, u64::saturating_add)
        }
        Part::Image(_) => IMAGE,
        // Other parts have a format of their provider, which is counted as the JSON text that is sent.
        other => serde_json::to_string(other).map_or(0, |json| count(&json)),
    };
    size.saturating_add(FRAME)
}

fn content_size(tokenizer: &Tokenizer, content: &Content) -> u64 {
    match content {
        Content::Text { text } => tokenizer.count(text),
        Content::Image(_) => IMAGE,
        other => serde_json::to_string(other).map_or(0, |json| tokenizer.count(&json)),
    }
}

/// Returns the size of the system prompt and the tools in tokens.
pub(crate) fn tools_size(tokenizer: &Tokenizer, system: Option<&str>, tools: &[OfferedTool]) -> u64 {
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

/// The estimate of the next request's size, adjusted to the provider's counts.
#[derive(Debug)]
pub(crate) struct Meter {
    /// Size of the system prompt and the tools in tokens.
    preamble: u64,
    /// The ratio of the provider's count to the estimate, in thousandths.
    rate: u64,
}

impl Meter {
    /// Creates a meter for requests whose system prompt and tools have this size in tokens.
    pub(crate) fn new(preamble: u64) -> Self {
        Self { preamble, rate: EVEN }
    }

    /// Sets the size of the system prompt and the tools in tokens.
    pub(crate) fn set_preamble(&mut self, preamble: u64) {
        self.preamble = preamble;
    }

    /// Scales the estimated size of a conversation, and of the content before it, to the provider's count.
    pub(crate) fn tokens(&self, size: u64) -> u64 {
        size.saturating_add(self.preamble).saturating_mul(self.rate) / EVEN
    }

    /// Adjusts the rate to the provider's count of a request whose conversation has this estimated size.
    pub(crate) fn learn(&mut self, size: u64, usage: &Usage) {
        let estimated = size.saturating_add(self.preamble);
        if usage.input_tokens > 0 && estimated > 0 {
            let rate = usage.input_tokens.saturating_mul(EVEN) / estimated;
            self.rate = rate.clamp(RATES.0, RATES.1);
        }
    }
}
