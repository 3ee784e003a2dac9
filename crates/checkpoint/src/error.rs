//! Why there is no checkpoint, no diff and no way back.

use std::io;
use std::path::PathBuf;

/// Where `git` is looked for: never in the working folder and never along `PATH`, which a workspace may lead.
pub(crate) const PLACES: [&str; 5] =
    ["/usr/bin", "/bin", "/usr/local/bin", "/opt/homebrew/bin", "/run/current-system/sw/bin"];

/// This machine has no `git` that could keep checkpoints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, thiserror::Error)]
#[error("there is no git in {}; install it to have checkpoints", PLACES.join(", "))]
#[non_exhaustive]
pub struct NoGit;

/// Why there is no checkpoint, no diff or no way back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// There is no `git`: the feature is off.
    #[error(transparent)]
    NoGit(#[from] NoGit),
    /// The workspace cannot be opened.
    #[error("the workspace cannot be looked at")]
    Workspace(#[from] windlass_sandbox::WorkspaceError),
    /// The place for checkpoints lies in the workspace, where the agent could change them.
    #[error("checkpoints cannot be kept in {}, which is in the workspace", .path.display())]
    InWorkspace {
        /// The place.
        path: PathBuf,
    },
    /// The place for checkpoints cannot be used.
    #[error("checkpoints cannot be kept in {}", .path.display())]
    State {
        /// The place.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Another process takes or restores a checkpoint.
    #[error("another process works on the checkpoints in {}; try again", .path.display())]
    Busy {
        /// The place.
        path: PathBuf,
    },
    /// `git` did not do what it was asked.
    #[error("git {step} failed: {said}")]
    Git {
        /// What it was to do.
        step: &'static str,
        /// What it said.
        said: String,
    },
    /// There is more to keep than is kept.
    #[error("the workspace has more than {limit} {what} to keep; let .gitignore name what was made")]
    TooMuch {
        /// Files or bytes.
        what: &'static str,
        /// How many are kept.
        limit: u64,
    },
    /// No such checkpoint was taken.
    #[error("there is no checkpoint {id}")]
    NotFound {
        /// The one that was asked for.
        id: String,
    },
    /// Somebody else changed files since the last checkpoint; nothing was restored.
    #[error(
        "{} files were changed since the last checkpoint by somebody else, {} first; nothing was restored",
        .paths.len(),
        .paths.first().map_or("", String::as_str)
    )]
    Foreign {
        /// The files.
        paths: Vec<String>,
    },
}
