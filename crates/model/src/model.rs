//! The trait of a model.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use futures_core::Stream;
use windlass_protocol::{Refusal, Request};
use windlass_stream::Chunk;

use crate::ModelError;

/// An answer as it arrives. Dropping it stops the generation.
pub type ChunkStream = Pin<Box<dyn Stream<Item = Result<Chunk, ModelError>> + Send>>;

/// The wait for an answer to begin.
pub type ModelFuture<'a> = Pin<Box<dyn Future<Output = Result<ChunkStream, ModelError>> + Send + 'a>>;

/// Something that answers a request with a stream of chunks: a provider, a recording, a script.
///
/// ```
/// use std::pin::Pin;
/// use std::task::{Context, Poll};
///
/// use futures_core::Stream;
/// use windlass_model::{ChunkStream, Model, ModelError, ModelFuture};
/// use windlass_protocol::Request;
/// use windlass_stream::Chunk;
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
    /// Sends the request and waits until the answer begins.
    ///
    /// An error here is the last word on a refusal: what is worth trying again was tried again inside. Silence
    /// and a broken connection, here or in the stream, are left to whoever reads.
    ///
    /// Cancel-safe: dropping the future or the stream gives up the request; nothing is kept.
    fn stream<'a>(&'a self, request: &'a Request) -> ModelFuture<'a>;

    /// Says what the provider would refuse in a request, without asking it. A model that knows no rules says
    /// nothing.
    fn check(&self, request: &Request) -> Vec<Refusal> {
        let _ = request;
        Vec::new()
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
}
