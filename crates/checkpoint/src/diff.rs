//! Differences between a checkpoint and another one, or the current workspace.

use std::fmt::Write;
use std::path::PathBuf;

use crate::checkpoints::{HeldLock, NOW};
use crate::object::Oid;
use crate::omitted::OmittedPaths;
use crate::restore::display;
use crate::scan::Names;
use crate::snapshot::{Place, recommit};
use crate::{CheckpointError, CheckpointId, Checkpoints, tree};

/// Maximum size of a diff, in bytes.
const SHOWN_BYTES: u64 = 1024 * 1024;

/// Maximum number of files that a diff names as not comparable.
const NAMED: usize = 20;

const UNEQUAL: &str = "cannot be compared: one side was not stored (too large, ignored or unreadable)";

/// End of a diff.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_enums, reason = "a checkpoint or this moment; the set is closed")]
pub enum DiffEnd<'c> {
    /// The state in another checkpoint.
    Checkpoint(&'c CheckpointId),
    /// The current state of the workspace.
    Now,
}

/// Net difference between two states. A change that was reverted in between is not in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diff {
    /// Unified diff in git's format, with renames; binary files are only named. Lines above it name the files
    /// that one side left out and that therefore cannot be compared.
    pub text: String,
    /// True if the diff was cut after its last complete line.
    pub is_cut: bool,
}

impl Diff {
    /// Returns true if nothing changed.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}

/// One side of a diff.
struct Side {
    commit: Oid,
    names: Names,
    omitted: OmittedPaths,
}

impl Side {
    fn read(checkpoints: &Checkpoints, commit: Oid) -> Result<Self, CheckpointError> {
        let names = tree::names(&checkpoints.git, commit)?;
        Ok(Self { commit, names, omitted: OmittedPaths::read(&checkpoints.git, commit)?.unwrap_or_default() })
    }
}

impl Checkpoints {
    /// Returns the changes since a checkpoint, up to a mebibyte of diff text.
    ///
    /// # Errors
    /// If the checkpoint does not exist, or as for [`Self::take`].
    pub fn diff(&self, from: &CheckpointId, until: DiffEnd<'_>) -> Result<Diff, CheckpointError> {
        self.find(from)?;
        let begin = Side::read(self, from.0)?;
        let (held, end) = match until {
            DiffEnd::Checkpoint(id) => {
                self.find(id)?;
                (self.hold()?, Side::read(self, id.0)?)
            }
            DiffEnd::Now => {
                let held = self.hold()?;
                let now = self.now(&held)?;
                (held, Side { commit: now.commit, names: now.names, omitted: now.omitted })
            }
        };
        let (level, unequal) = self.level(&held, &begin, &end)?;
        let mut diff = self.diff_between(begin.commit, level)?;
        let mut text = String::new();
        for path in unequal.iter().take(NAMED) {
            // Writing into a string cannot fail.
            let _ = writeln!(text, "{} {UNEQUAL}", display(path));
        }
        if let Some(more) = unequal.len().checked_sub(NAMED).filter(|more| *more > 0) {
            let _ = writeln!(text, "and {more} more files cannot be compared");
        }
        diff.text.insert_str(0, &text);
        Ok(diff)
    }

    /// Returns the end of a diff, adjusted so that files that one side has and the other left out are equal,
    /// because the diff would report them as deleted or new. Also returns the paths of those files.
    fn level(
        &self,
        held: &HeldLock<'_>,
        begin: &Side,
        end: &Side,
    ) -> Result<(Oid, Vec<PathBuf>), CheckpointError> {
        let grown = begin.names.iter().filter(|(path, _)| end.omitted.files.contains(*path));
        let grown: Vec<_> = grown.map(|(path, known)| (path.clone(), *known)).collect();
        let had = end.names.keys().filter(|path| !begin.names.contains_key(*path) && begin.omitted.has(path));
        let had: Vec<_> = had.cloned().collect();
        if grown.is_empty() && had.is_empty() {
            return Ok((end.commit, Vec::new()));
        }
        let mut names = end.names.clone();
        for path in &had {
            names.remove(path);
        }
        names.extend(grown.iter().cloned());
        let place = Place { branch: NOW, parent: Some(end.commit), label: "compared", lock: &held.lock };
        let commit = recommit(&self.git, (&end.names, &names), &place)?;
        let unequal = grown.into_iter().map(|(path, _)| path).chain(had).collect();
        Ok((commit, unequal))
    }

    fn diff_between(&self, from: Oid, until: Oid) -> Result<Diff, CheckpointError> {
        const STEP: &str = "diff-tree";
        let (from, until) = (from.to_string(), until.to_string());
        let words = [
            STEP,
            "-r",
            "--patch",
            "--find-renames",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "--src-prefix=a/",
            "--dst-prefix=b/",
            &from,
            &until,
            "--",
        ];
        let mut said = self.git.ask(STEP, words, SHOWN_BYTES)?;
        let is_cut = said.len() as u64 >= SHOWN_BYTES;
        if is_cut {
            let end = said.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end.saturating_add(1));
            said.truncate(end);
        }
        Ok(Diff { text: String::from_utf8_lossy(&said).into_owned(), is_cut })
    }

    /// Fails unless `id` is a checkpoint: other commits in the repository are not.
    pub(crate) fn find(&self, id: &CheckpointId) -> Result<(), CheckpointError> {
        if self.list()?.iter().any(|known| known.id == *id) {
            return Ok(());
        }
        Err(CheckpointError::NotFound { id: id.to_string() })
    }
}
