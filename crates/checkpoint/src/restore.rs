//! The way back: only what differs is touched, each name in one step, and nothing of somebody else's by surprise.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use windlass_sandbox::{FileError, Run, Standing, WorkspacePath};

use crate::object::{Object, ObjectKind, Oid};
use crate::omitted::Omitted;
use crate::scan::Names;
use crate::snapshot::Snapshot;
use crate::{CheckpointError, CheckpointId, Checkpoints, tree};

/// How many objects are held at once.
const AT_ONCE: usize = 64;

/// What happens with files that changed since the last checkpoint, which nobody here did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Foreign {
    /// Nothing is restored if there are some.
    #[default]
    Refuse,
    /// They stay as they are.
    Keep,
    /// They are restored like the others; what they were is in the checkpoint that is taken before.
    Overwrite,
}

/// What was restored, or would be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Restored {
    /// The checkpoint of what was there before, to go back to; none where nothing was done.
    pub undo: Option<CheckpointId>,
    /// The files that have what they had.
    pub written: Vec<String>,
    /// The files that were made since, and are gone.
    pub removed: Vec<String>,
    /// What differs all the same.
    pub kept: Vec<Kept>,
}

/// A file that stayed as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Kept {
    /// The file.
    pub path: String,
    /// Why.
    pub why: Why,
}

/// Why a file stayed as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// Somebody else changed it since the last checkpoint.
    Foreign,
    /// The bytes that would be lost are in no checkpoint: the file was made since, or was or is left out (ignored, too
    /// large), or the checkpoint was taken by an earlier version, which does not record what it left out.
    Unknown,
    /// It could not be done; in the system's words.
    Failed(String),
}

/// What is to be done.
#[derive(Default)]
struct Plan {
    remove: Vec<PathBuf>,
    write: Vec<(PathBuf, Object)>,
    kept: Vec<Kept>,
}

impl Plan {
    fn keep(&mut self, path: &Path, why: Why) {
        self.kept.push(Kept { path: shown(path), why });
    }
}

impl Checkpoints {
    /// Says what going back to a checkpoint would do, and does nothing.
    ///
    /// # Errors
    /// As for going back.
    pub fn foresee(&self, id: &CheckpointId, foreign: Foreign) -> Result<Restored, CheckpointError> {
        self.find(id)?;
        let held = self.hold()?;
        let plan = self.plan(&held.state.names, &self.now(&held)?, id, foreign)?;
        let written = plan.write.iter().map(|(path, _)| shown(path)).collect();
        let removed = plan.remove.iter().map(|path| shown(path)).collect();
        Ok(Restored { undo: None, written, removed, kept: plan.kept })
    }

    /// Goes back to a checkpoint: files that differ are written, and those that were made since are removed, but not
    /// those that no checkpoint has. Before, what is there now is kept in a checkpoint of its own.
    ///
    /// # Errors
    /// If no such checkpoint was taken, if somebody else changed files since the last one and that is not to be, or as
    /// for taking one. What could not be done with single files is told of them.
    pub fn restore(&self, id: &CheckpointId, foreign: Foreign) -> Result<Restored, CheckpointError> {
        self.find(id)?;
        let (now, plan) = {
            let held = self.hold()?;
            let now = self.now(&held)?;
            let plan = self.plan(&held.state.names, &now, id, foreign)?;
            (now.names, plan)
        };
        let undo = self.take(&format!("before restore to {id}"))?.checkpoint.id;
        let mut restored = Restored { undo: Some(undo), kept: plan.kept, ..Restored::default() };
        // What is gone goes first: a file may have the name of what is a folder now.
        let mut emptied = BTreeSet::new();
        for path in plan.remove {
            let done = self.put(&path, now.get(&path).map(|known| known.object), &Standing::Nothing);
            if restored.note(&path, done, |restored| &mut restored.removed) {
                emptied.extend(path.ancestors().skip(1).map(Path::to_path_buf));
            }
        }
        for folder in emptied.iter().rev().filter(|folder| !folder.as_os_str().is_empty()) {
            // One with something in it stays.
            let _ = found(folder).and_then(|folder| self.workspace.remove_folder(&folder));
        }
        for chunk in plan.write.chunks(AT_ONCE) {
            let oids: Vec<Oid> = chunk.iter().map(|(_, object)| object.oid).collect();
            for ((path, object), bytes) in chunk.iter().zip(tree::blobs(&self.git, &oids)?) {
                let seen = now.get(path).map(|known| known.object);
                let done = self.put(path, seen, &standing_of(object.kind, bytes));
                restored.note(path, done, |restored| &mut restored.written);
            }
        }
        // What is there now is the last checkpoint: changes after it are somebody else's.
        self.take(&format!("restored {id}"))?;
        Ok(restored)
    }

