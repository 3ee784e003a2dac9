//! Tests of the scripted provider.
#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

mod format;
mod forms;
mod mock_model;
mod script;
mod server;
