//! The commands and their options.

mod bytes;
mod run;
mod tools;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};

pub(crate) use self::bytes::{Encode, Json, Mock, Parse, Stage};
pub(crate) use self::run::{Approval, Fork, ProtocolName, Proxy, Run};
pub(crate) use self::tools::{Policy, PolicyCommand, Tool, ToolCommand};

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
    /// Leave a recorded run at a call, with another answer, and go on from there.
    Fork(Fork),
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
    /// Serve a provider to clients of any wire format.
    Proxy(Proxy),
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

/// How providers are found and reached.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Reach {
    /// A file of providers, laid over those that windlass knows. Without it: `WINDLASS_CONFIG`, else
    /// windlass/providers.toml in the user's configuration.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// The proxy for all providers. Without it: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`; `NO_PROXY` counts in any case.
    #[arg(long, value_name = "URL")]
    pub(crate) proxy: Option<String>,
    /// Certificates in PEM of authorities that are trusted besides the usual ones.
    #[arg(long, value_name = "FILE")]
    pub(crate) ca_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "Example: windlass models\nExample: windlass models --provider openrouter --refresh")]
pub(crate) struct Models {
    /// The provider whose models are listed; without it the providers are.
    #[arg(long)]
    pub(crate) provider: Option<String>,
    /// Only this model, listed or not.
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// The address of an endpoint, with its version path: `http://localhost:8080/v1`.
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// The wire format of `--base-url`, if the provider does not say it.
    #[arg(long, value_enum)]
    pub(crate) wire: Option<WireName>,
    /// Ask the provider again, even if its list is not a day old.
    #[arg(long)]
    pub(crate) refresh: bool,
    /// Forget what refusals of this provider have taught.
    #[arg(long)]
    pub(crate) forget: bool,
    #[command(flatten)]
    pub(crate) reach: Reach,
    /// Print lines of JSON.
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
