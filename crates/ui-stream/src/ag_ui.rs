//! The events of AG-UI.

mod agents;
mod ends;
mod events;
mod values;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use windlass_app::feed::FeedEvent;

use self::agents::AgentRuns;
use self::values::{begin, delta, end, key};
use crate::run::RunState;
use crate::sse::to_sse;
use crate::turn::{Change, PartKind, TurnParts};

/// Encoder of the events of a run as events of AG-UI, version 1.0.
///
/// The order of the events is legal at every moment. A suspended run finishes with the outcome `interrupt`. AG-UI
/// cannot remove a text, so an event `CUSTOM` with the name `windlass.void` lists the messages and calls of a failed
/// attempt; [`without_drafts`](Self::without_drafts) avoids them. Events of other runs are ignored.
///
/// ```
/// use windlass_app::feed::FeedEvent;
/// use windlass_ui_stream::AgUiEncoder;
///
/// let text = r#"{"seq":2,"session":"s","run":"r","at_ms":0,"kind":"text","turn":1,"text":"Hello"}"#;
/// let event: FeedEvent = serde_json::from_str(text)?;
/// let events = AgUiEncoder::new("r").push(&event);
/// let types: Vec<_> = events.iter().map(|event| event["type"].as_str().unwrap_or_default()).collect();
/// assert_eq!(types[..3], ["RUN_STARTED", "STEP_STARTED", "TEXT_MESSAGE_START"]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug)]
pub struct AgUiEncoder {
    run: String,
    ids: Option<(String, String)>,
    client_state: Value,
    client_at: u64,
    recorded: u64,
    has_drafts: bool,
    seq: u64,
    at_ms: u64,
    session: String,
    parts: TurnParts,
    state: RunState,
    agents: AgentRuns,
    /// The open texts and calls, in the order in which they began.
    open: BTreeMap<String, PartKind>,
    /// The calls of this run of AG-UI that have no result.
    pending: BTreeSet<String>,
    step: Option<String>,
    has_started: bool,
    has_ended: bool,
}

impl AgUiEncoder {
    /// Creates the encoder of a run. Its events name the session as the thread and the run's id.
    pub fn new(run: impl Into<String>) -> Self {
        let run = run.into();
        Self {
            parts: TurnParts::new(&run).with_unique_ids(),
            run,
            ids: None,
            client_state: Value::Null,
            client_at: 0,
            recorded: 0,
            has_drafts: true,
            seq: 0,
            at_ms: 0,
            session: String::new(),
            state: RunState::default(),
            agents: AgentRuns::default(),
            open: BTreeMap::new(),
            pending: BTreeSet::new(),
            step: None,
            has_started: false,
            has_ended: false,
        }
    }

    /// Sets the ids of the client's thread and run, which the events name instead of the session and the run.
    #[must_use]
    pub fn with_ids(mut self, thread: impl Into<String>, run: impl Into<String>) -> Self {
        self.ids = Some((thread.into(), run.into()));
        self
    }

    /// Sets the client's state. The encoder adds the member `windlass` with the run and the number of the last event.
    #[must_use]
    pub fn with_state(mut self, state: Value) -> Self {
        self.client_state = state;
        self
    }

    /// Sets the number of the last event that the client has. The encoder reads the events until this number, and
    /// returns events only for later ones.
    #[must_use]
    pub fn with_client_at(mut self, seq: u64) -> Self {
        self.client_at = seq;
        self
    }

    /// Sets the number of the last event of the record. The run does not wait before this event: a question that opened
    /// before may be closed.
    #[must_use]
    pub fn with_recorded(mut self, seq: u64) -> Self {
        self.recorded = seq;
        self
    }

    /// Names questions whose answers the client sent with this request. While one of them is still open in the events,
    /// the run does not wait: it reads the answer next, for example after it was resumed.
    #[must_use]
    pub fn with_answered(mut self, questions: impl IntoIterator<Item = String>) -> Self {
        self.state.expect_answers(questions);
        self
    }

    /// Encodes whole texts and calls only, when their turn is complete.
    #[must_use]
    pub fn without_drafts(mut self) -> Self {
        self.has_drafts = false;
        self
    }

    /// Returns the events of AG-UI for the next event. A numbered event that was read before yields no events.
    pub fn push(&mut self, event: &FeedEvent) -> Vec<Value> {
        let is_numbered = event.kind.is_numbered();
        if event.run != self.run || (is_numbered && event.seq <= self.seq) {
            return Vec::new();
        }
        if is_numbered {
            self.seq = event.seq;
        }
        self.at_ms = event.at_ms;
        self.session.clone_from(&event.session);
        self.has_ended = false;
        let mut events = Vec::new();
        self.encode(event, &mut events);
        if event.seq < self.client_at || (is_numbered && event.seq == self.client_at) {
            self.forget();
            self.has_ended = false;
            return Vec::new();
        }
        events
    }

