#![doc = include_str!("../README.md")]
#![expect(
    clippy::disallowed_methods,
    reason = "the content store in a folder writes files, and reports contain times"
)]

mod activities;
mod address;
mod codec;
mod content;
mod conversation;
mod data;
mod engine;
mod error;
mod feed;
mod heartbeat;
mod observer;
mod run_state;
mod search;
mod settings;
mod version;
mod worker;
mod workflow;

pub use address::{AddressError, EngineAddress};
pub use codec::{Cipher, CipherError};
pub use content::{ContentError, ContentFuture, ContentStore, FolderContentStore};
pub use data::{EventPage, OpenRequests, RunReport};
pub use engine::{Engine, RunHandle};
pub use error::EngineError;
pub use feed::FeedItem;
pub use observer::StepReport;
pub use settings::{RunSettings, StepTimeouts};
pub use version::LOOP_VERSION;
pub use windlass_store::ContentHash;
pub use worker::{Worker, WorkerRole};
