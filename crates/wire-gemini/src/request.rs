//! The JSON of a request. The order of the struct fields is the order in the body (RULES N6).

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// Fields that this crate does not interpret, sent unchanged, by name.
pub(crate) type Rest<'a> = BTreeMap<&'a str, &'a Value>;

#[derive(Debug, Serialize)]
pub(crate) struct WireContent<'a> {
    pub(crate) role: &'static str,
    pub(crate) parts: Vec<WirePart<'a>>,
}

#[derive(Debug)]
pub(crate) enum WirePart<'a> {
    Known(KnownPart<'a>),
    /// A part that this API sent, returned unchanged.
    Raw(&'a Value),
}

/// A part: its kind, and the fields that all kinds can have.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KnownPart<'a> {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) thought: bool,
    #[serde(flatten)]
    pub(crate) kind: PartKind<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) thought_signature: Option<&'a str>,
    #[serde(flatten)]
    pub(crate) rest: Rest<'a>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum PartKind<'a> {
    Text(Cow<'a, str>),
    InlineData(WireBlob<'a>),
    FileData(WireFile<'a>),
    FunctionCall(WireCall<'a>),
    FunctionResponse(WireResult<'a>),
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WireBlob<'a> {
    pub(crate) mime_type: &'a str,
    pub(crate) data: &'a str,
    #[serde(flatten)]
    pub(crate) rest: Rest<'a>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WireFile<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(crate) mime_type: &'a str,
    pub(crate) file_uri: &'a str,
    #[serde(flatten)]
    pub(crate) rest: Rest<'a>,
}

#[derive(Debug, Serialize)]
pub(crate) struct WireCall<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<&'a str>,
    pub(crate) name: Cow<'a, str>,
    pub(crate) args: Cow<'a, RawValue>,
}

#[derive(Debug, Serialize)]
pub(crate) struct WireResult<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<&'a str>,
    pub(crate) name: Cow<'a, str>,
    pub(crate) response: WireResponse<'a>,
    /// The images of the result.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) parts: Vec<WireResultPart<'a>>,
    #[serde(flatten)]
    pub(crate) rest: Rest<'a>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum WireResultPart<'a> {
    InlineData(WireBlob<'a>),
}

/// The return value of a function: an object, or one of the two fields that the API defines.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum WireResponse<'a> {
    Object(&'a Value),
    Value { output: &'a Value },
    Output { output: String },
    Error { error: String },
}

#[derive(Debug, Serialize)]
pub(crate) struct WireSystem<'a> {
    pub(crate) parts: [WireText<'a>; 1],
}

#[derive(Debug, Serialize)]
pub(crate) struct WireText<'a> {
    pub(crate) text: &'a str,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum WireTool<'a> {
    #[serde(rename_all = "camelCase")]
    Functions {
        #[serde(rename = "functionDeclarations")]
        declarations: Vec<WireFunction<'a>>,
    },
    /// The definition of a tool that the provider runs.
    Hosted(Cow<'a, Value>),
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WireFunction<'a> {
    pub(crate) name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(crate) description: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) parameters: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) parameters_json_schema: Option<&'a RawValue>,
    #[serde(flatten)]
    pub(crate) rest: Rest<'a>,
}

/// The value of one field in the body.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Field<'a> {
    Word(&'static str),
    Text(&'a str),
    Flag(bool),
    Raw(&'a RawValue),
    Count(u64),
    Float(f64),
    Texts(&'a [String]),
    Names([&'a str; 1]),
    System(WireSystem<'a>),
    Tools(Vec<WireTool<'a>>),
    Object(#[serde(serialize_with = "serialize_fields")] Fields<'a>),
    /// The empty list in the place of the conversation; `RequestBody` inserts the contents.
    Contents([(); 0]),
    Extra(&'a Value),
}

/// Fields in the order in which they are serialized.
pub(crate) type Fields<'a> = Vec<(&'a str, Field<'a>)>;

/// The body's fields.
pub(crate) struct Body<'a>(pub(crate) Fields<'a>);

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_fields(&self.0, serializer)
    }
}

impl Serialize for WirePart<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Known(part) => part.serialize(serializer),
            Self::Raw(value) => value.serialize(serializer),
        }
    }
}

/// Writes fields as an object in their order.
fn serialize_fields<S: Serializer>(fields: &[(&str, Field<'_>)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(fields.iter().map(|(name, value)| (name, value)))
}
