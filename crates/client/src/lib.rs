#![doc = include_str!("../README.md")]
#![expect(clippy::disallowed_methods, reason = "a Retry-After that is a date needs the clock")]

mod answer;
mod builder;
mod capability;
mod client;
mod edit;
mod endpoint;
mod event;
mod failure;
mod http;
mod options;
mod quirk;
mod retry;
mod secret;
mod speech;
mod transport;
mod vendor;
mod vendors;

pub use builder::{ClientBuilder, ClientError};
pub use capability::{Ability, Answer, Known, Said, Source};
pub use client::Client;
pub use endpoint::{Auth, Endpoint, KeyUse};
pub use event::{AnswerInfo, ClientEvent};
pub use http::{HttpError, HttpOptions, HttpTransport};
pub use options::Options;
pub use quirk::Quirk;
pub use transport::{
    ByteStream, Header, Incoming, Method, Outgoing, Transport, TransportError, TransportErrorKind,
    TransportFuture,
};
pub use vendor::{Discovery, Vendor};
pub use vendors::{Vendors, VendorsError};
