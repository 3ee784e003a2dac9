//! `RunMetrics`, which derives the metrics of one run from its events.

use std::collections::{BTreeMap, HashMap};
use std::time::Instant;

use opentelemetry::KeyValue;
use windlass_hitl::Decision;
use windlass_loop::{Event, Outcome, StepKind};
use windlass_protocol::{CallId, ToolResult, Usage};

use super::process::Metrics;
use crate::words;

/// The open steps and waits of one run of this process.
///
/// Pass every event of the run to [`see`](Self::see), in order. Dropping the value before `Event::Finished`
/// counts the run with the outcome `dropped`.
#[derive(Debug)]
pub struct RunMetrics {
    metrics: Metrics,
    open: OpenWork,
    /// The sub-agents, by call and path of agent names.
    agents: BTreeMap<(CallId, Vec<String>), OpenWork>,
    state: RunState,
    begun: Instant,
    has_ended: bool,
}

/// The steps and waits of an agent that have not ended.
#[derive(Debug, Default)]
struct OpenWork {
    request: Option<Instant>,
    running: HashMap<CallId, Instant>,
    /// Names of the tools of calls without a result.
    names: HashMap<CallId, String>,
    approvals: HashMap<String, Instant>,
}

/// The state of a run that has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RunState {
    Working,
    Waiting,
}

impl RunState {
    fn attribute(self) -> KeyValue {
        let word = match self {
            Self::Working => "working",
            Self::Waiting => "waiting",
        };
        KeyValue::new("windlass.run.state", word)
    }
}

impl RunMetrics {
    /// Begins to measure a run.
    pub fn begin(metrics: &Metrics) -> Self {
        let run = Self {
            metrics: metrics.clone(),
            open: OpenWork::default(),
            agents: BTreeMap::new(),
            state: RunState::Working,
            begun: now(),
            has_ended: false,
        };
        run.add_active(1);
        run
    }

    /// Updates the metrics for an event.
    pub fn see(&mut self, event: &Event) {
        if self.has_ended {
            return;
        }
        match event {
            Event::Finished { outcome, .. } => self.finish(outcome),
            Event::AgentEvent { call, agents, happened } => {
                if let Ok(event) = serde_json::from_value::<Event>(happened.clone()) {
                    let key = (call.clone(), agents.clone());
                    if matches!(event, Event::Finished { .. }) {
                        self.agents.remove(&key);
                    } else {
                        self.agents.entry(key).or_default().see(&self.metrics, &event);
                    }
                }
            }
            event => self.open.see(&self.metrics, event),
        }
        self.update_state();
    }

    /// Counts the run as broken, because driving it failed.
    pub fn broke(&mut self) {
        self.end("failed", Some("run_broke"));
    }

    fn finish(&mut self, outcome: &Outcome) {
        let (word, error) = words::outcome(outcome);
        self.end(word, error);
    }

    fn end(&mut self, outcome: &'static str, error: Option<&'static str>) {
        if std::mem::replace(&mut self.has_ended, true) {
            return;
        }
        self.add_active(-1);
        // A request whose failure ends the run has no event of its own.
        let end_of_request = if outcome == "failed" { "failed" } else { "cancelled" };
        self.open.end_request(&self.metrics, end_of_request, None);
        self.metrics.record_run(error, self.begun.elapsed());
        let error = error.map(|error| KeyValue::new("error.type", error));
        let mut attributes = vec![KeyValue::new("windlass.outcome", outcome)];
        attributes.extend(error);
        self.metrics.instruments.runs.add(1, &self.metrics.extend(&attributes));
    }

    fn update_state(&mut self) {
        let is_working = |open: &OpenWork| open.request.is_some() || !open.running.is_empty();
        let is_waiting = |open: &OpenWork| !open.approvals.is_empty();
        // A call that started a sub-agent runs as long as it, so the agent's own work counts instead.
        let state = if self.agents.is_empty() {
            if is_waiting(&self.open) && !is_working(&self.open) {
                RunState::Waiting
            } else {
                RunState::Working
            }
        } else if self.agents.values().any(is_waiting) && !self.agents.values().any(is_working) {
            RunState::Waiting
        } else {
            RunState::Working
        };
        if state != self.state && !self.has_ended {
            self.add_active(-1);
            self.state = state;
            self.add_active(1);
        }
    }

