//! What is known of the calls of an answer.

use std::fmt::Write;

use sha2::{Digest, Sha256};
use tracing::Span;
use windlass_hitl::Decision;
use windlass_protocol::ToolCall;
use windlass_redact::Redactor;

use crate::{Content, SpanOptions, words};

/// The most bytes of one text that a span holds.
const MAX_CONTENT_BYTES: usize = 64 * 1024;

/// A call, in the words of attributes, and its span while it runs.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    pub(crate) bytes: i64,
    pub(crate) digest: String,
    /// Only where content is kept.
    pub(crate) arguments: Option<String>,
    pub(crate) decision: Option<Decided>,
    pub(crate) running: Option<Span>,
}

/// What policy said of it.
#[derive(Debug)]
pub(crate) struct Decided {
    pub(crate) verdict: &'static str,
    pub(crate) rule_id: String,
    pub(crate) risk: &'static str,
}

impl Known {
    pub(crate) fn of(call: &ToolCall, options: &SpanOptions) -> Self {
        let text = Measured::of(&call.payload.text(), options);
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

    /// Policy has decided; of a call that began while its answer streamed this is told later than that it runs.
    pub(crate) fn decide(&mut self, decision: &Decision, redactor: &Redactor) {
        let decided = Decided {
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

/// A text without secrets: how long it is, what tells it from others, and itself where that is wanted.
pub(crate) struct Measured {
    pub(crate) bytes: i64,
    pub(crate) digest: String,
    pub(crate) content: Option<String>,
}

impl Measured {
    /// Secrets go first: the digest of a text with a short one in it would say what it is to whoever tries all.
    pub(crate) fn of(text: &str, options: &SpanOptions) -> Self {
        let text = options.redactor.redact(text);
        let mut digest = String::with_capacity(64);
        for byte in Sha256::digest(text.as_bytes()) {
            // Writing into a string cannot fail.
            let _ = write!(digest, "{byte:02x}");
        }
        let content = (options.content == Content::Kept).then(|| cut(&text).to_owned());
        Self { bytes: count(text.len() as u64), digest, content }
    }
}

/// The head of a text that a span holds.
pub(crate) fn cut(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_CONTENT_BYTES)).unwrap_or_default()
}

/// A number as an attribute has it: exporters know no unsigned ones, and would write them as texts.
pub(crate) fn count(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
