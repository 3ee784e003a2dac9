//! The commands that let an agent work.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use windlass_agent::{Budget, Prices};
use windlass_protocol::{ResultStatus, ToolProtocol};
use windlass_text_calls::Dialect;

use super::{AutonomyName, Offering, Otlp, PresetName, Reach, SandboxName, WireName};

#[derive(Debug, Args)]
#[command(after_help = "Example: OPENAI_API_KEY=… windlass run \"make the tests pass\" --model gpt-5-mini\n\
Example: windlass run \"explain src\" --provider ollama --model qwen3 --deny\n\
Example: windlass run \"plan the move to sqlite\" --model gpt-5-mini --mode architect\n\
Example: windlass run \"make the tests pass\" --model gpt-5-mini --approve-in ~/.local/state/approvals\n\
Example: windlass run \"make the tests pass\" --model gpt-5-mini --otlp http://localhost:4318\n\
Example: windlass run \"make the tests pass\" --model gpt-5-mini --suspend\n\
Example: windlass run --resume 1790000000-3f9a12bc\n\
Example: windlass run --replay recorded.jsonl")]
#[expect(clippy::struct_excessive_bools, reason = "each a switch of the command line")]
pub(crate) struct Run {
    /// What to do, in words; `-` reads them from standard input. Text that is piped in beside words is added to them.
    #[arg(required_unless_present_any = ["resume", "replay"])]
    pub(crate) task: Option<String>,
    /// Go on with an earlier run, by its id.
    #[arg(long, value_name = "ID", conflicts_with = "task")]
    pub(crate) resume: Option<String>,
    /// Go on although the run's record is damaged: what stands before the damage counts, the file as it was is kept, and
    /// the model is told to look at the present state.
    #[arg(long, requires = "resume")]
    pub(crate) salvage: bool,
    /// Write what the provider and the tools say into this file, for `--replay` and `windlass fork`.
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub(crate) record: Option<PathBuf>,
    /// Let a recorded run happen again, without a network and without running a tool. Any difference is an error.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["task", "resume", "record"])]
    pub(crate) replay: Option<PathBuf>,
    /// The provider's name of the model.
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// A provider that windlass or the user's file knows: openai, anthropic, openrouter, groq, ollama …
    #[arg(long)]
    pub(crate) provider: Option<String>,
    /// A model that is asked where the one before has no answer: overloaded, out of quota, not found, not reached. Of
    /// the same provider, unless its name stands before a colon. May be said several times.
    #[arg(long, value_name = "[PROVIDER:]MODEL")]
    pub(crate) fallback: Vec<String>,
    /// The address of an endpoint, with its version path: `http://localhost:8080/v1`.
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// The wire format of `--base-url`, if the provider does not say it.
    #[arg(long, value_enum)]
    pub(crate) wire: Option<WireName>,
    #[command(flatten)]
    pub(crate) reach: Reach,
    /// The folder to work in; nothing outside is touched.
    #[arg(long, default_value = ".")]
    pub(crate) root: PathBuf,
    #[command(flatten)]
    pub(crate) approval: Approval,
    /// A policy file.
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// How far it goes without asking.
    #[arg(long, value_enum, default_value = "ask")]
    pub(crate) autonomy: AutonomyName,
    #[command(flatten)]
    pub(crate) offering: Offering,
    #[command(flatten)]
    pub(crate) otlp: Otlp,
    /// How commands are confined: auto, required, off.
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) sandbox: SandboxName,
    /// How many tools: minimal, standard, full.
    #[arg(long, value_enum, default_value = "standard")]
    pub(crate) preset: PresetName,
    /// How calls reach the model. Without it: as the model can, natively if nothing else is known.
    #[arg(long, value_enum)]
    pub(crate) protocol: Option<ProtocolName>,
    /// How calls are written where they travel as text; see `windlass parse --help`.
    #[arg(long, value_name = "NAME", value_parser = crate::text::dialects())]
    pub(crate) dialect: Option<Dialect>,
    /// The most answers of the model; 0 is no limit.
    #[arg(long, default_value_t = 100)]
    pub(crate) max_turns: u32,
    /// The model's window in tokens: before it is full, old results and turns are left out or summed up. Without it: what
    /// the provider's list of models says, or when the provider refuses the length.
    #[arg(long, value_name = "TOKENS")]
    pub(crate) context_window: Option<u64>,
    /// Ask whether to go on after so many requests to the model; 0 never asks.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub(crate) ask_after_requests: u32,
    /// Ask whether to go on when so much was spent, in the currency of --price; 0 never asks.
    #[arg(long, default_value = "0", value_name = "AMOUNT", requires = "price", value_parser = millionths)]
    pub(crate) ask_after_cost: u64,
    /// Ask whether to go on after so many tokens, of requests and answers; 0 never asks.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub(crate) ask_after_tokens: u64,
    /// Ask whether to go on after so many seconds of work; 0 never asks.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub(crate) ask_after_seconds: u64,
    /// Ask whether to go on when a tool was called so often. May be said several times.
    #[arg(long, value_name = "TOOL=N", value_parser = calls)]
    pub(crate) ask_after_calls: Vec<(String, u32)>,
    /// What a million tokens cost: in, out, and where they differ read from and written to the cache.
    #[arg(long, value_name = "IN,OUT[,READ,WRITTEN]", value_parser = prices)]
    pub(crate) price: Option<Prices>,
    /// Start and reach no MCP server, whatever is configured.
    #[arg(long)]
    pub(crate) no_mcp: bool,
    /// Do not keep what was there before a turn changes it, for `windlass diff` and `windlass restore`.
    #[arg(long)]
    pub(crate) no_checkpoints: bool,
    /// Print every event as a line of JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Who says whether a call may run.
