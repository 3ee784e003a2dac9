//! The command line from outside: the built program, files, a provider on loopback.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test that cannot go on fails; it starts the program and reads its files"
)]

#[cfg(feature = "acp")]
mod acp;
mod agents;
mod answers;
mod approve_in;
#[cfg(feature = "tui")]
mod chat;
mod check;
mod commands;
mod config;
#[cfg(feature = "tui")]
mod conversation;
mod demo;
mod doctor;
mod echo;
mod embeddings;
#[cfg(feature = "temporal")]
mod engine;
mod errors;
mod every_tool;
mod fallback;
#[cfg(feature = "tui")]
mod full_screen;
mod given;
#[cfg(feature = "tui")]
mod hangup;
mod hooks;
mod kept;
mod learned;
mod mcp_client;
mod mcp_config;
mod mcp_login;
mod mcp_serve;
mod mock;
mod models;
mod otlp;
mod own;
mod paths;
mod policy;
mod program;
mod protocol;
mod provider_login;
mod proxy;
mod proxy_file;
#[cfg(unix)]
mod proxy_restart;
mod proxy_settings;
mod pty;
mod questions;
mod replay_mcp;
mod restore;
mod resume;
mod run_view;
mod scripts;
mod secrets;
mod sessions;
mod settings;
mod store;
mod suspend;
mod tape;
#[cfg(feature = "tui")]
mod terminals;
mod text;
mod tools;
#[cfg(all(feature = "acp", feature = "server", feature = "tui"))]
mod windows;
mod workflow;
