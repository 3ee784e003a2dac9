//! The part of a record's state that belongs to its newest answer.

use std::collections::{BTreeMap, BTreeSet};

use windlass_hitl::{ApprovalOutcome, ApprovalRequest};
use windlass_protocol::{CallId, PlannedFile, StopReason, ToolResult};

use crate::Entry;
use crate::edit::Edit;

/// The recorded state of the newest answer and its calls.
#[derive(Default)]
pub(crate) struct RestoredState {
    /// The calls that started.
    pub(crate) started: BTreeSet<CallId>,
    /// The calls that continue outside the process.
    pub(crate) deferred: BTreeSet<CallId>,
    /// The planned changes of files by call.
    pub(crate) planned: BTreeMap<CallId, Vec<PlannedFile>>,
    /// Results that are known without a run.
    pub(crate) refused: Vec<ToolResult>,
    /// The approval requests for the calls.
    pub(crate) approvals: BTreeMap<CallId, RecordedApproval>,
    /// The changes of calls' arguments by the human.
    pub(crate) edits: BTreeMap<CallId, Edit>,
    /// The guidance of the human that was recorded but not sent to the model, because the process ended in between.
    pub(crate) unsent_reply: Option<String>,
    pub(crate) last: Option<LastAnswer>,
    /// The recorded mode.
    mode: Option<String>,
    /// Calls that ran when their process ended.
    interrupted: BTreeSet<CallId>,
}

/// An approval request that an earlier process sent.
#[derive(Debug)]
pub(crate) struct RecordedApproval {
    pub(crate) request: Box<ApprovalRequest>,
    /// The outcome of the request, if one is recorded.
    pub(crate) outcome: Option<ApprovalOutcome>,
}

/// The end of the newest answer, from which the next step follows.
pub(crate) struct LastAnswer {
    pub(crate) stop: Option<StopReason>,
    pub(crate) has_words: bool,
    /// True if the record contains the consequence of the answer.
    pub(crate) is_settled: bool,
}

impl RestoredState {
    /// Returns the state of the next answer. Only the mode outlives an answer.
    pub(super) fn next_answer(&mut self, refused: Vec<ToolResult>, last: LastAnswer) -> Self {
        Self { refused, last: Some(last), mode: self.mode.take(), ..Self::default() }
    }

    /// Returns the recorded mode.
    pub(super) fn mode(&self) -> Option<&str> {
        self.mode.as_deref()
    }

    /// Removes a call that has its result. Returns true if the call ran when its process ended.
    pub(super) fn end_interrupted(&mut self, call: &CallId) -> bool {
        self.started.remove(call);
        self.interrupted.remove(call)
    }

    /// Adds an entry about a call of the open answer, or the mode. Other entries change nothing.
    pub(super) fn add(&mut self, entry: Entry) {
        match entry {
            Entry::Mode { mode } => self.mode = Some(mode),
            Entry::Decided { call, facts: Some(facts), .. } => {
                self.planned.insert(call, facts.planned);
            }
            Entry::Asked { request } => {
                let approval = RecordedApproval { request, outcome: None };
                self.approvals.insert(approval.request.call.id.clone(), approval);
            }
            Entry::Approval { call, outcome } => {
                if let Some(approval) = self.approvals.get_mut(&call) {
                    if let ApprovalOutcome::Answered(decision) = &outcome
                        && let Some(arguments) = decision.edit()
                    {
                        let earlier = self.edits.get(&call).map_or(0, |edit| edit.count);
                        let edit = Edit::new(approval.request.clone(), arguments.clone(), earlier);
                        self.edits.insert(call, edit);
                    }
                    approval.outcome = Some(outcome);
                }
            }
            Entry::Intent { call } => {
                self.interrupted.remove(&call);
                self.started.insert(call);
            }
            Entry::Deferred { call } => drop(self.deferred.insert(call)),
            _ => {}
        }
    }

    /// Notes that the process ended while the started calls ran.
    pub(super) fn interrupt(&mut self) {
        self.interrupted = self.started.difference(&self.deferred).cloned().collect();
    }

    /// Notes that the record contains the consequence of the newest answer.
    pub(super) fn settle(&mut self) {
        if let Some(last) = &mut self.last {
            last.is_settled = true;
        }
    }
}
