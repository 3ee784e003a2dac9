//! The commands and their options.

mod models;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};
use windlass_text_calls::Dialect;

pub(crate) use self::models::{Models, Reach};
use crate::text::{Format, Thoughts};

/// Tool calling for Rust, from a provider's bytes to an approved, executed, recorded action.
#[derive(Debug, Parser)]
#[command(name = "windlass", version, propagate_version = true, subcommand_required = true)]
#[command(after_help = "Begin with: windlass demo")]
pub(crate) struct Windlass {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Watch a real agent mend a small project, against a scripted provider on this machine.
    Demo(Demo),
    /// Let an agent do a task in a folder.
    Run(Run),
    /// Decode recorded bytes of a provider, up to any stage.
    Parse(Parse),
    /// Show JSON as it arrives: the partial value after each delta, and the events by path.
    Json(Json),
    /// Show the HTTP request that would be sent for a request.
    Encode(Encode),
    /// List, show and call tools by hand.
    Tool(Tool),
    /// Ask the policy about calls.
    Policy(Policy),
    /// List providers, or a provider's models with what is known of them.
    Models(Models),
    /// Serve a script as a provider, for any client.
    Mock(Mock),
}

/// A wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub(crate) enum WireName {
    /// OpenAI Chat Completions, and what is compatible with it.
    OpenaiChat,
    /// OpenAI Responses.
    OpenaiResponses,
    /// Anthropic Messages.
    Anthropic,
    /// Google Gemini generateContent.
    Gemini,
}

#[derive(Debug, Args)]
#[command(after_help = "Example: windlass demo --wire anthropic --yes")]
pub(crate) struct Demo {
    /// The wire format that agent and provider speak.
    #[arg(long, value_enum, default_value = "openai-chat")]
    pub(crate) wire: WireName,
    /// Say yes to every approval request.
    #[arg(long)]
    pub(crate) yes: bool,
    /// Print every event as a line of JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example: OPENAI_API_KEY=… windlass run \"make the tests pass\" --model gpt-5-mini\n\
Example: windlass run \"explain src\" --provider ollama --model qwen3 --deny\n\
Example: windlass run --resume 1790000000-3f9a12bc")]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(crate) struct Run {
    /// What to do, in words.
    #[arg(required_unless_present = "resume")]
    pub(crate) task: Option<String>,
    /// Go on with an earlier run, by its id.
    #[arg(long, value_name = "ID", conflicts_with = "task")]
    pub(crate) resume: Option<String>,
    /// The provider's name of the model.
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// A provider that windlass or the user's file knows: openai, anthropic, openrouter, groq, ollama …
    #[arg(long)]
    pub(crate) provider: Option<String>,
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
    /// Say yes to every approval request.
    #[arg(long, group = "approval")]
    pub(crate) yes: bool,
    /// Ask on the terminal (the default where there is one).
    #[arg(long, group = "approval")]
    pub(crate) ask: bool,
    /// Say no to every approval request.
    #[arg(long, group = "approval")]
    pub(crate) deny: bool,
    /// A policy file.
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// How many tools: minimal, standard, full.
    #[arg(long, value_enum, default_value = "standard")]
    pub(crate) preset: PresetName,
    /// The most answers of the model; 0 is no limit.
    #[arg(long, default_value_t = 100)]
    pub(crate) max_turns: u32,
    /// Print every event as a line of JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// How many tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub(crate) enum PresetName {
    /// Read, write, edit, run.
    Minimal,
    /// What a coding agent needs.
    Standard,
    /// All there are.
    Full,
}

/// How far bytes are decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Stage {
    /// Server-sent events.
    Sse,
    /// Chunks of the common vocabulary.
    Chunk,
    /// Events of calls, with their arguments as they grow.
    Call,
    /// The whole answer: text, calls, finish, usage.
    Message,
}

