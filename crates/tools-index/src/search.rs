//! `codebase_search`: ranked search over an index on disk.

mod answer;
mod bm25;
mod chunk;
mod codebase_search;
mod embedder;
mod embedding_ranker;
mod folder;
mod hits;
mod index;
mod pieces;
mod ranker;
mod refresh;
mod rough;
mod snippet;
mod store;
mod tokens;
mod vectors;
mod watch;

pub use self::codebase_search::{CodebaseSearch, IndexError};
pub use self::embedder::{EmbedFuture, Embedder, EmbeddingLimits};
pub use self::ranker::{Passage, RankFuture, Ranker, Ranking};
