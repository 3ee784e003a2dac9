//! The file tools on real files.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "the tests build and change files from outside, and fail loudly"
)]

mod aftermath;
#[cfg(unix)]
mod attacks;
mod delete;
mod dropped;
#[cfg(unix)]
mod gate;
mod inspect;
mod kit;
mod list;
#[cfg(unix)]
mod odd;
mod read;
mod scene;
mod write;