#[derive(Clone, Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "one of them, each a switch of the command line")]
pub(crate) struct Approval {
    /// Say yes to every approval request.
    #[arg(long, group = "approval")]
    pub(crate) yes: bool,
    /// Ask on the terminal (the default where there is one).
    #[arg(long, group = "approval")]
    pub(crate) ask: bool,
    /// Say no to every approval request.
    #[arg(long, group = "approval")]
    pub(crate) deny: bool,
    /// Leave every approval request open: the run goes on as far as it can without, ends its process, and goes on with
    /// `windlass approvals` and `--resume` (the default where there is no terminal).
    #[arg(long, group = "approval")]
    pub(crate) suspend: bool,
    /// Lay every approval request into this folder, from which another program takes it and where it answers.
    #[cfg(unix)]
    #[arg(long, group = "approval", value_name = "FOLDER")]
    pub(crate) approve_in: Option<PathBuf>,
    /// Learn from answers at the terminal: calls of a shape that was approved three times run without a question for 30
    /// days, which is reported when it begins. Without it, and without `enabled = true` in `[learning]` of the user's
    /// `config.toml`, nothing is learned and nothing that was learned counts.
    #[arg(long)]
    pub(crate) learn: bool,
}

/// How calls reach a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProtocolName {
    /// The provider's own tool calls.
    Native,
    /// Calls as JSON in a constrained answer.
    Structured,
    /// Calls written into the text.
    Text,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Example: windlass fork recorded.jsonl --at call_0_1 --answer \"the file is locked\" --record forked.jsonl"
)]
pub(crate) struct Fork {
    /// A cassette, as `windlass run --record` writes it.
    #[arg(value_name = "FILE")]
    pub(crate) cassette: PathBuf,
    /// The call that gives another answer, by its id.
    #[arg(long, value_name = "CALL")]
    pub(crate) at: String,
    /// What it gives back instead; `-` reads it from standard input.
    #[arg(long, value_name = "TEXT")]
    pub(crate) answer: String,
    /// How it ends.
    #[arg(long, value_enum, default_value = "ok")]
    pub(crate) status: StatusName,
    /// Write the forked run into this file, from its beginning.
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) approval: Approval,
    #[command(flatten)]
    pub(crate) reach: Reach,
    #[command(flatten)]
    pub(crate) otlp: Otlp,
    /// Print every event as a line of JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// How a call ends that a human answers for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StatusName {
    /// It did what was asked.
    Ok,
    /// It could not.
    Error,
    /// It took too long.
    TimedOut,
    /// It was stopped.
    Cancelled,
}

#[cfg(feature = "gateway")]
#[derive(Debug, Args)]
#[command(
    after_help = "Example: windlass proxy --upstream anthropic --model claude-sonnet-4-6 --listen 127.0.0.1:4000\n\
Then: OPENAI_BASE_URL=http://127.0.0.1:4000/v1 OPENAI_API_KEY=none any-openai-program"
)]
pub(crate) struct Proxy {
    /// Where to listen; port 0 takes a free one.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:4000")]
    pub(crate) listen: std::net::SocketAddr,
    /// The provider that answers, as `windlass models` lists them.
    #[arg(long, value_name = "PROVIDER", required_unless_present = "base_url")]
    pub(crate) upstream: Option<String>,
    /// Another address than the provider's own.
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// The wire format of a bare `--base-url`.
    #[arg(long, value_enum)]
    pub(crate) wire: Option<WireName>,
    /// The model that is asked, whatever the client says.
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// Listen at an address that other machines reach. Whoever reaches it speaks with your key.
    #[arg(long)]
    pub(crate) allow_remote: bool,
    #[command(flatten)]
    pub(crate) reach: Reach,
    /// Print the address as a line of JSON.
    #[arg(long)]
    pub(crate) json: bool,
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

impl StatusName {
    pub(crate) fn status(self) -> ResultStatus {
        match self {
            Self::Ok => ResultStatus::Ok,
            Self::Error => ResultStatus::Error,
            Self::TimedOut => ResultStatus::TimedOut,
            Self::Cancelled => ResultStatus::Cancelled,
        }
    }
}

impl Run {
    /// How much the run may use before somebody is asked.
    pub(crate) fn budget(&self) -> Budget {
        let prices = self.price.unwrap_or_default();
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

/// Reads how often a tool may be called.
fn calls(text: &str) -> Result<(String, u32), String> {
    let wrong = || format!("{text:?} is no limit; write one like run_command=20");
    let (tool, limit) = text.split_once('=').ok_or_else(wrong)?;
    let limit = limit.parse().ok().filter(|limit| *limit > 0).ok_or_else(wrong)?;
    Ok((tool.to_owned(), limit))
}

/// Reads prices of a million tokens, two or four of them.
fn prices(text: &str) -> Result<Prices, String> {
    let parts: Result<Vec<u64>, String> = text.split(',').map(millionths).collect();
    match *parts? {
        [input, output] => Ok(Prices { input, output, cache_read: input, cache_write: input }),
        [input, output, cache_read, cache_write] => Ok(Prices { input, output, cache_read, cache_write }),
        _ => Err("give two prices, IN,OUT, or four, IN,OUT,READ,WRITTEN".to_owned()),
    }
}

/// An amount as whole millionths, without a float between: `3` or `0.25`.
fn millionths(text: &str) -> Result<u64, String> {
    let (whole, part) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let wrong = || format!("{text:?} is no amount; write one like 3 or 0.25");
    if whole.is_empty() || !digits(whole) || !digits(part) || part.len() > 6 {
        return Err(wrong());
    }
    format!("{whole}{part:0<6}").parse().map_err(|_| wrong())
}
