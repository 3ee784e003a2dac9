//! Restores of checkpoints. Only files that differ are changed, each atomically, and changes that others made
//! are not overwritten silently.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use windlass_sandbox::{FileError, PathState, Run, WorkspacePath};

use crate::object::{Object, ObjectKind, Oid};
use crate::omitted::OmittedPaths;
use crate::scan::Names;
use crate::snapshot::Snapshot;
use crate::{CheckpointError, CheckpointId, Checkpoints, tree};

/// Maximum number of objects in memory at once.
const AT_ONCE: usize = 64;

/// Treatment of files that changed since the last checkpoint, and so were not changed by the caller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ForeignChanges {
    /// Fails without any change if there are such files.
    #[default]
    Refuse,
    /// Keeps such files as they are.
    Keep,
    /// Restores such files too. Their current state is in the checkpoint that [`Checkpoints::restore`] takes
    /// first.
    Overwrite,
}

/// Result of a restore, or its preview.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RestoreResult {
    /// Checkpoint of the state before the restore; `None` in a preview.
    pub undo: Option<CheckpointId>,
    /// Files that were restored to their content in the checkpoint.
    pub written: Vec<String>,
    /// Files that were created after the checkpoint and were removed.
    pub removed: Vec<String>,
    /// Files that still differ from the checkpoint.
    pub kept: Vec<SkippedFile>,
}

/// A file that was not restored.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SkippedFile {
    /// Path of the file.
    pub path: String,
    /// Reason.
    pub why: SkipReason,
}

/// Reason why a file was not restored.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkipReason {
    /// The file was changed by someone else, since the last checkpoint or during the restore.
    Foreign,
    /// The current content, which would be lost, is in no checkpoint, or the earlier state is unknown: the
    /// file is new, or was or is left out (ignored, too large), or a checkpoint of an earlier version has no
    /// record of left-out files.
    Unknown,
    /// The operating system returned this error.
    Failed(String),
}

/// Planned changes of a restore.
#[derive(Default)]
struct Plan {
    remove: Vec<PathBuf>,
    write: Vec<(PathBuf, Object)>,
    kept: Vec<SkippedFile>,
}

impl Plan {
    fn keep(&mut self, path: &Path, why: SkipReason) {
        self.kept.push(SkippedFile { path: display(path), why });
    }
}

impl Checkpoints {
    /// Returns what [`Self::restore`] would do, without doing it.
    ///
    /// # Errors
    /// Same as [`Self::restore`].
    pub fn preview_restore(
        &self,
        id: &CheckpointId,
        foreign: ForeignChanges,
    ) -> Result<RestoreResult, CheckpointError> {
        self.find(id)?;
        let held = self.hold()?;
        let plan = self.plan(&held.state.names, &self.now(&held)?, id, foreign)?;
        let written = plan.write.iter().map(|(path, _)| display(path)).collect();
        let removed = plan.remove.iter().map(|path| display(path)).collect();
        Ok(RestoreResult { undo: None, written, removed, kept: plan.kept })
    }

    /// Restores a checkpoint: writes files that differ and removes files that were created after it, except
    /// files that are in no checkpoint. Takes a checkpoint of the current state first, and another one at the
    /// end.
    ///
    /// # Errors
    /// If the checkpoint does not exist, if others changed files and `foreign` is [`ForeignChanges::Refuse`], or as
    /// for [`Self::take`]. Failures with single files are in [`RestoreResult::kept`].
    pub fn restore(
        &self,
        id: &CheckpointId,
        foreign: ForeignChanges,
    ) -> Result<RestoreResult, CheckpointError> {
        self.find(id)?;
        let (now, plan) = {
            let held = self.hold()?;
            let now = self.now(&held)?;
            let plan = self.plan(&held.state.names, &now, id, foreign)?;
            (now.names, plan)
        };
        let undo = self.take(&format!("before restore to {id}"))?.checkpoint.id;
        let mut restored = RestoreResult { undo: Some(undo), kept: plan.kept, ..RestoreResult::default() };
        // Remove files first: a file to be written may have the name of a folder that becomes empty.
        let mut emptied = BTreeSet::new();
        for path in plan.remove {
            let done = self.replace(&path, now.get(&path).map(|known| known.object), &PathState::Nothing);
            if restored.note(&path, done, |restored| &mut restored.removed) {
                emptied.extend(path.ancestors().skip(1).map(Path::to_path_buf));
            }
        }
        for folder in emptied.iter().rev().filter(|folder| !folder.as_os_str().is_empty()) {
            // A folder that is not empty stays.
            let _ = to_workspace_path(folder).and_then(|folder| self.workspace.remove_folder(&folder));
        }
        for chunk in plan.write.chunks(AT_ONCE) {
            let oids: Vec<Oid> = chunk.iter().map(|(_, object)| object.oid).collect();
            for ((path, object), bytes) in chunk.iter().zip(tree::blobs(&self.git, &oids)?) {
                let seen = now.get(path).map(|known| known.object);
                let done = self.replace(path, seen, &standing_of(object.kind, bytes));
                restored.note(path, done, |restored| &mut restored.written);
            }
        }
        // Makes the restored state the last checkpoint, so that later changes count as changes of others.
        self.take(&format!("restored {id}"))?;
        Ok(restored)
    }

