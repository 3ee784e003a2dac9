#![doc = include_str!("../README.md")]
#![expect(
    clippy::disallowed_methods,
    reason = "a date to wait for and the age of a fact need the clock, what is learned needs a file"
)]

mod answer;
mod begin;
mod book;
mod builder;
mod capability;
mod client;
mod discovery;
mod edit;
mod endpoint;
mod event;
mod facts;
mod failure;
mod fallback;
mod http;
mod lesson;
mod limits;
mod memories;
mod models;
mod options;
mod quirk;
mod retry;
mod rewrites;
mod schemas;
mod secret;
mod sending;
mod speech;
mod storage;
mod supposed;
mod transport;
mod vendor;
mod vendors;

pub use builder::{ClientBuilder, ClientError};
pub use capability::{Ability, Answer, Known, Said, Source};
pub use client::Client;
pub use endpoint::{Auth, Endpoint, KeyUse};
pub use event::{AnswerInfo, ClientEvent};
pub use facts::{Fact, Facts, Listing, ModelEntry, Remedy};
pub use fallback::{Fallback, FallbackEvent};
pub use http::{HttpError, HttpOptions, HttpTransport};
pub use limits::{RateLimits, Window};
pub use options::{Options, Pace};
pub use quirk::Quirk;
pub use storage::{FileStorage, Storage, StorageLock};
pub use transport::{
    ByteStream, Header, Incoming, Method, Outgoing, Transport, TransportError, TransportErrorKind,
    TransportFuture,
};
pub use vendor::{Discovery, Vendor};
pub use vendors::{Vendors, VendorsError};

#[cfg(doctest)]
#[doc = include_str!("../../../docs/ADDING_A_PROVIDER.md")]
struct AddingAProvider;
