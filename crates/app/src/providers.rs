//! Providers: the choice of a provider and a model, and the HTTP client that reaches it.

mod access;
mod embeddings;
mod provider;

pub use self::access::{ProviderOptions, find_key, missing_key};
pub use self::provider::{Provider, ProviderChoice};

pub(crate) use self::embeddings::add_reachable;
#[cfg(all(feature = "index", feature = "web"))]
pub(crate) use self::embeddings::build_embedder;
