//! `Spans`, which opens and closes spans for the events of a run.

mod agents;

use std::collections::{BTreeMap, HashMap};

use tracing::subscriber::NoSubscriber;
use tracing::{Span, dispatcher};
use windlass_hitl::{ApprovalOutcome, ApprovalRequest};
use windlass_loop::{Event, Outcome};
use windlass_protocol::{CallId, ResultStatus, StopReason, ToolCall, ToolProtocol, ToolResult, Usage};

use crate::calls::{MeasuredText, TrackedCall, count};
use crate::chat::Chat;
use crate::{Conventions, SpanOptions, shapes, words};

/// The open spans of one run.
///
/// Pass every event of the run to [`see`](Self::see), in order. Dropping the value before `Event::Finished`
/// closes the open spans with the error `dropped`. The subscriber is looked up once, in
/// [`begin`](Self::begin).
///
/// ```
/// use windlass_loop::Event;
/// use windlass_protocol::ToolProtocol;
/// use windlass_telemetry::{SpanOptions, Spans};
///
/// let mut spans = Spans::begin(&SpanOptions::default().with_model("m-1"));
/// spans.see(&Event::TurnStarted { turn: 1, protocol: ToolProtocol::Native });
/// ```
#[derive(Debug)]
pub struct Spans {
    /// `None` without a subscriber, and after the end of the run.
    run: Option<Box<Run>>,
}

#[derive(Debug)]
struct Run {
    options: SpanOptions,
    span: Span,
    chat: Option<Chat>,
    turns: u32,
    calls: HashMap<CallId, TrackedCall>,
    approvals: HashMap<String, Span>,
    /// The runs of sub-agents, by call and path of agent names.
    agents: BTreeMap<(CallId, Vec<String>), Self>,
}

impl Spans {
    /// Opens the span of a run, inside the caller's current span.
    pub fn begin(options: &SpanOptions) -> Self {
        // If only other threads have a subscriber, the span itself does not report that it is disabled here.
        let is_heard = dispatcher::get_default(|dispatch| !dispatch.is::<NoSubscriber>());
        let span = if is_heard { shapes::invoke_agent(options) } else { Span::none() };
        if span.is_disabled() {
            return Self { run: None };
        }
        Self { run: Some(Box::new(Run::new(options.clone(), span))) }
    }

    /// Returns true if a subscriber receives the spans and the run has not ended.
    pub fn is_listening(&self) -> bool {
        self.run.is_some()
    }

    /// Returns the span of the run, for use as a parent; a disabled span without a subscriber.
    pub fn run(&self) -> Span {
        self.run.as_ref().map_or_else(Span::none, |run| run.span.clone())
    }

    /// Updates the spans for an event.
    // Inlined, so that it costs the caller one comparison and not a call without a subscriber.
    #[inline]
    pub fn see(&mut self, event: &Event) {
        if self.run.is_some() {
            self.follow(event);
        }
    }

    fn follow(&mut self, event: &Event) {
        let Some(run) = &mut self.run else { return };
        match event {
            Event::Finished { outcome, total } => {
                run.finish(outcome, total);
                self.run = None;
            }
            event => run.see(event),
        }
    }

    /// Closes all spans with an error, because driving the run failed.
    pub fn broke(&mut self) {
        self.end_as("run_broke");
    }

    fn end_as(&mut self, error: &str) {
        if let Some(mut run) = self.run.take() {
            run.close_agents(Some(error));
            run.close_all(Some(error));
            fail(&run.span, error);
        }
    }
}

impl Drop for Spans {
    fn drop(&mut self) {
        self.end_as("dropped");
    }
}

impl Run {
    fn new(options: SpanOptions, span: Span) -> Self {
        let (calls, approvals, agents) = (HashMap::new(), HashMap::new(), BTreeMap::new());
        Self { options, span, chat: None, turns: 0, calls, approvals, agents }
    }

