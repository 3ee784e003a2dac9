//! The JSON of a request. The order of the struct fields is the order in the body (RULES N6).

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

#[derive(Debug, Default, Serialize)]
pub(crate) struct WireMessage<'a> {
    pub(crate) role: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tool_call_id: Option<Cow<'a, str>>,
    pub(crate) content: Option<WireContent<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) refusal: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reasoning_content: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reasoning: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) reasoning_details: Vec<&'a Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) tool_calls: Vec<WireCall<'a>>,
    /// Fields of the message that this crate does not interpret.
    #[serde(flatten)]
    pub(crate) more: Option<&'a Map<String, Value>>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum WireContent<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<WirePart<'a>>),
    /// A content list that a client wrote, sent unchanged.
    Raw(&'a Value),
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum WirePart<'a> {
    Known {
        #[serde(flatten)]
        part: KnownPart<'a>,
        #[serde(flatten)]
        more: Option<&'a Map<String, Value>>,
    },
    /// A part of unknown type, sent unchanged.
    Raw(&'a Value),
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum KnownPart<'a> {
    Text { text: Cow<'a, str> },
    ImageUrl { image_url: WireImage<'a> },
    File { file: WireFile<'a> },
    InputAudio { input_audio: WireAudio<'a> },
    Thinking { thinking: [WireThought<'a>; 1] },
}

#[derive(Debug, Serialize)]
pub(crate) struct WireImage<'a> {
    pub(crate) url: Cow<'a, str>,
    #[serde(flatten)]
    pub(crate) more: Option<&'a Map<String, Value>>,
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct WireFile<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) filename: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) file_data: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) file_id: Option<&'a str>,
    #[serde(flatten)]
    pub(crate) more: Option<&'a Map<String, Value>>,
}

#[derive(Debug, Serialize)]
pub(crate) struct WireAudio<'a> {
    pub(crate) data: &'a str,
    pub(crate) format: &'static str,
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename = "text")]
pub(crate) struct WireThought<'a> {
    pub(crate) text: &'a str,
}

#[derive(Debug, Serialize)]
pub(crate) struct WireCall<'a> {
    pub(crate) id: Cow<'a, str>,
    #[serde(flatten)]
    pub(crate) body: WireCallBody<'a>,
    #[serde(flatten)]
    pub(crate) more: Option<&'a Map<String, Value>>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum WireCallBody<'a> {
    Function { function: WireFunction<'a> },
    Custom { custom: WireCustom<'a> },
}

#[derive(Debug, Serialize)]
pub(crate) struct WireFunction<'a> {
    pub(crate) name: Cow<'a, str>,
    pub(crate) arguments: Cow<'a, str>,
    #[serde(flatten)]
    pub(crate) more: Option<&'a Map<String, Value>>,
}

#[derive(Debug, Serialize)]
pub(crate) struct WireCustom<'a> {
    pub(crate) name: Cow<'a, str>,
    pub(crate) input: &'a str,
    #[serde(flatten)]
    pub(crate) more: Option<&'a Map<String, Value>>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum WireTool<'a> {
    Own {
        #[serde(rename = "type")]
        kind: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        function: Option<WireFunctionSpec<'a>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        custom: Option<WireCustomSpec<'a>>,
        #[serde(flatten)]
        more: Option<&'a Map<String, Value>>,
    },
    /// The definition of a tool that the server runs, sent unchanged.
    Hosted(&'a Value),
}

#[derive(Debug, Serialize)]
pub(crate) struct WireFunctionSpec<'a> {
    pub(crate) name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(crate) description: &'a str,
    /// Absent for a function without parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) parameters: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) strict: Option<bool>,
    #[serde(flatten)]
    pub(crate) more: Option<&'a Map<String, Value>>,
}

#[derive(Debug, Serialize)]
pub(crate) struct WireCustomSpec<'a> {
    pub(crate) name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(crate) description: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) format: Option<WireFormat<'a>>,
    #[serde(flatten)]
    pub(crate) more: Option<&'a Map<String, Value>>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename = "grammar")]
pub(crate) struct WireFormat<'a> {
    pub(crate) grammar: WireGrammar<'a>,
}

#[derive(Debug, Serialize)]
pub(crate) struct WireGrammar<'a> {
    pub(crate) syntax: &'static str,
    pub(crate) definition: &'a str,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum WireChoice<'a> {
    Word(&'static str),
    Named(WireNamed<'a>),
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum WireNamed<'a> {
    Function { function: WireName<'a> },
    Custom { custom: WireName<'a> },
}

#[derive(Debug, Serialize)]
pub(crate) struct WireName<'a> {
    pub(crate) name: &'a str,
}

#[derive(Debug, Serialize)]
pub(crate) struct WireStreamOptions {
    pub(crate) include_usage: bool,
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum WireOutput<'a> {
    JsonObject,
    JsonSchema { json_schema: WireSchema<'a> },
}

#[derive(Debug, Serialize)]
pub(crate) struct WireSchema<'a> {
    pub(crate) name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<&'a str>,
    pub(crate) schema: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) strict: Option<bool>,
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
    Choice(WireChoice<'a>),
    StreamOptions(WireStreamOptions),
    Output(WireOutput<'a>),
    Tools(Vec<WireTool<'a>>),
    Messages(Vec<WireMessage<'a>>),
    Search(Value),
    Extra(&'a Value),
}
