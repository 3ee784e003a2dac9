#![doc = include_str!("../README.md")]
#![expect(clippy::disallowed_methods, reason = "dates and ages need the clock, stored facts need files")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod builder;
mod caches;
mod capability_store;
mod client;
mod event;
mod failure;
mod fallback;
mod files;
mod first_chunk;
mod forward;
mod http;
#[cfg(feature = "kit")]
pub mod kit;
mod limits;
mod memories;
mod missing_ability;
mod models;
mod option_loss;
mod options;
mod pacing;
mod preparation;
mod response;
mod retry;
mod schemas;
mod secret;
mod sending;
mod silence;
mod storage;
mod stored_document;
mod streamed_answer;
mod transport;
mod unconfirmed;
mod upload;

pub use caches::StorageUse;
pub use http::{HttpError, HttpOptions, HttpTransport};
pub use transport::{
    ByteStream, Method, Transport, TransportError, TransportErrorKind, TransportFuture, TransportRequest,
    TransportResponse,
};
pub use {builder::ClientBuilder, builder::ClientError, caches::StoredCache, caches::StoredCacheModel};
pub use {capability_store::CapabilityStore, client::Client, forward::StartedAnswer, upload::Upload};
pub use {event::AnswerInfo, event::ClientEvent, fallback::Fallback, fallback::FallbackEvent};
pub use {limits::RateLimits, limits::Window, options::Options, options::Pace, upload::UploadedFile};
pub use {silence::SilenceTimer, storage::FileStorage, storage::Storage, storage::StorageLock};

// The type of a key, and types of `windlass-vendors` in this crate's interface.
pub use secrecy::SecretString;
pub use windlass_vendors::{
    Ability, Auth, Claim, ClaimSource, Claims, Discovery, Endpoint, Header, KeyUse, Listing,
    ModelCapabilities, ModelEntry, ModelPrice, ParameterRejection, Quirk, Remedy, StoragePrice, Vendor,
    Vendors, VendorsError,
};

#[cfg(doctest)]
#[doc = include_str!("../../../docs/ADDING_A_PROVIDER.md")]
struct AddingAProvider;
