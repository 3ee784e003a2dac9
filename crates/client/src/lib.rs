#![doc = include_str!("../README.md")]
#![expect(
    clippy::disallowed_methods,
    reason = "a date to wait for and the age of a fact need the clock, what is learned needs a file"
)]

mod begin;
mod book;
mod builder;
mod client;
mod event;
mod facts;
mod failure;
mod fallback;
mod http;
mod limits;
mod memories;
mod models;
mod options;
mod response;
mod retry;
mod schemas;
mod secret;
mod sending;
mod storage;
mod streamed_answer;
mod supposed;
mod transport;

pub use builder::{ClientBuilder, ClientError};
pub use client::Client;
pub use event::{AnswerInfo, ClientEvent};
pub use facts::Facts;
pub use fallback::{Fallback, FallbackEvent};
pub use http::{HttpError, HttpOptions, HttpTransport};
pub use limits::{RateLimits, Window};
pub use options::{Options, Pace};
pub use storage::{FileStorage, Storage, StorageLock};
pub use transport::{
    ByteStream, Incoming, Method, Outgoing, Transport, TransportError, TransportErrorKind, TransportFuture,
};

// The knowledge of vendors that this crate's interface is made of.
pub use windlass_vendors::{
    Ability, Answer, Auth, Discovery, Endpoint, Fact, Header, KeyUse, Known, Listing, ModelEntry, Quirk,
    Remedy, Said, Source, Vendor, Vendors, VendorsError,
};

#[cfg(doctest)]
#[doc = include_str!("../../../docs/ADDING_A_PROVIDER.md")]
struct AddingAProvider;
