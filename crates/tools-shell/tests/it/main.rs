//! The tools of this crate with real processes.
#![cfg(unix)]
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "the tests look at processes and files from outside, and fail loudly"
)]

#[cfg(target_os = "linux")]
mod attacks;
#[cfg(target_os = "linux")]
mod background;
#[cfg(target_os = "linux")]
mod code;
mod command;
#[cfg(target_os = "linux")]
mod confined;
#[cfg(target_os = "linux")]
mod faults;
#[cfg(target_os = "linux")]
mod floods;
mod links;
mod scene;
#[cfg(target_os = "linux")]
mod sessions;
