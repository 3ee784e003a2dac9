//! One request to the model in the call protocol of the run, and the transfer of its answer to the machine.

mod failures;

use std::sync::Arc;

use futures_util::StreamExt;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use windlass_loop::{Input, StreamFailure};
use windlass_protocol::Request;
use windlass_stream::{Chunk, Model};
use windlass_text_calls::{Listener, Speech, SpokenHistory};

use self::failures::{check_refusals, to_request_failure, to_stream_failure};

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
    model: Arc<dyn Model>,
    /// The request after conversion to the call protocol.
    request: Request,
    /// Parses calls out of the text; `None` for native calls.
    listener: Option<Listener>,
}

impl Asking {
    pub(crate) fn new(
        model: Arc<dyn Model>,
        speech: Option<Speech>,
        request: Request,
        spoken: &mut SpokenHistory,
    ) -> Self {
        match speech {
            None => Self { model, request, listener: None },
            Some(speech) => {
                let told = speech.request_onto(&request, spoken);
                let listener = Some(speech.listener_after(&request, spoken));
                Self { model, request: told, listener }
            }
        }
    }

    /// Sends the request, forwards the answer in batches, and reports its end.
    pub(crate) async fn run(self, pieces: mpsc::Sender<Vec<Input>>) {
        let end = self.forward(&pieces).await;
        drop(pieces.send(vec![Input::StreamEnd(end)]).await);
    }

    /// Sends the request and forwards the chunks of the answer in batches.
    async fn forward(mut self, pieces: &mpsc::Sender<Vec<Input>>) -> Result<(), StreamFailure> {
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
            if !hand_on(&mut heard, pieces).await {
                return Ok(());
            }
            end?;
        }
        if let Some(listener) = &mut self.listener {
            listener.finish(&mut heard);
        }
        hand_on(&mut heard, pieces).await;
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

/// Sends a batch. Returns `false` if the receiver is gone.
async fn hand_on(heard: &mut Vec<Chunk>, pieces: &mpsc::Sender<Vec<Input>>) -> bool {
    if heard.is_empty() {
        return true;
    }
    let inputs = heard.drain(..).map(Input::Chunk).collect();
    pieces.send(inputs).await.is_ok()
}
