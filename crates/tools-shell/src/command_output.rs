//! The tool `read_command_output`: returns the new output of a background command, and pages and matches of
//! long outputs.

use std::io::Cursor;
use std::sync::Arc;

use serde::Deserialize;
use windlass_protocol::{Effect, Hints, Payload, ToolSpec};
use windlass_sandbox::Workspace;
use windlass_tool::{Context, Output, Tool, ToolError, ToolFuture};
use windlass_tool_args::read_arguments;

use crate::page::{self, PAGE_BYTES, RequestedPart};
use crate::processes::{Job, Processes, short};
use crate::report;
use crate::site::{spec, to_tool_error};
use crate::stream::Stream;
use crate::visible::visible;

const DESCRIPTION: &str = "Reads what a command printed. Give the `id` of a background command or a session: \
    alone it returns the new output since the last read, and whether the command still runs or its exit \
    code. Or give \
    the `name` of an output that was too long to be shown, as its result says. With `offset` and `limit` you page \
    through it, with `tail` you get its last lines, with `search` the lines that match, each with its offset.";

const SCHEMA: &str = r#"{"type":"object","properties":{
"id":{"type":"integer","minimum":1,"description":"The background command or session. Give this or name."},
"name":{"type":"string","description":"The output's name, as in @outputs/NAME."},
"stream":{"type":"string","enum":["stdout","stderr"],"description":"Which output of the command. Default: stdout."},
"search":{"type":"string","description":"A regular expression that lines must match, in either case. With offset: from there on."},
"offset":{"type":"integer","minimum":0,"description":"The byte at which to begin."},
"limit":{"type":"integer","minimum":1,"maximum":30000,"description":"Maximum number of bytes. Default 30000."},
"tail":{"type":"integer","minimum":1,"description":"Number of lines to return from the end."}
},"additionalProperties":false}"#;

/// The tool `read_command_output`.
#[derive(Debug)]
pub struct ReadCommandOutput {
    workspace: Arc<Workspace>,
    processes: Processes,
    spec: ToolSpec,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OutputArguments {
    id: Option<u64>,
    name: Option<String>,
    stream: Option<StreamName>,
    search: Option<String>,
    offset: Option<u64>,
    limit: Option<usize>,
    tail: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum StreamName {
    #[default]
    Stdout,
    Stderr,
}

impl OutputArguments {
    /// Returns whether the call requests a certain part, and not the new output.
    fn is_page(&self) -> bool {
        self.search.is_some() || self.offset.is_some() || self.tail.is_some() || self.stream.is_some()
    }

    fn select_part(self) -> RequestedPart {
        RequestedPart { offset: self.offset, limit: self.limit, tail: self.tail, search: self.search }
    }

    /// Returns the name of the output without its folder.
    fn plain_name(&self) -> Option<&str> {
        let name = self.name.as_deref()?;
        Some(name.strip_prefix("@outputs/").unwrap_or(name))
    }
}

impl ReadCommandOutput {
    /// Creates the tool for the processes of a run. Files of long outputs are read through the workspace.
    pub fn new(workspace: Arc<Workspace>, processes: Processes) -> Self {
        Self { workspace, processes, spec: spec("read_command_output", DESCRIPTION, SCHEMA) }
    }

    async fn read_job(&self, job: &Job, arguments: OutputArguments) -> Result<Output, ToolError> {
        job.printed.touch();
        let first = state(job);
        if !arguments.is_page() {
            let most = arguments.limit.unwrap_or(PAGE_BYTES);
            return Ok(Output::text(first + &report::fresh(&job.printed, most)));
        }
        let at = usize::from(arguments.stream == Some(StreamName::Stderr));
        let Some(stream) = job.printed.streams.get(at) else {
            return Err("a session has one output; leave `stream` out".into());
        };
        if let Some(whole) = stream.whole() {
            let len = whole.len() as u64;
            let (line, body) = page::read(&mut Cursor::new(whole), len, &arguments.select_part())?;
            return Ok(Output::text(join(&first, &line, &body)));
        }
        let Some(file) = stream.spill_file() else {
            let (notice, text) = stream.show();
            return Ok(Output::text(join(&first, notice.trim_start(), &text)));
        };
        let (line, body) = self.read_file(file.name, Some(file.bytes), arguments.select_part()).await?;
        Ok(Output::text(join(&first, &line, &body)))
    }

    async fn read_file(
        &self,
        name: String,
        len: Option<u64>,
        wanted: RequestedPart,
    ) -> Result<(String, String), ToolError> {
        let workspace = Arc::clone(&self.workspace);
        let read = move || {
            let path = workspace.resolve(&format!("@outputs/{name}")).map_err(to_tool_error)?;
            let mut file = workspace.stream(&path).map_err(|error| {
                ToolError::model(error)
                    .with_advice("The result of a command contains the name of its output.")
            })?;
            let len = len.unwrap_or_else(|| file.len());
            page::read(&mut file, len, &wanted)
        };
        tokio::task::spawn_blocking(read).await.map_err(ToolError::from_error)?
    }
}

fn join(first: &str, line: &str, body: &str) -> String {
    let gap = if first.is_empty() { "" } else { "\n" };
    format!("{first}{gap}{line}\n{}", visible(body))
}

/// Returns the first line about a process: its state and the size of its output.
pub(crate) fn state(job: &Job) -> String {
    let (id, level, command) = (job.id, job.printed.level, short(&job.command));
    let totals = job.printed.streams.iter().map(|stream: &Stream| {
        let (bytes, lines) = stream.total();
        format!("{} {bytes} bytes, {lines} lines", stream.name)
    });
    let totals = totals.collect::<Vec<_>>().join("; ");
    let (how, warning) = match job.result() {
        Some(finished) => (report::in_short(&finished), finished.warning),
        None => (format!("still runs, for {} s", job.began.elapsed().as_secs()), String::new()),
    };
    format!("[{id} `{}` {how}; sandbox: {level}; {totals} so far]{warning}", visible(&command))
}

impl Tool for ReadCommandOutput {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        // A second call does not return the same new output again.
        Hints { idempotent: false, ..Hints::read_only() }
    }

    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        match read_arguments::<OutputArguments>(payload) {
            Ok(arguments) => match arguments.plain_name() {
                Some(name) => {
                    vec![Effect::Read { path: self.workspace.effect_path(&format!("@outputs/{name}")) }]
                }
                None => vec![Effect::Internal],
            },
            Err(_) => vec![Effect::Unknown],
        }
    }

    fn call<'a>(&'a self, _: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let arguments: OutputArguments = read_arguments(payload)?;
            match (arguments.id, arguments.plain_name()) {
                (Some(id), None) => self.read_job(&*self.processes.job(id)?, arguments).await,
                (None, Some(name)) => {
                    let (name, wanted) = (name.to_owned(), arguments.select_part());
                    let (line, body) = self.read_file(name, None, wanted).await?;
                    Ok(Output::text(join("", &line, &body)))
                }
                _ => Err("give either `id` or `name`; a background command's result says which".into()),
            }
        })
    }
}
