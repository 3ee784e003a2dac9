//! The JSON of a request. The order of the struct fields is the order in the body (RULES N6).

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// Fields that this crate does not interpret, sent unchanged, by name.
pub(crate) type Rest<'a> = BTreeMap<&'a str, &'a Value>;

/// One item of the input.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum WireItem<'a> {
    Message(WireMessage<'a>),
    Known(KnownItem<'a>),
    /// An item that this API sent, returned unchanged.
    Raw(&'a Value),
    /// An answer to one of the provider's own calls.
    Built(Value),
}

#[derive(Debug, Serialize)]
pub(crate) struct WireMessage<'a> {
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<&'a str>,
    pub(crate) role: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) phase: Option<&'a str>,
    pub(crate) content: WireContent<'a>,
    #[serde(flatten)]
    pub(crate) rest: Rest<'a>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum WireContent<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<WirePart<'a>>),
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum WirePart<'a> {
    Known(KnownPart<'a>),
    /// A part that the caller wrote in this API's own form.
    Raw(&'a Value),
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum KnownPart<'a> {
    InputText {
        text: Cow<'a, str>,
        #[serde(flatten)]
        rest: Rest<'a>,
    },
    InputImage {
        #[serde(skip_serializing_if = "Option::is_none")]
        image_url: Option<Cow<'a, str>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        file_id: Option<&'a str>,
        detail: &'a str,
        #[serde(flatten)]
        rest: Rest<'a>,
    },
    InputFile {
        #[serde(skip_serializing_if = "Option::is_none")]
        filename: Option<Cow<'a, str>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        file_data: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        file_url: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        file_id: Option<&'a str>,
        #[serde(flatten)]
        rest: Rest<'a>,
    },
    OutputText {
        text: &'a str,
        annotations: &'a [Value],
        #[serde(flatten)]
        rest: Rest<'a>,
    },
    Refusal {
        refusal: &'a str,
    },
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum KnownItem<'a> {
    FunctionCall {
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<&'a str>,
        call_id: Cow<'a, str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        namespace: Option<&'a str>,
        name: Cow<'a, str>,
        arguments: Cow<'a, str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        caller: Option<&'a Value>,
        #[serde(flatten)]
        rest: Rest<'a>,
    },
    CustomToolCall {
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<&'a str>,
        call_id: Cow<'a, str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        namespace: Option<&'a str>,
        name: Cow<'a, str>,
        input: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        caller: Option<&'a Value>,
        #[serde(flatten)]
        rest: Rest<'a>,
    },
    FunctionCallOutput {
        call_id: Cow<'a, str>,
        output: WireOutput<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        caller: Option<&'a Value>,
        #[serde(flatten)]
        rest: Rest<'a>,
    },
    CustomToolCallOutput {
        call_id: Cow<'a, str>,
        output: WireOutput<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        caller: Option<&'a Value>,
        #[serde(flatten)]
        rest: Rest<'a>,
    },
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum WireOutput<'a> {
    Text(String),
    Parts(Vec<KnownPart<'a>>),
    /// An output that a client wrote in a form of its own.
    Raw(&'a Value),
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum WireTool<'a> {
    Own(OwnTool<'a>),
    Hosted(Cow<'a, Value>),
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum OwnTool<'a> {
    Function {
        name: &'a str,
        #[serde(skip_serializing_if = "str::is_empty")]
        description: &'a str,
        parameters: &'a RawValue,
        #[serde(skip_serializing_if = "Option::is_none")]
        strict: Option<bool>,
        /// The schema of the results, for programs.
        #[serde(skip_serializing_if = "Option::is_none")]
        output_schema: Option<&'a RawValue>,
        #[serde(flatten)]
        rest: Rest<'a>,
    },
    Custom {
        name: &'a str,
        #[serde(skip_serializing_if = "str::is_empty")]
        description: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        format: Option<WireGrammar<'a>>,
        #[serde(flatten)]
        rest: Rest<'a>,
    },
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename = "grammar")]
pub(crate) struct WireGrammar<'a> {
    pub(crate) syntax: &'static str,
    pub(crate) definition: &'a str,
}

/// The format of the answer.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum WireFormat<'a> {
    JsonObject,
    JsonSchema {
        name: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<&'a str>,
        schema: &'a RawValue,
        #[serde(skip_serializing_if = "Option::is_none")]
        strict: Option<bool>,
    },
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum WireChoice<'a> {
    Word(&'static str),
    Named {
        #[serde(rename = "type")]
        kind: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<&'a str>,
    },
}

/// The value of one field in the body.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Field<'a> {
    Text(&'a str),
    Flag(bool),
    Count(u64),
    Float(f64),
    Include([&'static str; 1]),
    Choice(WireChoice<'a>),
    Format(WireFormat<'a>),
    Object(#[serde(serialize_with = "serialize_fields")] Vec<(&'a str, Self)>),
    Tools(Vec<WireTool<'a>>),
    /// The empty list in the place of the conversation; `RequestBody` inserts the items.
    Input([(); 0]),
    Extra(&'a Value),
}

/// Writes fields as an object in their order.
fn serialize_fields<S: Serializer>(fields: &[(&str, Field<'_>)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(fields.iter().map(|(name, value)| (name, value)))
}
