//! Runs of agents that a call starts: their events and their reports.

use futures_util::StreamExt;
use serde_json::Value;
use windlass_loop::{Event, Outcome, StopCause};
use windlass_protocol::ResultStatus;
use windlass_tool::{Context, Output, Progress, ToolError};

use crate::{AgentError, CallingRun, EventStream};

impl CallingRun {
    /// Forwards the events of an agent that a call started to the calling run, and returns the agent's outcome. `name`
    /// is the name of the agent in [`Event::AgentEvent`].
    ///
    /// # Errors
    /// Returns the error that ended the agent's stream.
    pub async fn follow(ctx: &Context, name: &str, mut events: EventStream) -> Result<Outcome, AgentError> {
        let run = Self::from_context(ctx);
        // The program can stop the agent's calls while the call follows the agent.
        let _registered =
            run.and_then(|run| run.running_calls.add_agent(ctx.call(), name, events.running_calls()));
        let path = || vec![name.to_owned()];
        let mut ended = None;
        while let Some(event) = events.next().await {
            let (agents, happened) = match event? {
                Event::Finished { outcome, total } => {
                    ended = Some(outcome.clone());
                    (path(), serde_json::to_value(Event::Finished { outcome, total }))
                }
                Event::AgentEvent { agents, happened, .. } => {
                    (path().into_iter().chain(agents).collect(), Ok(happened))
                }
                // The caller does not need partial arguments; the complete call follows.
                Event::CallArguments { .. } | Event::CallPreview { .. } => continue,
                event => (path(), serde_json::to_value(event)),
            };
            ctx.send(Progress::Agent { agents, event: happened.unwrap_or(Value::Null) }).await;
        }
        ended.ok_or(AgentError::Unfinished)
    }

    /// Converts the outcome of an agent to the output of the call that started it. Every outcome is a result and does
    /// not end the calling run.
    ///
    /// # Errors
    /// Returns [`ToolError::Deferred`] for a suspended agent, and a result for the model if the agent stopped or failed.
    pub fn report(name: &str, outcome: Outcome) -> Result<Output, ToolError> {
        match outcome {
            Outcome::Completed { text } if text.trim().is_empty() => {
                Ok(Output::text("the agent is done and reports nothing"))
            }
            Outcome::Completed { text } => Ok(Output::text(text)),
            // The agent's record contains its open questions. The call is deferred until they are answered.
            Outcome::Suspended { .. } => Err(ToolError::Deferred),
            Outcome::Stopped { cause: StopCause::Cancelled } => {
                let text = format!("the agent {name} was stopped; its changes so far remain");
                Ok(Output::text(text).with_status(ResultStatus::Cancelled))
            }
            Outcome::Stopped { cause } => Err(ToolError::model(format!(
                "the agent {name} stopped before its task was done: {cause}; its changes so far remain"
            ))),
            Outcome::Failed { message } => Err(ToolError::model(format!(
                "the agent {name} failed: {message}; its changes so far remain"
            ))),
            _ => Err(ToolError::model(format!("the agent {name} ended in an unknown way"))),
        }
    }
}
