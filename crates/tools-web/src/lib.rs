#![doc = include_str!("../README.md")]

mod body;
mod embeddings;
mod error;
mod fetch;
mod generate_image;
mod limits;
mod markdown;
mod media;
mod page;
mod report;
mod service;
mod set;
mod sources;
mod tavily;
mod vectors;
mod web_extract;
mod web_fetch;
mod web_search;

pub use embeddings::{Embeddings, EmbeddingsError, VectorForm};
pub use error::FetchError;
pub use fetch::Fetch;
pub use generate_image::{GenerateImage, ImageProvider};
pub use limits::WebLimits;
pub use markdown::{RenderedText, Style, render};
pub use media::Media;
pub use page::{Ending, FetchResult, Page, Redirect};
pub use service::ServiceKey;
pub use set::{image_tools, search_tools, tools};
pub use tavily::Tavily;
pub use web_extract::WebExtract;
pub use web_fetch::WebFetch;
pub use web_search::WebSearch;
pub use windlass_web_reach::{
    CheckedAddress, DialFuture, Dialer, ReachError, ResolveFuture, Resolver, RootError, SendError,
    SystemResolver, TcpDialer, UrlRefusal, WebUrl,
};
