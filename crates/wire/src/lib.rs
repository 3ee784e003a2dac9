#![doc = include_str!("../README.md")]

mod body;
mod decoder;
mod encoded;
mod error;
mod event_stream;
mod fields;
mod http;
mod limits;
mod lint;
mod pairing;
mod prefix;
mod provider_error;
mod request_body;
mod same;
mod server;
mod surrogate;
mod template;
mod words;

pub use body::with_extra;
pub use decoder::{Decoder, Wire};
pub use encoded::EncodedHistory;
pub use error::{DecodeError, EncodeError};
pub use event_stream::{Body, EventStream, StreamEvent};
pub use fields::Fields;
pub use http::HttpRequest;
pub use limits::Limits;
pub use lint::check_conversation;
pub use pairing::{check_pairing, check_pairing_from};
pub use prefix::{CachePrefix, CachePrefixError, assert_append_only};
pub use provider_error::{ProviderError, ProviderErrorKind};
pub use request_body::RequestBody;
pub use server::{Asked, Encoder, Framing, Reply, RequestError, Server};
pub use surrogate::replace_lone_surrogates;
pub use template::Template;
pub use words::Words;
