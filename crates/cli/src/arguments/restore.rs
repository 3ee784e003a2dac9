//! The commands that show and revert the changes of a run.

use clap::Args;

use super::store::StoreOption;

#[derive(Debug, Args)]
#[command(after_help = "Example: windlass diff 1790000000-3f9a12bc\n\
Example: windlass diff 1790000000-3f9a12bc --turn 3 | git apply --reverse\n\
Example: windlass diff 1790000000-3f9a12bc --store sqlite:///srv/windlass/runs.db")]
pub(crate) struct Diff {
    #[command(flatten)]
    pub(crate) store: StoreOption,
    /// The run, by its id, the beginning of its id, or `last`.
    pub(crate) run: String,
    /// Only the changes of the turn with this number, from 1. The default is all turns.
    #[arg(long, value_name = "N")]
    pub(crate) turn: Option<u32>,
    /// Compare with the current files instead of those at the end of the turn or run.
    #[arg(long)]
    pub(crate) now: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example: windlass restore 1790000000-3f9a12bc --dry-run\n\
Example: windlass restore 1790000000-3f9a12bc --to 3")]
#[expect(clippy::struct_excessive_bools, reason = "each a switch of the command line")]
pub(crate) struct Restore {
    /// The run, by its id, the beginning of its id, or `last`.
    pub(crate) run: String,
    /// Restore the state before this turn. The default is the state before the run.
    #[arg(long, value_name = "TURN")]
    pub(crate) to: Option<u32>,
    /// Restore the checkpoint with this id; `--list` shows the ids.
    #[arg(long, value_name = "ID", conflicts_with = "to")]
    pub(crate) checkpoint: Option<String>,
    /// Only report what would be restored.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// List the checkpoints of the run, oldest first.
    #[arg(long, conflicts_with_all = ["to", "checkpoint", "dry_run", "keep", "force", "json"])]
    pub(crate) list: bool,
    /// Skip files that were changed after the run. By default nothing is restored if such files exist.
    #[arg(long, conflicts_with = "force")]
    pub(crate) keep: bool,
    /// Also restore files that were changed after the run.
    #[arg(long)]
    pub(crate) force: bool,
    /// Print a line of JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
