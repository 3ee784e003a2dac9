//! Counts the work in progress of a browser, so that only an unused browser ends by its idle time.

use std::sync::Arc;

use tokio::sync::watch;

/// The number of starts and actions in progress. The clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Activity(Arc<watch::Sender<usize>>);

impl Activity {
    /// Counts as work in progress until the guard is dropped.
    pub(crate) fn begin(&self) -> ActivityGuard {
        self.0.send_modify(|count| *count = count.saturating_add(1));
        ActivityGuard(self.clone())
    }

    /// Reports each change of the number.
    pub(crate) fn subscribe(&self) -> watch::Receiver<usize> {
        self.0.subscribe()
    }
}

/// Work in progress.
#[derive(Debug)]
pub(crate) struct ActivityGuard(Activity);

impl Drop for ActivityGuard {
    fn drop(&mut self) {
        self.0.0.send_modify(|count| *count = count.saturating_sub(1));
    }
}
