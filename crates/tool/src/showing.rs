//! What a tool is given to show arguments that still arrive.

use std::fmt;

use crate::Progress;

/// What a tool is given besides the arguments while they still arrive: somebody to tell, and nothing else.
///
/// Nobody has decided about the call yet, so nothing observable may happen (RULES H3): there is no file, no
/// human to ask and no cancellation here on purpose.
///
/// ```
/// use windlass_tool::{Progress, Showing};
///
/// let mut told = Vec::new();
/// Showing::new(&mut |progress| told.push(progress)).tell(Progress::Note("notes.md".into()));
/// assert_eq!(told, [Progress::Note("notes.md".into())]);
/// ```
pub struct Showing<'a> {
    listen: &'a mut dyn FnMut(Progress),
}

impl<'a> Showing<'a> {
    /// Somebody who listens.
    pub fn new(listen: &'a mut dyn FnMut(Progress)) -> Self {
        Self { listen }
    }

    /// Tells whoever listens.
    pub fn tell(&mut self, progress: Progress) {
        (self.listen)(progress);
    }
}

impl fmt::Debug for Showing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Showing").finish_non_exhaustive()
    }
}
