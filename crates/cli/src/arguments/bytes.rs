//! The commands that decode or encode bytes, and the command that serves a script as a provider.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use windlass_text_calls::Dialect;

use super::WireName;
use crate::text::{Format, Thoughts};

/// Stage up to which bytes are decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Stage {
    /// Server-sent events.
    Sse,
    /// Provider-neutral chunks.
    Chunk,
    /// Events of calls, with their growing arguments.
    Call,
    /// The whole response: text, calls, stop reason, usage.
    Message,
}

#[derive(Debug, Args)]
#[command(after_help = "Example: windlass parse --wire anthropic --stage message recorded.sse\n\
Example: windlass parse --wire text --dialect hermes --tools tools.json answer.txt")]
pub(crate) struct Parse {
    /// Wire format of the bytes; `text` is the plain text of a model that writes calls as text.
    #[arg(long, value_parser = crate::text::formats())]
    pub(crate) wire: Format,
    /// Stage up to which the bytes are decoded.
    #[arg(long, value_enum, default_value = "message")]
    pub(crate) stage: Stage,
    /// Push the bytes in pieces of this size; the result does not depend on it.
    #[arg(long, value_name = "N")]
    pub(crate) split: Option<usize>,
    /// For `--wire text`: dialect in which the model writes calls.
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = crate::text::dialects())]
    pub(crate) dialect: Dialect,
    /// For `--wire text`: JSON array of the offered tools. Each is a name, an object with `name` and
    /// `parameters` (or `input_schema`), or a function in OpenAI's form. By default every name counts as
    /// offered.
    #[arg(long, value_name = "FILE")]
    pub(crate) tools: Option<PathBuf>,
    /// For `--wire text`: treatment of reasoning between tags.
    #[arg(long, value_enum, default_value = "split")]
    pub(crate) thoughts: Thoughts,
    /// For `--wire text`: each line of the file is an object with `input` and optionally `tools`. Prints one
    /// numbered line of stage `message` for each.
    #[arg(long)]
    pub(crate) jsonl: bool,
    /// Print lines of JSON (this command always does).
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
    /// Push the text in deltas of this number of characters.
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub(crate) deltas: usize,
    /// Print lines of JSON (this command always does).
    #[arg(long)]
    pub(crate) json: bool,
    /// The JSON text; `-` is standard input.
    #[arg(default_value = "-", value_name = "FILE")]
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Example: echo '{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\
\"text\":\"hi\"}]}]}' | windlass encode --wire anthropic"
)]
pub(crate) struct Encode {
    /// Target wire format.
    #[arg(long, value_enum)]
    pub(crate) wire: WireName,
    /// Print a line of JSON with path, headers and body.
    #[arg(long)]
    pub(crate) json: bool,
    /// Request in the JSON form of `windlass-protocol`; `-` is standard input.
    #[arg(default_value = "-", value_name = "FILE")]
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
#[command(after_help = "Example: windlass check --wire anthropic request.json\n\
Example: windlass check --wire openai-chat request.json --mend > mended.json")]
pub(crate) struct Check {
    /// Wire format of the request.
    #[arg(long, value_enum)]
    pub(crate) wire: WireName,
    /// Print the repaired conversation as a body of the same format.
    #[arg(long, conflicts_with = "json")]
    pub(crate) mend: bool,
    /// Print a line of JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Path of the request, for formats whose path contains the model.
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
    /// Body of a recorded request; `-` is standard input.
    #[arg(default_value = "-", value_name = "FILE")]
    pub(crate) file: PathBuf,
}

#[cfg(feature = "mock")]
#[derive(Debug, Args)]
#[command(after_help = "Example: windlass mock --script script.json --port 8080")]
pub(crate) struct Mock {
    /// Script of the responses and faults of the provider.
    #[arg(long, value_name = "FILE")]
    pub(crate) script: PathBuf,
    /// Port on 127.0.0.1; 0 chooses a free port.
    #[arg(long, default_value_t = 0)]
    pub(crate) port: u16,
    /// Print the address as a line of JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
