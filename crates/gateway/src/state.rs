//! Stored responses and conversations, for clients of an API whose server stores them and an upstream of another
//! format.

mod conversations;
mod endpoint;
mod error;
mod items;
mod memory;
mod record;
mod responses;
mod session;
mod store;

pub use memory::{MemoryStateStore, StateLimits};
pub use store::{StateError, StateFuture, StateStore};

pub(crate) use endpoint::answer;
pub(crate) use session::Session;
