//! The commands that run an agent.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use windlass_agent::{Budget, Prices};
use windlass_protocol::ToolProtocol;
use windlass_text_calls::Dialect;

use super::{
    Approval, AutonomyName, EngineOptions, Offering, Otlp, PresetName, PromptArgs, Reach, RequestArgs,
    SandboxName, ScriptArgs, StoreOption, WireName,
};

#[derive(Debug, Args)]
#[command(after_help = "Example: OPENAI_API_KEY=… windlass run \"make the tests pass\" --model gpt-5-mini\n\
Example: windlass run \"explain src\" --provider ollama --model qwen3 --deny\n\
Example: windlass run \"plan the move to sqlite\" --model gpt-5-mini --mode architect\n\
Example: windlass run \"make the tests pass\" --model gpt-5-mini --approve-in ~/.local/state/approvals\n\
Example: windlass run \"make the tests pass\" --model gpt-5-mini --otlp http://localhost:4318\n\
Example: windlass run \"make the tests pass\" --model gpt-5-mini --suspend\n\
Example: windlass run \"why does the page look so?\" --model gpt-5-mini --image page.png --file app.css\n\
Example: windlass run --resume 1790000000-3f9a12bc\n\
Example: windlass run --continue last \"now write the changelog\"\n\
Example: windlass run \"make the tests pass\" --model gpt-5-mini --store sqlite:///srv/windlass/runs.db\n\
Example: windlass run --replay recorded.jsonl\n\
Example: git diff | windlass run --print \"review this change\" --model gpt-5-mini --autonomy read-only --max-cost 0.50\n\
Example: windlass run \"list the public functions\" --model gpt-5-mini --schema functions.json --print --deny | jq .\n\n\
Exit codes: 0 the task is completed; 1 the run failed, was refused, or stopped at a limit; 2 wrong arguments;\n\
75 the run is suspended and waits for an answer; 130 the run was interrupted.")]
#[expect(clippy::struct_excessive_bools, reason = "each a switch of the command line")]
pub(crate) struct Run {
    /// The task; `-` reads it from standard input. If both a task and piped text are given, the text is
    /// appended.
    #[arg(required_unless_present_any = ["resume", "replay"])]
    pub(crate) task: Option<String>,
    /// Picture for the task: PNG, JPEG, GIF or WebP. Can be repeated.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["resume", "replay", "engine"])]
    pub(crate) image: Vec<PathBuf>,
    /// File for the task: a text, a PDF, a picture. The model gets its content. Can be repeated.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["resume", "replay", "engine"])]
    pub(crate) file: Vec<PathBuf>,
    /// Resume an earlier run that did not complete, by its id, the beginning of its id, or `last`.
    #[arg(long, value_name = "ID", conflicts_with = "task")]
    pub(crate) resume: Option<String>,
    /// Continue a session with this task, by the session's id, the beginning of its id, or `last`. An ended run is
    /// continued by a new run on its history, which keeps its settings except for the options given here.
    #[arg(long = "continue", value_name = "SESSION", requires = "task", conflicts_with_all = ["resume", "replay"])]
    pub(crate) continued: Option<String>,
    /// The ids of the options that were given on the command line.
    #[arg(skip)]
    pub(crate) given: Vec<String>,
    /// Resume even if the record of the run is damaged: uses the part before the damage, keeps a copy of the
    /// file, and tells the model to inspect the current state.
    #[arg(long, requires = "resume")]
    pub(crate) salvage: bool,
    #[command(flatten)]
    pub(crate) store: StoreOption,
    /// Record the responses of the provider and the tools in this file, for `--replay` and `windlass fork`.
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub(crate) record: Option<PathBuf>,
    /// Replay a recorded run, without asking the provider, running tools or starting MCP servers: everything
    /// comes from the recording. Any difference is an error.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["task", "resume", "record"])]
    pub(crate) replay: Option<PathBuf>,
    /// Profile of the user's `config.toml`: defaults of these options.
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Name of the model at the provider.
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// Name of a provider, built in or from the user's file: openai, anthropic, openrouter, groq, ollama ….
    #[arg(long)]
    pub(crate) provider: Option<String>,
    /// Fallback model if the model before it is overloaded, out of quota, missing or unreachable. It is at
    /// the same provider unless a provider and a colon precede it. Can be repeated.
    #[arg(long, value_name = "[PROVIDER:]MODEL")]
    pub(crate) fallback: Vec<String>,
    /// Base URL of an endpoint with its version path: `http://localhost:8080/v1`.
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// Wire format, if it is not the one that the provider defines.
    #[arg(long, value_enum)]
    pub(crate) wire: Option<WireName>,
    #[command(flatten)]
    pub(crate) request: RequestArgs,
    #[command(flatten)]
    pub(crate) prompt: PromptArgs,
    #[command(flatten)]
    pub(crate) reach: Reach,
    /// Workspace: the folder to work in.
    #[arg(long, default_value = ".")]
    pub(crate) root: PathBuf,
    #[command(flatten)]
    pub(crate) engine: EngineOptions,
    #[command(flatten)]
    pub(crate) approval: Approval,
    /// Policy file.
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// Actions that the agent may take without asking.
    #[arg(long, value_enum, default_value = "ask")]
    pub(crate) autonomy: AutonomyName,
    #[command(flatten)]
    pub(crate) offering: Offering,
    #[command(flatten)]
    pub(crate) otlp: Otlp,
    /// Confinement of commands: auto, required, off.
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) sandbox: SandboxName,
    /// Set of tools: minimal, standard, full.
    #[arg(long, value_enum, default_value = "standard")]
    pub(crate) preset: PresetName,
    /// Form in which tool calls are exchanged with the model. The default depends on the model; it is
    /// native if its capabilities are unknown.
    #[arg(long, value_enum)]
    pub(crate) protocol: Option<ProtocolName>,
    /// Dialect of calls that are written as text; see `windlass parse --help`.
    #[arg(long, value_name = "NAME", value_parser = crate::text::dialects())]
    pub(crate) dialect: Option<Dialect>,
    /// End the task only with the completion tool. Without this option a plain answer in words ends it, too.
    #[arg(long)]
    pub(crate) until_done: bool,
    /// Maximum number of model responses; 0 means no limit.
    #[arg(long, default_value_t = 100)]
    pub(crate) max_turns: u32,
    /// Stop the run when it and its agents have cost this amount; 0 means no limit. The last response can exceed it.
    /// The amount is in US dollars, or in the currency of --price; a model without a known price is refused.
    #[arg(long, default_value = "0", value_name = "AMOUNT", value_parser = millionths)]
    pub(crate) max_cost: u64,
    /// Context window of the model in tokens. Before it is full, old results and turns are dropped or
    /// summarized. The default is the size in the provider's list of models; if that is unknown, the limit is
    /// learned when the provider refuses a request as too long.
    #[arg(long, value_name = "TOKENS")]
    pub(crate) context_window: Option<u64>,
    /// Ask whether to continue after this number of requests to the model; 0 never asks.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub(crate) ask_after_requests: u32,
    /// Ask whether to continue when this amount has been spent; 0 never asks. The amount is in US dollars, or in the
    /// currency of --price.
    #[arg(long, default_value = "0", value_name = "AMOUNT", value_parser = millionths)]
    pub(crate) ask_after_cost: u64,
    /// Ask whether to continue after this number of input and output tokens; 0 never asks.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub(crate) ask_after_tokens: u64,
    /// Ask whether to continue after this number of seconds of work; 0 never asks.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub(crate) ask_after_seconds: u64,
    /// Ask whether to continue when a tool has been called this many times. Can be repeated.
    #[arg(long, value_name = "TOOL=N", value_parser = calls)]
    pub(crate) ask_after_calls: Vec<(String, u32)>,
    /// Price of a million tokens: input, output and, if they differ, cache read and cache write. The default is the
    /// price in `windlass models MODEL`; a model that is not listed there has no known price.
    #[arg(long, value_name = "IN,OUT[,READ,WRITTEN]", value_parser = prices)]
    pub(crate) price: Option<Prices>,
    /// Do not use any configured MCP server.
    #[arg(long)]
    pub(crate) no_mcp: bool,
    /// Do not take checkpoints for `windlass diff` and `windlass restore`.
    #[arg(long)]
    pub(crate) no_checkpoints: bool,
    /// Print each event as a line of JSON.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) script: ScriptArgs,
}

