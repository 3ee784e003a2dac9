#![doc = include_str!("../README.md")]
#![expect(clippy::disallowed_methods, reason = "the file journal is where a run meets the disk")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod async_journal;
mod crc32c;
mod error;
mod file;
mod journals;
#[cfg(feature = "kit")]
pub mod kit;
mod line;
mod memory;
mod record;
mod redacting;
mod store;
mod values;

pub use async_journal::{AsyncJournal, JournalFuture};
pub use error::JournalError;
pub use file::FileJournal;
pub use file::recovery::{SalvagedData, Tail};
pub use journals::{FileJournals, Journals, MemoryJournals};
pub use memory::MemoryJournal;
pub use record::Record;
pub use redacting::Redacting;
pub use store::{Durability, Journal};
