#![doc = include_str!("../README.md")]
#![expect(clippy::disallowed_methods, reason = "a server keeps its devices in a file, and meets the clock")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod api;
mod body;
mod connections;
mod devices;
mod failures;
mod guard;
mod host_names;
mod metrics;
mod options;
mod page;
mod server;
mod state;

pub use api::openapi_document;
pub use devices::{Device, DeviceError, Devices};
pub use options::ServerOptions;
pub use server::Server;
