//! The `Model` trait.

mod error;
mod facts;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use futures_core::Stream;
use windlass_protocol::{Prices, Refusal, Request};

use crate::Chunk;

pub use error::{ModelError, ModelErrorKind};
pub use facts::ModelFacts;

/// A streamed answer. Dropping it cancels the request.
pub type ChunkStream = Pin<Box<dyn Stream<Item = Result<Chunk, ModelError>> + Send>>;

/// The future of an answer's start.
pub type ModelFuture<'a> = Pin<Box<dyn Future<Output = Result<ChunkStream, ModelError>> + Send + 'a>>;

/// A source of answers: it turns a request into a stream of chunks. Implementations are providers, recordings
/// and scripts.
///
/// ```
/// use std::pin::Pin;
/// use std::task::{Context, Poll};
///
/// use futures_core::Stream;
/// use windlass_protocol::Request;
/// use windlass_stream::{Chunk, ChunkStream, Model, ModelError, ModelFuture};
///
/// /// Says one word and stops.
/// struct Parrot;
/// struct OneWord(Option<Chunk>);
///
/// impl Stream for OneWord {
///     type Item = Result<Chunk, ModelError>;
///     fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
///         Poll::Ready(self.0.take().map(Ok))
///     }
/// }
///
/// impl Model for Parrot {
///     fn stream<'a>(&'a self, request: &'a Request) -> ModelFuture<'a> {
///         let word = Chunk::text(request.model.clone());
///         Box::pin(async move { Ok(Box::pin(OneWord(Some(word))) as ChunkStream) })
///     }
/// }
/// ```
pub trait Model: Send + Sync {
    /// Sends the request and waits for the start of the answer.
    ///
    /// The implementation has already performed sensible retries of a rejected request, so the caller should
    /// not repeat it. An idle timeout and a broken connection, before or during the stream, are left to the
    /// caller.
    ///
    /// Cancel-safe: dropping the future or the stream cancels the request without leaving state behind.
    fn stream<'a>(&'a self, request: &'a Request) -> ModelFuture<'a>;

    /// Returns the reasons for which the provider would reject the request, without sending it. The default
    /// returns no reasons.
    fn check(&self, request: &Request) -> Vec<Refusal> {
        let _ = request;
        Vec::new()
    }

    /// Returns the known facts about the model of this name, without a request. An agent chooses from them how calls
    /// reach the model and when the conversation is compacted. The default knows nothing.
    fn facts(&self, model: &str) -> Option<ModelFacts> {
        let _ = model;
        None
    }

    /// Returns the prices of the model of this name, which a gateway needs for each request. They are those of
    /// [`facts`](Self::facts); an implementation whose other facts take work returns them alone.
    fn prices(&self, model: &str) -> Option<Prices> {
        self.facts(model)?.prices
    }
}

/// A model that several agents share.
impl<M: Model + ?Sized> Model for Arc<M> {
    fn stream<'a>(&'a self, request: &'a Request) -> ModelFuture<'a> {
        (**self).stream(request)
    }

    fn check(&self, request: &Request) -> Vec<Refusal> {
        (**self).check(request)
    }

    fn facts(&self, model: &str) -> Option<ModelFacts> {
        (**self).facts(model)
    }

    fn prices(&self, model: &str) -> Option<Prices> {
        (**self).prices(model)
    }
}
