//! The commands and their options.

#[cfg(feature = "acp")]
mod acp;
#[cfg(feature = "subagent")]
mod agents;
mod approval;
mod approvals;
mod bytes;
#[cfg(feature = "tui")]
mod chat;
mod completions;
mod config;
mod defaults;
mod embeddings;
mod engine;
mod exclusions;
mod fork;
#[cfg(feature = "gateway")]
mod front;
#[cfg(feature = "mcp")]
mod mcp;
mod models;
mod names;
mod offering;
mod otlp;
mod parse;
#[cfg(feature = "gateway")]
mod proxy;
mod request;
mod restore;
mod run;
mod script;
#[cfg(feature = "server")]
mod serve;
#[cfg(any(feature = "acp", feature = "server"))]
mod served_run;
mod sessions;
mod store;
mod tools;
mod values;
#[cfg(feature = "workflow")]
mod workflow;

#[cfg(feature = "mock")]
use clap::Args;
use clap::{Parser, Subcommand};

#[cfg(feature = "acp")]
pub(crate) use self::acp::Acp;
#[cfg(feature = "subagent")]
pub(crate) use self::agents::{Agents, AgentsCommand};
pub(crate) use self::approval::Approval;
#[cfg(feature = "temporal")]
pub(crate) use self::approvals::Stop;
pub(crate) use self::approvals::{Approvals, ApprovalsCommand, Say, Target};
#[cfg(feature = "mock")]
pub(crate) use self::bytes::Mock;
pub(crate) use self::bytes::{Check, Encode, Json, Parse, Stage};
#[cfg(feature = "tui")]
pub(crate) use self::chat::Chat;
pub(crate) use self::completions::Completions;
#[cfg(feature = "man")]
pub(crate) use self::completions::Man;
pub(crate) use self::config::{
    Config, ConfigCommand, ConfigView, Hooks, HooksCommand, Login, Logout, Trust, TrustCommand,
};
pub(crate) use self::embeddings::Embeddings;
pub(crate) use self::engine::EngineOptions;
#[cfg(feature = "temporal")]
pub(crate) use self::engine::{EngineTarget, EngineValues};
pub(crate) use self::fork::{Fork, StatusName};
#[cfg(feature = "mcp")]
pub(crate) use self::mcp::{
    Mcp, McpAdd, McpCall, McpCommand, McpImport, McpServe, McpSpot, McpTarget, McpTrust,
};
pub(crate) use self::models::{Models, Reach};
pub(crate) use self::names::{AutonomyName, PresetName, SandboxName};
pub(crate) use self::offering::{Modes, ModesCommand, Offering};
pub(crate) use self::otlp::Otlp;
pub(crate) use self::parse::parse;
#[cfg(feature = "tui")]
pub(crate) use self::parse::refuse_without_command;
#[cfg(feature = "gateway")]
pub(crate) use self::proxy::{Proxy, ProxyCheck, ProxyCommand};
pub(crate) use self::request::{PromptArgs, RequestArgs};
pub(crate) use self::restore::{Diff, Restore};
#[cfg(feature = "temporal")]
pub(crate) use self::run::Worker;
pub(crate) use self::run::{ProtocolName, Run};
pub(crate) use self::script::ScriptArgs;
#[cfg(feature = "server")]
pub(crate) use self::serve::{DeviceAction, DevicesCommand, Serve};
#[cfg(any(feature = "acp", feature = "server"))]
pub(crate) use self::served_run::ServedRun;
pub(crate) use self::sessions::{FormatName, SessionsArguments, SessionsCommand};
pub(crate) use self::store::StoreOption;
pub(crate) use self::tools::{Call, Doctor, Policy, PolicyCommand, Tool, ToolCommand};
pub(crate) use self::values::provider_choice;
#[cfg(feature = "workflow")]
pub(crate) use self::workflow::{Workflow, WorkflowCommand, WorkflowRun};
pub(crate) use crate::wires::WireName;

#[cfg(not(feature = "acp"))]
type Acp = crate::missing::MissingFeature;
#[cfg(not(feature = "subagent"))]
type Agents = crate::missing::MissingFeature;
#[cfg(not(feature = "mcp"))]
type Mcp = crate::missing::MissingFeature;
#[cfg(not(feature = "mock"))]
type Demo = crate::missing::MissingFeature;
#[cfg(not(feature = "mock"))]
type Mock = crate::missing::MissingFeature;
#[cfg(not(feature = "gateway"))]
type Proxy = crate::missing::MissingFeature;
#[cfg(not(feature = "server"))]
type DevicesCommand = crate::missing::MissingFeature;
#[cfg(not(feature = "server"))]
type Serve = crate::missing::MissingFeature;
#[cfg(not(feature = "temporal"))]
type Stop = crate::missing::MissingFeature;
#[cfg(not(feature = "temporal"))]
type Worker = crate::missing::MissingFeature;
#[cfg(not(feature = "workflow"))]
type Workflow = crate::missing::MissingFeature;