    fn see(&mut self, event: &Event) {
        match event {
            Event::TurnStarted { turn, protocol } => self.turn(*turn, *protocol),
            Event::ProtocolChanged { protocol, .. } => self.with_chat(|chat, _| chat.set_protocol(*protocol)),
            Event::Text { text } => self.with_chat(|chat, options| chat.add_text(text, options)),
            Event::Reasoning { .. } | Event::CallStarted { .. } => self.with_chat(|chat, _| chat.is_heard()),
            Event::CallFinished { call, .. } => self.start_call(call),
            Event::CallTakenUp { call } => self.know(call),
            Event::AttemptDiscarded { delay_ms, .. } => self.discard(*delay_ms),
            Event::AnswerEnded { stop, usage, .. } => self.end_chat(stop.as_ref(), usage),
            Event::Decided { call, decision } => {
                if let Some(known) = self.calls.get_mut(call) {
                    known.decide(decision, &self.options.redactor);
                }
            }
            Event::ContextCondensing => self.ask(None),
            Event::ContextCompacted { before, after, usage, .. } => {
                self.record_compaction((*before, *after), usage);
            }
            Event::ToolApprovalRequest { request, .. } => self.start_approval(request),
            Event::ApprovalEnded { outcome } => self.end_approval(outcome),
            Event::CallRunning { call } => self.runs(call),
            Event::CallEnded { result } => self.end_call(result),
            Event::AgentEvent { call, agents, happened } => self.update_below(call, agents, happened),
            // The other events, such as deltas and previews, do not affect spans.
            _ => {}
        }
    }

    fn turn(&mut self, turn: u32, protocol: ToolProtocol) {
        // All calls of the previous turn have their results.
        self.close_all(None);
        self.turns = turn;
        self.ask(Some(turn));
        self.with_chat(|chat, _| chat.set_protocol(protocol));
    }

    fn with_chat(&mut self, what: impl FnOnce(&mut Chat, &SpanOptions)) {
        if let Some(chat) = &mut self.chat {
            what(chat, &self.options);
        }
    }

    fn ask(&mut self, turn: Option<u32>) {
        self.chat = Some(Chat::begin(&self.span, &self.options, turn));
    }

    /// Closes the span of the summary request, if one is open: a compaction during a turn makes no request.
    fn record_compaction(&mut self, (before, after): (u64, u64), usage: &Usage) {
        if let Some(chat) = self.chat.take_if(|chat| chat.is_summary) {
            chat.sums_up(usage, self.options.conventions);
        }
        shapes::context_compacted(&self.span, before, after);
    }

    fn start_call(&mut self, call: &ToolCall) {
        self.know(call);
        if let (Some(chat), Some(known)) = (&mut self.chat, self.calls.get(&call.id)) {
            chat.calls(known);
        }
    }

    fn know(&mut self, call: &ToolCall) {
        let known = TrackedCall::from_call(call, &self.options);
        // Two calls of one answer can have the same id: the first keeps it, and the second gets its own
        // events under a new id.
        self.calls.entry(call.id.clone()).or_insert(known);
    }

    /// Discards the attempt and the spans of calls that started while its answer streamed.
    fn discard(&mut self, delay_ms: u64) {
        self.calls.drain().filter_map(|(_, known)| known.running).for_each(|span| {
            fail(&span, "attempt_discarded");
        });
        self.with_chat(|chat, _| chat.begins_again(delay_ms));
    }

    fn end_chat(&mut self, stop: Option<&StopReason>, usage: &Usage) {
        if let Some(chat) = self.chat.take() {
            chat.end(stop, usage, &self.options);
        }
    }

    fn start_approval(&mut self, request: &ApprovalRequest) {
        self.know(&request.call);
        if let Some(known) = self.calls.get(&request.call.id) {
            let id = self.options.redactor.redact(&request.request_id);
            let span = shapes::approval(&self.span, &self.options, known, &id);
            self.approvals.insert(request.request_id.clone(), span);
        }
    }

    fn end_approval(&mut self, outcome: &ApprovalOutcome) {
        let (request_id, word) = words::approval(outcome);
        if let Some(span) = self.approvals.remove(request_id) {
            span.record("windlass.approval.outcome", word);
        }
    }

