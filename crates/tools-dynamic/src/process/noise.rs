//! What a process wrote that was not asked for.

/// What a process wrote that was not asked for, all of it refused. Too much of it ends the process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Noise {
    /// Lines that are no JSON, or say nothing that is understood.
    pub lines: u64,
    /// Answers and progress that nobody waits for: of an unknown id, or after the answer.
    pub unasked: u64,
    /// Lines over 1 MiB.
    pub too_long: u64,
    /// Words about progress that came faster than they were told.
    pub progress_lost: u64,
}
