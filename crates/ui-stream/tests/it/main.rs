//! Tests of the encoders and decoders.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests fail loudly, and start the official clients"
)]

mod ag_ui;
mod ag_ui_order;
mod ai_message;
mod ai_sdk;
mod decode;
mod feeds;
mod npm;
