//! The JSON of stream events, items and responses.

use serde::Deserialize;
use serde_json::value::RawValue;
use windlass_wire::LenientStr;

use crate::usage::WireUsage;

/// Any stream event. Its `type` decides which of the fields are set.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Event<'a> {
    #[serde(borrow, rename = "type")]
    pub(crate) kind: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) item_id: LenientStr<'a>,
    pub(crate) output_index: Option<u64>,
    pub(crate) content_index: Option<u64>,
    pub(crate) summary_index: Option<u64>,
    #[serde(borrow)]
    pub(crate) delta: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) text: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) refusal: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) input: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) annotation: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) part: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) item: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) response: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) error: Option<&'a RawValue>,
}

/// A response, at its beginning, at its end, or whole.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Response<'a> {
    #[serde(borrow)]
    object: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) status: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) output: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    pub(crate) error: Option<&'a RawValue>,
    #[serde(borrow)]
    incomplete_details: Option<&'a RawValue>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct IncompleteDetails {
    reason: Option<String>,
}

/// The fields of all item types that this crate reads.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Item<'a> {
    #[serde(borrow, rename = "type")]
    pub(crate) kind: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) id: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) call_id: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) name: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) status: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) phase: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) input: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) server_label: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) namespace: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) caller: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) content: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) summary: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) action: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) operation: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) environment: Option<&'a RawValue>,
}

/// A part of an item's content or summary.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ContentPart<'a> {
    #[serde(borrow, rename = "type")]
    pub(crate) kind: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) text: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) refusal: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) annotations: Option<Vec<&'a RawValue>>,
}

impl Response<'_> {
    /// Returns true if this is a response, or a compaction, which has the same members. Older servers omit `object`, but every
    /// server sends `output`.
    pub(crate) fn is_response(&self) -> bool {
        matches!(&*self.object.0, "response" | "response.compaction")
            || (self.object.0.is_empty() && self.output.is_some())
    }

    /// Returns the provider's reason for an incomplete response, or an empty string.
    pub(crate) fn incomplete_reason(&self) -> String {
        let details = self.incomplete_details.and_then(read::<IncompleteDetails>);
        details.and_then(|details| details.reason).unwrap_or_default()
    }

    pub(crate) fn usage(&self) -> Option<WireUsage> {
        self.usage.and_then(read)
    }
}

impl Item<'_> {
    /// Returns the id that ties a call to its result: `call_id`, or `id` from servers that omit the former.
    pub(crate) fn call_id(&self) -> Option<String> {
        let id = if self.call_id.0.is_empty() { &self.id.0 } else { &self.call_id.0 };
        (!id.is_empty()).then(|| id.to_string())
    }

    /// Returns true if the item's status marks it as cut (RULES S10).
    pub(crate) fn is_cut(&self) -> bool {
        matches!(self.status.0.as_ref(), "incomplete" | "failed" | "cancelled")
    }
}

/// Parses a raw value. Returns `None` if it does not have the type `T`.
pub(crate) fn read<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Option<T> {
    serde_json::from_str(raw.get()).ok()
}

/// Returns arguments as text: the content of a string, or the JSON of any other value (RULES S6).
pub(crate) fn argument_text(raw: Option<&RawValue>) -> String {
    match raw.map(RawValue::get) {
        None | Some("null") => String::new(),
        Some(text) if text.starts_with('"') => serde_json::from_str(text).unwrap_or_default(),
        Some(text) => text.to_owned(),
    }
}
