//! What is offered: the mode, and tools besides the preset's or without some of them.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Embeddings;

/// What is offered besides the preset.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub(crate) struct Offering {
    /// What kind of work it is: architect, code, ask, debug, orchestrator, or one of `windlass modes list`. Without it
    /// every tool of the preset is there for every work.
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: Option<String>,
    /// A tool besides the preset's. May be said several times.
    #[arg(long = "tool", value_name = "NAME")]
    pub(crate) tools: Vec<String>,
    /// A tool that is not offered, whatever else is said. May be said several times.
    #[arg(long = "disable-tool", value_name = "NAME")]
    pub(crate) disabled: Vec<String>,
    /// A feature to switch on, for what waits for it: `image_generation`, `slash_commands`, `project_tools`
    /// and `project_skills` (the files in `.windlass/tools` and `.windlass/skills`), `project_processes` (the programs that
    /// the former name, started before any call), `workflows` and `project_workflows` (`run_workflow` with those that are
    /// built in, or in `.windlass/workflows`), `agents` and `project_agents` (agents that work is handed to: those that are
    /// built in and `agents/*.md` in the folder of settings, or in `.windlass/agents`), or one of the user's `toolbox.toml`. May be said several times.
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
    /// The modes: those that are built in, the user's (`modes.toml` in the folder of settings) and the project's
    /// (`.windlass/modes.toml`).
    #[command(after_help = "Example: windlass modes list --root .")]
    List {
        /// The folder whose modes are read too.
        #[arg(long, default_value = ".")]
        root: PathBuf,
        /// Print a line of JSON for each.
        #[arg(long)]
        json: bool,
    },
    /// What a mode gives, and what the model is told of it.
    #[command(after_help = "Example: windlass modes show architect")]
    Show {
        /// The mode's slug.
        mode: String,
        /// The folder whose modes are read too.
        #[arg(long, default_value = ".")]
        root: PathBuf,
        /// Print a line of JSON.
        #[arg(long)]
        json: bool,
    },
}
