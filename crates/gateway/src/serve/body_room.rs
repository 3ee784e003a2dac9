//! The bound on the bytes of all request bodies that a server holds.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::options::ServeOptions;

/// Bytes for one permit: a semaphore counts at most 2^32 permits at once.
const UNIT: usize = 1024;

/// Room for request bodies.
#[derive(Debug)]
pub(crate) struct BodyRoom {
    room: Arc<Semaphore>,
    all: u32,
    largest: usize,
}

impl BodyRoom {
    pub(crate) fn new(options: &ServeOptions) -> Self {
        let all = u32::try_from(options.all_body_bytes.div_ceil(UNIT)).unwrap_or(u32::MAX).max(1);
        let permits = usize::try_from(all).unwrap_or(Semaphore::MAX_PERMITS).min(Semaphore::MAX_PERMITS);
        Self { room: Arc::new(Semaphore::new(permits)), all, largest: options.body_bytes }
    }

    /// Waits for the room of a body of this size, or of the largest body if the size is unknown. The permit gives the
    /// room back when it is dropped. Cancel-safe.
    pub(crate) async fn enter(&self, bytes: Option<u64>) -> Option<OwnedSemaphorePermit> {
        let bytes = bytes.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(self.largest);
        let permits = u32::try_from(bytes.min(self.largest).div_ceil(UNIT)).unwrap_or(u32::MAX);
        Arc::clone(&self.room).acquire_many_owned(permits.min(self.all)).await.ok()
    }
}
