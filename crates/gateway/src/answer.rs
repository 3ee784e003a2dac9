//! The response to a client, streamed while the model generates it.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::stream::{self, Stream};
use windlass_assemble::Normalizer;
use windlass_client::SilenceTimer;
use windlass_protocol::{StopReason, Usage};
use windlass_stream::{Chunk, ChunkStream, FreeText, ModelError};
use windlass_wire::{CallRestorer, EncodeError, Encoder, ProviderError};

use crate::call_filter::CallFilter;
use crate::call_order::CallOrder;
use crate::estimate::chunk_tokens;
use crate::hook::Observer;
use crate::refusal::{self, BreakReason};
use crate::stop::StopSignal;
use crate::stop_words::StopWords;
use crate::text_filter::TextFilter;

/// The body of a response, as a stream of encoded bytes. Dropping it cancels the generation.
///
/// An error means that the response is truncated. The server should then abort the connection, so that the
/// client does not take the response for complete.
pub type ResponseBody = Pin<Box<dyn Stream<Item = io::Result<Bytes>> + Send>>;

/// A response for an HTTP server to send.
#[non_exhaustive]
pub struct GatewayResponse {
    /// The status code.
    pub status: u16,
    /// The media type.
    pub content_type: String,
    /// Further headers.
    pub headers: Vec<(String, String)>,
    /// The body of the response.
    pub body: ResponseBody,
}

/// The conversion of the model's chunks into bytes of the client's format.
pub(crate) struct Writing {
    pub(crate) chunks: ChunkStream,
    pub(crate) normalizer: Option<Normalizer>,
    pub(crate) free_text: FreeText,
    pub(crate) restorer: Option<Box<dyn CallRestorer>>,
    pub(crate) calls: CallFilter,
    pub(crate) filter: TextFilter,
    pub(crate) call_order: CallOrder,
    pub(crate) usage: UsageEstimate,
    pub(crate) encoder: Box<dyn Encoder>,
    pub(crate) observers: Vec<Box<dyn Observer>>,
    pub(crate) stop: StopSignal,
    /// The silence after which the stream carries a keep-alive; `None` for an answer in one body.
    pub(crate) keep_alive: Option<SilenceTimer>,
    /// The error of an answer that failed.
    pub(crate) error: Option<ProviderError>,
    pub(crate) stop_words: StopWords,
    /// True if the model sent a finish or an error chunk.
    pub(crate) has_end: bool,
    pub(crate) is_over: bool,
    pub(crate) waiting: VecDeque<Result<Bytes, EncodeError>>,
}

/// The usage of an answer whose provider does not report it, because the gateway ended the answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UsageEstimate {
    is_reported: bool,
    usage: Usage,
}

impl UsageEstimate {
    pub(crate) fn new(input_tokens: u64) -> Self {
        let usage = Usage { input_tokens, ..Usage::default() };
        Self { is_reported: false, usage }
    }

    fn observe(&mut self, chunk: &Chunk) {
        self.is_reported |= matches!(chunk, Chunk::Usage { .. });
        self.usage.output_tokens = self.usage.output_tokens.saturating_add(chunk_tokens(chunk));
    }

    fn chunk(self) -> Option<Chunk> {
        (!self.is_reported).then_some(Chunk::Usage { usage: self.usage })
    }
}

/// The next event of an answer.
enum Event {
    Chunk(Option<Result<Chunk, ModelError>>),
    /// The model was silent for the time of a keep-alive.
    Silence,
    /// The server stops.
    Stop,
}

impl GatewayResponse {
    pub(crate) fn whole(status: u16, body: Vec<u8>) -> Self {
        let body = stream::once(async { Ok(Bytes::from(body)) });
        Self {
            status,
            content_type: "application/json".to_owned(),
            headers: Vec::new(),
            body: Box::pin(body),
        }
    }
}

impl Writing {
    pub(crate) fn body(self) -> ResponseBody {
        Box::pin(stream::unfold(self, |mut writing| async move {
            let bytes = writing.next().await?;
            Some((bytes.map_err(io::Error::other), writing))
        }))
    }

    /// Reads the answer to its end, and keeps the bytes for the body.
    pub(crate) async fn collect(&mut self) {
        let mut all = VecDeque::new();
        while let Some(bytes) = self.next().await {
            all.push_back(bytes);
        }
        self.waiting = all;
    }

