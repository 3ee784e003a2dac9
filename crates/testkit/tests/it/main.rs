//! Tests of the test kit, and the replay of what fuzzing found.
#![expect(clippy::disallowed_methods, reason = "found inputs are files")]

mod regressions;
mod workload;
