//! The commands that show what a run changed, and go back.

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "Example: windlass diff 1790000000-3f9a12bc\n\
Example: windlass diff 1790000000-3f9a12bc --turn 3 | git apply --reverse")]
pub(crate) struct Diff {
    /// The run, by its id.
    pub(crate) run: String,
    /// What this turn changed, by its number from 1. Without it: what all of them did.
    #[arg(long, value_name = "N")]
    pub(crate) turn: Option<u32>,
    /// Up to what is there now, and not only to the end of the turn or the run.
    #[arg(long)]
    pub(crate) now: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example: windlass restore 1790000000-3f9a12bc --dry-run\n\
Example: windlass restore 1790000000-3f9a12bc --to 3")]
#[expect(clippy::struct_excessive_bools, reason = "each a switch of the command line")]
pub(crate) struct Restore {
    /// The run, by its id.
    pub(crate) run: String,
    /// To what was there before this turn. Without it: before the run changed anything.
    #[arg(long, value_name = "TURN")]
    pub(crate) to: Option<u32>,
    /// To a checkpoint, as `--list` names it.
    #[arg(long, value_name = "ID", conflicts_with = "to")]
    pub(crate) checkpoint: Option<String>,
    /// Only say what would be restored.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// List the run's checkpoints, the oldest first.
    #[arg(long, conflicts_with_all = ["to", "checkpoint", "dry_run", "keep", "force", "json"])]
    pub(crate) list: bool,
    /// Leave files as they are that somebody else changed since the run. Without it nothing is restored then.
    #[arg(long, conflicts_with = "force")]
    pub(crate) keep: bool,
    /// Restore files, too, that somebody else changed since the run.
    #[arg(long)]
    pub(crate) force: bool,
    /// Tell it as a line of JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
