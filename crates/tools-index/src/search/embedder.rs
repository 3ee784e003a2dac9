//! `Embedder`: interface of embedding models, with limits on requests.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use windlass_protocol::Effect;

/// Result of [`Embedder::embed`]: one vector for each text, in order, or an error message of one line.
pub type EmbedFuture<'a> = Pin<Box<dyn Future<Output = Result<Vec<Vec<f32>>, String>> + Send + 'a>>;

/// Embedding model: maps texts to vectors that are close to each other if the texts have similar meanings.
///
/// An embedder that sends texts to a host must declare that host in its effects, because the texts leave the
/// workspace.
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
    /// Returns the name that search results display, for example of the model and the host.
    fn name(&self) -> String;

    /// Returns an id of the vector space. Cached vectors are reused only within the same space.
    fn space(&self) -> String;

    /// Returns the effects of a request, such as a connection to its host, for policy.
    fn effects(&self) -> Vec<Effect>;

    /// Returns the vectors of texts with one request. Dropping the future cancels it.
    fn embed<'a>(&'a self, texts: &'a [&'a str]) -> EmbedFuture<'a>;
}

/// Limits on the requests to an [`Embedder`] and on the vector cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EmbeddingLimits {
    /// Maximum time of one search for all of its vectors: 10 s.
    pub total: Duration,
    /// Maximum number of texts in one request: 32.
    pub batch_texts: usize,
    /// Maximum total size of the texts in a request with more than one text: 64 KiB.
    pub batch_bytes: usize,
    /// Maximum size of one passage; the rest of it is ignored: 4 KiB.
    pub passage_bytes: usize,
    /// Maximum size of the cached vectors of each workspace and space: 32 MiB.
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
    /// Sets the maximum time of one search.
    pub fn with_total(mut self, total: Duration) -> Self {
        self.total = total;
        self
    }

    /// Sets the maximum number of texts, and of their bytes, in one request.
    pub fn with_batch(mut self, texts: usize, bytes: usize) -> Self {
        (self.batch_texts, self.batch_bytes) = (texts, bytes);
        self
    }

    /// Sets the maximum size of a passage.
    pub fn with_passage_bytes(mut self, bytes: usize) -> Self {
        self.passage_bytes = bytes;
        self
    }

    /// Sets the maximum size of the vector cache.
    pub fn with_cache_bytes(mut self, bytes: usize) -> Self {
        self.cache_bytes = bytes;
        self
    }
}
