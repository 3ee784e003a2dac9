//! The tools `write_stdin` and `send_pty_input`: send input to a program in a terminal and return its new
//! output.

use std::time::Duration;

use serde::Deserialize;
use tokio::io::AsyncWriteExt;
use windlass_protocol::{Effect, Hints, Payload, Risk, ToolSpec};
use windlass_tool::{Context, Output, Tool, ToolError, ToolFuture};
use windlass_tool_args::read_arguments;

use crate::command_output::state;
use crate::in_terminal::bytes_of;
use crate::processes::{Job, Processes};
use crate::report;
use crate::site::spec;

const WRITE: &str = "Types characters to a running session of exec_command and returns what is new. With empty \
    `chars` it only waits and reads. Keys are written as in JSON: \\u0003 is Ctrl-C, \\r is Enter.";

const WRITE_SCHEMA: &str = r#"{"type":"object","properties":{
"session_id":{"type":"integer","minimum":1,"description":"The session."},
"chars":{"type":"string","description":"The characters to type, unchanged. Default: nothing."},
"yield_time_ms":{"type":"integer","minimum":1,"maximum":300000,"description":"Time to wait for output, in milliseconds. Default 500, or 5000 if nothing is typed."},
"max_output_tokens":{"type":"integer","minimum":1,"description":"Approximate size of the returned output. Default 7500, which is the most."}
},"required":["session_id"],"additionalProperties":false}"#;

const SEND: &str = "Types to a running terminal session and returns what is new. Keys are written as in JSON: \\u0003 \
    is Ctrl-C, \\u0004 is Ctrl-D, \\u001b[A is the arrow up, \\r is Enter.";

const SEND_SCHEMA: &str = r#"{"type":"object","properties":{
"session_id":{"type":"integer","minimum":1,"description":"The session."},
"input":{"type":"string","description":"The characters to type, unchanged."},
"append_newline":{"type":"boolean","description":"Press Enter after it. Default false."},
"wait_ms":{"type":"integer","minimum":1,"maximum":300000,"description":"Time to wait for output, in milliseconds. Default 500."}
},"required":["session_id","input"],"additionalProperties":false}"#;

const WAIT: u64 = 500;
const POLL: u64 = 5_000;
const MAX_WAIT: u64 = 300_000;
/// The maximum number of bytes of input per call.
const INPUT_BYTES: usize = 64 * 1024;
/// The time that a program has to read the input.
const TYPING: Duration = Duration::from_secs(5);

/// The tools that send input to a program in a terminal.
#[derive(Debug)]
pub struct SendInput {
    processes: Processes,
    spec: ToolSpec,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct InputArguments {
    session_id: u64,
    #[serde(default, alias = "chars")]
    input: String,
    #[serde(default)]
    append_newline: bool,
    #[serde(alias = "wait_ms")]
    yield_time_ms: Option<u64>,
    max_output_tokens: Option<usize>,
}

impl InputArguments {
    fn typed(&self) -> String {
        // The Enter key sends CR; the terminal translates it to LF unless the program changed this mode.
        let enter = if self.append_newline { "\r" } else { "" };
        format!("{}{enter}", self.input)
    }

    fn wait(&self) -> Duration {
        let usual = if self.typed().is_empty() { POLL } else { WAIT };
        Duration::from_millis(self.yield_time_ms.unwrap_or(usual).clamp(1, MAX_WAIT))
    }
}

impl SendInput {
    /// Creates `write_stdin`, the counterpart of `exec_command`.
    pub fn write_stdin(processes: Processes) -> Self {
        Self { processes, spec: spec("write_stdin", WRITE, WRITE_SCHEMA) }
    }

    /// Creates `send_pty_input`, for the sessions of `create_pty_session`.
    pub fn send_pty_input(processes: Processes) -> Self {
        Self { processes, spec: spec("send_pty_input", SEND, SEND_SCHEMA) }
    }
}

async fn type_to(job: &Job, text: &str) -> Result<(), ToolError> {
    let id = job.id;
    if !job.is_session() {
        return Err(ToolError::model(format!("{id} has no terminal, its input is closed"))
            .with_advice(format!("Read it with read_command_output {{\"id\":{id}}}.")));
    }
    if text.len() > INPUT_BYTES {
        let problem = format!("the text has {} bytes, and one call types at most 64 KiB", text.len());
        return Err(ToolError::model(problem)
            .with_advice("Type it in parts, or put it into a file that the program reads."));
    }
    let mut taken = 0;
    let typing = async {
        let mut keyboard = job.keyboard.lock().await;
        let keyboard = keyboard.as_mut().ok_or(std::io::ErrorKind::BrokenPipe)?;
        while let Some(rest) = text.as_bytes().get(taken..).filter(|rest| !rest.is_empty()) {
            taken = taken.saturating_add(keyboard.write(rest).await?);
        }
        keyboard.flush().await
    };
    match tokio::time::timeout(TYPING, typing).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(ToolError::model(format!("session {id} takes no more input: {error}"))),
        Err(_) => Err(ToolError::model(format!(
            "the program of session {id} does not read its input: it took {taken} of {} bytes",
            text.len()
        ))
        .with_advice("Wait, or send \\u0003.")),
    }
}

impl Tool for SendInput {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints { open_world: true, risk: Risk::High, ..Hints::default() }
    }

    /// Decides about the input as a command for a shell, which can only make the decision stricter. The
    /// meaning of the input to any other program is unknown.
    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        let Ok(arguments) = read_arguments::<InputArguments>(payload) else { return vec![Effect::Unknown] };
        let typed = arguments.typed();
        if typed.is_empty() {
            return vec![Effect::Internal];
        }
        let command = typed.trim().to_owned();
        let execute = Effect::Execute { command, directory: ".".to_owned() };
        let is_blank = typed.trim().is_empty();
        let execute = (!is_blank).then_some(execute);
        execute.into_iter().chain([Effect::Unknown]).collect()
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let arguments: InputArguments = read_arguments(payload)?;
            let job = self.processes.job(arguments.session_id)?;
            job.printed.touch();
            let typed = arguments.typed();
            if !typed.is_empty() {
                if job.result().is_some() {
                    return Err(ToolError::model(format!("nothing was typed: {}", state(&job))));
                }
                type_to(&job, &typed).await?;
            }
            tokio::select! {
                () = ctx.cancellation().cancelled() => {}
                _ = job.end_within(arguments.wait()) => {}
            }
            job.printed.touch();
            let text = report::fresh(&job.printed, bytes_of(arguments.max_output_tokens));
            Ok(Output::text(state(&job) + &text))
        })
    }
}
