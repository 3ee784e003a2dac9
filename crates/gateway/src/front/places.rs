//! The bound on concurrent requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of requests that are answered now. The bound is an argument, because a new configuration can change it
/// while requests are answered.
#[derive(Debug, Default)]
pub(super) struct Places(Arc<AtomicUsize>);

/// A place of one request. Dropping it frees the place.
#[derive(Debug)]
pub(super) struct Place(Arc<AtomicUsize>);

impl Places {
    /// Takes a place; `None` if all are taken.
    pub(super) fn enter(&self, bound: usize) -> Option<Place> {
        let next = |taken: usize| (taken < bound).then(|| taken.saturating_add(1));
        self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, next).ok()?;
        Some(Place(Arc::clone(&self.0)))
    }

    /// Returns the number of free places.
    pub(super) fn free(&self, bound: usize) -> usize {
        bound.saturating_sub(self.0.load(Ordering::Acquire))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}