    fn plan(
        &self,
        last: &Names,
        now: &Snapshot,
        id: &CheckpointId,
        foreign: ForeignChanges,
    ) -> Result<Plan, CheckpointError> {
        let target =
            Target { names: tree::names(&self.git, id.0)?, omitted: OmittedPaths::read(&self.git, id.0)? };
        plan(last, now, &target, foreign)
    }

    /// Replaces a file, if it is unchanged since `seen` was read.
    fn replace(&self, path: &Path, seen: Option<Object>, wanted: &PathState) -> Result<(), FileError> {
        let path = to_workspace_path(path)?;
        let standing = self.workspace.state(&path)?;
        if object_of(&standing) != seen {
            return Err(FileError::Stale { path: path.to_string() });
        }
        self.workspace.put_back(&path, &standing, wanted)
    }
}

impl RestoreResult {
    fn note(
        &mut self,
        path: &Path,
        done: Result<(), FileError>,
        list: impl Fn(&mut Self) -> &mut Vec<String>,
    ) -> bool {
        let is_done = done.is_ok();
        match done {
            Ok(()) => list(self).push(display(path)),
            Err(FileError::Stale { .. }) => {
                self.kept.push(SkippedFile { path: display(path), why: SkipReason::Foreign });
            }
            Err(error) => {
                self.kept
                    .push(SkippedFile { path: display(path), why: SkipReason::Failed(error.to_string()) });
            }
        }
        is_done
    }
}

/// The checkpoint to restore.
struct Target {
    names: Names,
    /// `None` if the checkpoint has no record of left-out files.
    omitted: Option<OmittedPaths>,
}

impl Target {
    /// Returns true if a path that is not in the checkpoint may have existed nevertheless.
    fn may_have_had(&self, path: &Path) -> bool {
        self.omitted.as_ref().is_none_or(|omitted| omitted.has(path))
    }
}

fn plan(
    last: &Names,
    now: &Snapshot,
    target: &Target,
    foreign: ForeignChanges,
) -> Result<Plan, CheckpointError> {
    let object = |names: &Names, path: &Path| names.get(path).map(|known| known.object);
    let (mut plan, mut theirs) = (Plan::default(), Vec::new());
    let all: BTreeSet<&PathBuf> = now.names.keys().chain(target.names.keys()).collect();
    for path in all {
        let (is, was) = (object(&now.names, path), object(&target.names, path));
        if is == was {
            continue;
        }
        let is_theirs = object(last, path) != is;
        match (is_theirs, foreign, was) {
            // No checkpoint has the file, so its removal would leave the checkpoint before the restore as the
            // only copy.
            (true, _, None) if !last.contains_key(path) => plan.keep(path, SkipReason::Unknown),
            // The file existed then with unknown content, so its removal would not restore that state.
            (_, _, None) if target.may_have_had(path) => plan.keep(path, SkipReason::Unknown),
            // The file exists now, and the checkpoint before the restore would leave its content out.
            (_, _, Some(_)) if now.omitted.files.contains(path) => plan.keep(path, SkipReason::Unknown),
            (true, ForeignChanges::Refuse, _) => theirs.push(display(path)),
            (true, ForeignChanges::Keep, _) => plan.keep(path, SkipReason::Foreign),
            (_, _, Some(was)) => plan.write.push((path.clone(), was)),
            (_, _, None) => plan.remove.push(path.clone()),
        }
    }
    if theirs.is_empty() { Ok(plan) } else { Err(CheckpointError::Foreign { paths: theirs }) }
}

/// Returns the git object of a file in the workspace.
fn object_of(standing: &PathState) -> Option<Object> {
    match standing {
        PathState::File { bytes, run } => {
            let kind = if *run == Run::Program { ObjectKind::Program } else { ObjectKind::File };
            Some(Object { kind, oid: Oid::hash_blob(bytes) })
        }
        PathState::Link { target } => Some(Object {
            kind: ObjectKind::Link,
            oid: Oid::hash_blob(target.as_os_str().as_encoded_bytes()),
        }),
        _ => None,
    }
}

fn standing_of(kind: ObjectKind, bytes: Vec<u8>) -> PathState {
    match kind {
        ObjectKind::File => PathState::File { bytes, run: Run::Plain },
        ObjectKind::Program => PathState::File { bytes, run: Run::Program },
        ObjectKind::Link => PathState::Link { target: tree::path_of(&bytes) },
    }
}

fn to_workspace_path(path: &Path) -> Result<WorkspacePath, FileError> {
    Ok(WorkspacePath::from_walk(path)?)
}

pub(crate) fn display(path: &Path) -> String {
    WorkspacePath::from_walk(path)
        .map_or_else(|_| path.to_string_lossy().into_owned(), |path| path.to_string())
}
