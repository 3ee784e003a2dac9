//! The API of a wire format for prompt caches that the provider stores.

use std::time::Duration;

use windlass_protocol::Request;

use crate::EncodeError;

/// The API for prompt caches that a program creates and the provider stores until a time ("explicit caches"). A stored
/// cache has a model, a system prompt, tools and the first messages of conversations. A request names it in
/// [`RequestOptions::stored_cache`](windlass_protocol::RequestOptions::stored_cache).
pub trait CachesApi: Send + Sync {
    /// Returns the path of the collection of caches, relative to the endpoint's base URL.
    fn path(&self) -> &'static str;

    /// Returns the body of the `POST` that creates a cache with the system prompt, the tools and the messages of a request. The list of
    /// messages can be empty.
    ///
    /// # Errors
    /// Returns an error if the format cannot express the request.
    fn encode_creation(&self, request: &Request, ttl: Duration) -> Result<Vec<u8>, EncodeError>;

    /// Returns the query and the body of the request that sets the time to live of a cache, from now.
    fn encode_ttl(&self, ttl: Duration) -> (&'static str, String);
}
