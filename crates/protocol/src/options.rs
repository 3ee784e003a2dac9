//! Options of a request: hosted tools, sampling, reasoning, limits and fields of the provider.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Effort, HostedTool, ParallelCalls, ProgrammaticCalling, ToolChoice, ToolName, Verbosity};

/// The options of a request to a model. An option that is not set is not sent, and the provider's default applies.
///
/// Each wire format maps the options to its own fields, and refuses a request with an option that it cannot express.
/// The refusal names the option.
///
/// ```
/// use windlass_protocol::{Effort, RequestOptions};
/// let options = RequestOptions::default().with_temperature(0.2).with_reasoning(Effort::Low);
/// let more = RequestOptions::default().with_temperature(1.0).with_seed(7);
/// let both = options.merge(&more);
/// assert_eq!((both.temperature, both.seed), (Some(1.0), Some(7)));
/// assert_eq!(both.reasoning, Some(Effort::Low));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct RequestOptions {
    /// The tools that the provider runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hosted_tools: Vec<HostedTool>,
    /// The tool choice: free, no calls, any call, or a call of one tool.
    pub tool_choice: ToolChoice,
    /// The permission for several calls in one answer.
    pub parallel_calls: ParallelCalls,
    /// The maximum number of tokens in the answer, reasoning included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u64>,
    /// The sampling temperature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The share of probability from which tokens are sampled, between 0 and 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// Texts that end the answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stop_sequences: Vec<String>,
    /// The seed of sampling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The amount of reasoning before the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<Effort>,
    /// The length of the answer's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verbosity: Option<Verbosity>,
    /// The provider's name of the service tier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_tier: Option<String>,
    /// The use of the provider's prompt cache.
    #[serde(skip_serializing_if = "PromptCache::is_default")]
    pub prompt_cache: PromptCache,
    /// The provider's name of a stored cache that begins with the system prompt and the tools of this request. The format
    /// leaves both out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stored_cache: Option<String>,
    /// Labels that the provider stores with the request.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, String>,
    /// Additional fields of the provider's body by name; they override computed fields.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

/// The use of the provider's prompt cache by a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PromptCache {
    /// As the wire format is configured. Anthropic's format marks the conversation by default; the other providers cache
    /// without marks.
    #[default]
    Default,
    /// Without marks. A provider that caches without marks still does.
    Off,
}

impl PromptCache {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature of serde")]
    fn is_default(&self) -> bool {
        *self == Self::Default
    }
}

impl RequestOptions {
    /// Adds a tool that the provider runs.
    pub fn with_hosted_tool(mut self, tool: impl Into<HostedTool>) -> Self {
        self.hosted_tools.push(tool.into());
        self
    }

    /// Sets the tool choice.
    pub fn with_tool_choice(mut self, choice: ToolChoice) -> Self {
        self.tool_choice = choice;
        self
    }

    /// Sets whether one answer may contain several calls.
    pub fn with_parallel_calls(mut self, parallel: ParallelCalls) -> Self {
        self.parallel_calls = parallel;
        self
    }

    /// Sets the maximum number of tokens in the answer.
    pub fn with_max_output_tokens(mut self, tokens: u64) -> Self {
        self.max_output_tokens = Some(tokens);
        self
    }

    /// Sets the sampling temperature.
    pub fn with_temperature(mut self, temperature: f64) -> Self {
        self.temperature = Some(temperature);
        self
    }

    /// Sets the share of probability from which tokens are sampled.
    pub fn with_top_p(mut self, share: f64) -> Self {
        self.top_p = Some(share);
        self
    }

