//! Token counts of this format.

use serde::Deserialize;
use windlass_protocol::Usage;

/// The `usageMetadata` object. Each event of a stream has the cumulative counts.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct WireUsage {
    #[serde(rename = "promptTokenCount")]
    prompt: Option<u64>,
    #[serde(rename = "candidatesTokenCount")]
    candidates: Option<u64>,
    #[serde(rename = "thoughtsTokenCount")]
    thoughts: Option<u64>,
    #[serde(rename = "cachedContentTokenCount")]
    cached: Option<u64>,
    #[serde(rename = "toolUsePromptTokenCount")]
    tool_use_prompt: Option<u64>,
}

impl WireUsage {
    /// Merges the fields of a later event; fields that it does not have keep their values.
    pub(crate) fn update(&mut self, later: Self) {
        self.prompt = later.prompt.or(self.prompt);
        self.candidates = later.candidates.or(self.candidates);
        self.thoughts = later.thoughts.or(self.thoughts);
        self.cached = later.cached.or(self.cached);
        self.tool_use_prompt = later.tool_use_prompt.or(self.tool_use_prompt);
    }

    /// Converts to `Usage`. The API counts reasoning apart from the candidates, and the input of its own
    /// tools apart from the prompt; cached tokens are part of the prompt's.
    pub(crate) fn to_usage(self) -> Usage {
        let thoughts = self.thoughts.unwrap_or(0);
        Usage {
            input_tokens: self.prompt.unwrap_or(0).saturating_add(self.tool_use_prompt.unwrap_or(0)),
            output_tokens: self.candidates.unwrap_or(0).saturating_add(thoughts),
            cache_read_tokens: self.cached.unwrap_or(0),
            cache_write_tokens: 0,
            reasoning_tokens: thoughts,
        }
    }
}
