//! The transfer of a session's conversation to another agent.

use std::sync::Arc;

use windlass_protocol::{Control, Effect, Hints, NameError, Payload, Risk, ToolSpec};
use windlass_tool::{Context, Output, Tool, ToolError, ToolFuture};

use crate::Agent;
use crate::agent_tool::{calling_run, read_text, spec_of};
use crate::hand_off_slot::HandOff;

/// A tool that transfers the conversation of a session to another agent, from [`Agent::as_hand_off`].
///
/// A call ends the run of the calling agent. The session then continues with the other agent, which sees the whole
/// conversation and answers the user, also the tasks that follow; [`Event::HandOff`](crate::Event::HandOff) marks the
/// transfer. The other agent has its own tools, policy, approver and budget; grants of the session end. A call outside of a
/// session is refused.
#[derive(Clone)]
pub struct HandOffTool {
    agent: Agent,
    spec: ToolSpec,
}

impl Agent {
    /// Returns a tool with which another agent transfers a session's conversation to this agent.
    ///
    /// # Errors
    /// Returns an error if the name is not the name of a tool.
    pub fn as_hand_off(&self, name: impl Into<String>, description: &str) -> Result<HandOffTool, NameError> {
        let about = "The task of the other agent, and your findings.";
        Ok(HandOffTool { agent: self.clone(), spec: spec_of(name.into(), description, "reason", about)? })
    }
}

impl HandOffTool {
    async fn perform(&self, ctx: &Context, payload: &Payload) -> Result<Output, ToolError> {
        let reason = read_text(payload, "reason")?;
        let run = calling_run(ctx)?;
        let Some(slot) = run.hand_off.as_ref().filter(|_| run.agents().is_empty()) else {
            return Err(ToolError::model("only the agent of a session can transfer its conversation"));
        };
        let name = self.spec.name().to_string();
        if !slot.request(HandOff { name: name.clone(), parts: Arc::clone(self.agent.parts()), reason }) {
            return Err(ToolError::model("the conversation was transferred too often")
                .with_advice("Answer the user."));
        }
        // The run stops in order. Wait until it does, so that no further request is sent.
        run.stop.cancel();
        ctx.cancellation().cancelled().await;
        Ok(Output::text(format!("The conversation was transferred to {name}, which answers from here.")))
    }
}

impl Tool for HandOffTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints { control: Control::Last, risk: Risk::Low, ..Hints::default() }
    }

    fn is_in_presets(&self) -> bool {
        false
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Internal]
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(self.perform(ctx, payload))
    }
}

impl std::fmt::Debug for HandOffTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HandOffTool").field("name", self.spec.name()).finish_non_exhaustive()
    }
}
