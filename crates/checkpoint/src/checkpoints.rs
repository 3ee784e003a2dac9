//! Checkpoints of one workspace.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use windlass_sandbox::{Access, Workspace};

use crate::git::{self, Git};
use crate::lock::Lock;
use crate::object::Oid;
use crate::omitted::split;
use crate::scan::{CheckpointLimits, Names, OmittedFiles};
use crate::snapshot::{Place, Snapshot, snapshot};
use crate::{CheckpointError, tree};

/// Branch of the checkpoints, and the reference for snapshots that are only compared.
const BRANCH: &str = "refs/heads/checkpoints";
pub(crate) const NOW: &str = "refs/windlass/now";

/// Checkpoints of a workspace, in a git repository outside of it.
///
/// Every method opens files and runs `git`, so call it on a thread that may block. All of them but
/// [`list`](Self::list) take a lock that excludes other processes; after ten seconds of waiting they fail with
/// [`CheckpointError::Busy`].
///
/// ```
/// use windlass_checkpoint::{Checkpoints, CheckpointError, DiffEnd};
/// let (work, state) = (tempfile::tempdir()?, tempfile::tempdir()?);
/// let checkpoints = match Checkpoints::open(work.path(), state.path().join("checkpoints")) {
///     Err(CheckpointError::NoGit(_)) => return Ok(()),
///     opened => opened?,
/// };
/// std::fs::write(work.path().join("a.txt"), "one\n")?;
/// let before = checkpoints.take("before turn 1")?.checkpoint;
/// std::fs::write(work.path().join("a.txt"), "two\n")?;
/// let diff = checkpoints.diff(&before.id, DiffEnd::Now)?;
/// assert!(diff.text.ends_with("@@ -1 +1 @@\n-one\n+two\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Checkpoints {
    pub(crate) workspace: Workspace,
    pub(crate) git: Git,
    folder: PathBuf,
    limits: CheckpointLimits,
    state: Mutex<State>,
}

/// Cache of the last checkpoint: its commit and files, with the file metadata that shows if a file has
/// changed since.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) tip: Option<Oid>,
    pub(crate) names: Names,
}

/// Id of a checkpoint.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CheckpointId(pub(crate) Oid);

/// A checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Checkpoint {
    /// Id of the checkpoint.
    pub id: CheckpointId,
    /// Hash of all names and contents. Two checkpoints without differences have the same tree.
    pub tree: String,
    /// Label that the caller gave.
    pub label: String,
    /// Time of the checkpoint, in seconds since 1970.
    pub seconds: u64,
}

/// Result of [`Checkpoints::take`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TakeResult {
    /// The new checkpoint.
    pub checkpoint: Checkpoint,
    /// Counts of files that are not in it.
    pub left_out: OmittedFiles,
}

/// Guard that locks out other processes and threads.
pub(crate) struct HeldLock<'c> {
    pub(crate) state: MutexGuard<'c, State>,
    pub(crate) lock: Lock,
}

impl Checkpoints {
    /// Opens the checkpoints of a workspace in `folder`. Creates the folder if it does not exist.
    ///
    /// # Errors
    /// If `git` is not installed, the folder is inside the workspace or cannot be used, or the workspace
    /// cannot be read.
    pub fn open(workspace: impl AsRef<Path>, folder: impl Into<PathBuf>) -> Result<Self, CheckpointError> {
        Self::open_for(workspace, folder, Access::ReadWrite)
    }

    /// Like [`Self::open`], with the given access to the workspace. Nothing can be restored into a read-only
    /// workspace.
    ///
    /// # Errors
    /// Same as [`Self::open`].
    pub fn open_for(
        workspace: impl AsRef<Path>,
        folder: impl Into<PathBuf>,
        access: Access,
    ) -> Result<Self, CheckpointError> {
        let program = git::find()?;
        let folder = folder.into();
        let failed = |source| CheckpointError::State { path: folder.clone(), source };
        let workspace = Workspace::open_for(workspace, access)?;
        // Check before anything is created. The path may lead into the workspace through links, so resolve
        // it.
        let there = folder.ancestors().find_map(|above| above.canonicalize().ok());
        if there.is_some_and(|there| there.starts_with(workspace.root())) {
            return Err(CheckpointError::InWorkspace { path: folder });
        }
        make_private(&folder).map_err(failed)?;
        let lock = Lock::take(&folder)?;
        let git = Git::open(program, &folder)?;
        drop(lock);
        Ok(Self { workspace, git, folder, limits: CheckpointLimits::default(), state: Mutex::default() })
    }

