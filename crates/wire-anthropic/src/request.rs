//! The request as this format writes it. The order of the fields is the order of the bytes (RULES N6).

use std::borrow::Cow;

use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

#[derive(Debug, Serialize)]
pub(crate) struct WireMessage<'a> {
    pub(crate) role: &'static str,
    pub(crate) content: Vec<WireBlock<'a>>,
}

#[derive(Debug)]
pub(crate) enum WireBlock<'a> {
    Known(KnownBlock<'a>),
    /// A block that came from this API and goes back unchanged.
    Raw(&'a Value),
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum KnownBlock<'a> {
    Text {
        text: &'a str,
    },
    Image {
        source: WireSource<'a>,
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
        input: &'a RawValue,
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
}

#[derive(Debug, Serialize)]
pub(crate) struct WireTool<'a> {
    pub(crate) name: &'a str,
    pub(crate) description: &'a str,
    pub(crate) input_schema: &'a RawValue,
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

/// One field's value in the body.
#[derive(Debug)]
pub(crate) enum Field<'a> {
    Text(&'a str),
    Flag(bool),
    Count(u64),
    Float(f64),
    Texts(&'a [String]),
    Choice(WireChoice<'a>),
    Tools(Vec<WireTool<'a>>),
    Messages(Vec<WireMessage<'a>>),
    Extra(&'a Value),
}

impl Serialize for WireBlock<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Known(block) => block.serialize(serializer),
            Self::Raw(value) => value.serialize(serializer),
        }
    }
}

impl Serialize for Field<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => text.serialize(serializer),
            Self::Flag(flag) => flag.serialize(serializer),
            Self::Count(count) => count.serialize(serializer),
            Self::Float(float) => float.serialize(serializer),
            Self::Texts(texts) => texts.serialize(serializer),
            Self::Choice(choice) => choice.serialize(serializer),
            Self::Tools(tools) => tools.serialize(serializer),
            Self::Messages(messages) => messages.serialize(serializer),
            Self::Extra(value) => value.serialize(serializer),
        }
    }
}
