//! A front that can be replaced while it serves.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use super::Front;
use crate::Gateway;

/// A handle to the endpoints of a running server. Cloning it is cheap, and each clone replaces the same endpoints.
///
/// ```
/// # fn example(gateway: windlass_gateway::Gateway, other: windlass_gateway::Gateway) {
/// use windlass_gateway::{Front, FrontHandle};
///
/// let handle = FrontHandle::from(Front::new(gateway));
/// // `serve(listener, handle.clone(), options)` runs elsewhere.
/// handle.replace(Front::new(other).with_concurrent_requests(50));
/// # }
/// ```
#[derive(Clone)]
pub struct FrontHandle(Arc<RwLock<Arc<Front>>>);

impl FrontHandle {
    /// Replaces the endpoints for all requests that arrive later. Requests that are answered now end with the old
    /// ones. Measurements, occupied places, the use of budgets and, if both have a store, stored responses continue.
    pub fn replace(&self, front: Front) {
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let shared = Arc::clone(&current.shared);
        let state = front.state.as_ref().map(|new| Arc::clone(current.state.as_ref().unwrap_or(new)));
        *current = Arc::new(Front { shared, state, ..front });
    }

    /// Returns the endpoints for a request that arrives now.
    pub fn current(&self) -> Arc<Front> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl From<Front> for FrontHandle {
    fn from(front: Front) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(front))))
    }
}

impl From<Gateway> for FrontHandle {
    fn from(gateway: Gateway) -> Self {
        Self::from(Front::new(gateway))
    }
}

impl fmt::Debug for FrontHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FrontHandle").field(&self.current()).finish()
    }
}
