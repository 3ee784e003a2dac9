//! Requests to a model.

mod preamble;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use self::preamble::EarlierPreamble;
use crate::{
    History, HostedTool, Opaque, OutputFormat, ParallelCalls, RequestOptions, ToolChoice, ToolName, ToolSpec,
};

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
    /// Earlier system prompts and tools of this conversation, oldest first. Empty if they did not change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier_preambles: Vec<EarlierPreamble>,
    /// Fields of the provider that are sent with the definition of a tool.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tool_fields: BTreeMap<ToolName, Opaque>,
    /// The format of the answer's text.
    #[serde(default, skip_serializing_if = "OutputFormat::is_text")]
    pub output: OutputFormat,
    /// The delivery of the answer.
    #[serde(default)]
    pub delivery: Delivery,
    /// The options: hosted tools, sampling, reasoning, limits and fields of the provider. They are serialised as fields of
    /// the request.
    #[serde(flatten)]
    pub options: RequestOptions,
}

impl Request {
    /// Creates a streamed request without tools.
    pub fn new(model: impl Into<String>, messages: impl Into<History>) -> Self {
        Self {
            model: model.into(),
            system: None,
            messages: messages.into(),
            tools: Vec::new(),
            earlier_preambles: Vec::new(),
            tool_fields: BTreeMap::new(),
            output: OutputFormat::Text,
            delivery: Delivery::Stream,
            options: RequestOptions::default(),
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

    /// Iterates over the earlier and the offered tools. A tool can occur several times.
    pub fn all_tools(&self) -> impl Iterator<Item = &ToolSpec> {
        self.earlier_preambles.iter().flat_map(|earlier| &earlier.tools).chain(&self.tools)
    }

    /// Iterates over mutable references to the earlier and the offered tools.
    pub fn all_tools_mut(&mut self) -> impl Iterator<Item = &mut ToolSpec> {
        self.earlier_preambles.iter_mut().flat_map(|earlier| &mut earlier.tools).chain(&mut self.tools)
    }

    /// Sets the tools that the provider runs.
    pub fn with_hosted_tools<T: Into<HostedTool>>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        self.options.hosted_tools = tools.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the format of the answer's text.
    pub fn with_output(mut self, output: OutputFormat) -> Self {
        self.output = output;
        self
    }

    /// Sets the options.
    pub fn with_options(mut self, options: RequestOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets the maximum number of tokens in the answer.
    pub fn with_max_output_tokens(mut self, tokens: u64) -> Self {
        self.options.max_output_tokens = Some(tokens);
        self
    }

    /// Sets the delivery of the answer.
    pub fn with_delivery(mut self, delivery: Delivery) -> Self {
        self.delivery = delivery;
        self
    }

    /// Sets the tool choice.
    pub fn with_tool_choice(mut self, choice: ToolChoice) -> Self {
        self.options.tool_choice = choice;
        self
    }

    /// Sets whether one answer may contain several calls.
    pub fn with_parallel_calls(mut self, parallel: ParallelCalls) -> Self {
        self.options.parallel_calls = parallel;
        self
    }
}
