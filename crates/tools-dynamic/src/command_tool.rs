//! A tool that runs a command from its file.

use std::sync::Arc;

use serde_json::json;
use windlass_protocol::{Arguments, Effect, Hints, Payload, ToolSpec};
use windlass_sandbox::Workspace;
use windlass_tool::{Context, Inspection, Tool, ToolError, ToolFuture};
use windlass_tools_shell::{RunCommand, Shell};

use crate::file::File;

/// A tool that runs a command from its file, with the confinement and effects of `run_command`.
#[derive(Debug)]
pub(crate) struct CommandTool {
    file: File,
    command: RunCommand,
}

impl CommandTool {
    pub(crate) fn new(file: File, workspace: &Arc<Workspace>, shell: &Shell) -> Self {
        Self { file, command: RunCommand::for_workspace(Arc::clone(workspace), shell.clone()) }
    }

    /// Returns the equivalent call of `run_command`.
    fn fill_template(&self, payload: &Payload) -> Result<Payload, ToolError> {
        let argv = self.file.template.fill(&payload.as_arguments())?;
        let mut arguments = json!({ "argv": argv });
        if let Some(cwd) = &self.file.cwd {
            arguments["cwd"] = json!(cwd);
        }
        if let Some(timeout_ms) = self.file.timeout_ms {
            arguments["timeout_ms"] = json!(timeout_ms);
        }
        let arguments = Arguments::parse(arguments.to_string()).map_err(ToolError::fatal)?;
        Ok(Payload::Function { arguments })
    }
}

impl Tool for CommandTool {
    fn spec(&self) -> &ToolSpec {
        &self.file.spec
    }

    fn hints(&self) -> Hints {
        self.file.hints
    }

    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        self.fill_template(payload)
            .map_or_else(|_| vec![Effect::Unknown], |filled| self.command.effects(&filled))
    }

    fn inspect(&self, payload: &Payload) -> Inspection {
        self.fill_template(payload).map(|filled| self.command.inspect(&filled)).unwrap_or_default()
    }

    /// Dropping the future ends all processes of the command.
    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let filled = self.fill_template(payload)?;
            self.command.call(ctx, &filled).await
        })
    }
}
