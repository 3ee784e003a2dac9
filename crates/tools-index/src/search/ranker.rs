//! The seam for a better order: an endpoint for embeddings, a model that ranks.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use windlass_protocol::Effect;

/// A piece of the workspace that BM25 found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Passage {
    /// The file, relative to the workspace.
    pub path: String,
    /// The first and last line.
    pub lines: (usize, usize),
    /// What begins there, as `method Stack::pop`.
    pub symbol: Option<String>,
    /// The lines that are shown, numbered, without the secrets that the call's context names.
    pub text: String,
    /// All lines, up to 16 KiB, without these secrets.
    pub body: String,
    /// What BM25 gave it.
    pub score: f32,
}

/// What a ranker says of passages.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Ranking {
    /// One finite number for each passage, the highest first.
    pub scores: Vec<f32>,
    /// What the result says of it, in a few words; may be empty.
    pub note: String,
}

/// A ranking; or why there is none, in a line.
pub type RankFuture<'a> = Pin<Box<dyn Future<Output = Result<Ranking, String>> + Send + 'a>>;

/// Gives passages another order than BM25 did, as by the likeness of embeddings.
///
/// It is asked once per call, with more passages than are shown, in BM25's order. Where it fails or gives what is no
/// order, BM25's stays, and the result says so.
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
///         Box::pin(async move { Ok(Ranking::of(scores).with_note("short ones first")) })
///     }
/// }
/// ```
pub trait Ranker: Send + Sync + fmt::Debug {
    /// What asking it touches, as a connection to its host: policy judges the call by it.
    fn effects(&self) -> Vec<Effect>;

    /// Weighs the passages. Dropping the future ends it.
    fn rank<'a>(&'a self, query: &'a str, passages: &'a [Passage]) -> RankFuture<'a>;
}

impl Ranking {
    /// A ranking by these numbers, one for each passage.
    pub fn of(scores: Vec<f32>) -> Self {
        Self { scores, note: String::new() }
    }

    /// The same with words for the result.
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }
}
