#![doc = include_str!("../README.md")]
#![expect(clippy::disallowed_methods, reason = "a Retry-After that is a date needs the clock")]

mod answer;
mod builder;
mod client;
mod endpoint;
mod event;
mod failure;
mod http;
mod options;
mod retry;
mod secret;
mod transport;

pub use builder::{ClientBuilder, ClientError};
pub use client::Client;
pub use endpoint::{Auth, Endpoint};
pub use event::{AnswerInfo, ClientEvent};
pub use http::{HttpError, HttpOptions, HttpTransport};
pub use options::Options;
pub use transport::{
    ByteStream, Header, Incoming, Method, Outgoing, Transport, TransportError, TransportErrorKind,
    TransportFuture,
};
