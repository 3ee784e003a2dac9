//! Tests of the server over real connections.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::format_push_string,
    reason = "a test that cannot go on fails; it measures times and reads the files of a user"
)]

mod attacks;
mod cards;
mod load;
mod place;
#[cfg(feature = "web-push")]
mod push;
mod restart;
mod sessions;
mod steering;
mod windows;
