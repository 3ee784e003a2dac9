//! Errors of checkpoints, diffs and restores.

use std::io;
use std::path::PathBuf;

/// Folders that are searched for `git`. The working folder and `PATH` are not searched, because a workspace
/// may control them.
pub(crate) const PLACES: [&str; 5] =
    ["/usr/bin", "/bin", "/usr/local/bin", "/opt/homebrew/bin", "/run/current-system/sw/bin"];

/// No usable `git` is installed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, thiserror::Error)]
#[error("git was not found in {}; install it to use checkpoints", PLACES.join(", "))]
#[non_exhaustive]
pub struct NoGit;

/// Error of a checkpoint, a diff or a restore.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// No `git` is installed, so checkpoints are not available.
    #[error(transparent)]
    NoGit(#[from] NoGit),
    /// The workspace cannot be opened.
    #[error("the workspace cannot be inspected")]
    Workspace(#[from] windlass_sandbox::WorkspaceError),
    /// The folder for checkpoints is inside the workspace, where the agent could change it.
    #[error("checkpoints cannot be stored in {}, which is inside the workspace", .path.display())]
    InWorkspace {
        /// Folder for checkpoints.
        path: PathBuf,
    },
    /// The folder for checkpoints cannot be used.
    #[error("checkpoints cannot be stored in {}", .path.display())]
    State {
        /// Folder for checkpoints.
        path: PathBuf,
        /// Error of the operating system.
        #[source]
        source: io::Error,
    },
    /// Another process holds the lock.
    #[error("another process uses the checkpoints in {}; try again", .path.display())]
    Busy {
        /// Folder for checkpoints.
        path: PathBuf,
    },
    /// A `git` command failed.
    #[error("git {step} failed: {said}")]
    Git {
        /// Name of the command.
        step: &'static str,
        /// Exit status and error output of the command.
        said: String,
    },
    /// The workspace exceeds a limit.
    #[error("the workspace has more than {limit} {what} to save; add generated files to .gitignore")]
    TooMuch {
        /// Unit of the limit: files or bytes.
        what: &'static str,
        /// The limit.
        limit: u64,
    },
    /// The checkpoint does not exist.
    #[error("checkpoint {id} does not exist")]
    NotFound {
        /// The requested id.
        id: String,
    },
    /// Files were changed outside of the checkpoints since the last one. Nothing was restored.
    #[error(
        "another program changed {} since the last checkpoint, {} first; nothing was restored",
        windlass_text::count_noun(.paths.len(), "file"),
        .paths.first().map_or("", String::as_str)
    )]
    Foreign {
        /// Paths of these files.
        paths: Vec<String>,
    },
}