    /// Sets the limits of a checkpoint.
    pub fn with_limits(mut self, limits: CheckpointLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Stores the current files of the workspace as a checkpoint. Blocks on files and on `git`.
    ///
    /// If the process is killed meanwhile, the existing checkpoints stay unchanged.
    ///
    /// # Errors
    /// If the workspace exceeds the limits, another process holds the lock, or `git` fails.
    pub fn take(&self, label: &str) -> Result<TakeResult, CheckpointError> {
        let mut held = self.hold()?;
        let kept = self.take_snapshot(&held, BRANCH, label)?;
        Ok(held.state.follow(kept, label))
    }

    /// Returns all checkpoints, the oldest first.
    ///
    /// # Errors
    /// If `git` fails.
    pub fn list(&self) -> Result<Vec<Checkpoint>, CheckpointError> {
        const STEP: &str = "log";
        if self.tip().is_none() {
            return Ok(Vec::new());
        }
        let words =
            [STEP, "--first-parent", "--no-show-signature", "-z", "--format=%H%n%T%n%ct%n%B", BRANCH, "--"];
        let said = self.git.ask(STEP, words, u64::MAX)?;
        let mut all: Vec<_> = said.split(|byte| *byte == 0).filter_map(read).collect();
        all.reverse();
        Ok(all)
    }

    /// Waits for the lock, then loads the last checkpoint if another process has taken one.
    pub(crate) fn hold(&self) -> Result<HeldLock<'_>, CheckpointError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let lock = Lock::take(&self.folder)?;
        let tip = self.tip();
        if tip != state.tip {
            let names = tip.map(|tip| tree::names(&self.git, tip)).transpose()?;
            *state = State { tip, names: names.unwrap_or_default() };
        }
        Ok(HeldLock { state, lock })
    }

    /// Reads the branch from its file: references are never packed in this repository.
    fn tip(&self) -> Option<Oid> {
        let text = fs::read(self.git.repository.join(BRANCH)).ok()?;
        Oid::parse(text.trim_ascii())
    }

    fn take_snapshot(
        &self,
        held: &HeldLock<'_>,
        branch: &str,
        label: &str,
    ) -> Result<Snapshot, CheckpointError> {
        let place = Place { branch, parent: held.state.tip, label, lock: &held.lock };
        snapshot(&self.git, &self.workspace, self.limits, &held.state.names, &place)
    }

    /// Takes a snapshot of the workspace that is only compared and not part of the checkpoints.
    pub(crate) fn now(&self, held: &HeldLock<'_>) -> Result<Snapshot, CheckpointError> {
        self.take_snapshot(held, NOW, "now")
    }
}

impl State {
    fn follow(&mut self, kept: Snapshot, label: &str) -> TakeResult {
        let Snapshot { commit, tree, seconds, names, left_out, omitted: _ } = kept;
        (self.tip, self.names) = (Some(commit), names);
        let label = label.to_owned();
        TakeResult { checkpoint: Checkpoint { id: CheckpointId(commit), tree, label, seconds }, left_out }
    }
}

fn read(line: &[u8]) -> Option<Checkpoint> {
    let text = String::from_utf8_lossy(line);
    let mut lines = text.splitn(4, '\n');
    let id = CheckpointId(Oid::parse(lines.next()?.as_bytes())?);
    let (tree, seconds) = (lines.next()?.to_owned(), lines.next()?.parse().ok()?);
    Some(Checkpoint { id, tree, seconds, label: split(lines.next().unwrap_or_default()).0.to_owned() })
}

/// Creates the folder with mode 0700, because checkpoints can contain private files.
fn make_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

impl fmt::Display for CheckpointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl fmt::Debug for CheckpointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl FromStr for CheckpointId {
    type Err = CheckpointError;

    fn from_str(text: &str) -> Result<Self, CheckpointError> {
        let none = || CheckpointError::NotFound { id: text.chars().take(64).collect() };
        Oid::parse(text.as_bytes()).map(Self).ok_or_else(none)
    }
}
