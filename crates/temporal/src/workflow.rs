//! The workflow: signals and queries of a run, and the loop that starts its steps.

mod drive;
mod running;

use temporalio_macros::{workflow, workflow_methods};
use temporalio_sdk::{SyncWorkflowContext, WorkflowContext, WorkflowContextView, WorkflowResult};
use windlass_hitl::{ApprovalDecision, ApprovalOutcome};
use windlass_loop::{BudgetUsage, DeliverAt, Entry, Input, InterruptId};
use windlass_protocol::{Message, ToolResult};

use crate::data::{Letter, RunInput};
use crate::run_state::RunState;
use crate::{EventPage, OpenRequests, RunReport};

/// The name of the workflow's type.
pub(crate) const WORKFLOW: &str = "windlass.run";

/// The workflow of one run. It holds a machine; all work is done by activities.
#[workflow]
pub(crate) struct AgentRun {
    pub(crate) state: RunState,
    /// The number of steps that run.
    pub(crate) running: usize,
}

#[workflow_methods]
impl AgentRun {
    #[init]
    fn new(ctx: &WorkflowContextView, input: RunInput) -> Self {
        Self { state: RunState::new(ctx.workflow_id().to_owned(), input), running: 0 }
    }

    #[run(name = "windlass.run")]
    pub(crate) async fn run(ctx: &mut WorkflowContext<Self>) -> WorkflowResult<RunReport> {
        drive::drive(ctx).await
    }

    #[signal(name = "approval")]
    pub(crate) fn approval(&mut self, _: &mut SyncWorkflowContext<Self>, decision: ApprovalDecision) {
        self.push_input(Input::Approval(ApprovalOutcome::Answered(decision)));
    }

    #[signal(name = "say")]
    pub(crate) fn say(
        &mut self,
        _: &mut SyncWorkflowContext<Self>,
        message: (Option<String>, String, DeliverAt),
    ) {
        let (id, text, when) = message;
        self.push_input(Input::Say { id, text, parts: Vec::new(), when });
    }

    #[signal(name = "reply")]
    pub(crate) fn reply(&mut self, _: &mut SyncWorkflowContext<Self>, reply: (InterruptId, Option<String>)) {
        let (id, words) = reply;
        self.push_input(Input::InterruptReply { id, words });
    }

    #[signal(name = "deliver")]
    pub(crate) fn deliver(&mut self, _: &mut SyncWorkflowContext<Self>, result: ToolResult) {
        self.state.push_letter(Letter::Result(Box::new(result)));
    }

    #[signal(name = "stop")]
    pub(crate) fn stop(&mut self, _: &mut SyncWorkflowContext<Self>) {
        self.state.push_letter(Letter::Stop);
    }

    #[query(name = "waits")]
    pub(crate) fn waits(&self, _: &WorkflowContextView) -> OpenRequests {
        self.state.waits(self.running)
    }

    #[query(name = "used")]
    pub(crate) fn used(&self, _: &WorkflowContextView) -> BudgetUsage {
        self.state.used()
    }

    #[query(name = "transcript")]
    pub(crate) fn transcript(&self, _: &WorkflowContextView, count: usize) -> Vec<Message> {
        self.state.transcript_tail(count)
    }

    #[query(name = "events")]
    pub(crate) fn events(&self, _: &WorkflowContextView, first: u64) -> EventPage {
        self.state.events_from(first)
    }

    #[query(name = "record")]
    pub(crate) fn record(&self, _: &WorkflowContextView, first: usize) -> Vec<Entry> {
        self.state.record_from(first)
    }
}

impl AgentRun {
    fn push_input(&mut self, input: Input) {
        self.state.push_letter(Letter::Input(Box::new(input)));
    }
}
