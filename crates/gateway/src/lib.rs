#![doc = include_str!("../README.md")]
#![warn(clippy::indexing_slicing, clippy::arithmetic_side_effects)]
#![expect(clippy::disallowed_methods, reason = "an answer contains the time of its creation")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod address;
mod answer;
mod call_filter;
mod call_order;
mod carry;
mod client_request;
mod compact;
mod embeddings;
mod estimate;
mod fields;
mod forward;
mod front;
mod gateway;
mod headers;
mod hook;
mod instructions;
mod listener;
mod loss;
mod pack;
mod passthrough;
mod record_file;
mod recorder;
mod refusal;
mod relay;
mod response;
mod serve;
mod state;
mod stop;
mod stop_words;
mod tee;
mod text_filter;
mod translate;
mod unpack;
mod upstream;
mod usage_reader;

pub use answer::{GatewayResponse, ResponseBody};
pub use carry::{ConvertedRequest, carry};
pub use client_request::ClientRequest;
pub use front::{
    Affinity, Attempt, AttemptSpan, CacheOptions, CacheResult, CatalogModel, ClientKey, ClientKeys,
    ClientLimits, ClientUsage, FallbackReason, Front, FrontHandle, GatewayChain, KeyError, Repeat,
    RequestLine, RequestLog, RequestSpan, RequestTracer, SampledLog,
};
pub use gateway::Gateway;
pub use headers::common_header_rules;
pub use hook::{Hook, Observer};
pub use listener::{Listener, ServerTls, TlsError};
pub use loss::LossPolicy;
pub use record_file::{RecordFile, RecordFileError};
pub use relay::{Relay, RelayAnswer, RelayBody, RelayFuture, RelayOptions, RelayRequest, RelayResponse};
pub use serve::{ServeOptions, serve, serve_until};
#[cfg(feature = "sqlite")]
pub use state::SqliteStateStore;
pub use state::{MemoryStateStore, StateError, StateFuture, StateLimits, StateStore};
pub use upstream::Upstream;
