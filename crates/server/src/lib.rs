#![doc = include_str!("../README.md")]
#![expect(clippy::disallowed_methods, reason = "a server keeps its devices in a file, and meets the clock")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod access;
#[cfg(feature = "web-push")]
mod announcer;
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
mod private_file;
#[cfg(feature = "web-push")]
mod push;
mod server;
mod state;

pub use api::openapi_document;
pub use devices::{Device, DeviceError, Devices};
pub use options::ServerOptions;
#[cfg(feature = "web-push")]
pub use push::WebPush;
pub use server::Server;
