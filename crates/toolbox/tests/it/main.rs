//! The toolbox from outside.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that cannot go on fails, and reads files"
)]

mod check;
mod dynamic;
mod fake;
mod filters;
mod growth;
mod many_names;
mod modes;
mod names;
mod properties;
mod route;
mod run;
