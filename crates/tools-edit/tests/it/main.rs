//! The edit tools on real files.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "the tests build and change files from outside, and fail loudly"
)]

mod corpus;
mod edit;
mod patch;
mod properties;
mod scene;
