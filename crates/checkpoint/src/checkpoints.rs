//! The checkpoints of one workspace.

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
use crate::scan::{LeftOut, Limits, Names};
use crate::snapshot::{Place, Snapshot, snapshot};
use crate::{CheckpointError, tree};

/// The line of checkpoints, and the one place for what is only compared.
const BRANCH: &str = "refs/heads/checkpoints";
pub(crate) const NOW: &str = "refs/windlass/now";

/// Checkpoints of a workspace, in a repository of their own beside it.
///
/// ```
/// use windlass_checkpoint::{Checkpoints, CheckpointError, Until};
/// let (work, state) = (tempfile::tempdir()?, tempfile::tempdir()?);
/// let checkpoints = match Checkpoints::open(work.path(), state.path().join("checkpoints")) {
///     Err(CheckpointError::NoGit(_)) => return Ok(()),
///     opened => opened?,
/// };
/// std::fs::write(work.path().join("a.txt"), "one\n")?;
/// let before = checkpoints.take("before turn 1")?.checkpoint;
/// std::fs::write(work.path().join("a.txt"), "two\n")?;
/// let diff = checkpoints.diff(&before.id, Until::Now)?;
/// assert!(diff.text.ends_with("@@ -1 +1 @@\n-one\n+two\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Checkpoints {
    pub(crate) workspace: Workspace,
    pub(crate) git: Git,
    folder: PathBuf,
    limits: Limits,
    state: Mutex<State>,
}

/// The last checkpoint and its names, with what tells that a file did not change since.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) tip: Option<Oid>,
    pub(crate) names: Names,
}

/// Which checkpoint.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CheckpointId(pub(crate) Oid);

/// A checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Checkpoint {
    /// Which one.
    pub id: CheckpointId,
    /// The hash of all names and bytes in it: that of another is the same if nothing differs.
    pub tree: String,
    /// What it was taken for.
    pub label: String,
    /// When it was taken, in seconds since 1970.
    pub seconds: u64,
}

/// A checkpoint that was just taken.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Taken {
    /// The checkpoint.
    pub checkpoint: Checkpoint,
    /// What is not in it.
    pub left_out: LeftOut,
}

/// While it is held no other process changes the checkpoints.
pub(crate) struct Held<'c> {
    pub(crate) state: MutexGuard<'c, State>,
    pub(crate) lock: Lock,
}

impl Checkpoints {
    /// The checkpoints of a workspace that are kept in a folder, which is made if it is not there.
    ///
    /// # Errors
    /// If there is no `git`, the folder is in the workspace or cannot be used, or the workspace cannot be read.
    pub fn open(workspace: impl AsRef<Path>, folder: impl Into<PathBuf>) -> Result<Self, CheckpointError> {
        Self::open_for(workspace, folder, Access::ReadWrite)
    }

    /// The same for a workspace that is only looked at, from which nothing is restored.
    ///
    /// # Errors
    /// As for opening.
    pub fn open_for(
        workspace: impl AsRef<Path>,
        folder: impl Into<PathBuf>,
        access: Access,
    ) -> Result<Self, CheckpointError> {
        let program = git::find()?;
        let folder = folder.into();
        let failed = |source| CheckpointError::State { path: folder.clone(), source };
        let workspace = Workspace::open_for(workspace, access)?;
        // Before anything is made: the place may be named through links.
        let there = folder.ancestors().find_map(|above| above.canonicalize().ok());
        if there.is_some_and(|there| there.starts_with(workspace.root())) {
            return Err(CheckpointError::InWorkspace { path: folder });
        }
        make_private(&folder).map_err(failed)?;
        let lock = Lock::take(&folder)?;
        let git = Git::open(program, &folder)?;
        drop(lock);
        Ok(Self { workspace, git, folder, limits: Limits::default(), state: Mutex::default() })
    }

    /// Other limits of what is kept.
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Keeps what the workspace has now. It waits for files and for `git`, so it is for a thread that may wait.
    ///
    /// A process that is killed here leaves the checkpoints as they were.
    ///
    /// # Errors
    /// If there is too much to keep, another process works here, or `git` fails.
    pub fn take(&self, label: &str) -> Result<Taken, CheckpointError> {
        let mut held = self.hold()?;
        let kept = self.kept(&held, BRANCH, label)?;
        Ok(held.state.follow(kept, label))
    }

    /// All checkpoints, the oldest first.
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

    /// Waits until no other process works here, and knows the last checkpoint then.
    pub(crate) fn hold(&self) -> Result<Held<'_>, CheckpointError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let lock = Lock::take(&self.folder)?;
        let tip = self.tip();
        if tip != state.tip {
            let names = tip.map(|tip| tree::names(&self.git, tip)).transpose()?;
            *state = State { tip, names: names.unwrap_or_default() };
        }
        Ok(Held { state, lock })
    }

    /// The last checkpoint. References are never packed here.
    fn tip(&self) -> Option<Oid> {
        let text = fs::read(self.git.repository.join(BRANCH)).ok()?;
        Oid::parse(text.trim_ascii())
    }

    fn kept(&self, held: &Held<'_>, branch: &str, label: &str) -> Result<Snapshot, CheckpointError> {
        let place = Place { branch, parent: held.state.tip, label, lock: &held.lock };
        snapshot(&self.git, &self.workspace, self.limits, &held.state.names, &place)
    }

    /// What the workspace has now, kept only to be compared.
    pub(crate) fn now(&self, held: &Held<'_>) -> Result<Snapshot, CheckpointError> {
        self.kept(held, NOW, "now")
    }
}

impl State {
    fn follow(&mut self, kept: Snapshot, label: &str) -> Taken {
        let Snapshot { commit, tree, seconds, names, left_out, omitted: _ } = kept;
        (self.tip, self.names) = (Some(commit), names);
        let label = label.to_owned();
        Taken { checkpoint: Checkpoint { id: CheckpointId(commit), tree, label, seconds }, left_out }
    }
}

fn read(line: &[u8]) -> Option<Checkpoint> {
    let text = String::from_utf8_lossy(line);
    let mut lines = text.splitn(4, '\n');
    let id = CheckpointId(Oid::parse(lines.next()?.as_bytes())?);
    let (tree, seconds) = (lines.next()?.to_owned(), lines.next()?.parse().ok()?);
    Some(Checkpoint { id, tree, seconds, label: split(lines.next().unwrap_or_default()).0.to_owned() })
}

/// For the user alone: what is kept may be private.
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
