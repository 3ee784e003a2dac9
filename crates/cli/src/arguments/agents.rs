//! The options of `windlass agents`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
#[command(after_help = "Example: windlass agents list\nExample: windlass agents show code_explorer\n\
Example: windlass run \"where are retries decided?\" --model gpt-5-mini --feature agents")]
pub(crate) struct Agents {
    #[command(subcommand)]
    pub(crate) command: AgentsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AgentsCommand {
    /// List the sub-agents: built in, of the user (`agents/*.md` in the settings folder) and of the project
    /// (`.windlass/agents/*.md`). Runs offer them with `--feature agents`, and those of the project with `--feature
    /// project_agents`.
    #[command(after_help = "Example: windlass agents list --root .")]
    List {
        /// Project folder whose agents are also read.
        #[arg(long, default_value = ".")]
        root: PathBuf,
        /// Print a line of JSON for each entry.
        #[arg(long)]
        json: bool,
    },
    /// Show the rights of a sub-agent and its system prompt.
    #[command(after_help = "Example: windlass agents show code_explorer")]
    Show {
        /// Name of the agent.
        #[arg(value_name = "AGENT")]
        agent: String,
        /// Project folder whose agents are also read.
        #[arg(long, default_value = ".")]
        root: PathBuf,
        /// Print a line of JSON.
        #[arg(long)]
        json: bool,
    },
}
