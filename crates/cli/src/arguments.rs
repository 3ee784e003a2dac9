//! The commands and their options.

mod approvals;
mod bytes;
mod embeddings;
#[cfg(feature = "mcp")]
mod mcp;
mod models;
mod offering;
mod otlp;
mod restore;
mod resumed;
mod run;
mod tools;
mod values;
#[cfg(feature = "workflow")]
mod workflow;

#[cfg(feature = "mock")]
use clap::Args;
use clap::{Parser, Subcommand, ValueEnum};

pub(crate) use self::approvals::{Approvals, ApprovalsCommand, Say, Target};
#[cfg(feature = "mock")]
pub(crate) use self::bytes::Mock;
pub(crate) use self::bytes::{Check, Encode, Json, Parse, Stage};
pub(crate) use self::embeddings::Embeddings;
#[cfg(feature = "mcp")]
pub(crate) use self::mcp::{Mcp, McpCall, McpCommand, McpImport, McpServe, McpSpot, McpTarget, McpTrust};
pub(crate) use self::models::{Models, Reach};
pub(crate) use self::offering::{Modes, ModesCommand, Offering};
pub(crate) use self::otlp::Otlp;
pub(crate) use self::restore::{Diff, Restore};
pub(crate) use self::resumed::parse;
#[cfg(feature = "gateway")]
pub(crate) use self::run::Proxy;
pub(crate) use self::run::{Approval, Fork, ProtocolName, Run};
pub(crate) use self::tools::{Call, Doctor, Policy, PolicyCommand, Tool, ToolCommand};
pub(crate) use self::values::provider_choice;
#[cfg(feature = "workflow")]
pub(crate) use self::workflow::{Workflow, WorkflowCommand, WorkflowRun};

#[cfg(not(feature = "mcp"))]
type Mcp = crate::missing::Missing;
#[cfg(not(feature = "mock"))]
type Demo = crate::missing::Missing;
#[cfg(not(feature = "mock"))]
type Mock = crate::missing::Missing;
#[cfg(not(feature = "gateway"))]
type Proxy = crate::missing::Missing;
#[cfg(not(feature = "workflow"))]
type Workflow = crate::missing::Missing;

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
    Run(Box<Run>),
    /// Leave a recorded run at a call, with another answer, and go on from there.
    Fork(Fork),
    /// List what suspended runs wait for, and answer it.
    Approvals(Approvals),
    /// Say something to a run that works in another process, or that is resumed later.
    Say(Say),
    /// Show what a run changed in its folder, as a diff.
    Diff(Diff),
    /// Put a run's folder back to what it was before the run, or before one of its turns.
    Restore(Restore),
    /// Decode recorded bytes of a provider, up to any stage.
    Parse(Parse),
    /// Show JSON as it arrives: the partial value after each delta, and the events by path.
    Json(Json),
    /// Show the HTTP request that would be sent for a request.
    Encode(Encode),
    /// Say what a provider would refuse of a recorded request, and mend its conversation.
    Check(Check),
    /// List, show and call tools by hand.
    Tool(Tool),
    /// Use MCP servers by hand, and serve this program's tools as one.
    Mcp(Mcp),
    /// List and show the modes: what kind of work a run does, and which tools it has for that.
    Modes(Modes),
    /// Run, list and draw workflows: graphs of steps.
    Workflow(Workflow),
    /// Ask the policy about calls.
    Policy(Policy),
    /// Say what this machine can do: how commands are confined, what is missing, where things are kept.
    Doctor(Doctor),
    /// List providers, or a provider's models with what is known of them.
    Models(Models),
    /// Serve a provider to clients of any wire format.
    Proxy(Proxy),
    /// Serve a script as a provider, for any client.
    Mock(Mock),
}

/// A wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
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

#[cfg(feature = "mock")]
#[derive(Debug, Args)]
#[command(after_help = "Example: windlass demo --wire anthropic --yes")]
pub(crate) struct Demo {
    /// The wire format that agent and provider speak.
    #[arg(long, value_enum, default_value = "openai-chat")]
    pub(crate) wire: WireName,
    /// Say yes to every approval request.
    #[arg(long)]
    pub(crate) yes: bool,
    /// Ask on standard input, also where it is no terminal: a line for each answer.
    #[arg(long, conflicts_with = "yes")]
    pub(crate) ask: bool,
    /// How commands are confined.
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) sandbox: SandboxName,
    /// Print every event as a line of JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// How commands are confined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum SandboxName {
    /// As well as this machine can.
    #[default]
    Auto,
    /// With namespaces, or not at all.
    Required,
    /// Not. Each command can do what the user can.
    Off,
}

/// How far a run goes without asking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum AutonomyName {
    /// Ask where no rule speaks.
    #[default]
    Ask,
    /// Only read; everything else is denied.
    ReadOnly,
    /// Change files in the workspace without asking.
    AutoEdit,
    /// Also run what only reads and is confined.
    Auto,
    /// Nobody is there: deny where no rule allows.
    Headless,
}

/// How many tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PresetName {
    /// Read, write, edit, run.
    Minimal,
    /// What a coding agent needs.
    Standard,
    /// All there are.
    Full,
}
