//! Tests of the encoders and decoders.
#![expect(clippy::disallowed_methods, reason = "the tests start the official clients")]

mod ag_ui;
mod ag_ui_order;
mod ai_message;
mod ai_sdk;
mod decode;
mod feeds;
mod npm;
