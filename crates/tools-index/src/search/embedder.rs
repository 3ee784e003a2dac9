//! `Embedder`: what turns texts into vectors, and how much it is asked.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use windlass_protocol::Effect;

/// One vector for each text, in their order; or why there are none, in a line.
pub type EmbedFuture<'a> = Pin<Box<dyn Future<Output = Result<Vec<Vec<f32>>, String>> + Send + 'a>>;

/// Turns texts into vectors that lie near each other where the texts mean alike.
///
/// What it is given leaves the workspace if it asks a host: its effects have to name that host.
///
/// ```
/// use windlass_protocol::Effect;
/// use windlass_tools_index::{EmbedFuture, Embedder};
///
/// /// Texts are alike that use the same letters.
/// #[derive(Debug)]
/// struct Letters;
///
/// impl Embedder for Letters {
///     fn name(&self) -> String {
///         "letters".to_owned()
///     }
///
///     fn space(&self) -> String {
///         "letters 1".to_owned()
///     }
///
///     fn effects(&self) -> Vec<Effect> {
///         Vec::new()
///     }
///
///     fn embed<'a>(&'a self, texts: &'a [&'a str]) -> EmbedFuture<'a> {
///         let count = |text: &str, letter| text.matches(letter).count() as f32;
///         Box::pin(async move {
///             Ok(texts.iter().map(|text| ('a'..='z').map(|letter| count(text, letter)).collect()).collect())
///         })
///     }
/// }
/// ```
pub trait Embedder: Send + Sync + fmt::Debug {
    /// What results call it, as a model and a host.
    fn name(&self) -> String;

    /// What tells its vectors from those of others: kept vectors count only for the same space.
    fn space(&self) -> String;

    /// What asking it touches, as a connection to its host: policy judges the call by it.
    fn effects(&self) -> Vec<Effect>;

    /// The vectors of some texts, by one request. Dropping the future ends it.
    fn embed<'a>(&'a self, texts: &'a [&'a str]) -> EmbedFuture<'a>;
}

/// How much an [`Embedder`] is asked, and how much of what it said is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EmbeddingLimits {
    /// How long one search waits for all of its vectors: 10 s.
    pub total: Duration,
    /// The most texts of one request: 32.
    pub batch_texts: usize,
    /// The most bytes of all texts of one request, if it has more than one: 64 KiB.
    pub batch_bytes: usize,
    /// The most bytes of one passage; the rest of it is not looked at: 4 KiB.
    pub passage_bytes: usize,
    /// The most bytes of kept vectors, for each workspace and space: 32 MiB.
    pub cache_bytes: usize,
}

impl Default for EmbeddingLimits {
    fn default() -> Self {
        Self {
            total: Duration::from_secs(10),
            batch_texts: 32,
            batch_bytes: 64 * 1024,
            passage_bytes: 4 * 1024,
            cache_bytes: 32 * 1024 * 1024,
        }
    }
}

impl EmbeddingLimits {
    /// The same limits with another time for one search.
    pub fn with_total(mut self, total: Duration) -> Self {
        self.total = total;
        self
    }

    /// The same limits with another number of texts, and of their bytes, of one request.
    pub fn with_batch(mut self, texts: usize, bytes: usize) -> Self {
        (self.batch_texts, self.batch_bytes) = (texts, bytes);
        self
    }

    /// The same limits with another length of a passage.
    pub fn with_passage_bytes(mut self, bytes: usize) -> Self {
        self.passage_bytes = bytes;
        self
    }

    /// The same limits with another size of what is kept.
    pub fn with_cache_bytes(mut self, bytes: usize) -> Self {
        self.cache_bytes = bytes;
        self
    }
}