    /// Opens the span of a call. An unknown call belongs to a discarded attempt and is ignored.
    fn runs(&mut self, call: &CallId) {
        if let Some(known) = self.calls.get_mut(call).filter(|known| known.running.is_none()) {
            known.running = Some(shapes::execute_tool(&self.span, &self.options, known));
        }
    }

    fn end_call(&mut self, result: &ToolResult) {
        let known = self.calls.remove(&result.call);
        let status = result.status.as_str();
        let span = match known {
            Some(TrackedCall { running: Some(span), .. }) => span,
            // The event that it runs was not received, but only a call that ran has the status `Ok`.
            Some(known) if result.status == ResultStatus::Ok => {
                shapes::execute_tool(&self.span, &self.options, &known)
            }
            known => {
                let id = self.options.redactor.redact(result.call.as_str());
                return shapes::call_not_run(&self.span, &id, known.as_ref(), status);
            }
        };
        let text = MeasuredText::measure(&result.wire_text(), &self.options);
        span.record("windlass.status", status);
        span.record("windlass.result.bytes", text.bytes);
        span.record("windlass.result.sha256", text.digest.as_str());
        if let Some(content) = &text.content {
            span.record("gen_ai.tool.call.result", content.as_str());
        }
        if !result.status.is_ok() {
            fail(&span, status);
        }
    }

    fn finish(&mut self, outcome: &Outcome, total: &Usage) {
        let (word, error) = words::outcome(outcome);
        self.close_agents(error);
        self.close_all(error);
        match self.options.conventions {
            Conventions::V1_41 => record_usage(&self.span, total, Conventions::V1_41),
            // The newest conventions have no numbers of cached tokens here.
            Conventions::Newest => record_tokens(&self.span, total),
        }
        self.span.record("windlass.outcome", word);
        self.span.record("windlass.turns", self.turns);
        if let Some(error) = error {
            fail(&self.span, error);
        }
    }

    /// Closes all spans below the run, as failed if there is an error.
    fn close_all(&mut self, error: Option<&str>) {
        let chat = self.chat.take().map(|chat| chat.span);
        let running = self.calls.drain().filter_map(|(_, known)| known.running);
        for span in running.chain(chat) {
            if let Some(error) = error {
                fail(&span, error);
            }
        }
        self.approvals.clear();
    }
}

/// Records the tokens. A number that the provider did not report is left out: an exporter would take a zero
/// for a count.
fn record_tokens(span: &Span, usage: &Usage) {
    if usage.is_unreported() {
        return;
    }
    // A request is never empty, so zero input tokens are unreported.
    if usage.input_tokens > 0 {
        span.record("gen_ai.usage.input_tokens", count(usage.input_tokens));
    }
    span.record("gen_ai.usage.output_tokens", count(usage.output_tokens));
}

/// Records the tokens, with those of the cache.
fn record_usage(span: &Span, usage: &Usage, conventions: Conventions) {
    record_tokens(span, usage);
    if usage.is_unreported() {
        return;
    }
    let write = match conventions {
        Conventions::V1_41 => "gen_ai.usage.cache_creation.input_tokens",
        Conventions::Newest => "gen_ai.usage.cache_write.input_tokens",
    };
    span.record("gen_ai.usage.cache_read.input_tokens", count(usage.cache_read_tokens));
    span.record(write, count(usage.cache_write_tokens));
}

/// Records the tokens of one answer or summary, with those of its reasoning.
pub(crate) fn record_answer_usage(span: &Span, usage: &Usage, conventions: Conventions) {
    record_usage(span, usage, conventions);
    if !usage.is_unreported() {
        span.record("gen_ai.usage.reasoning.output_tokens", count(usage.reasoning_tokens));
    }
}

fn fail(span: &Span, error: &str) {
    span.record("error.type", error);
    span.record("otel.status_code", "ERROR");
}

#[cfg(test)]
mod tests;
