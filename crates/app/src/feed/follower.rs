//! An observer of a run's feed.

use super::event::FeedEvent;
use crate::error::Result;

/// Observer of a run's numbered events, in the process that writes them.
pub(crate) trait FeedFollower: Send + Sync {
    /// Follows new events.
    ///
    /// # Errors
    ///
    /// Fails if what follows from the events cannot be stored.
    fn follow(&mut self, events: &[FeedEvent]) -> Result<()>;

    /// Notes that the process leaves the run.
    fn leave(&mut self);
}
