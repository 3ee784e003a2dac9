//! Counts of a server's messages that were skipped or refused.

/// Counts of a server's messages that were skipped or refused, since the client was created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SkippedMessages {
    /// Lines that are not messages: banners, incomplete lines, invalid JSON.
    pub lines: u64,
    /// Messages over the maximum length.
    pub too_long: u64,
    /// Answers to no open request.
    pub unasked: u64,
    /// Requests that the client does not offer or that arrived too fast.
    pub refused: u64,
    /// Announcements of a changed list of tools.
    pub list_changes: u64,
}
