//! The commands that take bytes apart, and the one that serves a script.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use windlass_text_calls::Dialect;

use super::WireName;
use crate::text::{Format, Thoughts};

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
#[command(after_help = "Example: windlass check --wire anthropic request.json\n\
Example: windlass check --wire openai-chat request.json --mend > mended.json")]
pub(crate) struct Check {
    /// The wire format of the request.
    #[arg(long, value_enum)]
    pub(crate) wire: WireName,
    /// Print the conversation as it is when it is mended, as a body of the same format.
    #[arg(long, conflicts_with = "json")]
    pub(crate) mend: bool,
    /// Print a line of JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// The request's path, where the format has its model there.
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
    /// The body of a request, as it was sent or kept; `-` is standard input.
    #[arg(default_value = "-", value_name = "FILE")]
    pub(crate) file: PathBuf,
}

#[cfg(feature = "mock")]
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
