//! The work budget for assessing one command. A command that would exceed it is reported as too expensive to
//! assess.

use std::fmt;

/// The maximum size in bytes of a text or of a list of words that [`Scan`](crate::Scan) reads. Linux starts no program
/// with a longer word, so a longer text cannot be passed to a shell.
pub const MAX_SCAN_BYTES: usize = 128 * 1024;
/// Units of work that assessing may spend per byte of the command. One unit pays for one look at a byte or at
/// a word.
pub const WORK_PER_BYTE: usize = 8;
/// Units of work that assessing may spend on any command, in addition to [`WORK_PER_BYTE`].
pub const LEAST_WORK: usize = 32 * 1024;
/// The maximum number of different paths, and of different dangers, that are stored for one command.
pub(crate) const MAX_KEPT: usize = 8 * 1024;

/// The reason why a command was not assessed to its end. Such a command always needs a question to the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Excess {
    /// The command has more than [`MAX_SCAN_BYTES`] bytes.
    Bytes,
    /// Assessing it takes more steps than its length allows, as with deeply nested wrappers or texts.
    Work,
    /// It names more different paths, or has more different dangers, than are stored.
    Paths,
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bytes => "the command is too long to be assessed",
            Self::Work => "the command has too many nested commands to be assessed",
            Self::Paths => "the command names too many paths to be assessed",
        })
    }
}

/// The meter of one assessment. Each step is charged before it is performed.
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
    /// Creates a meter for a command of this many bytes. The meter starts exhausted if that is more than
    /// [`MAX_SCAN_BYTES`].
    pub(crate) fn for_bytes(bytes: usize) -> Self {
        let excess = (bytes > MAX_SCAN_BYTES).then_some(Excess::Bytes);
        Self { left: bytes.saturating_mul(WORK_PER_BYTE).saturating_add(LEAST_WORK), spent: 0, excess }
    }

    /// Charges for a step. Returns false if the budget does not cover it; the caller must then skip the step.
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

    /// Records the reason for the end of the assessment. An earlier reason is kept.
    pub(crate) fn exceed(&mut self, excess: Excess) {
        self.excess.get_or_insert(excess);
    }

    pub(crate) fn excess(&self) -> Option<Excess> {
        self.excess
    }

    pub(crate) fn count_steps(&self) -> usize {
        self.spent
    }
}
