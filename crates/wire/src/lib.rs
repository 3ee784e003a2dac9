#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod body;
mod caches_api;
mod cut;
mod decoder;
mod encoded;
mod error;
mod event_decoder;
mod event_reader;
mod expected_bytes;
mod fields;
mod files_api;
mod hosted_tools;
mod http;
mod json_text;
#[cfg(feature = "kit")]
pub mod kit;
mod lenient_str;
mod limits;
mod lint;
mod outer_bytes;
mod pairing;
mod prefix;
mod provider_error;
mod request_body;
mod response_form;
mod same;
mod server;
mod surrogate;
mod template;
mod translation;
mod writers;

pub use body::{decode_text, read_whole_body, with_extra};
pub use caches_api::CachesApi;
pub use decoder::{Decoder, Wire};
pub use encoded::EncodedHistory;
pub use error::{DecodeError, EncodeError};
pub use event_decoder::{EventDecoder, ResponseParser};
pub use event_reader::EventReader;
pub use fields::Fields;
pub use files_api::{FilesApi, UploadProtocol};
pub use hosted_tools::{HostedToolError, NativeTool, build_object, location_fields, text_list};
pub use http::HttpRequest;
pub use lenient_str::LenientStr;
pub use limits::WireLimits;
pub use lint::{RequestCheck, check_conversation};
pub use pairing::{check_pairing, check_pairing_from};
pub use prefix::{CachePrefix, CachePrefixError, assert_append_only};
pub use provider_error::{ProviderError, ProviderErrorKind, names_context_length};
pub use request_body::RequestBody;
pub use response_form::{Body, StreamEvent};
pub use server::{DecodedRequest, Encoder, EndMarks, Framing, Outline, RequestError, ResponseHead, Server};
pub use surrogate::replace_lone_surrogates;
pub use template::Template;
pub use translation::{
    CallRestorer, EmbeddingsApi, ExcludedOption, FieldEffect, FieldFate, FieldRule, HeaderDirection,
    HeaderRule, RateLimitHeaders, SamplingKind, SamplingOption, keep_tools, read_effort, take_field,
};
