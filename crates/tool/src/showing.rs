//! The context for showing arguments while they stream.

use std::fmt;

use crate::Progress;

/// The context that a tool receives while the arguments of a call still stream. It can only emit progress.
///
/// The call has not been approved yet, so it must not have observable effects (RULES H3). For that reason
/// this context has no folder, no human and no cancellation.
///
/// ```
/// use windlass_tool::{Progress, ProgressSink};
///
/// let mut told = Vec::new();
/// ProgressSink::new(&mut |progress| told.push(progress)).tell(Progress::Note("notes.md".into()));
/// assert_eq!(told, [Progress::Note("notes.md".into())]);
/// ```
pub struct ProgressSink<'a> {
    listen: &'a mut dyn FnMut(Progress),
}

impl<'a> ProgressSink<'a> {
    /// Creates a context that passes progress to `listen`.
    pub fn new(listen: &'a mut dyn FnMut(Progress)) -> Self {
        Self { listen }
    }

    /// Emits progress to the listener.
    pub fn tell(&mut self, progress: Progress) {
        (self.listen)(progress);
    }
}

impl fmt::Debug for ProgressSink<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Showing").finish_non_exhaustive()
    }
}
