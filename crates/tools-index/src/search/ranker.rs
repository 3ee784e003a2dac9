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
    /// The text, without the secrets that the call's context names.
    pub text: String,
    /// What BM25 gave it.
    pub score: f32,
}

/// One number for each passage, the highest first; or why there are none.
pub type RankFuture<'a> = Pin<Box<dyn Future<Output = Result<Vec<f32>, String>> + Send + 'a>>;

/// Gives passages another order than BM25 did, as by the likeness of embeddings.
///
/// It is asked once per call, with more passages than are shown. Where it fails or gives another number of
/// scores, the order stays, and the result says so.
///
/// ```
/// use windlass_protocol::Effect;
/// use windlass_tools_index::{Passage, RankFuture, Ranker};
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
///         Box::pin(async move { Ok(passages.iter().map(|passage| 1.0 / passage.text.len() as f32).collect()) })
///     }
/// }
/// ```
pub trait Ranker: Send + Sync + fmt::Debug {
    /// What asking it touches, as a connection to its host: policy judges the call by it.
    fn effects(&self) -> Vec<Effect>;

    /// Weighs the passages. Dropping the future ends it.
    fn rank<'a>(&'a self, query: &'a str, passages: &'a [Passage]) -> RankFuture<'a>;
}
