//! What has to be lent out of a request's text: schemas keep the order of their keys, arguments their very words.

use serde::Deserialize;
use serde_json::value::RawValue;

/// The places of a request that are lent.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawRequest<'a> {
    #[serde(borrow)]
    pub(crate) tools: Option<Vec<RawTool<'a>>>,
    #[serde(borrow, rename = "generationConfig", alias = "generation_config")]
    pub(crate) config: Option<RawConfig<'a>>,
    #[serde(borrow)]
    pub(crate) contents: Option<Vec<RawContent<'a>>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawTool<'a> {
    #[serde(borrow, rename = "functionDeclarations", alias = "function_declarations")]
    pub(crate) functions: Option<Vec<RawFunction<'a>>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawFunction<'a> {
    #[serde(borrow)]
    pub(crate) parameters: Option<&'a RawValue>,
    #[serde(borrow, rename = "parametersJsonSchema", alias = "parameters_json_schema")]
    pub(crate) json_schema: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawConfig<'a> {
    #[serde(borrow, rename = "responseSchema", alias = "response_schema")]
    pub(crate) schema: Option<&'a RawValue>,
    #[serde(
        borrow,
        rename = "responseJsonSchema",
        alias = "response_json_schema",
        alias = "_responseJsonSchema"
    )]
    pub(crate) json_schema: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawContent<'a> {
    #[serde(borrow)]
    pub(crate) parts: Option<Vec<RawPart<'a>>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawPart<'a> {
    #[serde(borrow, rename = "functionCall", alias = "function_call")]
    pub(crate) call: Option<RawCall<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawCall<'a> {
    #[serde(borrow)]
    pub(crate) args: Option<&'a RawValue>,
}
