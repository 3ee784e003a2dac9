//! The span of a request to the model.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tracing::Span;
use windlass_protocol::{StopReason, ToolProtocol, Usage};

use crate::calls::{TrackedCall, cut};
use crate::spans::record_answer_usage;
use crate::{Content, Conventions, SpanOptions, shapes, words};

/// A pending answer of the model.
#[derive(Debug)]
pub(crate) struct Chat {
    pub(crate) span: Span,
    /// True if the request asks for a summary of the conversation.
    pub(crate) is_summary: bool,
    protocol: Option<ToolProtocol>,
    begun: Instant,
    /// Time to the first chunk of the attempt that succeeded.
    first: Option<Duration>,
    attempts: u32,
    /// The text of the answer, if content is kept.
    said: String,
    called: Vec<Value>,
}

impl Chat {
    /// Opens the span. `turn` is the number of the turn, or `None` for a summary.
    pub(crate) fn begin(run: &Span, options: &SpanOptions, turn: Option<u32>) -> Self {
        Self {
            span: shapes::chat(run, options, turn),
            is_summary: turn.is_none(),
            protocol: None,
            begun: now(),
            first: None,
            attempts: 1,
            said: String::new(),
            called: Vec::new(),
        }
    }

    /// Records the time of the first chunk.
    pub(crate) fn is_heard(&mut self) {
        self.first.get_or_insert_with(|| self.begun.elapsed());
    }

    /// Sets the tool protocol. It can change after a refusal; the last value is recorded.
    pub(crate) fn set_protocol(&mut self, protocol: ToolProtocol) {
        self.protocol = Some(protocol);
    }

    pub(crate) fn add_text(&mut self, text: &str, options: &SpanOptions) {
        self.is_heard();
        if options.content == Content::Kept && cut(&self.said).len() == self.said.len() {
            self.said.push_str(text);
        }
    }

    pub(crate) fn calls(&mut self, call: &TrackedCall) {
        if let Some(arguments) = &call.arguments {
            let part = json!({"type": "tool_call", "id": call.id, "name": call.name, "arguments": arguments});
            self.called.push(part);
        }
    }

    /// Discards the current attempt, whose output is void.
    pub(crate) fn begins_again(&mut self, delay_ms: u64) {
        self.attempts = self.attempts.saturating_add(1);
        self.first = None;
        self.said.clear();
        self.called.clear();
        shapes::attempt_discarded(&self.span, delay_ms);
    }

    /// Closes the span of a summary.
    pub(crate) fn sums_up(self, usage: &Usage, conventions: Conventions) {
        record_answer_usage(&self.span, usage, conventions);
    }

    pub(crate) fn end(self, stop: Option<&StopReason>, usage: &Usage, options: &SpanOptions) {
        let span = &self.span;
        let reason = stop.map(|stop| options.redactor.redact(words::finish_reason(stop)).into_owned());
        if let Some(reason) = &reason {
            span.record("gen_ai.response.finish_reasons", json!([reason]).to_string());
        }
        record_answer_usage(span, usage, options.conventions);
        if let Some(first) = self.first {
            span.record("gen_ai.response.time_to_first_chunk", first.as_secs_f64());
        }
        span.record("windlass.attempts", self.attempts);
        if let Some(protocol) = self.protocol {
            span.record("windlass.protocol", words::protocol(protocol));
        }
        if options.content == Content::Kept {
            let said = options.redactor.redact(&self.said);
            let words = (!said.is_empty()).then(|| json!({"type": "text", "content": cut(&said)}));
            let parts: Vec<Value> = words.into_iter().chain(self.called).collect();
            let mut message = json!({"role": "assistant", "parts": parts});
            if options.conventions == Conventions::V1_41 {
                // Deprecated in the newest conventions: the span has the reason.
                message["finish_reason"] = json!(reason);
            }
            let messages = json!([message]);
            span.record("gen_ai.output.messages", messages.to_string());
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "people look in a trace for the time until a model begins")]
fn now() -> Instant {
    Instant::now()
}
