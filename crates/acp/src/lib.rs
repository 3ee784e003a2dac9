#![doc = include_str!("../README.md")]

mod agent;
mod answers;
mod asks;
mod begin;
mod client_files;
mod config_options;
mod connection;
mod content;
mod diff;
mod dispatch;
mod elicitation;
mod followed_run;
mod lines;
mod peer;
mod permission;
mod plan;
mod prompt;
mod rpc;
mod servers;
mod sessions;
mod stored;
mod terminal;
mod translator;
mod unconfigured;
mod updates;

pub use agent::AcpAgent;
pub use connection::AcpOptions;
pub use unconfigured::serve_error;
