#![doc = include_str!("../README.md")]
#![expect(clippy::disallowed_methods, reason = "a store is where a run meets files, threads and databases")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod contract;
mod error;
mod folder;
mod heartbeat;
#[cfg(feature = "kit")]
pub mod kit;
mod memory;
mod name;
mod open;
mod session_records;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod sql;
mod url;

pub use contract::{ContentHash, Lease, Store, StoredOutput};
pub use error::StoreError;
pub use folder::FolderStore;
pub use heartbeat::Heartbeat;
pub use memory::MemoryStore;
pub use open::open_store;
pub use session_records::{SessionChange, SessionRecords, SessionRow, StateCount};
pub use url::{StoreKind, StoreUrl};
