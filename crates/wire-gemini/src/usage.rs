//! Tokens as this format counts them.

use serde::Deserialize;
use windlass_protocol::Usage;

/// The `usageMetadata` object. Each event of a stream has the counts so far.
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
    /// Takes what a later event says; what it does not say stays.
    pub(crate) fn update(&mut self, later: Self) {
        self.prompt = later.prompt.or(self.prompt);
        self.candidates = later.candidates.or(self.candidates);
        self.thoughts = later.thoughts.or(self.thoughts);
        self.cached = later.cached.or(self.cached);
        self.tool_use_prompt = later.tool_use_prompt.or(self.tool_use_prompt);
    }

    /// Thoughts are counted beside the answer here, and what the server's own tools read beside the prompt;
    /// cached tokens are among those of the prompt.
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
