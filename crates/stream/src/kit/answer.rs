//! One answer that the kit reads.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

use futures_core::Stream;
use windlass_protocol::Request;
use windlass_protocol::kit::RuleViolation;

use super::ModelRule;
use crate::{Chunk, ChunkStream, Model, ModelFuture};

/// The largest number of chunks that the kit reads from one answer.
const MAX_CHUNKS: usize = 100_000;

/// An answer with the chunks that have arrived.
pub(super) struct Answer {
    stream: Pin<Box<dyn Stream<Item = Result<Chunk, crate::ModelError>> + Send>>,
    chunks: Vec<Chunk>,
    has_ended: bool,
}

impl Answer {
    pub(super) async fn start(
        model: &dyn Model,
        request: &Request,
    ) -> Result<Self, RuleViolation<ModelRule>> {
        let stream: ChunkStream = model.stream(request).await.map_err(|error| {
            RuleViolation::new(ModelRule::Answers, format!("the request failed: {error}")).with_source(error)
        })?;
        Ok(Self { stream, chunks: Vec::new(), has_ended: false })
    }

    /// Reads the next chunk. Returns false at the end.
    pub(super) async fn next(&mut self) -> Result<bool, RuleViolation<ModelRule>> {
        if self.has_ended {
            return Ok(false);
        }
        if self.chunks.len() == MAX_CHUNKS {
            let found = format!("the stream has more than {MAX_CHUNKS} chunks");
            return Err(RuleViolation::new(ModelRule::EndsTheStream, found));
        }
        match poll_fn(|cx| self.stream.as_mut().poll_next(cx)).await {
            Some(Ok(chunk)) => self.chunks.push(chunk),
            Some(Err(error)) => {
                let found = format!("the answer failed after {} chunks: {error}", self.chunks.len());
                return Err(RuleViolation::new(ModelRule::Answers, found).with_source(error));
            }
            None => self.has_ended = true,
        }
        Ok(!self.has_ended)
    }

    pub(super) async fn read(mut self) -> Result<Vec<Chunk>, RuleViolation<ModelRule>> {
        while self.next().await? {}
        Ok(self.chunks)
    }

    pub(super) fn into_chunks(self) -> Vec<Chunk> {
        self.chunks
    }
}

/// Polls a request once, whether or not it is ready then.
pub(super) async fn poll_once(future: &mut ModelFuture<'_>) {
    poll_fn(|cx| {
        let _ = future.as_mut().poll(cx);
        Poll::Ready(())
    })
    .await;
}