#[cfg(feature = "temporal")]
#[derive(Debug, Args)]
#[command(
    mut_arg("task", |task| task.hide(true).required_unless_present("engine")),
    mut_arg("engine", |engine| engine.required(true)),
    mut_arg("resume", |resume| resume.hide(true)),
    mut_arg("salvage", |salvage| salvage.hide(true)),
    mut_arg("record", |record| record.hide(true)),
    mut_arg("replay", |replay| replay.hide(true)),
    mut_arg("print", |print| print.hide(true)),
    mut_arg("output_last_message", |file| file.hide(true)),
    mut_arg("schema", |schema| schema.hide(true)),
    after_help = "Example: windlass worker --engine temporal://127.0.0.1:7233/default --queue checkout-7 --model gpt-5-mini"
)]
pub(crate) struct Worker {
    /// Only send requests to the model, for the queue of --model-queue.
    #[arg(long)]
    pub(crate) models_only: bool,
    #[command(flatten)]
    pub(crate) run: Run,
}

/// Form in which calls are exchanged with a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProtocolName {
    /// Native tool calls of the provider.
    Native,
    /// Calls as JSON in a response that is constrained by a schema.
    Structured,
    /// Calls in the text of the response.
    Text,
}

impl ProtocolName {
    pub(crate) fn protocol(self) -> ToolProtocol {
        match self {
            Self::Native => ToolProtocol::Native,
            Self::Structured => ToolProtocol::Structured,
            Self::Text => ToolProtocol::Text,
        }
    }
}

