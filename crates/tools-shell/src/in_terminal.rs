//! The tools `exec_command`, `run_pty_cmd` and `create_pty_session`: run a command in its own terminal, to
//! its end or as a session.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use windlass_protocol::{Effect, Hints, Payload, Risk, ToolSpec};
use windlass_sandbox::Workspace;
use windlass_tool::{Context, Inspection, Tool, ToolError, ToolFuture};
use windlass_tool_args::read_arguments;

use crate::asked::RequestedCommand;
use crate::command::limit;
use crate::page::PAGE_BYTES;
use crate::screen::Size;
use crate::site::{Order, Site, spec};
use crate::{Processes, Shell};

const EXEC: &str = "Runs a command at a terminal, for interactive programs. Returns its output when it has \
    ended, or the output until `yield_time_ms` and the id of its session, which keeps running: type to it \
    and poll it with write_stdin. It is confined as run_command is.";

const EXEC_SCHEMA: &str = r#"{"type":"object","properties":{
"cmd":{"type":"string","description":"The command, as a shell reads it."},
"workdir":{"type":"string","description":"The folder to run in, relative to the workspace. Default: the workspace itself."},
"tty":{"type":"boolean","description":"True to give it a terminal, which is the default; without a terminal its input is closed."},
"yield_time_ms":{"type":"integer","minimum":1,"maximum":300000,"description":"Time to wait for its end, in milliseconds. Default 10000."},
"max_output_tokens":{"type":"integer","minimum":1,"description":"Approximate size of the returned output. Default 7500, which is the most."},
"rows":{"type":"integer","minimum":1,"maximum":200,"description":"Default 24."},
"cols":{"type":"integer","minimum":1,"maximum":400,"description":"Default 80."}
},"required":["cmd"],"additionalProperties":false}"#;

const RUN: &str = "Runs a command at a terminal to its end, for programs that behave differently without \
                   one. It receives no input; for input open a session. It is confined as run_command is.";

const RUN_SCHEMA: &str = r#"{"type":"object","properties":{
"command":{"type":"string","description":"The command, as a shell reads it. Give this or argv."},
"argv":{"type":"array","items":{"type":"string"},"minItems":1,"description":"The program and its arguments, as they are."},
"cwd":{"type":"string","description":"The folder to run in, relative to the workspace. Default: the workspace itself."},
"timeout_ms":{"type":"integer","minimum":1,"maximum":600000,"description":"When to stop it, in milliseconds. Default 120000."},
"rows":{"type":"integer","minimum":1,"maximum":200,"description":"Default 24."},
"cols":{"type":"integer","minimum":1,"maximum":400,"description":"Default 80."}
},"additionalProperties":false}"#;

const CREATE: &str = "Opens a terminal in which a program keeps running between calls, as a shell, a \
                      debugger or an \
    interpreter. Returns its session id and what it has written so far. Type with send_pty_input, read with \
    read_pty_session, end it with close_pty_session; a session that is not read for long is closed. It is \
    confined as \
    run_command is.";

const CREATE_SCHEMA: &str = r#"{"type":"object","properties":{
"command":{"type":"string","description":"The program, as a shell reads it. Default: a shell."},
"cwd":{"type":"string","description":"The folder to run in, relative to the workspace. Default: the workspace itself."},
"wait_ms":{"type":"integer","minimum":1,"maximum":60000,"description":"Time to wait for its first output, in milliseconds. Default 500."},
"rows":{"type":"integer","minimum":1,"maximum":200,"description":"Default 24."},
"cols":{"type":"integer","minimum":1,"maximum":400,"description":"Default 80."}
},"additionalProperties":false}"#;

/// The default shell, with line editing. It skips the user's start-up files, which are not visible in the
/// sandbox.
const SHELL: &str = "bash --noprofile --norc -i";
const YIELD: u64 = 10_000;
const MAX_YIELD: u64 = 300_000;
const FIRST_LOOK: u64 = 500;
const MAX_LOOK: u64 = 60_000;

/// The tools that run a command in a terminal.
///
/// The program has a screen and reads keys, for example a debugger or an editor. It is confined like a
/// command of [`RunCommand`](crate::RunCommand), and results contain its output without escape sequences.
/// Processes that outlive the call belong to the given [`Processes`].
#[derive(Debug)]
pub struct RunInTerminal {
    site: Site,
    dialect: Dialect,
    spec: ToolSpec,
}

