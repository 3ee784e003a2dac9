//! The tools `read_pty_session` and `list_pty_sessions`, and those that end a process: `close_pty_session`
//! and `kill_command`.

use std::time::Duration;

use serde::Deserialize;
use windlass_protocol::{Concurrency, Effect, Hints, Payload, Risk, ToolSpec};
use windlass_tool::{Context, Output, Tool, ToolError, ToolFuture};
use windlass_tool_args::read_arguments;

use crate::command_output::state;
use crate::page::PAGE_BYTES;
use crate::processes::Processes;
use crate::report;
use crate::site::spec;

const READ: &str = "Reads a terminal session: the new output since the last read, or with `view` screen \
                    what a human \
    would see on it now. Says whether its program still runs, or its exit code.";

const READ_SCHEMA: &str = r#"{"type":"object","properties":{
"session_id":{"type":"integer","minimum":1,"description":"The session."},
"view":{"type":"string","enum":["new","screen"],"description":"Default: new; of a program that draws on the whole screen, the screen."},
"wait_ms":{"type":"integer","minimum":1,"maximum":300000,"description":"Time to wait for its end, in milliseconds. Default: not at all."}
},"required":["session_id"],"additionalProperties":false}"#;

const CLOSE: &str = "Ends a terminal session with all processes that it started, and returns its last \
                     output.";

const CLOSE_SCHEMA: &str = r#"{"type":"object","properties":{
"session_id":{"type":"integer","minimum":1,"description":"The session."}
},"required":["session_id"],"additionalProperties":false}"#;

const KILL: &str = "Ends a background command with all processes that it started, and returns its last \
                    output.";

const KILL_SCHEMA: &str = r#"{"type":"object","properties":{
"id":{"type":"integer","minimum":1,"description":"The background command."}
},"required":["id"],"additionalProperties":false}"#;

const LIST: &str = "Lists terminal sessions and background commands: their ids, commands, whether they run, how much \
    they printed.";

const LIST_SCHEMA: &str = r#"{"type":"object","properties":{},"additionalProperties":false}"#;

/// The maximum time for ending a process: SIGTERM, grace period, SIGKILL, and reading the rest of its output.
const ENDING: Duration = Duration::from_secs(15);

/// The tool `read_pty_session`, which reads the new output or the screen of a session.
#[derive(Debug)]
pub struct ReadSession {
    processes: Processes,
    spec: ToolSpec,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadArguments {
    session_id: u64,
    #[serde(default)]
    view: View,
    wait_ms: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum View {
    #[default]
    New,
    Screen,
}

impl ReadSession {
    /// Creates the tool for the processes of a run.
    pub fn new(processes: Processes) -> Self {
        Self { processes, spec: spec("read_pty_session", READ, READ_SCHEMA) }
    }
}

impl Tool for ReadSession {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        // A second call does not return the same new output again.
        Hints { idempotent: false, ..Hints::read_only() }
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Internal]
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let arguments: ReadArguments = read_arguments(payload)?;
            let job = self.processes.job(arguments.session_id)?;
            job.printed.touch();
            if let Some(wait) = arguments.wait_ms {
                tokio::select! {
                    () = ctx.cancellation().cancelled() => {}
                    _ = job.end_within(Duration::from_millis(wait.min(300_000))) => {}
                }
                job.printed.touch();
            }
            let body = match arguments.view {
                View::New => report::fresh(&job.printed, PAGE_BYTES),
                View::Screen => match job.printed.terminal().map(crate::stream::Stream::screen) {
                    Some(Some(screen)) => format!("\n{screen}"),
                    Some(None) => "\n[its screen cannot be shown; read the new output]".to_owned(),
                    None => return Err(no_terminal(job.id)),
                },
            };
            Ok(Output::text(state(&job) + &body))
        })
    }
}

fn no_terminal(id: u64) -> ToolError {
    ToolError::model(format!("{id} has no terminal"))
        .with_advice(format!("Read it with read_command_output {{\"id\":{id}}}."))
}

/// The tools that end a process of a run.
#[derive(Debug)]
pub struct EndProcess {
    processes: Processes,
    spec: ToolSpec,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EndArguments {
    #[serde(alias = "session_id")]
    id: u64,
}

impl EndProcess {
    /// Creates `close_pty_session`.
    pub fn close_pty_session(processes: Processes) -> Self {
        Self { processes, spec: spec("close_pty_session", CLOSE, CLOSE_SCHEMA) }
    }

    /// Creates `kill_command`.
    pub fn kill_command(processes: Processes) -> Self {
        Self { processes, spec: spec("kill_command", KILL, KILL_SCHEMA) }
    }
}

impl Tool for EndProcess {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints { idempotent: true, risk: Risk::Low, concurrency: Concurrency::Parallel, ..Hints::default() }
    }

    /// The tool can only end processes that the same run started.
    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Internal]
    }

    fn call<'a>(&'a self, _: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let arguments: EndArguments = read_arguments(payload)?;
            let job = self.processes.job(arguments.id)?;
            job.stop.cancel();
            if job.end_within(ENDING).await.is_none() {
                let id = job.id;
                return Err(ToolError::model(format!("{id} was asked to end and still runs"))
                    .with_advice("Check again later."));
            }
            Ok(Output::text(state(&job) + &report::fresh(&job.printed, PAGE_BYTES)))
        })
    }
}

/// The tool `list_pty_sessions`, which lists sessions and background commands.
#[derive(Debug)]
pub struct ListSessions {
    processes: Processes,
    spec: ToolSpec,
}

impl ListSessions {
    /// Creates the tool for the processes of a run.
    pub fn new(processes: Processes) -> Self {
        Self { processes, spec: spec("list_pty_sessions", LIST, LIST_SCHEMA) }
    }
}

impl Tool for ListSessions {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints::read_only()
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Internal]
    }

    fn call<'a>(&'a self, _: &'a Context, _: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let jobs = self.processes.jobs();
            if jobs.is_empty() {
                return Ok(Output::text("no session is open and no command runs in the background"));
            }
            let lines: Vec<_> = jobs.iter().map(|job| state(job)).collect();
            Ok(Output::text(lines.join("\n")))
        })
    }
}
