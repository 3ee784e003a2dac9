//! The JSON of a stream event and of a whole body.

use serde::Deserialize;
use serde_json::value::RawValue;
use windlass_wire::LenientStr;

/// A `GenerateContentResponse`, or an error in its place.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Event<'a> {
    #[serde(borrow)]
    pub(crate) candidates: Option<Vec<Candidate<'a>>>,
    #[serde(borrow)]
    pub(crate) prompt_feedback: Option<PromptFeedback<'a>>,
    #[serde(borrow)]
    pub(crate) usage_metadata: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) error: Option<&'a RawValue>,
}

/// The API's verdict on the prompt. It has a block reason if the API refused the prompt.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct PromptFeedback<'a> {
    #[serde(borrow)]
    pub(crate) block_reason: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) block_reason_message: LenientStr<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Candidate<'a> {
    pub(crate) index: Option<u64>,
    #[serde(borrow)]
    pub(crate) content: Option<Content<'a>>,
    #[serde(borrow)]
    pub(crate) finish_reason: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) grounding_metadata: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) citation_metadata: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) url_context_metadata: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Content<'a> {
    #[serde(borrow)]
    pub(crate) parts: Option<Vec<&'a RawValue>>,
}

/// The fields of a part that this crate interprets. A part of another type is kept whole.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Part<'a> {
    #[serde(borrow)]
    pub(crate) text: Option<LenientStr<'a>>,
    pub(crate) thought: Option<bool>,
    #[serde(borrow)]
    pub(crate) thought_signature: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) function_call: Option<FunctionCall<'a>>,
}

/// A call, or with `willContinue` a fragment of one. A fragment without a name continues the last call.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct FunctionCall<'a> {
    #[serde(borrow)]
    pub(crate) id: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) name: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) args: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) partial_args: Option<Vec<PartialArg<'a>>>,
    pub(crate) will_continue: Option<bool>,
}

/// One value of a call's arguments, or a fragment of a string value.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct PartialArg<'a> {
    #[serde(borrow)]
    pub(crate) json_path: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) string_value: Option<LenientStr<'a>>,
    #[serde(borrow)]
    pub(crate) number_value: Option<&'a RawValue>,
    pub(crate) bool_value: Option<bool>,
    pub(crate) will_continue: Option<bool>,
}
