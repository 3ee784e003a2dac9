#![doc = include_str!("../README.md")]
#![warn(clippy::indexing_slicing, clippy::arithmetic_side_effects)]
#![expect(clippy::disallowed_methods, reason = "an answer says when it was made")]

mod answer;
mod body_room;
mod carry;
mod client_request;
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
mod options;
mod passthrough;
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
    Affinity, CatalogModel, ClientKey, ClientKeys, ClientLimits, ClientUsage, Front, FrontHandle,
    GatewayChain, KeyError, RequestLine, RequestLog,
};
pub use gateway::Gateway;
pub use headers::common_header_rules;
pub use hook::{Hook, Observer};
pub use listener::{Listener, ServerTls, TlsError};
pub use loss::LossPolicy;
pub use relay::{Relay, RelayAnswer, RelayBody, RelayFuture, RelayRequest, RelayResponse};
pub use serve::{ServeOptions, serve, serve_until};
pub use state::{MemoryStateStore, StateError, StateFuture, StateLimits, StateStore};
pub use upstream::Upstream;
