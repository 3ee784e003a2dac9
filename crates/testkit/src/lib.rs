#![doc = include_str!("../README.md")]
#![expect(clippy::disallowed_methods, reason = "corpora are files, found through the environment")]

pub mod corpora;
pub mod oracle;
pub mod split;
pub mod workload;
