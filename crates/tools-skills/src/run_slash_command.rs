//! `run_slash_command`: a stored prompt with arguments, as an instruction to the model.

use serde::Deserialize;
use windlass_protocol::{Effect, Hints, Payload, ToolSpec};
use windlass_tool::{Context, Output, Tool, ToolError, ToolFuture, run_blocking};
use windlass_tool_args::read_arguments;

use crate::SlashCommands;
use crate::expansion::{MAX_EXPANDED, expand};
use crate::library::read_body;
use crate::prompts::{MAX_ARGUMENTS, PromptError};
use crate::slash_commands::SlashCommand;
use crate::spec::spec;

/// The tool `run_slash_command`, which returns a command's text with its arguments inserted, for the model to
/// carry out. The tool runs nothing: the model makes separate calls for the text's instructions.
#[derive(Debug)]
pub struct RunSlashCommand {
    spec: ToolSpec,
    commands: SlashCommands,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    command: String,
    #[serde(default)]
    args: Option<String>,
}

const SCHEMA: &str = r#"{"type":"object","properties":{
"command":{"type":"string","description":"One of the names above, without the slash."},
"args":{"type":"string","description":"Its arguments, as a human types them after the command."}
},"required":["command"],"additionalProperties":false}"#;

impl RunSlashCommand {
    /// Creates the tool for the given commands. Do not offer it without a command.
    pub fn new(commands: SlashCommands) -> Self {
        let description = format!(
            "Returns the instructions of a command that the user or the project has defined. Carry them out \
             then.{}",
            commands.list_for_model()
        );
        Self { spec: spec("run_slash_command", &description, SCHEMA), commands }
    }
}

impl Tool for RunSlashCommand {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints::read_only()
    }

    fn feature(&self) -> Option<&str> {
        Some("slash_commands")
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Internal]
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let Arguments { command: name, args } = read_arguments(payload)?;
            let library = &self.commands.library;
            let command = library.get(name.strip_prefix('/').unwrap_or(&name));
            let command = command.ok_or_else(|| library.unknown_error(&name))?.clone();
            let args = args.unwrap_or_default();
            if args.len() > MAX_ARGUMENTS {
                let error = PromptError::ArgumentsTooLong { bytes: args.len() };
                return Err(ToolError::model(error.to_string()));
            }
            run_blocking(ctx, move |_| text(&name, &command, &args)).await
        })
    }
}

fn text(name: &str, command: &SlashCommand, args: &str) -> Result<Output, ToolError> {
    let body = read_body(name, command)?;
    let expanded = expand(&body, args).ok_or_else(|| {
        ToolError::model(format!(
            "the command {name} with these arguments is longer than {MAX_EXPANDED} bytes"
        ))
        .with_advice("Give shorter ones.")
    })?;
    Ok(Output::text(format!("[command {name} of the folder {}]\n{expanded}", command.file.source.label)))
}