    /// Returns true if a question is open and the run waits for its answer. A client of AG-UI answers when the run is
    /// finished: then send the events of [`pause`](Self::pause), and close the stream.
    pub fn is_waiting(&self) -> bool {
        self.seq > self.client_at && self.seq >= self.recorded && !self.has_ended && self.state.is_waiting()
    }

    /// Returns true if the newest event ended the run, or the work of its process. Always false before the client's
    /// place.
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Follows an event, and returns its events of AG-UI as server-sent events. Returns true beside them if the run ended
    /// or waits for an answer: the response is complete, because a client answers only after its end.
    pub fn push_sse(&mut self, event: &FeedEvent) -> (String, bool) {
        let mut text: String = self.push(event).iter().map(to_sse).collect();
        let is_waiting = self.is_waiting();
        if is_waiting {
            text.extend(self.pause().iter().map(to_sse));
        }
        (text, is_waiting || self.has_ended)
    }

    /// Returns the events that finish the client's run with the open questions as interrupts.
    pub fn pause(&mut self) -> Vec<Value> {
        let mut events = Vec::new();
        let outcome = self.interrupt();
        self.finish(&outcome, None, &mut events);
        events
    }

    /// Forgets the open parts: the client has a stream of its own.
    fn forget(&mut self) {
        self.has_started = false;
        self.step = None;
        self.open.clear();
        self.pending.clear();
        self.agents = AgentRuns::default();
    }

    fn emit(&mut self, mut event: Value, events: &mut Vec<Value>) {
        if !self.has_started {
            self.has_started = true;
            let (thread, run) = self.ids();
            events.push(json!({
                "type": "RUN_STARTED", "threadId": thread, "runId": run, "timestamp": self.at_ms,
                "protocolVersion": "1.0",
            }));
        }
        event["timestamp"] = self.at_ms.into();
        events.push(event);
    }

    fn ids(&self) -> (String, String) {
        self.ids.clone().unwrap_or_else(|| (self.session.clone(), self.run.clone()))
    }

    fn emit_custom(&mut self, name: &str, value: &Value, events: &mut Vec<Value>) {
        self.emit(json!({ "type": "CUSTOM", "name": format!("windlass.{name}"), "value": value }), events);
    }

    fn start_step(&mut self, turn: u32, events: &mut Vec<Value>) {
        let name = format!("turn {turn}");
        if self.step.as_ref() != Some(&name) {
            self.end_step(events);
            self.emit(json!({ "type": "STEP_STARTED", "stepName": name }), events);
            self.step = Some(name);
        }
    }

    fn end_step(&mut self, events: &mut Vec<Value>) {
        if let Some(name) = self.step.take() {
            self.emit(json!({ "type": "STEP_FINISHED", "stepName": name }), events);
        }
    }

    fn apply(&mut self, changes: Vec<Change>, events: &mut Vec<Value>) {
        for change in changes {
            match change {
                Change::Begin { id, kind } => {
                    if let PartKind::Call { call, .. } = &kind {
                        self.pending.insert(call.clone());
                    }
                    self.open.insert(key(&id, &kind), kind.clone());
                    self.emit_all(begin(&id, &kind, None), events);
                }
                Change::Delta { id, kind, text } => self.emit(delta(&id, &kind, &text), events),
                Change::End { id, kind } => self.close(&id, &kind, events),
                Change::Call { whole, has_other_draft } => {
                    if has_other_draft && let PartKind::Call { call, .. } = &whole.kind {
                        let value = json!({ "toolCallId": call, "arguments": whole.content });
                        self.emit_custom("arguments", &value, events);
                    }
                }
                Change::Void { parts } => self.void(&parts, events),
            }
        }
    }

    fn emit_all(&mut self, list: Vec<Value>, events: &mut Vec<Value>) {
        for event in list {
            self.emit(event, events);
        }
    }

    fn close(&mut self, id: &str, kind: &PartKind, events: &mut Vec<Value>) {
        if self.open.remove(&key(id, kind)).is_some() {
            self.emit_all(end(id, kind, None), events);
        }
    }

    fn void(&mut self, parts: &[(String, PartKind)], events: &mut Vec<Value>) {
        let (mut messages, mut calls) = (Vec::new(), Vec::new());
        for (id, kind) in parts {
            self.close(id, kind, events);
            match kind {
                PartKind::Call { call, .. } => {
                    self.pending.remove(call);
                    calls.push(call);
                }
                _ => messages.push(id),
            }
        }
        let value = json!({ "messageIds": messages, "toolCallIds": calls });
        self.emit_custom("void", &value, events);
    }
}
