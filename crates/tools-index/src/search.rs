//! `codebase_search`: ranked search over an index on disk.

mod chunk;
mod codebase_search;
mod fields;
mod folder;
mod hits;
mod ranker;
mod refresh;
mod rough;
mod snippet;
mod store;
mod tokens;
mod watch;

pub use self::codebase_search::{CodebaseSearch, IndexError};
pub use self::ranker::{Passage, RankFuture, Ranker};
