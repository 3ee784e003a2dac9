//! Hooks that see decoded copies of requests and answers.

use windlass_stream::Chunk;
use windlass_wire::{DecodedRequest, ProviderError};

use crate::ClientRequest;

/// A policy that inspects exchanges. It sees decoded copies, also of exchanges that the gateway forwards byte
/// for byte.
///
/// With a hook, a request that the gateway cannot decode is refused instead of being forwarded.
pub trait Hook: Send + Sync {
    /// Inspects a request before it is sent, and returns an observer of its answer if it wants one. `format`
    /// is the name of the client's wire format.
    ///
    /// # Errors
    /// Returns the error that the client receives in place of an answer.
    fn inspect(
        &self,
        format: &str,
        request: &ClientRequest,
        decoded: &DecodedRequest,
    ) -> Result<Option<Box<dyn Observer>>, ProviderError>;
}

/// An observer of one answer.
pub trait Observer: Send {
    /// Receives the next chunk of the answer.
    fn observe(&mut self, chunk: &Chunk);
}
