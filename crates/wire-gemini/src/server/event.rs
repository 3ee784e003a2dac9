//! The JSON of one event of an encoded answer.

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use windlass_protocol::{StopReason, Usage};
use windlass_wire::ResponseHead;

use crate::stop::stop_reason;

/// The content of one event.
#[derive(Debug, Default)]
pub(crate) struct Event<'a> {
    pub(crate) candidate: Option<Candidate<'a>>,
    pub(crate) usage: Option<UsageMetadata>,
    /// Fields other than `candidates`: an error, or feedback on the prompt.
    pub(crate) beside: Map<String, Value>,
}

/// The fields of the only candidate that an event has.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Candidate<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Content<'a>>,
    #[serde(flatten)]
    fields: Map<String, Value>,
    index: u8,
}

#[derive(Debug, Serialize)]
struct Content<'a> {
    parts: [Part<'a>; 1],
    role: &'static str,
}

/// A part of the answer.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Part<'a> {
    Words {
        text: &'a str,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        thought: bool,
        #[serde(rename = "thoughtSignature", skip_serializing_if = "Option::is_none")]
        signature: Option<&'a str>,
    },
    Call {
        #[serde(rename = "functionCall")]
        call: CallPart<'a>,
        #[serde(rename = "thoughtSignature", skip_serializing_if = "Option::is_none")]
        signature: Option<&'a str>,
    },
    Raw(&'a Value),
}

#[derive(Debug, Serialize)]
pub(crate) struct CallPart<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<&'a str>,
    pub(crate) name: &'a str,
    pub(crate) args: &'a RawValue,
}

/// An event with the fields that every event repeats: the model and the response id.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NamedEvent<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    candidates: Option<[Candidate<'a>; 1]>,
    #[serde(flatten)]
    beside: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage_metadata: Option<UsageMetadata>,
    model_version: &'a str,
    response_id: &'a str,
}

/// Token counts as this format has them.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct UsageMetadata {
    #[serde(rename = "promptTokenCount")]
    prompt: u64,
    #[serde(rename = "candidatesTokenCount")]
    candidates: u64,
    #[serde(rename = "totalTokenCount")]
    total: u64,
    #[serde(rename = "cachedContentTokenCount", skip_serializing_if = "is_zero")]
    cached: u64,
    #[serde(rename = "thoughtsTokenCount", skip_serializing_if = "is_zero")]
    thoughts: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl<'a> Event<'a> {
    pub(crate) fn candidate(candidate: Candidate<'a>) -> Self {
        Self { candidate: Some(candidate), ..Self::default() }
    }

    pub(crate) fn fields(beside: Map<String, Value>) -> Self {
        Self { beside, ..Self::default() }
    }

    pub(crate) fn name_event(self, reply: &'a ResponseHead) -> NamedEvent<'a> {
        NamedEvent {
            candidates: self.candidate.map(|candidate| [candidate]),
            beside: self.beside,
            usage_metadata: self.usage,
            model_version: &reply.model,
            response_id: &reply.id,
        }
    }
}

impl<'a> Candidate<'a> {
    pub(crate) fn part(part: Part<'a>) -> Self {
        Self { content: Some(Content { parts: [part], role: "model" }), ..Self::default() }
    }

    /// Returns a candidate without text of its own. Google's libraries take a candidate without parts for an
    /// invalid one and drop the turn from their history, so the candidate has an empty text.
    pub(crate) fn fields(fields: Map<String, Value>) -> Self {
        Self { fields, ..Self::part(Part::Words { text: "", thought: false, signature: None }) }
    }

    /// Splits the candidate into its part and its other fields.
    pub(crate) fn into_halves(self) -> (Option<Part<'a>>, Map<String, Value>) {
        let part = self.content.map(|content| {
            let [part] = content.parts;
            part
        });
        (part, self.fields)
    }
}

/// Converts the usage. In this format the reasoning tokens are not part of the candidates' tokens.
pub(crate) fn usage_metadata(usage: Usage) -> UsageMetadata {
    UsageMetadata {
        prompt: usage.input_tokens,
        candidates: usage.output_tokens.saturating_sub(usage.reasoning_tokens),
        total: usage.total(),
        cached: usage.cache_read_tokens,
        thoughts: usage.reasoning_tokens,
    }
}

/// Returns the finish reason of this format: the API's own word, if `raw` is one. An answer with a dropped
/// call ends as malformed.
pub(crate) fn finish_word<'a>(reason: &StopReason, raw: &'a str, broken: bool) -> &'a str {
    let is_own = !raw.is_empty() && raw.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    if is_own && stop_reason(raw) == *reason {
        return raw;
    }
    match reason {
        StopReason::Length | StopReason::ContextWindow => "MAX_TOKENS",
        StopReason::ContentFilter | StopReason::Refusal => "SAFETY",
        StopReason::Error => "OTHER",
        _ if broken => "MALFORMED_FUNCTION_CALL",
        _ => "STOP",
    }
}
