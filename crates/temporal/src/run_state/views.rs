//! Views of a run for queries. They change nothing.

use windlass_loop::{BudgetUsage, Entry, Machine, Outcome, Wait};
use windlass_protocol::Message;

use super::RunState;
use crate::{EventPage, OpenRequests};

impl RunState {
    /// Returns the answers that the run waits for. `running` is the number of steps that run.
    pub(crate) fn waits(&self, running: usize) -> OpenRequests {
        let mut waits = OpenRequests {
            approvals: self.approvals.clone(),
            question: self.question.clone(),
            results: self.deferred.iter().cloned().collect(),
            steps: running.saturating_add(self.steps.len()),
            is_idle: false,
        };
        if let Some(Outcome::Suspended { waits: open }) = &self.outcome {
            for wait in open {
                match wait {
                    Wait::Approval { request_id, .. } => {
                        waits.approvals.extend(self.find_request(request_id));
                    }
                    Wait::InterruptReply { id, question } => waits.question = Some((*id, question.clone())),
                    Wait::Result { call } => waits.results.push(call.clone()),
                    _ => {}
                }
            }
        }
        waits.results.sort();
        waits.results.dedup();
        let has_begun = self.definition.is_some();
        waits.is_idle = has_begun && waits.steps == 0 && self.letters.is_empty() && self.report().is_none();
        waits
    }

    fn find_request(&self, request_id: &str) -> Option<windlass_hitl::ApprovalRequest> {
        self.record.iter().rev().find_map(|entry| match entry {
            Entry::Asked { request } if request.request_id == request_id => Some((**request).clone()),
            _ => None,
        })
    }

    /// Returns the usage of the run.
    pub(crate) fn used(&self) -> BudgetUsage {
        self.machine.as_ref().map(Machine::used).unwrap_or_default()
    }

    /// Returns the newest messages of the conversation.
    pub(crate) fn transcript_tail(&self, count: usize) -> Vec<Message> {
        let Some(machine) = &self.machine else { return Vec::new() };
        let messages = machine.transcript().messages();
        let skipped = messages.len().saturating_sub(count);
        messages.iter().skip(skipped).cloned().collect()
    }

    /// Returns the events from this number on.
    pub(crate) fn events_from(&self, number: u64) -> EventPage {
        let first = number.max(self.first_event);
        let skipped = usize::try_from(first.saturating_sub(self.first_event)).unwrap_or(usize::MAX);
        EventPage { first, events: self.events.iter().skip(skipped).cloned().collect() }
    }

    /// Returns the entries of the record from this position on.
    pub(crate) fn record_from(&self, position: usize) -> Vec<Entry> {
        self.record.iter().skip(position).cloned().collect()
    }
}
