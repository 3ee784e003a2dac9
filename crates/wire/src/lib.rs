#![doc = include_str!("../README.md")]

mod body;
mod decoder;
mod error;
mod event_stream;
mod fields;
mod http;
mod limits;
mod lint;
mod pairing;
mod provider_error;
mod server;
mod surrogate;
mod template;
mod words;

pub use body::with_extra;
pub use decoder::{Decoder, Wire};
pub use error::{DecodeError, EncodeError};
pub use event_stream::{Body, EventStream, StreamEvent};
pub use fields::Fields;
pub use http::HttpRequest;
pub use limits::Limits;
pub use lint::check_conversation;
pub use pairing::check_pairing;
pub use provider_error::{ProviderError, ProviderErrorKind};
pub use server::{Asked, Encoder, Framing, Reply, RequestError, Server};
pub use surrogate::replace_lone_surrogates;
pub use template::Template;
pub use words::Words;
