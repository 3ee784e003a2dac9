//! The JSON of stream events, messages and blocks.

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
    pub(crate) index: Option<u64>,
    #[serde(borrow)]
    pub(crate) delta: Option<Delta<'a>>,
    #[serde(borrow)]
    pub(crate) content_block: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) message: Option<&'a RawValue>,
    pub(crate) usage: Option<WireUsage>,
    #[serde(borrow)]
    pub(crate) error: Option<&'a RawValue>,
}

impl Event<'_> {
    /// Returns true if a part of the event is kept as raw JSON and parsed later.
    pub(crate) fn has_raw_parts(&self) -> bool {
        let has_citation = self.delta.as_ref().is_some_and(|delta| delta.citation.is_some());
        self.content_block.is_some() || self.message.is_some() || self.error.is_some() || has_citation
    }
}

/// The content that a delta event adds to a block or to the message.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Delta<'a> {
    #[serde(borrow, rename = "type")]
    pub(crate) kind: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) text: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) partial_json: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) thinking: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) signature: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) citation: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) stop_reason: Option<LenientStr<'a>>,
    #[serde(borrow)]
    pub(crate) container: Option<&'a RawValue>,
}

/// A message, either whole or as it is in `message_start`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct WireMessage<'a> {
    #[serde(borrow, rename = "type")]
    pub(crate) kind: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) content: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    pub(crate) container: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) stop_reason: Option<LenientStr<'a>>,
    pub(crate) usage: Option<WireUsage>,
    #[serde(borrow)]
    pub(crate) error: Option<&'a RawValue>,
}

/// The fields of all block types that this crate reads.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Block<'a> {
    #[serde(borrow, rename = "type")]
    pub(crate) kind: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) id: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) name: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) input: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) text: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) thinking: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) signature: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) data: LenientStr<'a>,
    #[serde(borrow)]
    pub(crate) citations: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) caller: Option<&'a RawValue>,
}
