//! What changed between a checkpoint and another, or now.

use crate::object::Oid;
use crate::{CheckpointError, CheckpointId, Checkpoints};

/// How much of a diff is written.
const SHOWN_BYTES: u64 = 1024 * 1024;

/// Up to when.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_enums, reason = "a checkpoint or this moment, there is no third")]
pub enum Until<'c> {
    /// As it was then.
    Checkpoint(&'c CheckpointId),
    /// As it is.
    Now,
}

/// What changed, net: what was changed and changed back is not in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diff {
    /// A unified diff as git writes it, with moves; files that are no text are named.
    pub text: String,
    /// Whether it goes on behind its last line.
    pub is_cut: bool,
}

impl Diff {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}

impl Checkpoints {
    /// What changed since a checkpoint, at most a mebibyte of it.
    ///
    /// # Errors
    /// If no such checkpoint was taken, or as for taking one.
    pub fn diff(&self, from: &CheckpointId, until: Until<'_>) -> Result<Diff, CheckpointError> {
        self.find(from)?;
        let until = match until {
            Until::Checkpoint(id) => {
                self.find(id)?;
                id.0
            }
            Until::Now => {
                let held = self.hold()?;
                self.now(&held)?.commit
            }
        };
        self.between(from.0, until)
    }

    fn between(&self, from: Oid, until: Oid) -> Result<Diff, CheckpointError> {
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

    /// Only what was taken here is a checkpoint.
    pub(crate) fn find(&self, id: &CheckpointId) -> Result<(), CheckpointError> {
        if self.list()?.iter().any(|known| known.id == *id) {
            return Ok(());
        }
        Err(CheckpointError::NotFound { id: id.to_string() })
    }
}
