//! Summaries of removed turns by code of the program.

use std::sync::Arc;

use windlass_protocol::{Request, StopReason};
use windlass_stream::{Chunk, ChunkStream, Model, ModelFuture};

use crate::HookFuture;

/// Code that summarises the turns which compaction removes from a conversation, in place of the agent's model.
///
/// ```
/// use windlass_agent::{HookFuture, Summarizer};
/// use windlass_protocol::{Request, Role};
///
/// /// Keeps what the user said.
/// struct UserWords;
///
/// impl Summarizer for UserWords {
///     fn summarize<'a>(&'a self, request: &'a Request) -> HookFuture<'a, Option<String>> {
///         let said = request.messages.iter().filter(|message| message.role == Role::User);
///         let lines: Vec<String> = said.map(|message| message.text()).collect();
///         Box::pin(async move { Some(lines.join("\n")) })
///     }
/// }
/// ```
pub trait Summarizer: Send + Sync {
    /// Returns the summary. The request is the one that the model would get: the whole conversation, and an instruction
    /// as its last message. `None`, an empty text and a panic count as a failed attempt; after two attempts the turns
    /// are removed without a summary.
    fn summarize<'a>(&'a self, request: &'a Request) -> HookFuture<'a, Option<String>>;
}

/// A summarizer in the place of a model.
pub(crate) struct SummaryModel(pub(crate) Arc<dyn Summarizer>);

impl Model for SummaryModel {
    fn stream<'a>(&'a self, request: &'a Request) -> ModelFuture<'a> {
        Box::pin(async move {
            let text = self.0.summarize(request).await.unwrap_or_default();
            let chunks =
                [Chunk::text(text), Chunk::Finish { reason: StopReason::End, raw: "summarizer".into() }];
            Ok(Box::pin(futures_util::stream::iter(chunks.map(Ok))) as ChunkStream)
        })
    }
}
