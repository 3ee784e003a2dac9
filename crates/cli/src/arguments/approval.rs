//! The options that select who approves calls.

#[cfg(unix)]
use std::path::PathBuf;

use clap::Args;

/// Options that select who approves calls.
#[derive(Clone, Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "one of them, each a switch of the command line")]
pub(crate) struct Approval {
    /// Approve every request.
    #[arg(long, group = "approval")]
    pub(crate) yes: bool,
    /// Ask on the terminal (the default if there is one).
    #[arg(long, group = "approval")]
    pub(crate) ask: bool,
    /// Deny every request.
    #[arg(long, group = "approval")]
    pub(crate) deny: bool,
    /// Leave every request open: the run continues as far as possible and is then suspended. Answer with
    /// `windlass approvals` and continue with `--resume` (the default without a terminal).
    #[arg(long, group = "approval")]
    pub(crate) suspend: bool,
    /// Write every request into this folder, where another program reads and answers it.
    #[cfg(unix)]
    #[arg(long, group = "approval", value_name = "FOLDER")]
    pub(crate) approve_in: Option<PathBuf>,
    /// Learn from answers at the terminal: after three approvals, similar calls run without a question for 30
    /// days, and the program reports when that begins. Learning is also enabled by `enabled = true` in
    /// `[learning]` of the user's `config.toml`; otherwise nothing is learned and earlier lessons do not
    /// apply.
    #[arg(long)]
    pub(crate) learn: bool,
}
