#![doc = include_str!("../README.md")]
#![expect(clippy::disallowed_methods, reason = "corpora are files, found through the environment")]

pub mod corpora;
pub mod durable;
pub mod growth;
pub mod oracle;
mod provider;
mod render;
pub mod script;
pub mod scripted_model;
#[cfg(feature = "server")]
pub mod server;
pub mod split;
mod spoken;
pub mod wire_suite;
pub mod workload;
