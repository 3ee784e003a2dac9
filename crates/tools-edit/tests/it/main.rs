//! The edit tools on real files.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "the tests build and change files from outside, and fail loudly"
)]

#[cfg(unix)]
mod aftermath;
mod blocks;
mod corpus;
mod dropped;
mod edit;
mod effort;
mod identity;
mod kit;
mod patch;
mod properties;
mod races;
mod scene;
