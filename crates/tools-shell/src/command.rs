//! The tool `run_command`: runs one command and returns its output and exit code.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use windlass_protocol::{Effect, Hints, Payload, Risk, ToolSpec};
use windlass_sandbox::Workspace;
use windlass_tool::{Context, Inspection, Tool, ToolError, ToolFuture};
use windlass_tool_args::read_arguments;

use crate::asked::RequestedCommand;
use crate::page::PAGE_BYTES;
use crate::site::{Order, Site, spec};
use crate::{Processes, Shell};

const DESCRIPTION: &str = "Runs a command in the workspace and returns its output and exit code. Give `command` \
    for a shell, or `argv` for one program without a shell. Input is closed, so it cannot ask questions; \
    processes that it starts end with it. For long-running programs, as a server or a long build, give \
    `background`, or `yield_time_ms` to get the output so far while it keeps running: both return an id. \
    The first line of the result says how it was confined: there is \
    no network, and files outside the workspace are read-only or not there. Long output is shown with head and tail \
    and kept in a file. To read, search or change files use the tools for that.";

const SCHEMA: &str = r#"{"type":"object","properties":{
"command":{"type":"string","description":"The command, as a shell reads it. Give this or argv."},
"argv":{"type":"array","items":{"type":"string"},"minItems":1,"description":"The program and its arguments, as they are."},
"cwd":{"type":"string","description":"The folder to run in, relative to the workspace. Default: the workspace itself."},
"timeout_ms":{"type":"integer","minimum":1,"maximum":86400000,"description":"When to stop it, in milliseconds. Default 120000, at most 600000; a background command has no default."},
"background":{"type":"boolean","description":"True to run it in the background from the start."},
"yield_time_ms":{"type":"integer","minimum":1,"maximum":600000,"description":"Time after which a running command continues in the background, in milliseconds."}
},"additionalProperties":false}"#;

const DEFAULT_TIMEOUT: u64 = 120_000;
const MAX_TIMEOUT: u64 = 600_000;
/// One day. A longer process should be a service of its own.
const MAX_BACKGROUND: u64 = 86_400_000;
/// The time that a call waits for a new background command, so that the result can report an immediate
/// failure.
const FIRST_LOOK: Duration = Duration::from_millis(300);

/// The tool `run_command`.
///
/// Its sandbox depends on the words of the command. A command that is proved to be read-only gets a read-only
/// workspace. A single `git` command that writes can also write the repository, and declares this in its
/// effects. Every other command can write the workspace. The tool also implements a provider's own local
/// shell ([`Payload::LocalShell`]).
#[derive(Debug)]
pub struct RunCommand {
    site: Site,
    spec: ToolSpec,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct CommandArguments {
    command: Option<String>,
    argv: Option<Vec<String>>,
    cwd: Option<String>,
    timeout_ms: Option<u64>,
    background: bool,
    yield_time_ms: Option<u64>,
}

/// Returns the time limit of a call: 120 seconds by default, and at most 600 seconds.
pub(crate) fn limit(timeout_ms: Option<u64>) -> Duration {
    Duration::from_millis(timeout_ms.unwrap_or(DEFAULT_TIMEOUT).clamp(1, MAX_TIMEOUT))
}

impl CommandArguments {
    fn from_payload(payload: &Payload) -> Result<Self, ToolError> {
        match payload {
            Payload::LocalShell { command, working_directory, timeout_ms } => Ok(Self {
                argv: Some(command.clone()),
                cwd: working_directory.clone().filter(|folder| !folder.is_empty()),
                timeout_ms: *timeout_ms,
                ..Self::default()
            }),
            payload => read_arguments(payload),
        }
    }

    fn folder(&self) -> &str {
        self.cwd.as_deref().unwrap_or(".")
    }

    fn order(self) -> Result<Order, ToolError> {
        let asked = RequestedCommand::from_arguments(self.command.as_deref(), self.argv.as_deref())?;
        let wait = match (self.background, self.yield_time_ms) {
            (true, _) => Some(FIRST_LOOK),
            (false, yields) => yields.map(|time| Duration::from_millis(time.clamp(1, MAX_TIMEOUT))),
        };
        let limit = match (wait, self.timeout_ms) {
            (None, given) => Some(limit(given)),
            (Some(_), given) => given.map(|time| Duration::from_millis(time.clamp(1, MAX_BACKGROUND))),
        };
        let folder = self.folder().to_owned();
        Ok(Order { asked, folder, terminal: None, limit, wait, most: PAGE_BYTES })
    }
}

impl RunCommand {
    /// Creates the tool for a workspace, without confinement.
    pub fn new(workspace: Arc<Workspace>) -> Self {
        Self::for_workspace(workspace, Shell::new_unconfined())
    }

    /// Creates the tool for a workspace, with the confinement of the shell. Its background commands end when
    /// the tool is dropped, and other tools cannot access them; see [`with_processes`](Self::with_processes).
    pub fn for_workspace(workspace: Arc<Workspace>, shell: Shell) -> Self {
        Self::with_processes(workspace, shell, Processes::default())
    }

    /// Creates the tool with a set of processes that other tools of the run share.
    pub fn with_processes(workspace: Arc<Workspace>, shell: Shell, processes: Processes) -> Self {
        let site = Site { workspace, shell, processes };
        Self { site, spec: spec("run_command", DESCRIPTION, SCHEMA) }
    }
}

impl Tool for RunCommand {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints { open_world: true, risk: Risk::High, ..Hints::default() }
    }

    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        let Ok(arguments) = CommandArguments::from_payload(payload) else { return vec![Effect::Unknown] };
        let (text, argv) = (arguments.command.as_deref(), arguments.argv.as_deref());
        match RequestedCommand::from_arguments(text, argv) {
            Ok(asked) => self.site.effects(&asked, arguments.folder()),
            Err(_) => self.site.effects_of_none(text, argv, arguments.folder()),
        }
    }

    fn inspect(&self, payload: &Payload) -> Inspection {
        // Arguments that cannot be parsed are never run, so nothing can be inspected.
        let Ok(given) = CommandArguments::from_payload(payload) else { return Inspection::default() };
        let asked = RequestedCommand::from_arguments(given.command.as_deref(), given.argv.as_deref());
        asked.map_or_else(|_| Inspection::default(), |asked| self.site.inspect(&asked, given.folder()))
    }

    /// Dropping the future ends all processes of the command, unless the command was moved to the background.
    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(
            async move { self.site.carry_out(ctx, CommandArguments::from_payload(payload)?.order()?).await },
        )
    }
}