    fn add_active(&self, number: i64) {
        let attributes = self.metrics.extend(&[self.state.attribute()]);
        self.metrics.instruments.active_runs.add(number, &attributes);
    }
}

impl Drop for RunMetrics {
    fn drop(&mut self) {
        self.end("dropped", Some("dropped"));
    }
}

impl OpenWork {
    fn see(&mut self, metrics: &Metrics, event: &Event) {
        match event {
            Event::TurnStarted { .. } | Event::ContextCondensing => self.request = Some(now()),
            Event::AttemptDiscarded { .. } => {
                self.end_request(metrics, "discarded", None);
                // The calls that ran while the answer streamed are void, too.
                self.running.clear();
                self.names.clear();
                // The delay before the next attempt belongs to it: users wait for it, too.
                self.request = Some(now());
            }
            Event::AnswerEnded { usage, .. } | Event::ContextCompacted { usage, .. } => {
                self.end_request(metrics, "ok", Some(usage));
            }
            Event::CallFinished { call, .. } | Event::CallTakenUp { call } => {
                self.names.insert(call.id.clone(), call.name.to_string());
            }
            Event::Decided { decision, .. } => count_decision(metrics, decision),
            Event::CallRunning { call } => {
                self.running.entry(call.clone()).or_insert_with(now);
            }
            Event::CallEnded { result } => self.end_call(metrics, result),
            Event::ToolApprovalRequest { request_id, .. } => {
                self.approvals.entry(request_id.clone()).or_insert_with(now);
            }
            Event::ApprovalEnded { outcome } => {
                let (request_id, outcome) = words::approval(outcome);
                self.end_approval(metrics, request_id, outcome);
            }
            Event::ApprovalPostponed { request_id } => self.end_approval(metrics, request_id, "postponed"),
            // The other events neither begin nor end a step.
            _ => {}
        }
    }

    /// Ends the open request. A compaction during a turn makes no request.
    fn end_request(&mut self, metrics: &Metrics, outcome: &'static str, usage: Option<&Usage>) {
        if let Some(begun) = self.request.take() {
            metrics.record_step(StepKind::Model, outcome, begun.elapsed());
        }
        if let Some(usage) = usage {
            metrics.record_usage(usage);
        }
    }

    fn end_call(&mut self, metrics: &Metrics, result: &ToolResult) {
        let name = self.names.remove(&result.call);
        if let Some(begun) = self.running.remove(&result.call) {
            let (duration, status) = (begun.elapsed(), result.status);
            metrics.record_step(StepKind::Tool, status.as_str(), duration);
            let error = (!status.is_ok()).then(|| status.as_str());
            metrics.record_call(name.as_deref().unwrap_or_default(), error, duration);
        }
    }

    fn end_approval(&mut self, metrics: &Metrics, request_id: &str, outcome: &'static str) {
        if let Some(begun) = self.approvals.remove(request_id) {
            let attributes = [
                KeyValue::new("windlass.wait.kind", "approval"),
                KeyValue::new("windlass.wait.outcome", outcome),
            ];
            let duration = begun.elapsed().as_secs_f64();
            metrics.instruments.wait_duration.record(duration, &metrics.extend(&attributes));
        }
    }
}

fn count_decision(metrics: &Metrics, decision: &Decision) {
    let attributes = [
        KeyValue::new("windlass.decision", words::verdict(decision.verdict)),
        KeyValue::new("windlass.risk", words::risk(decision.risk)),
    ];
    metrics.instruments.decisions.add(1, &metrics.extend(&attributes));
}

#[expect(clippy::disallowed_methods, reason = "the metrics report the times of steps and waits")]
fn now() -> Instant {
    Instant::now()
}
