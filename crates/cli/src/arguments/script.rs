//! The options of `windlass run` for scripts.

use std::path::PathBuf;

use clap::Args;

/// Options for the answer of a run that a script reads.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Scripts")]
pub(crate) struct ScriptArgs {
    /// Print only the answer on standard output. Questions and notes go to standard error.
    #[arg(short, long, conflicts_with = "json")]
    pub(crate) print: bool,
    /// Write the answer into this file when the run is completed. The file is replaced as a whole, and stays as it is if
    /// the run does not complete.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["replay", "engine"])]
    pub(crate) output_last_message: Option<PathBuf>,
    /// File with a JSON Schema: the answer is one line of JSON that fits it. Other answers are returned to the model with
    /// the place and the reason.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["resume", "replay", "engine"])]
    pub(crate) schema: Option<PathBuf>,
}

impl ScriptArgs {
    /// Returns true if one of the options is given.
    pub(crate) fn is_given(&self) -> bool {
        self.print || self.output_last_message.is_some() || self.schema.is_some()
    }
}