/// Version of the program, with the commit if the build knows it.
const VERSION: &str = env!("WINDLASS_VERSION");

/// Tool calling for Rust, from a provider's bytes to an approved, executed, recorded action.
#[derive(Debug, Parser)]
#[command(name = "windlass", version = VERSION, propagate_version = true, max_term_width = 110)]
#[cfg_attr(feature = "tui", command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true))]
#[cfg_attr(not(feature = "tui"), command(subcommand_required = true))]
#[command(
    after_help = "Begin with: windlass demo\nTalk to an agent in this folder: windlass --model gpt-5-mini"
)]
pub(crate) struct Windlass {
    /// Write a log file into the state folder, and print its path; -vv and -vvv log more. `RUST_LOG` selects levels by
    /// module: `info,hyper_util=trace`.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[cfg(feature = "tui")]
    #[command(flatten)]
    pub(crate) chat: Chat,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Watch an agent fix a small project, with a scripted provider on this machine.
    Demo(Demo),
    /// Let an agent work on a task in a folder.
    Run(Box<Run>),
    /// Replay a recorded run up to a call, give that call another result, and continue from there.
    Fork(Fork),
    /// List and answer the questions of suspended runs.
    Approvals(Approvals),
    /// List, show, rename, export, delete and prune sessions: conversations of one or more runs.
    Sessions(SessionsArguments),
    /// Send a message to a run that works in another process or is resumed later.
    Say(Say),
    /// Stop a run of a durable engine in order: each of its calls still gets a result.
    Stop(Stop),
    /// Show the changes of a run as a diff.
    Diff(Diff),
    /// Restore the folder of a run to its state before the run or before one of its turns.
    Restore(Restore),
    /// Decode a recorded response of a provider up to a chosen stage.
    Parse(Parse),
    /// Show how a JSON text arrives: the partial value after each delta, and the events by path.
    Json(Json),
    /// Encode a request as the HTTP request of a wire format.
    Encode(Encode),
    /// Report the parts of a recorded request that a provider would refuse, and repair its conversation.
    Check(Check),
    /// List, show and call tools.
    Tool(Tool),
    /// Use MCP servers, or serve the tools of this program to MCP clients.
    Mcp(Mcp),
    /// List and show work modes: the kind of work of a run, and the tools for it.
    Modes(Modes),
    /// List and show sub-agents: agents that a run can start as tools.
    Agents(Agents),
    /// Run, list and draw workflows (graphs of steps).
    Workflow(Workflow),
    /// Check, test and explain policies.
    Policy(Policy),
    #[command(flatten)]
    Settings(Settings),
    /// Report what this machine supports: how commands are confined, which parts are missing, where files are
    /// stored.
    Doctor(Doctor),
    /// List providers, or the models of a provider with their known capabilities.
    Models(Models),
    /// Print the completion script of a shell.
    Completions(Completions),
    /// Write the manual pages.
    #[cfg(feature = "man")]
    #[command(hide = true)]
    Man(Man),
    #[command(flatten)]
    Service(Service),
}

/// Commands for the settings and permissions of later runs.
#[derive(Debug, Subcommand)]
pub(crate) enum Settings {
    /// Show and change the defaults of runs in `config.toml`, with the source of each value.
    Config(Config),
    /// Store the key of a provider in a file that only you can read. A key in the environment takes precedence.
    Login(Login),
    /// Remove the stored key of a provider.
    Logout(Logout),
    /// List the programs that runs start at their points: before a call, after a call, at the end.
    Hooks(Hooks),
    /// Trust a folder, so that its instruction files, skills and hooks count.
    Trust(Trust),
}

/// Commands that serve clients until they are stopped.
#[derive(Debug, Subcommand)]
pub(crate) enum Service {
    /// Serve your sessions to a web page, and answer their questions from any device.
    Serve(Box<Serve>),
    /// Work in an editor: Zed, JetBrains, Neovim and other clients of the Agent Client Protocol.
    Acp(Box<Acp>),
    /// List, register and revoke the devices that may use the server.
    Devices(DevicesCommand),
    /// Serve a provider to clients of any wire format.
    Proxy(Box<Proxy>),
    /// Serve a script as a provider, for any client.
    Mock(Mock),
    /// Execute the runs of a durable engine: requests to the model and calls.
    Worker(Box<Worker>),
}

#[cfg(feature = "mock")]
#[derive(Debug, Args)]
#[command(after_help = "Example: windlass demo --wire anthropic --yes")]
pub(crate) struct Demo {
    /// Wire format between the agent and the provider.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) wire: WireName,
    /// Approve every request.
    #[arg(long)]
    pub(crate) yes: bool,
    /// Ask on standard input even if it is not a terminal, one line per answer.
    #[arg(long, conflicts_with = "yes")]
    pub(crate) ask: bool,
    /// Confinement of commands.
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) sandbox: SandboxName,
    /// Print each event as a line of JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
