//! What a server wrote that nobody could use.

/// What a server wrote, over all its lives, that nobody could use. All of it was skipped; here it is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Noise {
    /// Lines that were no message: banners, halves, broken JSON.
    pub lines: u64,
    /// Lines that were too long.
    pub too_long: u64,
    /// Answers to nothing that was asked, or that was answered already.
    pub unasked: u64,
    /// Requests that a server may not make here, or made too fast.
    pub refused: u64,
    /// How often it said that its tools changed.
    pub list_changes: u64,
}
