//! The interface of a store.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use bytes::Bytes;

/// A store for responses and conversations, which the gateway keeps for its clients.
///
/// A key is an owner and an id. The gateway takes ids from requests, so a store must never return a value of
/// another owner. The values are JSON.
pub trait StateStore: fmt::Debug + Send + Sync {
    /// Returns the value of a key, or `None` if it does not exist or has expired.
    fn get<'a>(&'a self, owner: &'a str, id: &'a str) -> StateFuture<'a, Option<Bytes>>;

    /// Stores a value, and replaces an earlier one.
    ///
    /// # Errors
    /// The value is too large, or the store fails.
    fn insert<'a>(&'a self, owner: &'a str, id: &'a str, value: Bytes) -> StateFuture<'a, ()>;

    /// Replaces a value if it still equals `old`. Returns false if it does not, or does not exist.
    ///
    /// # Errors
    /// The value is too large, or the store fails.
    fn replace<'a>(
        &'a self,
        owner: &'a str,
        id: &'a str,
        old: &'a Bytes,
        new: Bytes,
    ) -> StateFuture<'a, bool>;

    /// Removes a value. Returns false if it does not exist.
    ///
    /// # Errors
    /// The store fails.
    fn remove<'a>(&'a self, owner: &'a str, id: &'a str) -> StateFuture<'a, bool>;
}

/// The future of an access to a store.
pub type StateFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StateError>> + Send + 'a>>;

/// The reason why a store cannot keep or return a value.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The value alone exceeds the limits.
    #[error("a value of {bytes} bytes exceeds the limit of {limit} bytes")]
    TooLarge {
        /// The size of the value.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// The store failed.
    #[error("the store of the gateway failed")]
    Failed(#[source] Box<dyn std::error::Error + Send + Sync>),
}
