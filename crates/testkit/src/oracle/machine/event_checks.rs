//! Properties of the events that a run shows.

use std::collections::BTreeSet;

use windlass_loop::Event;
use windlass_protocol::CallId;

/// Checks of the events of a run. It keeps only the ids of calls.
#[derive(Debug, Default)]
pub(super) struct EventChecks {
    open: Option<Open>,
    /// The calls of the present attempt that have started to arrive.
    arriving: BTreeSet<CallId>,
    /// The calls of the present attempt that are complete or malformed.
    arrived: BTreeSet<CallId>,
    /// The calls of the present attempt that were refused while they arrived.
    refused: BTreeSet<CallId>,
    /// The calls of earlier answers.
    kept: BTreeSet<CallId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Words,
    Reasoning,
}

impl EventChecks {
    /// Checks an event: text ends before something else begins, and every event of a call has the id with which
    /// the call was announced, which is new in the run.
    ///
    /// # Panics
    /// The property is violated.
    pub(super) fn follow(&mut self, event: &Event) {
        match event {
            Event::Text { .. } => self.open_text(Open::Words),
            Event::Reasoning { .. } => self.open_text(Open::Reasoning),
            Event::TextEnded => self.end_text(Open::Words),
            Event::ReasoningEnded => self.end_text(Open::Reasoning),
            Event::CallStarted { call, .. } => {
                self.check_closed(event);
                assert!(!self.knows(call), "a started call has a used id: {call}");
                self.arriving.insert(call.clone());
            }
            Event::CallArguments { call, .. } => {
                assert!(self.arriving.contains(call), "arguments of a call that did not start: {call}");
            }
            Event::CallFinished { call } => {
                assert!(self.arriving.remove(&call.id), "a call ended that did not start: {}", call.id);
                self.arrived.insert(call.id.clone());
            }
            Event::CallMalformed { call, .. } => {
                let is_announced = self.arriving.remove(call) || self.refused.remove(call);
                assert!(
                    is_announced || !self.knows(call),
                    "a malformed call has the id of another call: {call}"
                );
                self.arrived.insert(call.clone());
            }
            Event::CallRefusedEarly { call, .. } => {
                assert!(self.arriving.contains(call), "a refusal of a call that does not arrive: {call}");
                self.refused.insert(call.clone());
            }
            Event::AnswerEnded { .. } => {
                self.check_closed(event);
                self.arriving.retain(|call| !self.refused.contains(call));
                assert!(self.arriving.is_empty(), "calls did not end: {:?}", self.arriving);
                self.kept.append(&mut self.arrived);
                self.kept.append(&mut self.refused);
            }
            Event::AttemptDiscarded { .. } | Event::ProtocolChanged { .. } => {
                self.check_closed(event);
                self.arriving.clear();
                self.arrived.clear();
                self.refused.clear();
            }
            Event::CallTakenUp { call } => {
                self.kept.insert(call.id.clone());
            }
            Event::CallEnded { result } => self.check_known(&result.call),
            Event::Decided { call, .. } | Event::CallRunning { call } | Event::CallDeferred { call } => {
                self.check_known(call);
            }
            Event::TurnStarted { .. } | Event::Finished { .. } => self.check_closed(event),
            _ => {}
        }
    }

    /// Begins to read the events of another process.
    pub(super) fn begin_process(&mut self) {
        *self = Self { kept: std::mem::take(&mut self.kept), ..Self::default() };
    }

    fn knows(&self, call: &CallId) -> bool {
        [&self.arriving, &self.arrived, &self.refused, &self.kept].iter().any(|calls| calls.contains(call))
    }

    fn check_known(&self, call: &CallId) {
        assert!(self.knows(call), "an event of a call that was not announced: {call}");
    }

    fn open_text(&mut self, kind: Open) {
        assert!(self.open.is_none_or(|open| open == kind), "{:?} did not end", self.open);
        self.open = Some(kind);
    }

    fn end_text(&mut self, kind: Open) {
        assert_eq!(self.open.take(), Some(kind), "text ended that was not open");
    }

    fn check_closed(&self, event: &Event) {
        assert_eq!(self.open, None, "text did not end before {event:?}");
    }
}