/// The tool whose argument names and default times apply.
#[derive(Clone, Copy, Debug)]
enum Dialect {
    Exec,
    Run,
    Create,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct TerminalArguments {
    #[serde(alias = "cmd")]
    command: Option<String>,
    argv: Option<Vec<String>>,
    #[serde(alias = "workdir")]
    cwd: Option<String>,
    tty: Option<bool>,
    timeout_ms: Option<u64>,
    #[serde(alias = "wait_ms")]
    yield_time_ms: Option<u64>,
    max_output_tokens: Option<usize>,
    rows: Option<u16>,
    cols: Option<u16>,
}

/// Returns the approximate number of bytes for a number of tokens, at most one page.
pub(crate) fn bytes_of(tokens: Option<usize>) -> usize {
    tokens.map_or(PAGE_BYTES, |tokens| tokens.saturating_mul(4).clamp(1, PAGE_BYTES))
}

impl TerminalArguments {
    fn parse_command(&self, dialect: Dialect) -> Result<RequestedCommand, ToolError> {
        match (dialect, &self.command) {
            (Dialect::Create, None) => Ok(RequestedCommand::text(SHELL.to_owned())),
            (_, command) => RequestedCommand::from_arguments(command.as_deref(), self.argv.as_deref()),
        }
    }

    fn folder(&self) -> &str {
        self.cwd.as_deref().unwrap_or(".")
    }

    fn order(&self, dialect: Dialect) -> Result<Order, ToolError> {
        let asked = self.parse_command(dialect)?;
        let wait = |usual: u64, most: u64| {
            Some(Duration::from_millis(self.yield_time_ms.unwrap_or(usual).clamp(1, most)))
        };
        let (wait, limit) = match dialect {
            Dialect::Exec => (wait(YIELD, MAX_YIELD), None),
            Dialect::Run => (None, Some(limit(self.timeout_ms))),
            Dialect::Create => (wait(FIRST_LOOK, MAX_LOOK), None),
        };
        let terminal = self.tty.unwrap_or(true).then(|| Size::clamp(self.rows, self.cols));
        let (folder, most) = (self.folder().to_owned(), bytes_of(self.max_output_tokens));
        Ok(Order { asked, folder, terminal, limit, wait, most })
    }
}

impl RunInTerminal {
    /// Creates `exec_command`, which waits for a limited time and then leaves the command running.
    pub fn exec_command(workspace: Arc<Workspace>, shell: Shell, processes: Processes) -> Self {
        let site = Site { workspace, shell, processes };
        Self { site, dialect: Dialect::Exec, spec: spec("exec_command", EXEC, EXEC_SCHEMA) }
    }

    /// Creates `run_pty_cmd`, which waits for the end of the command.
    pub fn run_pty_cmd(workspace: Arc<Workspace>, shell: Shell, processes: Processes) -> Self {
        let site = Site { workspace, shell, processes };
        Self { site, dialect: Dialect::Run, spec: spec("run_pty_cmd", RUN, RUN_SCHEMA) }
    }

    /// Creates `create_pty_session`, which waits only for the first output.
    pub fn create_pty_session(workspace: Arc<Workspace>, shell: Shell, processes: Processes) -> Self {
        let site = Site { workspace, shell, processes };
        Self { site, dialect: Dialect::Create, spec: spec("create_pty_session", CREATE, CREATE_SCHEMA) }
    }
}

impl Tool for RunInTerminal {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints { open_world: true, risk: Risk::High, ..Hints::default() }
    }

    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        let Ok(arguments) = read_arguments::<TerminalArguments>(payload) else {
            return vec![Effect::Unknown];
        };
        let (text, argv) = (arguments.command.as_deref(), arguments.argv.as_deref());
        match arguments.parse_command(self.dialect) {
            Ok(asked) => self.site.effects(&asked, arguments.folder()),
            Err(_) => self.site.effects_of_none(text, argv, arguments.folder()),
        }
    }

    fn inspect(&self, payload: &Payload) -> Inspection {
        // Arguments that cannot be parsed are never run, so nothing can be inspected.
        let Ok(given) = read_arguments::<TerminalArguments>(payload) else { return Inspection::default() };
        let asked = given.parse_command(self.dialect);
        asked.map_or_else(|_| Inspection::default(), |asked| self.site.inspect(&asked, given.folder()))
    }

    /// Dropping the future before the command has a session ends all of its processes.
    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let arguments: TerminalArguments = read_arguments(payload)?;
            self.site.carry_out(ctx, arguments.order(self.dialect)?).await
        })
    }
}
