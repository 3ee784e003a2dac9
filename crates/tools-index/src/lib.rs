#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod analyze_file;
mod detect_language;
mod extract_symbols;
mod get_metrics;
mod grammar;
mod indexer;
mod language;
mod outline;
mod place;
#[cfg(feature = "search")]
mod search;
mod search_code;
mod search_files;
mod set;
mod symbol;
mod wanted;

pub use outline::{Gap, LineCounts, MAX_SOURCE_BYTES, Outline, outline};
#[cfg(feature = "search")]
pub use search::{
    CodebaseSearch, EmbedFuture, Embedder, EmbeddingLimits, IndexError, Passage, RankFuture, Ranker, Ranking,
};
pub use set::tools;
#[cfg(feature = "search")]
pub use set::{tools_with, tools_with_search};
pub use symbol::{Kind, Symbol};
