//! The workspace against real files, and against attacks on it.
#![expect(clippy::disallowed_methods, reason = "the tests build and change files from outside")]

#[cfg(unix)]
mod attacks;
mod files;
