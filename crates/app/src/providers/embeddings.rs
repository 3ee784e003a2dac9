//! The user's endpoint for embeddings, and its reachability for policy.

#[cfg(all(feature = "index", feature = "web"))]
mod endpoint;
#[cfg(not(all(feature = "index", feature = "web")))]
mod missing;

#[cfg(all(feature = "index", feature = "web"))]
pub(crate) use self::endpoint::{add_reachable, build_embedder};
#[cfg(not(all(feature = "index", feature = "web")))]
pub(crate) use self::missing::add_reachable;
