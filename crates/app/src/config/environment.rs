//! Reads the environment of the process.

use std::env;
use std::ffi::OsStr;

/// Returns the value of an environment variable that is set, valid UTF-8 and not empty.
pub fn variable(name: impl AsRef<OsStr>) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}
