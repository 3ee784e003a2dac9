//! A request to a model.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{History, Opaque, OutputFormat, ParallelCalls, ToolChoice, ToolName, ToolSpec, Unknown};

/// Whether the answer comes as a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "as a stream or as a whole")]
pub enum Delivery {
    /// Piece by piece, as it is made.
    #[default]
    Stream,
    /// In one body at the end.
    Whole,
}

/// All that a model is asked with, for any provider.
///
/// What is not here: keys, addresses, headers. Those are an endpoint's.
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
    /// The conversation so far, oldest first.
    pub messages: History,
    /// The tools on offer, in an order that stays the same from turn to turn (RULES N6).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolSpec>,
    /// Tools that the provider itself runs, as its format writes them. Other formats cannot carry them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosted_tools: Vec<Unknown>,
    /// Fields of the provider that travel with the definition of a tool.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tool_fields: BTreeMap<ToolName, Opaque>,
    /// Whether a tool has to be called.
    #[serde(default)]
    pub tool_choice: ToolChoice,
    /// Whether one answer may hold several calls.
    #[serde(default)]
    pub parallel_calls: ParallelCalls,
    /// The form of the words in the answer.
    #[serde(default, skip_serializing_if = "OutputFormat::is_text")]
    pub output: OutputFormat,
    /// The most tokens that the answer may have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u64>,
    /// The sampling temperature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Texts at which the answer ends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop_sequences: Vec<String>,
    /// Whether the answer comes as a stream.
    #[serde(default)]
    pub delivery: Delivery,
    /// Further fields of the provider's body, by name; they win over what is computed.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

impl Request {
    /// A streamed request without tools.
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

    /// The same request with a system prompt.
    pub fn with_system(mut self, system: impl Into<String>) -> Self {
        self.system = Some(system.into());
        self
    }

    /// The same request with these tools on offer.
    pub fn with_tools(mut self, tools: Vec<ToolSpec>) -> Self {
        self.tools = tools;
        self
    }

    /// The same request with tools that the provider itself runs.
    pub fn with_hosted_tools(mut self, tools: Vec<Unknown>) -> Self {
        self.hosted_tools = tools;
        self
    }

    /// The same request with another form of the answer's words.
    pub fn with_output(mut self, output: OutputFormat) -> Self {
        self.output = output;
        self
    }

    /// The same request with a limit on the answer.
    pub fn with_max_output_tokens(mut self, tokens: u64) -> Self {
        self.max_output_tokens = Some(tokens);
        self
    }

    /// The same request with another delivery.
    pub fn with_delivery(mut self, delivery: Delivery) -> Self {
        self.delivery = delivery;
        self
    }

    /// The same request with another choice of tool.
    pub fn with_tool_choice(mut self, choice: ToolChoice) -> Self {
        self.tool_choice = choice;
        self
    }

    /// The same request with the switch for several calls in one answer.
    pub fn with_parallel_calls(mut self, parallel: ParallelCalls) -> Self {
        self.parallel_calls = parallel;
        self
    }
}
