//! Counts of unexpected output.

/// Counts of unexpected output of a process, all of which is ignored. 100 unexpected lines in one run of the
/// process end it; lost progress messages do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Noise {
    /// Lines that are not JSON or not a known message.
    pub lines: u64,
    /// Answers and progress without an open request: the id is unknown, or was already answered.
    pub unasked: u64,
    /// Lines over 1 MiB.
    pub too_long: u64,
    /// Progress messages that were dropped because they arrived faster than they were reported.
    pub progress_lost: u64,
}