    async fn next(&mut self) -> Option<Result<Bytes, EncodeError>> {
        loop {
            if let Some(bytes) = self.waiting.pop_front() {
                return Some(bytes);
            }
            if self.is_over {
                return None;
            }
            match poll_fn(|context| self.poll_event(context)).await {
                Event::Silence => {
                    let mut bytes = Vec::new();
                    self.encoder.keep_alive(&mut bytes);
                    self.keep(bytes, Ok(()));
                }
                Event::Stop => {
                    self.take(refusal::truncation_chunk(BreakReason::Stopping));
                    self.end();
                }
                Event::Chunk(Some(Ok(chunk))) => {
                    self.take(chunk);
                    if self.filter.is_cut() {
                        self.cut();
                    }
                }
                Event::Chunk(Some(Err(error))) => {
                    self.take(refusal::in_stream(&error));
                    self.end();
                }
                Event::Chunk(None) => {
                    if !self.has_end {
                        self.take(refusal::truncation_chunk(BreakReason::Upstream));
                    }
                    self.end();
                }
            }
        }
    }

    /// Waits for the next event. Chunks precede the others.
    fn poll_event(&mut self, context: &mut Context<'_>) -> Poll<Event> {
        if let Poll::Ready(chunk) = self.chunks.as_mut().poll_next(context) {
            if let Some(timer) = &mut self.keep_alive {
                timer.restart();
            }
            return Poll::Ready(Event::Chunk(chunk));
        }
        if self.stop.poll_begin(context).is_ready() {
            return Poll::Ready(Event::Stop);
        }
        match &mut self.keep_alive {
            Some(timer) => timer.poll_wait(context).map(|()| Event::Silence),
            None => Poll::Pending,
        }
    }

    /// Ends a stream that was cut at a stop sequence, without the rest of the answer. An answer in one body is read to its end, because
    /// its provider has sent it whole, with its usage.
    fn cut(&mut self) {
        if self.has_end || self.keep_alive.is_none() {
            return;
        }
        self.chunks = Box::pin(stream::empty());
        if let Some(usage) = self.usage.chunk() {
            self.take(usage);
        }
        self.take(Chunk::Finish { reason: StopReason::StopSequence, raw: String::new() });
    }

    fn take(&mut self, chunk: Chunk) {
        self.usage.observe(&chunk);
        self.has_end |= matches!(chunk, Chunk::Finish { .. } | Chunk::Error { .. });
        self.observers.iter_mut().for_each(|observer| observer.observe(&chunk));
        if let Some(error) = refusal::failure(&chunk) {
            self.error.get_or_insert(error);
        }
        let mut normal = Vec::new();
        match &mut self.normalizer {
            Some(normalizer) => normalizer.push(chunk, &mut normal),
            None => normal.push(chunk),
        }
        self.write(normal);
    }

    fn end(&mut self) {
        if std::mem::replace(&mut self.is_over, true) {
            return;
        }
        let mut normal = Vec::new();
        if let Some(normalizer) = self.normalizer.take() {
            normalizer.finish(&mut normal);
        }
        // The response ends here, with or without an encoding error.
        let failed = self.write(normal);
        if failed {
            return;
        }
        let mut bytes = Vec::new();
        let end = self.encoder.finish(&mut bytes);
        self.keep(bytes, end);
    }

    /// Encodes chunks. Returns true if encoding failed.
    fn write(&mut self, normal: Vec<Chunk>) -> bool {
        let (mut filtered, mut chunks) = (Vec::with_capacity(normal.len()), Vec::new());
        for chunk in normal.into_iter().filter(|chunk| self.calls.permits(chunk)) {
            let chunk = self.stop_words.convert(chunk);
            self.filter.push(chunk, &mut filtered);
        }
        for chunk in filtered {
            self.free_text.push(chunk, &mut chunks);
        }
        if let Some(restorer) = &mut self.restorer {
            for chunk in std::mem::take(&mut chunks) {
                restorer.push(chunk, &mut chunks);
            }
        }
        for chunk in std::mem::take(&mut chunks) {
            self.call_order.push(chunk, &mut chunks);
        }
        let mut bytes = Vec::new();
        let end = chunks.iter().try_for_each(|chunk| self.encoder.push(chunk, &mut bytes));
        self.keep(bytes, end)
    }

    fn keep(&mut self, bytes: Vec<u8>, end: Result<(), EncodeError>) -> bool {
        if !bytes.is_empty() {
            self.waiting.push_back(Ok(bytes.into()));
        }
        let failed = end.is_err();
        if let Err(error) = end {
            self.is_over = true;
            self.waiting.push_back(Err(error));
        }
        failed
    }
}

impl std::fmt::Debug for GatewayResponse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GatewayResponse")
            .field("status", &self.status)
            .field("content_type", &self.content_type)
            .field("headers", &self.headers)
            .finish_non_exhaustive()
    }
}
