//! `run_command`: one command, its output and its exit code.

use std::sync::Arc;

use serde::Deserialize;
use windlass_protocol::{Effect, Hints, Payload, Risk, ToolName, ToolSpec};
use windlass_sandbox::{Kind, Workspace};
use windlass_tool::{Context, Inspection, Tool, ToolError, ToolFuture, read_arguments};

use crate::Shell;
use crate::asked::{Asked, Need};
use crate::launch::{ForNeed, Launch};
use crate::run::{launch_and_run, limit, told};

const DESCRIPTION: &str = "Runs a command in the workspace and returns its output and exit code. Give `command` \
    for a shell, or `argv` for one program without a shell. Input is closed, so nothing can ask back; background \
    processes end with the command. The first line of the result says how it was confined: there is no network, \
    and files outside the workspace are read-only or not there. Long output is shown with head and tail and kept \
    in a file. To read, search or change files use the tools for that.";

const SCHEMA: &str = r#"{"type":"object","properties":{
"command":{"type":"string","description":"The command, as a shell reads it. Give this or argv."},
"argv":{"type":"array","items":{"type":"string"},"minItems":1,"description":"The program and its arguments, as they are."},
"cwd":{"type":"string","description":"The folder to run in, relative to the workspace. Default: the workspace itself."},
"timeout_ms":{"type":"integer","minimum":1,"maximum":600000,"description":"When to stop it, in milliseconds. Default 120000."}
},"additionalProperties":false}"#;

/// The tool `run_command`.
///
/// What a command may touch follows from its words: what is proved to read only gets the workspace for reading,
/// one `git` command that writes gets the repository (and says so in its effects), everything else the workspace.
#[derive(Debug)]
pub struct RunCommand {
    workspace: Arc<Workspace>,
    shell: Shell,
    spec: ToolSpec,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CommandArguments {
    #[serde(default)]
    command: Option<String>,
    #[serde(default)]
    argv: Option<Vec<String>>,
    #[serde(default)]
    cwd: Option<String>,
    #[serde(default)]
    timeout_ms: Option<u64>,
}

impl CommandArguments {
    fn asked(&self) -> Result<Asked, ToolError> {
        let nul = "the command has a NUL character; give it without";
        match (&self.command, &self.argv) {
            (Some(text), None) if text.contains('\0') => Err(nul.into()),
            (Some(text), None) if !text.trim().is_empty() => Ok(Asked::text(text.clone())),
            (None, Some(argv)) if argv.iter().any(|word| word.contains('\0')) => Err(nul.into()),
            (None, Some(argv)) if argv.first().is_some_and(|program| !program.is_empty()) => {
                Ok(Asked::Words(argv.clone()))
            }
            (Some(_), Some(_)) => Err("give either `command` or `argv`, not both".into()),
            _ => Err("the command is empty; give `command` or `argv`".into()),
        }
    }

    fn folder(&self) -> &str {
        self.cwd.as_deref().unwrap_or(".")
    }
}

impl RunCommand {
    /// The tool on a workspace, with nothing confined.
    pub fn new(workspace: Arc<Workspace>) -> Self {
        Self::with(workspace, Shell::unconfined())
    }

    /// The tool on a workspace, confined as the shell says.
    pub fn with(workspace: Arc<Workspace>, shell: Shell) -> Self {
        Self { workspace, shell, spec: spec() }
    }
}

fn spec() -> ToolSpec {
    let name = ToolName::new("run_command").expect("the tool's name is a plain word");
    ToolSpec::function(name, DESCRIPTION, SCHEMA.parse().expect("the tool's schema is JSON"))
}

impl Tool for RunCommand {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints { open_world: true, risk: Risk::High, ..Hints::default() }
    }

    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        let Ok(arguments) = read_arguments::<CommandArguments>(payload) else { return vec![Effect::Unknown] };
        let directory = self.workspace.effect_path(arguments.folder());
        let Ok(asked) = arguments.asked() else {
            // What is no command is judged as it was written: policy refuses an empty one and one with a NUL.
            let command = arguments.command.unwrap_or_else(|| arguments.argv.unwrap_or_default().join(" "));
            return vec![Effect::Execute { command, directory }];
        };
        let mut effects = vec![Effect::Execute { command: asked.command(), directory }];
        if asked.need() == Need::Repository {
            effects.push(Effect::Write { path: ".git".to_owned(), bytes: None });
        }
        effects
    }

    fn inspect(&self, payload: &Payload) -> Inspection {
        let asked = read_arguments::<CommandArguments>(payload).ok().and_then(|given| given.asked().ok());
        // What cannot be read is not run.
        let Some(asked) = asked else { return Inspection::default() };
        let granted = self.shell.grants(self.workspace.root()).for_need(asked.need()).look();
        Inspection::default().with_containment(self.shell.containment(&granted))
    }

    /// Dropping the future ends all processes of the command.
    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let arguments: CommandArguments = read_arguments(payload)?;
            let asked = arguments.asked()?;
            let folder = arguments.folder();
            let path = self.workspace.resolve(folder).map_err(told)?;
            if self.workspace.kind(&path).map_err(told)? != Kind::Folder {
                return Err(ToolError::model(format!("`{folder}` is not a folder; give a folder as cwd")));
            }
            let folder = self.workspace.absolute(&path).map_err(told)?;
            let (shell, root) = (self.shell.clone(), self.workspace.root().to_path_buf());
            let launch = move || Launch::of_command(&shell, &root, &folder, &asked);
            launch_and_run(ctx, limit(arguments.timeout_ms), launch).await
        })
    }
}
