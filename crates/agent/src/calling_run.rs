//! The run that a call belongs to, as a tool meets it that gives work to other agents.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use windlass_hitl::Mode;
use windlass_loop::Limits;
use windlass_tool::Context;
use windlass_toolbox::Toolbox;

use crate::agent::Parts;
use crate::{AgentBuilder, Allowance, RunOptions};

/// The run that a call belongs to. The agent puts it into each call's context, for tools that begin runs of their own: what
/// those may do, ask and use is at the most what this one may.
///
/// ```
/// # use windlass_agent::{CallingRun, EventStream};
/// # use windlass_tool::{Context, ToolError};
/// fn ask_a_second(ctx: &Context, task: &str) -> Result<EventStream, ToolError> {
///     let run = CallingRun::of(ctx).ok_or_else(|| ToolError::model("no agent runs this call"))?;
///     let second = run.agent("second").system("You check the work of others.").build();
///     Ok(second.map_err(ToolError::fatal)?.stream_with(task, run.options(ctx)))
/// }
/// ```
#[derive(Clone)]
pub struct CallingRun {
    pub(crate) parts: Arc<Parts>,
    pub(crate) toolbox: Option<Toolbox>,
    pub(crate) id: String,
    pub(crate) allowance: Allowance,
    pub(crate) ended: CancellationToken,
}

impl CallingRun {
    /// The run of a call, if an agent makes the call.
    pub fn of(ctx: &Context) -> Option<&Self> {
        ctx.thing()
    }

    /// The run's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The agents from the root down to the one whose run this is; empty for the root (RULES H13).
    pub fn agents(&self) -> &[String] {
        &self.parts.agents
    }

    /// How far it goes without asking.
    pub fn mode(&self) -> Mode {
        self.parts.mode
    }

    /// Its limits, which agents below it inherit unless their builder is told others.
    pub fn limits(&self) -> Limits {
        self.parts.config.limits
    }

    /// The tools that it has now, in its mode.
    pub fn toolbox(&self) -> Option<&Toolbox> {
        self.toolbox.as_ref()
    }

    /// Is cancelled when the run has ended, however it ended: what its calls left running ends then too.
    pub fn ended(&self) -> &CancellationToken {
        &self.ended
    }

    /// What all runs of the task use together.
    pub fn allowance(&self) -> &Allowance {
        &self.allowance
    }

    /// Begins an agent below this one: the same model, policy, approver, human, secrets and shared budget, and the tools
    /// that this one has now. What answers taught or allowed here does not hold there. The builder can take away, not
    /// add: its tools are best narrowed with `Toolbox::only`.
    pub fn agent(&self, name: impl Into<String>) -> AgentBuilder {
        AgentBuilder::below(&self.parts, self.toolbox.as_ref().map(Toolbox::for_agent), name.into())
    }

    /// The options of a run that a call begins: known by the call's key, drawing on the same allowance, and stopped with
    /// the call. The rest is as by default: recorded in memory.
    pub fn options(&self, ctx: &Context) -> RunOptions {
        let options = RunOptions::default()
            .with_run_id(ctx.idempotency_key())
            .with_allowance(self.allowance.clone())
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
