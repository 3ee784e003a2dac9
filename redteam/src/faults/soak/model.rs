//! The model of a soak, and the check of the requests that it receives.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use futures_util::stream;
use windlass_protocol::{Request, Role, StopReason};
use windlass_stream::{
    CallChunk, Chunk, ChunkStream, Model, ModelError, ModelErrorKind, ModelFuture, WholeCall,
};
use windlass_wire::check_pairing;

use super::TURNS;
use super::counts::{Luck, SoakCounts};

/// A model that answers or fails at random.
pub(super) struct Faulty {
    pub(super) luck: Luck,
    pub(super) seen: Arc<SoakCounts>,
    pub(super) answers: Arc<AtomicUsize>,
    pub(super) calls: AtomicU64,
}

impl Model for Faulty {
    fn stream<'a>(&'a self, request: &'a Request) -> ModelFuture<'a> {
        Box::pin(async move {
            self.look_at(request);
            if self.luck.is_bad(&self.seen) {
                let kinds = [ModelErrorKind::Dropped, ModelErrorKind::Idle, ModelErrorKind::ContextLength];
                return Err(ModelError::new(
                    kinds[self.luck.pick_between(0, 2)],
                    "the provider is in a mood",
                ));
            }
            let mut chunks: Vec<_> = self.answer(request).into_iter().map(Ok).collect();
            if self.luck.is_bad(&self.seen) {
                chunks.truncate(self.luck.pick_between(0, chunks.len()));
                if self.luck.pick_between(0, 1) == 0 {
                    chunks.push(Err(ModelError::new(ModelErrorKind::Dropped, "the line broke")));
                }
            }
            Ok(Box::pin(stream::iter(chunks)) as ChunkStream)
        })
    }
}

impl Faulty {
    /// Checks that a request is valid, and that it begins with the previous request, even one of another
    /// process.
    fn look_at(&self, request: &Request) {
        if let Err(error) = check_pairing(&request.messages) {
            self.seen.wrong(format!("unpaired: {error}"));
        }
        let mut last = self.seen.last();
        let is_summary = request.messages.last().is_some_and(|message| message.text().contains("Sum up"));
        let begins = request.messages.len() >= last.len()
            && last.iter().zip(request.messages.iter()).all(|(before, now)| before == now);
        // A compaction changes the beginning. It is recorded before the request is sent.
        let compactions = self.seen.compactions.load(Ordering::Relaxed);
        let is_shorter = self.seen.at_last.load(Ordering::Relaxed) != compactions;
        if !begins && !is_shorter {
            self.seen.wrong("a request does not begin with the one before it".to_owned());
        }
        // The request for a summary is not part of the conversation, so the next one is compared with the one
        // before it.
        if !is_summary {
            self.seen.at_last.store(compactions, Ordering::Relaxed);
            *last = request.messages.clone();
        }
    }

    fn answer(&self, request: &Request) -> Vec<Chunk> {
        self.seen.answers.fetch_add(1, Ordering::Relaxed);
        let finish = |reason| Chunk::Finish { reason, raw: "end".into() };
        if self.answers.fetch_add(1, Ordering::Relaxed) >= TURNS {
            return vec![Chunk::text("done"), finish(StopReason::End)];
        }
        if request
            .messages
            .last()
            .is_some_and(|message| message.role == Role::User && self.luck.is_bad(&self.seen))
        {
            return vec![Chunk::text(""), finish(StopReason::End)];
        }
        let mut chunks = vec![Chunk::text("on with it")];
        for _ in 0..self.luck.pick_between(1, 4) {
            let number = self.calls.fetch_add(1, Ordering::Relaxed);
            let name = if self.luck.pick_between(0, 2) == 0 { "change" } else { "look" };
            let (name, arguments) = if self.luck.is_bad(&self.seen) {
                let bad = [("fly", "{}"), (name, r#"{"n":"x"}"#), (name, r#"{"n":"#), ("", "[]")];
                let (name, arguments) = bad[self.luck.pick_between(0, 3)];
                (name, arguments.to_owned())
            } else {
                (name, format!(r#"{{"n":{number}}}"#))
            };
            chunks.push(Chunk::Call(CallChunk::Whole {
                // A repeated id must not cause a failure.
                id: Some(format!("c{}", if self.luck.is_bad(&self.seen) { 0 } else { number })),
                name: name.to_owned(),
                body: WholeCall::Arguments(arguments),
                opaque: None,
            }));
        }
        chunks.push(finish(StopReason::Calls));
        chunks
    }
}
