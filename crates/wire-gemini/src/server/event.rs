//! One event of an answer, as this format writes it.

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use windlass_protocol::{StopReason, Usage};
use windlass_wire::Reply;

use crate::stop::stop_reason;

/// A piece of an answer.
#[derive(Debug, Default)]
pub(crate) struct Event<'a> {
    pub(crate) candidate: Option<Candidate<'a>>,
    pub(crate) usage: Option<UsageMetadata>,
    /// What stands beside candidates: an error, what became of the prompt.
    pub(crate) beside: Map<String, Value>,
}

/// The one candidate, or what is said of it in this event.
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

/// An event with what every event says of the answer.
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

/// Tokens as this format counts them.
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

    pub(crate) fn of(self, reply: &'a Reply) -> NamedEvent<'a> {
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

    pub(crate) fn fields(fields: Map<String, Value>) -> Self {
        Self { fields, ..Self::default() }
    }

    /// The part of the candidate, and what else is said of it.
    pub(crate) fn into_halves(self) -> (Option<Part<'a>>, Map<String, Value>) {
        let part = self.content.map(|content| {
            let [part] = content.parts;
            part
        });
        (part, self.fields)
    }
}

/// Thoughts are counted beside the answer here.
pub(crate) fn usage_metadata(usage: Usage) -> UsageMetadata {
    UsageMetadata {
        prompt: usage.input_tokens,
        candidates: usage.output_tokens.saturating_sub(usage.reasoning_tokens),
        total: usage.total(),
        cached: usage.cache_read_tokens,
        thoughts: usage.reasoning_tokens,
    }
}

/// The API's word for why the model stopped: its own, if it came from there. An answer that holds less than the
/// model wrote does not end well.
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
