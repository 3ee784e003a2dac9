//! The commands that list and call tools, and the commands that test a policy.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{AutonomyName, Offering, PresetName, SandboxName};

#[derive(Debug, Args)]
#[command(after_help = "Example: windlass tool call read_file '{\"path\":\"README.md\"}' --root .")]
pub(crate) struct Tool {
    #[command(subcommand)]
    pub(crate) command: ToolCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ToolCommand {
    /// List the offered tools.
    #[command(
        after_help = "Example: windlass tool list --preset full --mode architect --disable-tool web_fetch"
    )]
    List {
        /// Set of tools.
        #[arg(long, value_enum, default_value = "standard")]
        preset: PresetName,
        #[command(flatten)]
        offering: Offering,
        /// Name of the model to which the tools would be offered.
        #[arg(long)]
        model: Option<String>,
        /// Project folder whose modes are also read.
        #[arg(long, default_value = ".")]
        root: PathBuf,
        /// Print a line of JSON for each entry.
        #[arg(long)]
        json: bool,
    },
    /// Show the description and schema of a tool.
    #[command(after_help = "Example: windlass tool show edit_file")]
    Show {
        /// Name or alias of the tool.
        name: String,
        /// Print a line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Validate a call, apply the policy and run it.
    #[command(after_help = "Example: windlass tool call read_file '{\"path\":\"README.md\"}' --root .\n\
        Example: windlass tool call run_command '{\"command\":\"make\",\"background\":true}' --yes \
        --then read_command_output '{\"id\":1}'\n\
        Example: windlass tool call codebase_search '{\"query\":\"retry after error\"}' --yes \
        --embeddings http://localhost:11434/v1 --embeddings-model nomic-embed-text")]
    Call(Box<Call>),
}

#[derive(Debug, Args)]
pub(crate) struct Call {
    /// Name or alias of the tool.
    pub(crate) name: String,
    /// Arguments as JSON; `-` reads them from standard input.
    pub(crate) arguments: String,
    /// Next call in the same process, for example to read the output of a background command. If a call
    /// fails, the following calls are skipped. Can be repeated.
    #[arg(long, num_args = 2, value_names = ["NAME", "ARGUMENTS"], action = clap::ArgAction::Append)]
    pub(crate) then: Vec<String>,
    #[command(flatten)]
    pub(crate) offering: Offering,
    /// Workspace: the folder to work in.
    #[arg(long, default_value = ".")]
    pub(crate) root: PathBuf,
    /// Run the call even if the policy asks.
    #[arg(long)]
    pub(crate) yes: bool,
    /// Confinement of commands.
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) sandbox: SandboxName,
    /// Policy file.
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// Print each result as a line of JSON.
    #[arg(long)]
    pub(crate) json: bool,
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
    /// Read all policy files that apply in a folder, and list their rules.
    #[command(after_help = "Example: windlass policy check --policy policy.toml")]
    Check {
        /// Project folder whose policy is also read.
        #[arg(long, default_value = ".")]
        root: PathBuf,
        /// Policy file that replaces the user's own.
        #[arg(long, value_name = "FILE")]
        policy: Option<PathBuf>,
        /// Print lines of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Decide about calls and compare the decisions with the expected ones; fails if one differs.
    #[command(
        after_help = "Example: echo '{\"tool\":\"run_command\",\"input\":{\"command\":\"make\"},\"expect\":\"ask\"}' \
| windlass policy test --policy policy.toml"
    )]
    Test {
        /// Workspace of the calls.
        #[arg(long, default_value = ".")]
        root: PathBuf,
        /// Policy file.
        #[arg(long, value_name = "FILE")]
        policy: Option<PathBuf>,
        /// Actions that a run may take without asking.
        #[arg(long, alias = "mode", value_enum, default_value = "ask")]
        autonomy: AutonomyName,
        /// File with lines of `{"tool": …, "input": …, "expect": "allow", "rule": …}`; `-` is standard input.
        #[arg(default_value = "-", value_name = "FILE")]
        file: PathBuf,
    },
    /// Apply another policy to recorded runs, and list the decisions that would change.
    #[command(after_help = "Example: windlass policy shadow --policy candidate.toml 1790000000-0f3a9c1e")]
    Shadow {
        /// Project folder whose policy is also read.
        #[arg(long, default_value = ".")]
        root: PathBuf,
        /// The candidate policy.
        #[arg(long, value_name = "FILE")]
        policy: PathBuf,
        /// Journals or ids of runs.
        #[arg(required = true, value_name = "RUN")]
        journals: Vec<PathBuf>,
        /// Print lines of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Decide about calls and name the deciding rules, without running anything.
    #[command(
        after_help = "Example: echo '{\"tool\":\"write_file\",\"input\":{\"path\":\"../x\",\"content\":\"\"}}' \
| windlass policy explain --root ."
    )]
    Explain {
        /// Workspace of the calls.
        #[arg(long, default_value = ".")]
        root: PathBuf,
        /// Policy file.
        #[arg(long, value_name = "FILE")]
        policy: Option<PathBuf>,
        /// Actions that a run may take without asking.
        #[arg(long, alias = "mode", value_enum, default_value = "ask")]
        autonomy: AutonomyName,
        /// Print lines of JSON (this command always does).
        #[arg(long)]
        json: bool,
        /// File with lines of `{"tool": …, "input": …}`, or with calls in the form of events and journals;
        /// `-` is standard input.
        #[arg(default_value = "-", value_name = "FILE")]
        file: PathBuf,
    },
    /// List the learned approvals of a folder: calls that run without another question.
    #[command(
        after_help = "Example: windlass policy learned --root .\nExample: windlass policy learned --revoke 3f9a12bc00d1e2f3"
    )]
    Learned {
        /// Workspace of the runs.
        #[arg(long, default_value = ".")]
        root: PathBuf,
        /// Policy file of the runs; approvals that were learned under another policy do not apply.
        #[arg(long, value_name = "FILE")]
        policy: Option<PathBuf>,
        /// Forget the learned approval with this id.
        #[arg(long, value_name = "ID")]
        revoke: Option<String>,
        /// Print a line of JSON for each entry.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
#[command(after_help = "Example: windlass doctor\nExample: windlass doctor --json")]
pub(crate) struct Doctor {
    /// Print a line of JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
