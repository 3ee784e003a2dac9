#![doc = include_str!("../README.md")]

mod agent;
mod config_options;
mod connection;
mod content;
mod diff;
mod dispatch;
mod lines;
mod peer;
mod permission;
mod plan;
mod prompt;
mod rpc;
mod sessions;
mod stored;
mod translator;
mod updates;

pub use agent::AcpAgent;
pub use connection::AcpOptions;