#[derive(Debug, Args)]
#[command(after_help = "Example: windlass parse --wire anthropic --stage message recorded.sse\n\
Example: windlass parse --wire text --dialect hermes --tools tools.json answer.txt")]
pub(crate) struct Parse {
    /// The wire format of the bytes; `text` is what a model wrote, with its calls as text.
    #[arg(long, value_parser = crate::text::formats())]
    pub(crate) wire: Format,
    /// How far to decode.
    #[arg(long, value_enum, default_value = "message")]
    pub(crate) stage: Stage,
    /// Push the bytes in pieces of this many; the result is the same.
    #[arg(long, value_name = "N")]
    pub(crate) split: Option<usize>,
    /// Of `--wire text`: how the model writes calls.
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = crate::text::dialects())]
    pub(crate) dialect: Dialect,
    /// Of `--wire text`: a JSON array of the tools on offer, each a name, an object with `name` and `parameters`
    /// (or `input_schema`), or a function as OpenAI has it. Without it any name is taken as offered.
    #[arg(long, value_name = "FILE")]
    pub(crate) tools: Option<PathBuf>,
    /// Of `--wire text`: what becomes of thoughts between tags.
    #[arg(long, value_enum, default_value = "split")]
    pub(crate) thoughts: Thoughts,
    /// Of `--wire text`: each line of the file is an object with `input`, and `tools` if they are known; each
    /// gives a line with its number at the stage `message`.
    #[arg(long)]
    pub(crate) jsonl: bool,
    /// Print lines of JSON (what this command always does).
    #[arg(long)]
    pub(crate) json: bool,
    /// Recorded responses, streamed or whole; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Example: echo '{\"path\": \"a.txt\", \"content\": \"hello\"}' | windlass json --deltas 4"
)]
#[expect(clippy::struct_field_names, reason = "every command has a switch of this name")]
pub(crate) struct Json {
    /// Push the text in deltas of this many characters.
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub(crate) deltas: usize,
    /// Print lines of JSON (what this command always does).
    #[arg(long)]
    pub(crate) json: bool,
    /// The text; `-` is standard input.
    #[arg(default_value = "-", value_name = "FILE")]
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Example: echo '{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\
\"text\":\"hi\"}]}]}' | windlass encode --wire anthropic"
)]
pub(crate) struct Encode {
    /// The wire format to encode to.
    #[arg(long, value_enum)]
    pub(crate) wire: WireName,
    /// Print a line of JSON: path, headers, body.
    #[arg(long)]
    pub(crate) json: bool,
    /// A request as `windlass-protocol` writes it in JSON; `-` is standard input.
    #[arg(default_value = "-", value_name = "FILE")]
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
#[command(after_help = "Example: windlass tool call read_file '{\"path\":\"README.md\"}' --root .")]
pub(crate) struct Tool {
    #[command(subcommand)]
    pub(crate) command: ToolCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ToolCommand {
    /// The tools of a preset, a line each.
    #[command(after_help = "Example: windlass tool list --preset full")]
    List {
        /// How many tools.
        #[arg(long, value_enum, default_value = "standard")]
        preset: PresetName,
        /// Print a line of JSON for each.
        #[arg(long)]
        json: bool,
    },
    /// What a model is told of a tool.
    #[command(after_help = "Example: windlass tool show edit_file")]
    Show {
        /// The tool's name or an alias.
        name: String,
        /// Print a line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Check, judge and run one call.
    #[command(after_help = "Example: windlass tool call read_file '{\"path\":\"README.md\"}' --root .")]
    Call {
        /// The tool's name or an alias.
        name: String,
        /// Its arguments as JSON; `-` reads them from standard input.
        arguments: String,
        /// The folder to work in; nothing outside is touched.
        #[arg(long, default_value = ".")]
        root: PathBuf,
        /// Run it even where policy asks.
        #[arg(long)]
        yes: bool,
        /// A policy file.
        #[arg(long, value_name = "FILE")]
        policy: Option<PathBuf>,
        /// Print the result as a line of JSON.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
#[command(
    after_help = "Example: echo '{\"tool\":\"run_command\",\"input\":{\"command\":\"ls\"}}' | windlass policy explain"
)]
pub(crate) struct Policy {
    #[command(subcommand)]
    pub(crate) command: PolicyCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Decide about calls and say which rule decided, without running anything.
    #[command(
        after_help = "Example: echo '{\"tool\":\"write_file\",\"input\":{\"path\":\"../x\",\"content\":\"\"}}' \
| windlass policy explain --root ."
    )]
    Explain {
        /// The folder that the calls would work in.
        #[arg(long, default_value = ".")]
        root: PathBuf,
        /// A policy file.
        #[arg(long, value_name = "FILE")]
        policy: Option<PathBuf>,
        /// Print lines of JSON (what this command always does).
        #[arg(long)]
        json: bool,
        /// Lines of `{"tool": …, "input": …}`, or of calls as events and journals have them; `-` is standard input.
        #[arg(default_value = "-", value_name = "FILE")]
        file: PathBuf,
    },
}

#[derive(Debug, Args)]
#[command(after_help = "Example: windlass mock --script script.json --port 8080")]
pub(crate) struct Mock {
    /// The script: which answers the provider gives, and how it misbehaves.
    #[arg(long, value_name = "FILE")]
    pub(crate) script: PathBuf,
    /// The port on 127.0.0.1; 0 takes a free one.
    #[arg(long, default_value_t = 0)]
    pub(crate) port: u16,
    /// Print the address as a line of JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
