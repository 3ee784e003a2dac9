//! The budget of one judging: what a command may cost before the answer is "too much to judge".

use std::fmt;

/// The longest text, or the longest list of words, that [`Scan`](crate::Scan) reads, in bytes.
pub const MAX_SCAN_BYTES: usize = 256 * 1024;
/// Units of work that a judging may spend for each byte of the command. A unit is a byte or a word that is looked at once.
pub const WORK_PER_BYTE: usize = 8;
/// Units of work that the shortest command may cost.
pub const LEAST_WORK: usize = 32 * 1024;
/// The most different paths, or different dangers, that are kept of one command.
pub(crate) const MAX_KEPT: usize = 8 * 1024;

/// Why a command was not judged to its end. Such a command is never allowed without a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Excess {
    /// It has more bytes than are read.
    Bytes,
    /// Judging it takes more steps than its length allows: wrappers inside wrappers, texts inside texts.
    Work,
    /// It names more paths than are kept.
    Paths,
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bytes => "the command is too long to be judged",
            Self::Work => "the command has too many commands inside commands to be judged",
            Self::Paths => "the command names too many paths to be judged",
        })
    }
}

/// The meter of one judging. Each step is charged before it is done.
#[derive(Debug)]
pub(crate) struct Work {
    left: usize,
    spent: usize,
    excess: Option<Excess>,
}

impl Default for Work {
    fn default() -> Self {
        Self::for_bytes(0)
    }
}

impl Work {
    /// Returns a meter for a command of so many bytes; it is used up at once where they are too many.
    pub(crate) fn for_bytes(bytes: usize) -> Self {
        let excess = (bytes > MAX_SCAN_BYTES).then_some(Excess::Bytes);
        Self { left: bytes.saturating_mul(WORK_PER_BYTE).saturating_add(LEAST_WORK), spent: 0, excess }
    }

    /// Charges for a step. Returns false where the budget does not cover it: then the step must not be done.
    pub(crate) fn charge(&mut self, units: usize) -> bool {
        if self.excess.is_some() {
            return false;
        }
        let Some(left) = self.left.checked_sub(units) else {
            self.excess = Some(Excess::Work);
            return false;
        };
        self.left = left;
        self.spent = self.spent.saturating_add(units);
        true
    }

    /// Ends the judging.
    pub(crate) fn exceed(&mut self, excess: Excess) {
        self.excess.get_or_insert(excess);
    }

    pub(crate) fn excess(&self) -> Option<Excess> {
        self.excess
    }

    pub(crate) fn spent(&self) -> usize {
        self.spent
    }
}
