//! The options that select the offered tools: the mode, and tools added to the preset or removed from it.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Embeddings;

/// Options that extend or restrict the tools of the preset.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub(crate) struct Offering {
    /// Work mode: architect, code, ask, debug, orchestrator, or another of `windlass modes list`. Without it,
    /// all tools of the preset are offered.
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: Option<String>,
    /// Tool to offer in addition to the preset. Can be repeated.
    #[arg(long = "tool", value_name = "NAME")]
    pub(crate) tools: Vec<String>,
    /// Tool that is never offered. Can be repeated.
    #[arg(long = "disable-tool", value_name = "NAME")]
    pub(crate) disabled: Vec<String>,
    /// Feature to enable: `image_generation`, `slash_commands`, `project_tools` and `project_skills` (files
    /// in `.windlass/tools` and `.windlass/skills`), `project_processes` (programs that project tools name,
    /// started before the first call), `workflows` and `project_workflows` (the tool `run_workflow` with
    /// built-in workflows, and those in `.windlass/workflows`), `agents` and `project_agents` (sub-agents:
    /// built in, in `agents/*.md` of the settings folder, and in `.windlass/agents`), or a feature of the
    /// user's `toolbox.toml`. Can be repeated.
    #[arg(long = "feature", value_name = "NAME")]
    pub(crate) features: Vec<String>,
    #[command(flatten)]
    pub(crate) embeddings: Embeddings,
}

#[derive(Debug, Args)]
#[command(after_help = "Example: windlass modes list\nExample: windlass modes show architect")]
pub(crate) struct Modes {
    #[command(subcommand)]
    pub(crate) command: ModesCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ModesCommand {
    /// List the modes: built in, of the user (`modes.toml` in the settings folder) and of the project
    /// (`.windlass/modes.toml`).
    #[command(after_help = "Example: windlass modes list --root .")]
    List {
        /// Project folder whose modes are also read.
        #[arg(long, default_value = ".")]
        root: PathBuf,
        /// Print a line of JSON for each entry.
        #[arg(long)]
        json: bool,
    },
    /// Show the tools of a mode and its instructions for the model.
    #[command(after_help = "Example: windlass modes show architect")]
    Show {
        /// Slug of the mode.
        mode: String,
        /// Project folder whose modes are also read.
        #[arg(long, default_value = ".")]
        root: PathBuf,
        /// Print a line of JSON.
        #[arg(long)]
        json: bool,
    },
}
