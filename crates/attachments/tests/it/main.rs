//! Attachments from bytes, files and addresses.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "the tests write files from outside, and fail loudly"
)]

mod files;
#[cfg(target_os = "linux")]
mod memory;
mod pictures;
mod urls;
