//! The calls of an answer, with the attributes that their spans need.

use std::fmt::Write;

use sha2::{Digest, Sha256};
use tracing::Span;
use windlass_hitl::Decision;
use windlass_protocol::ToolCall;
use windlass_redact::Redactor;

use crate::{Content, SpanOptions, words};

/// Maximum bytes of one text in a span.
const MAX_CONTENT_BYTES: usize = 64 * 1024;

/// A call with its attribute values, and its span while it runs.
#[derive(Debug)]
pub(crate) struct TrackedCall {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    pub(crate) bytes: i64,
    pub(crate) digest: String,
    /// The arguments, if content is kept.
    pub(crate) arguments: Option<String>,
    pub(crate) decision: Option<PolicyDecision>,
    pub(crate) running: Option<Span>,
}

/// The policy decision on a call.
#[derive(Debug)]
pub(crate) struct PolicyDecision {
    pub(crate) verdict: &'static str,
    pub(crate) rule_id: String,
    pub(crate) risk: &'static str,
}

impl TrackedCall {
    pub(crate) fn from_call(call: &ToolCall, options: &SpanOptions) -> Self {
        let text = MeasuredText::measure(&call.payload.text(), options);
        Self {
            id: options.redactor.redact(call.id.as_str()).into_owned(),
            name: options.redactor.redact(call.name.as_str()).into_owned(),
            kind: words::tool_type(&call.payload),
            bytes: text.bytes,
            digest: text.digest,
            arguments: text.content,
            decision: None,
            running: None,
        }
    }

    /// Stores the policy decision. For a call that started while its answer streamed, the decision arrives
    /// after the span was opened.
    pub(crate) fn decide(&mut self, decision: &Decision, redactor: &Redactor) {
        let decided = PolicyDecision {
            verdict: words::verdict(decision.verdict),
            rule_id: redactor.redact(&decision.reason.rule_id).into_owned(),
            risk: words::risk(decision.risk),
        };
        if let Some(span) = &self.running {
            span.record("windlass.decision", decided.verdict);
            span.record("windlass.rule_id", decided.rule_id.as_str());
            span.record("windlass.risk", decided.risk);
        }
        self.decision = Some(decided);
    }
}

/// The attributes of a redacted text: its length, its digest, and the text itself if content is kept.
pub(crate) struct MeasuredText {
    pub(crate) bytes: i64,
    pub(crate) digest: String,
    pub(crate) content: Option<String>,
}

impl MeasuredText {
    /// Measures a text. Removes secrets before hashing, because a short secret could be recovered from the
    /// digest by brute force.
    pub(crate) fn measure(text: &str, options: &SpanOptions) -> Self {
        let text = options.redactor.redact(text);
        let mut digest = String::with_capacity(64);
        for byte in Sha256::digest(text.as_bytes()) {
            // Writing to a `String` cannot fail.
            let _ = write!(digest, "{byte:02x}");
        }
        let content = (options.content == Content::Kept).then(|| cut(&text).to_owned());
        Self { bytes: count(text.len() as u64), digest, content }
    }
}

/// Cuts a text to the maximum length in a span.
pub(crate) fn cut(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_CONTENT_BYTES)).unwrap_or_default()
}

/// Converts a number to an attribute. Exporters do not support unsigned integers and would write them as
/// text.
pub(crate) fn count(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
