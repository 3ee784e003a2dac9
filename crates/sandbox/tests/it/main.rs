//! The workspace against real files, and against attacks on it.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the tests build and change files from outside, and fail loudly"
)]

#[cfg(unix)]
mod attacks;
#[cfg(target_os = "linux")]
mod confined;
#[cfg(unix)]
mod descents;
#[cfg(target_os = "linux")]
mod editor;
#[cfg(target_os = "linux")]
mod exchanged;
mod files;
#[cfg(target_os = "linux")]
mod granted;
#[cfg(target_os = "linux")]
mod inherited;
#[cfg(target_os = "linux")]
mod leashed;
#[cfg(target_os = "linux")]
mod levels;
#[cfg(target_os = "linux")]
mod modes;
#[cfg(unix)]
#[path = "../../../tools-index/tests/it/other_user.rs"]
mod other_user;
#[cfg(unix)]
mod put_back;
#[cfg(unix)]
mod races;
#[cfg(target_os = "linux")]
mod repositories;
#[cfg(target_os = "linux")]
mod serving;
#[cfg(target_os = "linux")]
mod sockets;
#[cfg(unix)]
mod writers;
