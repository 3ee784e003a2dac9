//! Constructors of the spans, with all their attributes; some are filled in later.
//!
//! Names follow OpenTelemetry's GenAI conventions 1.41 (`docs/gen-ai/gen-ai-spans.md` and
//! `gen-ai-agent-spans.md`), or the newest ones of the repository `semantic-conventions-genai`. Before 1.37,
//! `gen_ai.provider.name` was `gen_ai.system`, and content was in events; this crate supports neither. A
//! field that stays empty does not become an attribute.

use tracing::field::Empty;
use tracing::{Span, info, info_span};

use crate::calls::{TrackedCall, count};
use crate::{Conventions, SpanOptions};

/// Opens the span of a run, inside the caller's current span.
pub(crate) fn invoke_agent(options: &SpanOptions) -> Span {
    let agent = options.redactor.redact(&options.agent);
    info_span!(
        "invoke_agent",
        otel.name = format!("invoke_agent {agent}"),
        otel.kind = "internal",
        otel.status_code = Empty,
        gen_ai.operation.name = "invoke_agent",
        gen_ai.agent.name = &*agent,
        gen_ai.conversation.id = options.conversation,
        gen_ai.provider.name =
            options.provider.as_ref().filter(|_| options.conventions == Conventions::V1_41),
        gen_ai.request.model = options.model,
        gen_ai.usage.input_tokens = Empty,
        gen_ai.usage.output_tokens = Empty,
        gen_ai.usage.cache_read.input_tokens = Empty,
        gen_ai.usage.cache_creation.input_tokens = Empty,
        error.r#type = Empty,
        windlass.outcome = Empty,
        windlass.turns = Empty,
    )
}

/// Opens the span of a request to the model: for the answer of a turn, or for a summary, which has no turn
/// number.
pub(crate) fn chat(run: &Span, options: &SpanOptions, turn: Option<u32>) -> Span {
    let model = options.model.as_deref().unwrap_or_default();
    info_span!(
        parent: run,
        "chat",
        otel.name = format!("chat {model}").trim_end(),
        otel.kind = "client",
        otel.status_code = Empty,
        gen_ai.operation.name = "chat",
        gen_ai.conversation.id = options.conversation,
        gen_ai.provider.name = options.provider,
        gen_ai.request.model = options.model,
        gen_ai.request.stream = true,
        gen_ai.response.finish_reasons = Empty,
        gen_ai.response.time_to_first_chunk = Empty,
        gen_ai.usage.input_tokens = Empty,
        gen_ai.usage.output_tokens = Empty,
        gen_ai.usage.cache_read.input_tokens = Empty,
        gen_ai.usage.cache_creation.input_tokens = Empty,
        gen_ai.usage.cache_write.input_tokens = Empty,
        gen_ai.usage.reasoning.output_tokens = Empty,
        gen_ai.output.messages = Empty,
        error.r#type = Empty,
        windlass.turn = turn,
        windlass.purpose = if turn.is_some() { "turn" } else { "condense" },
        windlass.attempts = Empty,
        windlass.protocol = Empty,
    )
}

/// Opens the span of a running call.
pub(crate) fn execute_tool(run: &Span, options: &SpanOptions, call: &TrackedCall) -> Span {
    info_span!(
        parent: run,
        "execute_tool",
        otel.name = format!("execute_tool {}", call.name),
        otel.kind = "internal",
        otel.status_code = Empty,
        gen_ai.operation.name = "execute_tool",
        gen_ai.conversation.id = options.conversation,
        gen_ai.tool.name = call.name,
        gen_ai.tool.call.id = call.id,
        gen_ai.tool.r#type = call.kind,
        gen_ai.tool.call.arguments = call.arguments,
        gen_ai.tool.call.result = Empty,
        error.r#type = Empty,
        windlass.decision = call.decision.as_ref().map(|decision| decision.verdict),
        windlass.rule_id = call.decision.as_ref().map(|decision| decision.rule_id.as_str()),
        windlass.risk = call.decision.as_ref().map(|decision| decision.risk),
        windlass.arguments.bytes = call.bytes,
        windlass.arguments.sha256 = call.digest,
        windlass.result.bytes = Empty,
        windlass.result.sha256 = Empty,
        windlass.status = Empty,
    )
}

/// Opens the span of a question to a human.
pub(crate) fn approval(run: &Span, options: &SpanOptions, call: &TrackedCall, request_id: &str) -> Span {
    info_span!(
        parent: run,
        "approval",
        otel.name = format!("approval {}", call.name),
        otel.kind = "internal",
        gen_ai.conversation.id = options.conversation,
        gen_ai.tool.name = call.name,
        gen_ai.tool.call.id = call.id,
        windlass.approval.request_id = request_id,
        windlass.approval.outcome = Empty,
        windlass.rule_id = call.decision.as_ref().map(|decision| decision.rule_id.as_str()),
        windlass.risk = call.decision.as_ref().map(|decision| decision.risk),
        windlass.arguments.bytes = call.bytes,
        windlass.arguments.sha256 = call.digest,
    )
}

/// Emits an event for a call that got its result without running.
pub(crate) fn call_not_run(run: &Span, id: &str, call: Option<&TrackedCall>, status: &str) {
    let decision = call.and_then(|call| call.decision.as_ref());
    info!(
        parent: run,
        gen_ai.tool.name = call.map(|call| call.name.as_str()),
        gen_ai.tool.call.id = id,
        windlass.status = status,
        windlass.decision = decision.map(|decision| decision.verdict),
        windlass.rule_id = decision.map(|decision| decision.rule_id.as_str()),
        windlass.risk = decision.map(|decision| decision.risk),
        "call not run"
    );
}

/// Emits an event for an attempt whose output is void.
pub(crate) fn attempt_discarded(chat: &Span, delay_ms: u64) {
    info!(parent: chat, windlass.delay_ms = count(delay_ms), "attempt discarded");
}

/// Emits an event for a compacted conversation, with its size in tokens before and after.
pub(crate) fn context_compacted(run: &Span, before: u64, after: u64) {
    info!(
        parent: run,
        windlass.context.tokens_before = count(before),
        windlass.context.tokens_after = count(after),
        "context compacted"
    );
}
