//! The tools, the approver and the journal of a soak.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use windlass_agent::{Approver, ApproverFuture};
use windlass_hitl::{ApprovalDecision, ApprovalRequest};
use windlass_journal::{Durability, FileJournal, Journal, JournalError, Record};
use windlass_protocol::{Effect, Hints, Payload, RawJson, ToolSpec};
use windlass_tool::{Context, Output, Tool, ToolError, ToolFuture};

use super::counts::{Luck, SoakCounts};

/// A journal that does not wait for the disk, because only processes fail here and not machines.
pub(super) struct UnsyncedJournal(pub(super) FileJournal, pub(super) Arc<SoakCounts>);

impl Journal for UnsyncedJournal {
    fn append(&mut self, body: RawJson, at_ms: u64, _: Durability) -> Result<u64, JournalError> {
        let is_compaction = body.as_str().starts_with(r#"{"entry":"compacted""#);
        self.1.compactions.fetch_add(usize::from(is_compaction), Ordering::Relaxed);
        self.0.append(body, at_ms, Durability::Buffered)
    }

    fn records(&self) -> Result<Vec<Record>, JournalError> {
        self.0.records()
    }
}

/// A tool that works or fails at random.
pub(super) struct Unlucky {
    pub(super) spec: ToolSpec,
    pub(super) hints: Hints,
    pub(super) luck: Luck,
    pub(super) seen: Arc<SoakCounts>,
}

impl Tool for Unlucky {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        self.hints
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        if self.hints.read_only {
            vec![Effect::Internal]
        } else {
            vec![Effect::Write { path: "a.txt".into(), bytes: None }]
        }
    }

    fn call<'a>(&'a self, _: &'a Context, _: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            if self.luck.is_bad(&self.seen) {
                match self.luck.pick_between(0, 2) {
                    0 => std::panic::resume_unwind(Box::new("a tool that breaks")),
                    1 => return Err(ToolError::model("it did not work; try another way")),
                    _ => tokio::task::yield_now().await,
                }
            }
            Ok(Output::text("x".repeat(self.luck.pick_between(1, 2_000))))
        })
    }
}

/// An approver that approves, denies or does not answer.
pub(super) struct Moody {
    pub(super) luck: Luck,
    pub(super) seen: Arc<SoakCounts>,
}

impl Approver for Moody {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        Box::pin(async move {
            let id = request.request_id.clone();
            if !self.luck.is_bad(&self.seen) {
                return Some(ApprovalDecision::approve(id));
            }
            (self.luck.pick_between(0, 1) == 0).then(|| ApprovalDecision::deny(id, Some("not now".into())))
        })
    }
}