impl Run {
    /// Returns the budget after which the run asks whether to continue. `listed` are the known prices of the model.
    pub(crate) fn budget(&self, listed: Option<Prices>) -> Budget {
        let prices = self.price.or(listed).unwrap_or_default();
        Budget {
            requests: self.ask_after_requests,
            tokens: self.ask_after_tokens,
            cost: self.ask_after_cost,
            wall_ms: self.ask_after_seconds.saturating_mul(1_000),
            calls: self.ask_after_calls.iter().cloned().collect(),
            prices,
        }
    }
}

/// Parses the limit on the calls of a tool.
fn calls(text: &str) -> Result<(String, u32), String> {
    let wrong = || format!("{text:?} is no limit; write one like run_command=20");
    let (tool, limit) = text.split_once('=').ok_or_else(wrong)?;
    let limit = limit.parse().ok().filter(|limit| *limit > 0).ok_or_else(wrong)?;
    Ok((tool.to_owned(), limit))
}

/// Parses two or four prices of a million tokens.
fn prices(text: &str) -> Result<Prices, String> {
    let parts: Result<Vec<u64>, String> = text.split(',').map(millionths).collect();
    match *parts? {
        [input, output] => Ok(Prices { input, output, cache_read: input, cache_write: input, long: None }),
        [input, output, cache_read, cache_write] => {
            Ok(Prices { input, output, cache_read, cache_write, long: None })
        }
        _ => Err("give two prices, IN,OUT, or four, IN,OUT,READ,WRITTEN".to_owned()),
    }
}

/// Parses a decimal amount such as `3` or `0.25` into millionths, without a float.
fn millionths(text: &str) -> Result<u64, String> {
    Prices::parse_amount(text.trim())
        .ok_or_else(|| format!("{text:?} is not an amount; write one like 3 or 0.25"))
}
