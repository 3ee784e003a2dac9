//! The JSON of a request. The order of the struct fields is the order in the body (RULES N6).

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

#[derive(Debug, Serialize)]
pub(crate) struct WireMessage<'a> {
    pub(crate) role: &'static str,
    pub(crate) content: Vec<WireBlock<'a>>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum WireBlock<'a> {
    Known {
        #[serde(flatten)]
        block: KnownBlock<'a>,
        /// Fields of the block that this crate does not interpret.
        #[serde(flatten)]
        more: Option<&'a Map<String, Value>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<Ephemeral>,
    },
    /// A block that this API sent, returned unchanged.
    Raw(&'a Value),
    /// A change of the offered tools.
    ToolChange(ToolChange<'a>),
}

/// A change of the offered tools, inside a message of the role `system`.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum ToolChange<'a> {
    ToolAddition { tool: ChangedTool<'a> },
    ToolRemoval { tool: ChangedTool<'a> },
}

/// The tool of a change.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum ChangedTool<'a> {
    /// A tool that the request or an earlier change defines.
    ToolReference {
        name: &'a str,
    },
    ToolDefinition {
        definition: WireTool<'a>,
    },
}

/// A cache marker: the end of a prefix that the provider caches for its default of five minutes.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(tag = "type", rename = "ephemeral")]
pub(crate) struct Ephemeral {}

impl<'a> WireBlock<'a> {
    pub(crate) fn from_known(block: KnownBlock<'a>) -> Self {
        Self::Known { block, more: None, cache_control: None }
    }

    /// Sets the cache marker on this block. A raw block stays unchanged.
    pub(crate) fn mark(&mut self, marker: Ephemeral) {
        if let Self::Known { cache_control, .. } = self {
            *cache_control = Some(marker);
        }
    }
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum KnownBlock<'a> {
    Text {
        text: Cow<'a, str>,
    },
    Image {
        source: WireSource<'a>,
    },
    Document {
        source: WireSource<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        title: Option<&'a str>,
    },
    Thinking {
        thinking: &'a str,
        signature: &'a str,
    },
    RedactedThinking {
        data: &'a str,
    },
    ToolUse {
        id: Cow<'a, str>,
        name: Cow<'a, str>,
        input: Cow<'a, RawValue>,
        #[serde(skip_serializing_if = "Option::is_none")]
        caller: Option<&'a Value>,
    },
    ToolResult {
        tool_use_id: Cow<'a, str>,
        content: WireResult<'a>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum WireResult<'a> {
    Text(String),
    Blocks(Vec<ResultBlock<'a>>),
    /// A content list that a client wrote, sent unchanged.
    Raw(&'a Value),
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum ResultBlock<'a> {
    Text { text: String },
    Image { source: WireSource<'a> },
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum WireSource<'a> {
    Base64 { media_type: &'a str, data: &'a str },
    Url { url: &'a str },
    Text { media_type: &'static str, data: String },
    File { file_id: &'a str },
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum WireTool<'a> {
    Own(OwnTool<'a>),
    /// The definition of a tool that the provider runs.
    Hosted(Cow<'a, Value>),
}

#[derive(Debug, Serialize)]
pub(crate) struct OwnTool<'a> {
    pub(crate) name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(crate) description: &'a str,
    pub(crate) input_schema: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) strict: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) eager_input_streaming: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) defer_loading: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) allowed_callers: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cache_control: Option<Ephemeral>,
    #[serde(flatten)]
    pub(crate) more: Option<&'a Map<String, Value>>,
}

/// The `output_config` field: the format of the answer beside the request's own fields.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct WireOutput<'a> {
    #[serde(flatten)]
    pub(crate) more: Option<&'a Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) effort: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) format: Option<WireFormat<'a>>,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum WireThinking {
    Adaptive,
    Enabled { budget_tokens: u64 },
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct WireFormat<'a> {
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    pub(crate) schema: &'a RawValue,
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct WireChoice<'a> {
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) disable_parallel_tool_use: Option<bool>,
}

/// The value of one field in the body.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Field<'a> {
    Text(&'a str),
    Flag(bool),
    Count(u64),
    Float(f64),
    Texts(&'a [String]),
    Labels(&'a BTreeMap<String, String>),
    Thinking(WireThinking),
    Choice(WireChoice<'a>),
    Marker(Ephemeral),
    Output(WireOutput<'a>),
    Tools(Vec<WireTool<'a>>),
    /// The remote MCP servers, with their tokens.
    Servers(Vec<Value>),
    System(Vec<WireBlock<'a>>),
    /// The empty list in the place of the conversation; `RequestBody` inserts the messages.
    Messages([(); 0]),
    Extra(&'a Value),
}