    /// Sets the texts that end the answer.
    pub fn with_stop_sequences<S: Into<String>>(mut self, texts: impl IntoIterator<Item = S>) -> Self {
        self.stop_sequences = texts.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the seed of sampling.
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Sets the amount of reasoning.
    pub fn with_reasoning(mut self, effort: Effort) -> Self {
        self.reasoning = Some(effort);
        self
    }

    /// Sets the length of the answer's text.
    pub fn with_verbosity(mut self, verbosity: Verbosity) -> Self {
        self.verbosity = Some(verbosity);
        self
    }

    /// Sets the provider's name of the service tier.
    pub fn with_service_tier(mut self, tier: impl Into<String>) -> Self {
        self.service_tier = Some(tier.into());
        self
    }

    /// Sets the use of the provider's prompt cache.
    pub fn with_prompt_cache(mut self, cache: PromptCache) -> Self {
        self.prompt_cache = cache;
        self
    }

    /// Adds a label that the provider stores with the request.
    pub fn with_metadata(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.metadata.insert(name.into(), value.into());
        self
    }

    /// Adds a field to the provider's body. It overrides a computed field with the same name.
    pub fn with_extra(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.extra.insert(name.into(), value.into());
        self
    }

    /// Returns these options, replaced by each option that `other` sets. Labels and fields are united; a tool choice
    /// and parallel calls of `other` count if they differ from their defaults.
    pub fn merge(&self, other: &Self) -> Self {
        // A field that is added later does not compile without a line here.
        let Self {
            hosted_tools,
            tool_choice,
            parallel_calls,
            max_output_tokens,
            temperature,
            top_p,
            stop_sequences,
            seed,
            reasoning,
            verbosity,
            service_tier,
            prompt_cache,
            stored_cache,
            metadata,
            extra,
        } = other.clone();
        let mut merged = self.clone();
        replace_set(&mut merged.hosted_tools, hosted_tools);
        replace_set(&mut merged.tool_choice, tool_choice);
        replace_set(&mut merged.parallel_calls, parallel_calls);
        replace_set(&mut merged.max_output_tokens, max_output_tokens);
        replace_set(&mut merged.temperature, temperature);
        replace_set(&mut merged.top_p, top_p);
        replace_set(&mut merged.stop_sequences, stop_sequences);
        replace_set(&mut merged.seed, seed);
        replace_set(&mut merged.reasoning, reasoning);
        replace_set(&mut merged.verbosity, verbosity);
        replace_set(&mut merged.service_tier, service_tier);
        replace_set(&mut merged.prompt_cache, prompt_cache);
        replace_set(&mut merged.stored_cache, stored_cache);
        merged.metadata.extend(metadata);
        merged.extra.extend(extra);
        merged
    }

    /// Restores the parts that the serialised form of options does not contain: the authorization of each MCP server that `given`
    /// also has, with the same label and URL.
    pub fn restore_authorizations(&mut self, given: &Self) {
        for tool in &mut self.hosted_tools {
            let HostedTool::Mcp(server) = tool else { continue };
            let same = given.hosted_tools.iter().find_map(|tool| match tool {
                HostedTool::Mcp(other) if other.label == server.label && other.url == server.url => {
                    Some(other)
                }
                _ => None,
            });
            if server.authorization.is_none() {
                server.authorization = same.and_then(|other| other.authorization.clone());
            }
        }
    }

    /// Returns true if the model sees the function of this name only after a search of the provider has found it.
    pub fn is_deferred(&self, name: &ToolName) -> bool {
        self.hosted_tools.iter().any(|tool| match tool {
            HostedTool::ToolSearch(search) => search.deferred.contains(name),
            _ => false,
        })
    }

    /// Returns the permission for programs of the model to call the function of this name.
    pub fn programmatic_calling(&self, name: &ToolName) -> Option<&ProgrammaticCalling> {
        self.hosted_tools.iter().find_map(|tool| match tool {
            HostedTool::ProgrammaticCalling(calling) if calling.functions.contains(name) => Some(calling),
            _ => None,
        })
    }

    /// Returns the names of the options that are set, except the hosted tools, the tool choice, parallel calls, the prompt
    /// cache and fields of the provider.
    pub fn set_names(&self) -> impl Iterator<Item = &'static str> {
        let is_set = [
            ("max_output_tokens", self.max_output_tokens.is_some()),
            ("temperature", self.temperature.is_some()),
            ("top_p", self.top_p.is_some()),
            ("stop_sequences", !self.stop_sequences.is_empty()),
            ("seed", self.seed.is_some()),
            ("reasoning", self.reasoning.is_some()),
            ("verbosity", self.verbosity.is_some()),
            ("service_tier", self.service_tier.is_some()),
            ("metadata", !self.metadata.is_empty()),
            ("stored_cache", self.stored_cache.is_some()),
        ];
        is_set.into_iter().filter_map(|(name, is_set)| is_set.then_some(name))
    }

    /// Returns true if no option is set.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Replaces an option by a value that is not the default.
fn replace_set<T: Default + PartialEq>(option: &mut T, value: T) {
    if value != T::default() {
        *option = value;
    }
}

#[cfg(test)]
mod tests;
