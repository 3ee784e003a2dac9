//! `Ranker`: interface for a better order than BM25's, such as embeddings or a reranking model.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use windlass_protocol::Effect;

/// A passage of the workspace that BM25 found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Passage {
    /// Path of the file, relative to the workspace.
    pub path: String,
    /// First and last line.
    pub lines: (usize, usize),
    /// Symbol that starts there, as `method Stack::pop`.
    pub symbol: Option<String>,
    /// Numbered lines as shown, without the secrets of the call's context.
    pub text: String,
    /// All lines, up to 16 KiB, without these secrets.
    pub body: String,
    /// Score of BM25.
    pub score: f32,
}

/// Result of a [`Ranker`].
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Ranking {
    /// One finite score for each passage; higher is better.
    pub scores: Vec<f32>,
    /// Short note for the search result; may be empty.
    pub note: String,
}

/// Result of [`Ranker::rank`]: a ranking, or an error message of one line.
pub type RankFuture<'a> = Pin<Box<dyn Future<Output = Result<Ranking, String>> + Send + 'a>>;

/// Orders passages in another way than BM25, such as by the similarity of embeddings.
///
/// It is called once per search, with more passages than are shown, in BM25's order. If it fails or returns
/// invalid scores, BM25's order is kept and the search result reports the failure.
///
/// ```
/// use windlass_protocol::Effect;
/// use windlass_tools_index::{Passage, RankFuture, Ranker, Ranking};
///
/// /// Short passages first.
/// #[derive(Debug)]
/// struct Short;
///
/// impl Ranker for Short {
///     fn effects(&self) -> Vec<Effect> {
///         Vec::new()
///     }
///
///     fn rank<'a>(&'a self, _query: &'a str, passages: &'a [Passage]) -> RankFuture<'a> {
///         let scores = passages.iter().map(|passage| -(passage.body.len() as f32)).collect();
///         Box::pin(async move { Ok(Ranking::from_scores(scores).with_note("short ones first")) })
///     }
/// }
/// ```
pub trait Ranker: Send + Sync + fmt::Debug {
    /// Returns the effects of a request, such as a connection to its host, for policy.
    fn effects(&self) -> Vec<Effect>;

    /// Scores the passages. Dropping the future cancels it.
    fn rank<'a>(&'a self, query: &'a str, passages: &'a [Passage]) -> RankFuture<'a>;
}

impl Ranking {
    /// Returns a ranking with one score for each passage.
    pub fn from_scores(scores: Vec<f32>) -> Self {
        Self { scores, note: String::new() }
    }

    /// Adds a note for the search result.
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }
}
