#![doc = include_str!("../README.md")]
#![expect(clippy::disallowed_methods, reason = "corpora are files, found through the environment")]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod corpora;
#[cfg(feature = "tool")]
pub mod dropped_call;
#[cfg(feature = "loop")]
pub mod durable;
pub mod growth;
pub mod need;
pub mod oracle;
#[cfg(all(unix, feature = "postgres"))]
pub mod postgres;
pub mod split;
#[cfg(feature = "temporal")]
pub mod temporal;
#[cfg(feature = "web")]
pub mod web;
#[cfg(feature = "wire")]
pub mod wire_suite;
pub mod workload;

pub use need::Need;
