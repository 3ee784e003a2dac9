//! Requests to a model.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{History, Opaque, OutputFormat, ParallelCalls, ToolChoice, ToolName, ToolSpec, Unknown};

/// The delivery of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "as a stream or as a whole")]
pub enum Delivery {
    /// As a stream of events.
    #[default]
    Stream,
    /// As one body after the answer is complete.
    Whole,
}

/// A provider-neutral request to a model.
///
/// API keys, addresses and headers are not part of a request; they belong to an endpoint.
///
/// ```
/// use windlass_protocol::{Message, Request};
/// let request = Request::new("claude-sonnet-4-6", vec![Message::user("hello")])
///     .with_system("You are brief.")
///     .with_max_output_tokens(512);
/// assert_eq!(request.messages.len(), 1);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Request {
    /// The provider's name of the model.
    pub model: String,
    /// The system prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// The conversation, oldest message first.
    pub messages: History,
    /// The offered tools, in an order that is identical in each turn (RULES N6).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolSpec>,
    /// Tools that the provider runs, in the form of its wire format. Other formats cannot express them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosted_tools: Vec<Unknown>,
    /// Fields of the provider that are sent with the definition of a tool.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tool_fields: BTreeMap<ToolName, Opaque>,
    /// The tool choice: free, no calls, any call, or a call of one tool.
    #[serde(default)]
    pub tool_choice: ToolChoice,
    /// The permission for several calls in one answer.
    #[serde(default)]
    pub parallel_calls: ParallelCalls,
    /// The format of the answer's text.
    #[serde(default, skip_serializing_if = "OutputFormat::is_text")]
    pub output: OutputFormat,
    /// The maximum number of tokens in the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u64>,
    /// The sampling temperature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Texts that end the answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop_sequences: Vec<String>,
    /// The delivery of the answer.
    #[serde(default)]
    pub delivery: Delivery,
    /// Additional fields of the provider's body by name; they override computed fields.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

impl Request {
    /// Creates a streamed request without tools.
    pub fn new(model: impl Into<String>, messages: impl Into<History>) -> Self {
        Self {
            model: model.into(),
            system: None,
            messages: messages.into(),
            tools: Vec::new(),
            hosted_tools: Vec::new(),
            tool_fields: BTreeMap::new(),
            tool_choice: ToolChoice::Auto,
            parallel_calls: ParallelCalls::ProviderDefault,
            output: OutputFormat::Text,
            max_output_tokens: None,
            temperature: None,
            stop_sequences: Vec::new(),
            delivery: Delivery::Stream,
            extra: Map::new(),
        }
    }

    /// Sets the system prompt.
    pub fn with_system(mut self, system: impl Into<String>) -> Self {
        self.system = Some(system.into());
        self
    }

    /// Sets the offered tools.
    pub fn with_tools(mut self, tools: Vec<ToolSpec>) -> Self {
        self.tools = tools;
        self
    }

    /// Sets the tools that the provider runs.
    pub fn with_hosted_tools(mut self, tools: Vec<Unknown>) -> Self {
        self.hosted_tools = tools;
        self
    }

    /// Sets the format of the answer's text.
    pub fn with_output(mut self, output: OutputFormat) -> Self {
        self.output = output;
        self
    }

    /// Sets the maximum number of tokens in the answer.
    pub fn with_max_output_tokens(mut self, tokens: u64) -> Self {
        self.max_output_tokens = Some(tokens);
        self
    }

    /// Sets the delivery of the answer.
    pub fn with_delivery(mut self, delivery: Delivery) -> Self {
        self.delivery = delivery;
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
}
