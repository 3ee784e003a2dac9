#![doc = include_str!("../README.md")]

mod decoder;
mod error;
mod http;
mod limits;
mod provider_error;

pub use decoder::{Decoder, Wire};
pub use error::{DecodeError, EncodeError};
pub use http::HttpRequest;
pub use limits::Limits;
pub use provider_error::{ProviderError, ProviderErrorKind};
