//! Access for tools to the run that called them, so that they can start agents of their own.

use std::sync::Arc;

use windlass_hitl::Autonomy;
use windlass_loop::RunLimits;
use windlass_tool::{CancellationToken, Context};
use windlass_toolbox::Toolbox;

use crate::agent_inner::AgentInner;
use crate::hand_off_slot::HandOffSlot;
use crate::{AgentBuilder, RunOptions, RunningCalls, SharedBudget};

/// The run that a call belongs to. The agent stores it in the context of each call, for tools that start
/// agents. These agents have at most the rights, the approver and the budget of this run.
///
/// ```
/// # use windlass_agent::{CallingRun, EventStream};
/// # use windlass_tool::{Context, ToolError};
/// fn ask_a_second(ctx: &Context, task: &str) -> Result<EventStream, ToolError> {
///     let run = CallingRun::from_context(ctx).ok_or_else(|| ToolError::model("no agent runs this call"))?;
///     let second = run.agent("second").system("You check the work of others.").build();
///     Ok(second.map_err(ToolError::fatal)?.stream_with(task, run.options(ctx)))
/// }
/// ```
#[derive(Clone)]
pub struct CallingRun {
    pub(crate) parts: Arc<AgentInner>,
    pub(crate) toolbox: Option<Toolbox>,
    pub(crate) id: String,
    pub(crate) shared_budget: SharedBudget,
    pub(crate) ended: CancellationToken,
    /// The token that stops the run in order.
    pub(crate) stop: CancellationToken,
    /// The calls of the run that work.
    pub(crate) running_calls: RunningCalls,
    /// The place for a transfer of the conversation, in a session.
    pub(crate) hand_off: Option<HandOffSlot>,
}

impl CallingRun {
    /// Returns the run of a call, or `None` if the call was not made by an agent.
    pub fn from_context(ctx: &Context) -> Option<&Self> {
        ctx.thing()
    }

    /// Returns the id of the run.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the names of the agents from the root's child down to the agent of this run; empty for the
    /// root (RULES H13).
    pub fn agents(&self) -> &[String] {
        &self.parts.agents
    }

    /// Returns the autonomy of the run: the decision about calls that no rule covers.
    pub fn autonomy(&self) -> Autonomy {
        self.parts.autonomy
    }

    /// Returns the limits of the run. Agents below it inherit them unless their builder sets others.
    pub fn limits(&self) -> RunLimits {
        self.parts.config.limits
    }

    /// Returns the tools of the run in its current mode.
    pub fn toolbox(&self) -> Option<&Toolbox> {
        self.toolbox.as_ref()
    }

    /// Returns a token that is cancelled when the run ends for any reason. Work that a call leaves running
    /// must end with it.
    pub fn end_token(&self) -> &CancellationToken {
        &self.ended
    }

    /// Returns the usage that all runs of the task share.
    pub fn shared_budget(&self) -> &SharedBudget {
        &self.shared_budget
    }

    /// Returns the builder of an agent below this one. The agent has the same model, policy, approver, human,
    /// secrets and shared budget, and the tools that this agent has now. Learned approvals and session grants
    /// are not inherited. Settings of the builder can reduce the rights: use `Toolbox::only` to select tools.
    pub fn agent(&self, name: impl Into<String>) -> AgentBuilder {
        AgentBuilder::for_child(&self.parts, self.toolbox.as_ref().map(Toolbox::for_agent), name.into())
    }

    /// Returns the options for a run that a call starts. The run id is the idempotency key of the call, the
    /// usage counts in the same shared budget, and the run stops with the call. The record is kept in memory
    /// unless another journal is set.
    pub fn options(&self, ctx: &Context) -> RunOptions {
        let options = RunOptions::default()
            .with_run_id(ctx.idempotency_key())
            .with_shared_budget(self.shared_budget.clone())
            .with_cancellation(ctx.cancellation().child_token());
        match ctx.outputs() {
            Some(outputs) => options.with_outputs(outputs),
            None => options,
        }
    }
}

impl std::fmt::Debug for CallingRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CallingRun")
            .field("id", &self.id)
            .field("agents", &self.parts.agents)
            .finish_non_exhaustive()
    }
}
