//! Token counts of this format.

use serde::Deserialize;
use windlass_protocol::Usage;

use crate::lenient::Count;

/// The `usage` object, with the fields that compatible servers add.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct WireUsage {
    prompt_tokens: Count,
    completion_tokens: Count,
    total_tokens: Count,
    prompt_tokens_details: Option<PromptDetails>,
    completion_tokens_details: Option<CompletionDetails>,
    /// DeepSeek's field for cached tokens.
    prompt_cache_hit_tokens: Count,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PromptDetails {
    cached_tokens: Count,
    cache_write_tokens: Count,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CompletionDetails {
    reasoning_tokens: Count,
}

impl WireUsage {
    pub(crate) fn to_usage(&self) -> Usage {
        let prompt = self.prompt_tokens_details.as_ref();
        let cached = prompt.map_or(0, |details| details.cached_tokens.0);
        let reasoning =
            self.completion_tokens_details.as_ref().map_or(0, |details| details.reasoning_tokens.0);
        Usage {
            input_tokens: self.prompt_tokens.0,
            output_tokens: self.completion_tokens.0.saturating_add(self.missing_reasoning(reasoning)),
            cache_read_tokens: cached.max(self.prompt_cache_hit_tokens.0),
            cache_write_tokens: prompt.map_or(0, |details| details.cache_write_tokens.0),
            reasoning_tokens: reasoning,
        }
    }

    /// Returns the reasoning tokens that are not part of `completion_tokens`: xAI counts them only in the total.
    fn missing_reasoning(&self, reasoning: u64) -> u64 {
        let listed = self.prompt_tokens.0.saturating_add(self.completion_tokens.0);
        if self.total_tokens.0 == listed.saturating_add(reasoning) { reasoning } else { 0 }
    }
}
