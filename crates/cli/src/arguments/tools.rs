//! The commands that try tools and policy by hand.

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
    /// The tools that are offered, a line each.
    #[command(
        after_help = "Example: windlass tool list --preset full --mode architect --disable-tool web_fetch"
    )]
    List {
        /// How many tools.
        #[arg(long, value_enum, default_value = "standard")]
        preset: PresetName,
        #[command(flatten)]
        offering: Offering,
        /// The provider's name of the model that they would be offered to.
        #[arg(long)]
        model: Option<String>,
        /// The folder whose modes are read too.
        #[arg(long, default_value = ".")]
        root: PathBuf,
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
    /// Check, judge and run a call.
    #[command(after_help = "Example: windlass tool call read_file '{\"path\":\"README.md\"}' --root .\n\
        Example: windlass tool call run_command '{\"command\":\"make\",\"background\":true}' --yes \
        --then read_command_output '{\"id\":1}'\n\
        Example: windlass tool call codebase_search '{\"query\":\"retry after error\"}' --yes \
        --embeddings http://localhost:11434/v1 --embeddings-model nomic-embed-text")]
    Call(Box<Call>),
}

#[derive(Debug, Args)]
pub(crate) struct Call {
    /// The tool's name or an alias.
    pub(crate) name: String,
    /// Its arguments as JSON; `-` reads them from standard input.
    pub(crate) arguments: String,
    /// Another call after it in the same process, which a command in the background or a terminal lives in; if a call
    /// fails, those behind it are not made. May be said several times.
    #[arg(long, num_args = 2, value_names = ["NAME", "ARGUMENTS"], action = clap::ArgAction::Append)]
    pub(crate) then: Vec<String>,
    #[command(flatten)]
    pub(crate) offering: Offering,
    /// The folder to work in; nothing outside is touched.
    #[arg(long, default_value = ".")]
    pub(crate) root: PathBuf,
    /// Run it even where policy asks.
    #[arg(long)]
    pub(crate) yes: bool,
    /// How commands are confined.
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) sandbox: SandboxName,
    /// A policy file.
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
    /// Read all policy files that are in force in a folder, and list their rules.
    #[command(after_help = "Example: windlass policy check --policy policy.toml")]
    Check {
        /// The folder whose project policy is read too.
        #[arg(long, default_value = ".")]
        root: PathBuf,
        /// A policy file, in place of the user's usual one.
        #[arg(long, value_name = "FILE")]
        policy: Option<PathBuf>,
        /// Print lines of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Decide about calls and compare with what is expected; fails if one is decided otherwise.
    #[command(
        after_help = "Example: echo '{\"tool\":\"run_command\",\"input\":{\"command\":\"ls\"},\"expect\":\"ask\"}' \
| windlass policy test --policy policy.toml"
    )]
    Test {
        /// The folder that the calls would work in.
        #[arg(long, default_value = ".")]
        root: PathBuf,
        /// A policy file.
        #[arg(long, value_name = "FILE")]
        policy: Option<PathBuf>,
        /// How far a run would go without asking.
        #[arg(long, alias = "mode", value_enum, default_value = "ask")]
        autonomy: AutonomyName,
        /// Lines of `{"tool": …, "input": …, "expect": "allow", "rule": …}`; `-` is standard input.
        #[arg(default_value = "-", value_name = "FILE")]
        file: PathBuf,
    },
    /// Let another policy decide about recorded runs, and list the decisions that would change.
    #[command(after_help = "Example: windlass policy shadow --policy candidate.toml 1790000000-0f3a9c1e")]
    Shadow {
        /// The folder whose project policy is read too.
        #[arg(long, default_value = ".")]
        root: PathBuf,
        /// The candidate.
        #[arg(long, value_name = "FILE")]
        policy: PathBuf,
        /// Journals, or ids of runs.
        #[arg(required = true, value_name = "RUN")]
        journals: Vec<PathBuf>,
        /// Print lines of JSON.
        #[arg(long)]
        json: bool,
    },
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
        /// How far a run would go without asking.
        #[arg(long, alias = "mode", value_enum, default_value = "ask")]
        autonomy: AutonomyName,
        /// Print lines of JSON (what this command always does).
        #[arg(long)]
        json: bool,
        /// Lines of `{"tool": …, "input": …}`, or of calls as events and journals have them; `-` is standard input.
        #[arg(default_value = "-", value_name = "FILE")]
        file: PathBuf,
    },
    /// List what a person's answers have taught in a folder: calls that run without another question.
    #[command(
        after_help = "Example: windlass policy learned --root .\nExample: windlass policy learned --revoke 3f9a12bc00d1e2f3"
    )]
    Learned {
        /// The folder that the runs worked in.
        #[arg(long, default_value = ".")]
        root: PathBuf,
        /// The policy file that the runs had; lessons of another policy do not count.
        #[arg(long, value_name = "FILE")]
        policy: Option<PathBuf>,
        /// Forget this lesson.
        #[arg(long, value_name = "ID")]
        revoke: Option<String>,
        /// Print a line of JSON for each.
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
