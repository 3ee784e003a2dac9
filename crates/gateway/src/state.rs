//! Stored responses and conversations, for clients of an API whose server stores them and an upstream of another
//! format.

mod conversations;
mod endpoint;
mod error;
mod items;
mod limits;
mod memory;
mod record;
mod responses;
mod session;
#[cfg(feature = "sqlite")]
mod sqlite;
mod store;

pub use limits::StateLimits;
pub use memory::MemoryStateStore;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteStateStore;
pub use store::{StateError, StateFuture, StateStore};

pub(crate) use endpoint::answer;
pub(crate) use error::{not_found, previous_not_found};
pub(crate) use session::Session;
