#![doc = include_str!("../README.md")]
#![expect(
    clippy::disallowed_methods,
    reason = "this crate reads the configuration, the environment and the records of a user's machine"
)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod app;
mod child_wait;
mod config;
mod error;
mod hex;
mod notices;
mod notifications;
mod storage;

pub mod agents;
pub mod assembly;
pub mod configuration;
pub mod feed;
pub mod hooks;
pub mod instructions;
pub mod mcp;
#[cfg(feature = "mcp")]
pub mod mcp_service;
pub mod policies;
pub mod providers;
pub mod runs;
pub mod secrets;
pub mod sessions;
pub mod trust;

pub use app::App;
pub use config::{
    Autonomy, Confinement, EmbeddingOptions, Folders, RunSettings, Task, ToolPreset, ToolSelection,
    WireFormat, resolve_root, variable,
};
pub use error::{AppError, ErrorKind, Remedy, Setting, causes, one_line};
pub use notices::{Notice, NoticeSink};
