//! One request to the model in the call protocol of the run, and the transfer of its answer to the machine.

mod failures;
mod hooks;
mod sink;

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::StreamExt;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use windlass_loop::{Input, StreamFailure};
use windlass_protocol::Request;
use windlass_stream::{Chunk, Model};
use windlass_text_calls::{Listener, Speech, SpokenHistory};

use self::failures::{check_refusals, to_request_failure, to_stream_failure};
pub(crate) use self::hooks::RequestHooks;
use self::sink::Sink;

/// The maximum number of chunks in one batch.
const CHUNKS_AT_ONCE: usize = 32;

/// Batches of the answer that may be queued for the machine; a full queue delays the model.
const WAITING_BATCHES: usize = 2;

/// Returns the queue between an [`Asking`] and the [`StreamingAnswer`] that reads it.
pub(crate) fn batch_channel() -> (mpsc::Sender<Vec<Input>>, mpsc::Receiver<Vec<Input>>) {
    mpsc::channel(WAITING_BATCHES)
}

/// One request to the model.
pub(crate) struct Asking {
    pub(crate) model: Arc<dyn Model>,
    /// The request with native calls.
    pub(crate) request: Request,
    /// The encoding of calls as text; `None` for native calls.
    pub(crate) speech: Option<Speech>,
    /// The conversation as text, which later requests reuse.
    pub(crate) spoken: Arc<Mutex<SpokenHistory>>,
    /// The hooks that see the request and its answer, if the agent has any.
    pub(crate) hooks: Option<RequestHooks>,
}

/// A request in the call protocol of the run.
struct EncodedRequest {
    model: Arc<dyn Model>,
    request: Request,
    /// Parses calls out of the text; `None` for native calls.
    listener: Option<Listener>,
}

impl Asking {
    /// Sends the request, forwards the answer in batches, and reports its end.
    pub(crate) async fn run(mut self, pieces: mpsc::Sender<Vec<Input>>) {
        let end = match self.hooks.take() {
            Some(hooks) => hooks.run(self, &pieces).await,
            None => self.encode().forward(&mut Sink::new(&pieces)).await,
        };
        drop(pieces.send(vec![Input::StreamEnd(end)]).await);
    }

    /// Converts the request to the call protocol.
    fn encode(self) -> EncodedRequest {
        let Self { model, request, speech, spoken, .. } = self;
        let Some(speech) = speech else { return EncodedRequest { model, request, listener: None } };
        let mut spoken = spoken.lock().unwrap_or_else(PoisonError::into_inner);
        let told = speech.request_onto(&request, &mut spoken);
        let listener = Some(speech.listener_after(&request, &spoken));
        EncodedRequest { model, request: told, listener }
    }
}

impl EncodedRequest {
    /// Sends the request and forwards the chunks of the answer in batches.
    async fn forward(mut self, sink: &mut Sink<'_>) -> Result<(), StreamFailure> {
        // Check before sending, because a provider's own error comes late and is seldom clear.
        check_refusals(&self.model.check(&self.request))?;
        // The model implementation has already repeated requests where that helps. Only idle timeouts and
        // broken connections remain retryable; the machine repeats them before and during an answer.
        let chunks = self.model.stream(&self.request).await.map_err(|error| to_request_failure(&error))?;
        // Forward chunks that arrived together as one batch.
        let mut chunks = chunks.ready_chunks(CHUNKS_AT_ONCE);
        let mut heard = Vec::new();
        while let Some(arrived) = chunks.next().await {
            let mut end = Ok(());
            for chunk in arrived {
                match chunk {
                    Ok(chunk) => self.hear(chunk, &mut heard),
                    Err(error) => end = Err(to_stream_failure(&error)),
                }
            }
            if !sink.take(&mut heard).await? {
                return Ok(());
            }
            end?;
        }
        if let Some(listener) = &mut self.listener {
            listener.finish(&mut heard);
        }
        sink.take(&mut heard).await?;
        Ok(())
    }

    fn hear(&mut self, chunk: Chunk, heard: &mut Vec<Chunk>) {
        match &mut self.listener {
            Some(listener) => listener.push(chunk, heard),
            None => heard.push(chunk),
        }
    }
}

/// The answer that streams, if one does: the receiving end of an [`Asking`].
#[derive(Default)]
pub(crate) struct StreamingAnswer {
    open: Option<OpenStream>,
}

struct OpenStream {
    pieces: mpsc::Receiver<Vec<Input>>,
    /// The inputs of the last batch that are not returned yet.
    ready: std::vec::IntoIter<Input>,
    task: AbortHandle,
}

impl StreamingAnswer {
    /// Starts to read the batches of a task.
    pub(crate) fn open(&mut self, pieces: mpsc::Receiver<Vec<Input>>, task: AbortHandle) {
        self.open = Some(OpenStream { pieces, ready: Vec::new().into_iter(), task });
    }

    /// Aborts the task of the answer.
    pub(crate) fn close(&mut self) {
        if let Some(answer) = self.open.take() {
            answer.task.abort();
        }
    }

    /// Returns the next input from the answer. Waits forever if no answer streams. Cancel-safe.
    pub(crate) async fn next(&mut self) -> Input {
        let Some(answer) = &mut self.open else { return std::future::pending().await };
        if answer.ready.len() == 0 {
            answer.ready = answer.pieces.recv().await.unwrap_or_default().into_iter();
        }
        let input = answer.ready.next();
        if matches!(input, None | Some(Input::StreamEnd(_))) {
            self.open = None;
        }
        input.unwrap_or_else(|| {
            Input::StreamEnd(Err(StreamFailure::new(
                "the connection ended before the answer was \
                 complete",
                true,
            )))
        })
    }
}
