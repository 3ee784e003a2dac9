//! The hooks around a request: before it is sent, on the text of its answer, and after its end.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use tokio::sync::mpsc;
use windlass_loop::{HookAction, HookPoint, HookReport, Input, StreamFailure};
use windlass_stream::Chunk;
use windlass_text_calls::SpokenHistory;

use super::{Asking, CHUNKS_AT_ONCE, Sink};
use crate::hook::{AnswerText, Hook, HookContext, RequestEnd};
use crate::hook_set::{HookSet, PassedValue};

/// The hooks of one request.
pub(crate) struct RequestHooks {
    pub(crate) hooks: HookSet,
    pub(crate) ctx: HookContext,
    /// True if the request asks for a summary, whose text no reader sees.
    pub(crate) is_summary: bool,
    /// The number of vetoes in a row against answers of the run.
    pub(crate) vetoes: Arc<AtomicU32>,
    /// The number of vetoes in a row after which the run fails.
    pub(crate) corrections: u32,
}

impl RequestHooks {
    /// Sends a request between its hooks.
    pub(super) async fn run(
        self,
        mut asking: Asking,
        pieces: &mpsc::Sender<Vec<Input>>,
    ) -> Result<(), StreamFailure> {
        if self.is_summary {
            let request = &asking.request;
            let observe = |hook| Hook::observe_compaction(hook, &self.ctx, request);
            self.hooks.observe(HookPoint::Compaction, observe).await;
        }
        self.guard_request(&mut asking, pieces).await?;
        let is_held = self.hooks.has(HookPoint::Answer) && !self.is_summary;
        let sink = Sink::new(pieces);
        let mut sink = if is_held { sink.hold() } else { sink };
        let mut end = asking.encode().forward(&mut sink).await;
        if let Some(held) = sink.take_held() {
            end = self.release(held, end, &sink, pieces).await;
        }
        let error = end.as_ref().err().map(|failure| failure.message.clone());
        let ended = RequestEnd { error, usage: sink.usage };
        self.hooks.observe(HookPoint::Response, |hook| Hook::observe_response(hook, &self.ctx, &ended)).await;
        end
    }

    /// Passes the request through its guards.
    async fn guard_request(
        &self,
        asking: &mut Asking,
        pieces: &mpsc::Sender<Vec<Input>>,
    ) -> Result<(), StreamFailure> {
        if !self.hooks.has(HookPoint::Request) {
            return Ok(());
        }
        let passed = self
            .hooks
            .pass(
                HookPoint::Request,
                &self.ctx,
                asking.request.clone(),
                |hook, ctx, request| hook.check_request(ctx, request),
                |request, new| {
                    *request = new;
                    String::new()
                },
            )
            .await;
        match passed {
            Ok(PassedValue { value, reports }) => {
                if reports.iter().any(|report| report.action == HookAction::Rewrite) {
                    // The shared history describes the conversation without the rewrite.
                    asking.spoken = Arc::new(Mutex::new(SpokenHistory::default()));
                }
                asking.request = value;
                send(reports, pieces).await;
                Ok(())
            }
            Err(veto) => {
                send(vec![veto.report(HookPoint::Request)], pieces).await;
                let text = format!("the rule {} refused the request: {}", veto.hook, veto.reason);
                Err(StreamFailure::new(text, false))
            }
        }
    }

    /// Passes the text of a complete answer through its guards and forwards the answer, or discards it.
    async fn release(
        &self,
        mut held: Vec<Chunk>,
        end: Result<(), StreamFailure>,
        sink: &Sink<'_>,
        pieces: &mpsc::Sender<Vec<Input>>,
    ) -> Result<(), StreamFailure> {
        let is_error = |chunk: &Chunk| matches!(chunk, Chunk::Error { .. });
        if end.is_err() || held.iter().any(is_error) {
            // A broken answer is void: only its tokens and its error count.
            held.retain(|chunk| {
                matches!(chunk, Chunk::AnsweredBy { .. } | Chunk::Usage { .. } | Chunk::Error { .. })
            });
            sink.send(held).await;
            return end;
        }
        let answer = text_of(&held);
        if !answer.text.is_empty() {
            let passed = self
                .hooks
                .pass(
                    HookPoint::Answer,
                    &self.ctx,
                    answer,
                    |hook, ctx, answer| hook.check_answer(ctx, answer),
                    |answer, new| {
                        answer.text = new;
                        answer.text.clone()
                    },
                )
                .await;
            match passed {
                Ok(PassedValue { value, reports }) => {
                    if reports.iter().any(|report| report.action == HookAction::Rewrite) {
                        replace_text(&mut held, value.text);
                    }
                    send(reports, pieces).await;
                }
                Err(veto) => {
                    send(vec![veto.report(HookPoint::Answer)], pieces).await;
                    held.retain(|chunk| matches!(chunk, Chunk::AnsweredBy { .. } | Chunk::Usage { .. }));
                    sink.send(held).await;
                    return Err(self.refuse(&veto.hook, veto.reason));
                }
            }
        }
        self.vetoes.store(0, Ordering::Relaxed);
        let mut rest = held.into_iter();
        loop {
            let batch: Vec<Chunk> = rest.by_ref().take(CHUNKS_AT_ONCE).collect();
            if batch.is_empty() || !sink.send(batch).await {
                return end;
            }
        }
    }

    /// Returns the failure of a refused answer, which the model may correct a limited number of times.
    fn refuse(&self, hook: &str, reason: String) -> StreamFailure {
        if self.vetoes.fetch_add(1, Ordering::Relaxed) < self.corrections {
            return StreamFailure::new(reason, true).mark_hook();
        }
        StreamFailure::new(format!("the rule {hook} refused the answer: {reason}"), false).mark_hook()
    }
}

/// Sends reports to the machine, which records them.
async fn send(reports: Vec<HookReport>, pieces: &mpsc::Sender<Vec<Input>>) {
    if !reports.is_empty() {
        // Sending fails only after the end of the run.
        drop(pieces.send(reports.into_iter().map(Input::Hook).collect()).await);
    }
}

fn text_of(chunks: &[Chunk]) -> AnswerText {
    let mut answer = AnswerText::new("", false);
    for chunk in chunks {
        match chunk {
            Chunk::Text { text } => answer.text.push_str(text),
            Chunk::Call(_) => answer.has_calls = true,
            _ => {}
        }
    }
    answer
}

/// Replaces all text of an answer by one text at the place of the first.
fn replace_text(chunks: &mut Vec<Chunk>, text: String) {
    let is_text = |chunk: &Chunk| matches!(chunk, Chunk::Text { .. });
    let first = chunks.iter().position(is_text).unwrap_or(0);
    chunks.retain(|chunk| !is_text(chunk));
    chunks.insert(first, Chunk::text(text));
}