    fn plan(
        &self,
        last: &Names,
        now: &Snapshot,
        id: &CheckpointId,
        foreign: Foreign,
    ) -> Result<Plan, CheckpointError> {
        let target = Target { names: tree::names(&self.git, id.0)?, omitted: Omitted::of(&self.git, id.0)? };
        plan(last, now, &target, foreign)
    }

    /// Puts a name back, if it has what it had a moment ago.
    fn put(&self, path: &Path, seen: Option<Object>, wanted: &Standing) -> Result<(), FileError> {
        let path = found(path)?;
        let standing = self.workspace.standing(&path)?;
        if object_of(&standing) != seen {
            return Err(FileError::Stale { path: path.to_string() });
        }
        self.workspace.put_back(&path, &standing, wanted)
    }
}

impl Restored {
    fn note(
        &mut self,
        path: &Path,
        done: Result<(), FileError>,
        list: impl Fn(&mut Self) -> &mut Vec<String>,
    ) -> bool {
        let is_done = done.is_ok();
        match done {
            Ok(()) => list(self).push(shown(path)),
            Err(FileError::Stale { .. }) => {
                self.kept.push(Kept { path: shown(path), why: Why::Foreign });
            }
            Err(error) => self.kept.push(Kept { path: shown(path), why: Why::Failed(error.to_string()) }),
        }
        is_done
    }
}

/// The checkpoint to go back to.
struct Target {
    names: Names,
    /// None if it does not say what it left out.
    omitted: Option<Omitted>,
}

impl Target {
    /// Whether a name that it has not may have been there all the same.
    fn may_have_had(&self, path: &Path) -> bool {
        self.omitted.as_ref().is_none_or(|omitted| omitted.has(path))
    }
}

fn plan(last: &Names, now: &Snapshot, target: &Target, foreign: Foreign) -> Result<Plan, CheckpointError> {
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
            // No checkpoint has it: the one that is taken now would be its only trace.
            (true, _, None) if !last.contains_key(path) => plan.keep(path, Why::Unknown),
            // It was there, and its bytes of then are unknown: removing it does not go back.
            (_, _, None) if target.may_have_had(path) => plan.keep(path, Why::Unknown),
            // It is there, and the checkpoint that is taken before would not have its bytes of now.
            (_, _, Some(_)) if now.omitted.files.contains(path) => plan.keep(path, Why::Unknown),
            (true, Foreign::Refuse, _) => theirs.push(shown(path)),
            (true, Foreign::Keep, _) => plan.keep(path, Why::Foreign),
            (_, _, Some(was)) => plan.write.push((path.clone(), was)),
            (_, _, None) => plan.remove.push(path.clone()),
        }
    }
    if theirs.is_empty() { Ok(plan) } else { Err(CheckpointError::Foreign { paths: theirs }) }
}

/// What stands there, as a checkpoint would have it.
fn object_of(standing: &Standing) -> Option<Object> {
    match standing {
        Standing::File { bytes, run } => {
            let kind = if *run == Run::Program { ObjectKind::Program } else { ObjectKind::File };
            Some(Object { kind, oid: Oid::of_blob(bytes) })
        }
        Standing::Link { target } => {
            Some(Object { kind: ObjectKind::Link, oid: Oid::of_blob(target.as_os_str().as_encoded_bytes()) })
        }
        _ => None,
    }
}

fn standing_of(kind: ObjectKind, bytes: Vec<u8>) -> Standing {
    match kind {
        ObjectKind::File => Standing::File { bytes, run: Run::Plain },
        ObjectKind::Program => Standing::File { bytes, run: Run::Program },
        ObjectKind::Link => Standing::Link { target: tree::path_of(&bytes) },
    }
}

fn found(path: &Path) -> Result<WorkspacePath, FileError> {
    Ok(WorkspacePath::found(path)?)
}

pub(crate) fn shown(path: &Path) -> String {
    WorkspacePath::found(path).map_or_else(|_| path.to_string_lossy().into_owned(), |path| path.to_string())
}
