//! A model that follows a script through a real wire format, without a network.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_core::Stream;
use serde_json::Value;
use windlass_protocol::{Delivery, Refusal, Request};
use windlass_stream::{Chunk, ChunkStream, Model, ModelError, ModelErrorKind, ModelFuture};
use windlass_wire::{DecodeError, Decoder, ProviderError, ProviderErrorKind, Wire, WireLimits};

use crate::provider::{Ending, Provider, Reply};
use crate::render::Format;
use crate::script::Script;

/// A model that follows a script. The wire format encodes each request, the scripted provider validates it
/// and answers in the provider's bytes, and the wire format decodes the answer.
///
/// The model has no clock, so it ignores pauses of the script. A stalled answer stays pending forever.
///
/// ```
/// use std::sync::Arc;
/// use windlass_mock::{Script, ScriptedModel};
/// use windlass_wire_openai_chat::OpenAiChat;
///
/// let script = Script::parse(r#"{"turns": [{"steps": [{"text": "hello"}]}]}"#)?;
/// let model = ScriptedModel::new(script, Arc::new(OpenAiChat::default())).with_cuts(7, 40);
/// assert!(model.requests().is_empty());
/// # Ok::<(), serde_json::Error>(())
/// ```
pub struct ScriptedModel {
    provider: Provider,
    wire: Arc<dyn Wire>,
    cuts: Option<Cuts>,
    requests: Mutex<Vec<Value>>,
}

#[derive(Clone, Copy)]
struct Cuts {
    seed: u64,
    most: usize,
}

impl ScriptedModel {
    /// Creates a model for this wire format, which must be one of the formats that scripts can be rendered
    /// in.
    pub fn new(script: Script, wire: Arc<dyn Wire>) -> Self {
        Self { provider: Provider::new(script), wire, cuts: None, requests: Mutex::default() }
    }

    /// Splits answers into random pieces of 1 to `most` bytes instead of whole events.
    pub fn with_cuts(mut self, seed: u64, most: usize) -> Self {
        self.cuts = Some(Cuts { seed, most: most.max(1) });
        self
    }

    /// Returns the bodies of all requests so far, including refused ones.
    pub fn requests(&self) -> Vec<Value> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn begin(&self, request: &Request) -> Result<ChunkStream, ModelError> {
        let http = self.wire.encode(request).map_err(|error| {
            ModelError::new(ModelErrorKind::Refused, error.to_string()).with_source(error)
        })?;
        let recorded = serde_json::from_slice(&http.body).unwrap_or_default();
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).push(recorded);
        let Some(format) = Format::from_path(&http.path) else {
            let message = format!("no script is rendered for the path {}", http.path);
            return Err(ModelError::new(ModelErrorKind::Configuration, message));
        };
        let reply = self.provider.answer(format, &http.path, None, &http.body);
        if reply.status != 200 {
            let refusal = self.wire.decode_error(reply.status, &reply.frames.concat());
            return Err(to_model_error(refusal, reply.retry_after));
        }
        let frames = self.cut(&reply);
        Ok(Box::pin(Answer {
            frames,
            ending: reply.ending,
            reader: match request.delivery {
                Delivery::Stream => Reader::Stream(self.wire.decoder(WireLimits::default())),
                Delivery::Whole => Reader::Whole { wire: Arc::clone(&self.wire), body: Vec::new() },
            },
            ready: VecDeque::new(),
            is_over: false,
        }))
    }

    fn cut(&self, reply: &Reply) -> VecDeque<Vec<u8>> {
        let Some(Cuts { seed, most }) = self.cuts else { return reply.frames.iter().cloned().collect() };
        let bytes = reply.frames.concat();
        let mut sizes = piece_sizes(seed, most);
        let mut rest = bytes.as_slice();
        let mut pieces = VecDeque::new();
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(sizes.next().unwrap_or(1).min(rest.len()));
            pieces.push_back(piece.to_vec());
            rest = after;
        }
        pieces
    }
}

/// Returns an endless sequence of sizes from 1 to `most`: a linear congruential generator with the multiplier
/// and the increment of Knuth's MMIX, of which the upper half is used.
fn piece_sizes(seed: u64, most: usize) -> impl Iterator<Item = usize> {
    let mut state = seed;
    std::iter::from_fn(move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let drawn = usize::try_from(state >> 32).unwrap_or(usize::MAX);
        Some(drawn.checked_rem(most).unwrap_or(0).saturating_add(1))
    })
}

impl Model for ScriptedModel {
    fn stream<'a>(&'a self, request: &'a Request) -> ModelFuture<'a> {
        Box::pin(async move { self.begin(request) })
    }

    fn check(&self, request: &Request) -> Vec<Refusal> {
        self.wire.check(request)
    }
}

/// An answer that is being decoded.
struct Answer {
    frames: VecDeque<Vec<u8>>,
    ending: Ending,
    reader: Reader,
    ready: VecDeque<Chunk>,
    is_over: bool,
}

enum Reader {
    Stream(Box<dyn Decoder>),
    Whole { wire: Arc<dyn Wire>, body: Vec<u8> },
}

impl Reader {
    fn push(&mut self, bytes: &[u8], chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
        match self {
            Self::Stream(decoder) => decoder.push(bytes, chunks),
            Self::Whole { body, .. } => {
                body.extend_from_slice(bytes);
                Ok(())
            }
        }
    }

    fn finish(&mut self, chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
        match self {
            Self::Stream(decoder) => decoder.finish(chunks),
            Self::Whole { wire, body } => wire.decode_whole(body, WireLimits::default(), chunks),
        }
    }
}

impl Stream for Answer {
    type Item = Result<Chunk, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let answer = &mut *self;
        loop {
            if let Some(chunk) = answer.ready.pop_front() {
                return Poll::Ready(Some(Ok(chunk)));
            }
            if answer.is_over {
                return Poll::Ready(None);
            }
            let mut chunks = Vec::new();
            let outcome = match (answer.frames.pop_front(), answer.ending) {
                (Some(bytes), _) => answer.reader.push(&bytes, &mut chunks),
                (None, Ending::Silence) => return Poll::Pending,
                (None, Ending::Cut) => {
                    answer.is_over = true;
                    let message = "the connection broke in mid-answer";
                    return Poll::Ready(Some(Err(ModelError::new(ModelErrorKind::Dropped, message))));
                }
                (None, Ending::Proper) => {
                    answer.is_over = true;
                    answer.reader.finish(&mut chunks)
                }
            };
            answer.ready.extend(chunks);
            if let Err(error) = outcome {
                answer.is_over = true;
                answer.ready.clear();
                let error = ModelError::new(error.kind(), error.to_string()).with_source(error);
                return Poll::Ready(Some(Err(error)));
            }
        }
    }
}

fn to_model_error(refusal: ProviderError, retry_after: Option<u64>) -> ModelError {
    let kind = match refusal.kind {
        ProviderErrorKind::Authentication | ProviderErrorKind::NotFound => ModelErrorKind::Configuration,
        ProviderErrorKind::ContextLength => ModelErrorKind::ContextLength,
        ProviderErrorKind::RateLimit => ModelErrorKind::RateLimit,
        ProviderErrorKind::Server => ModelErrorKind::Server,
        ProviderErrorKind::NotProvider => ModelErrorKind::Malformed,
        _ => ModelErrorKind::Refused,
    };
    ModelError::new(kind, refusal.to_string())
        .with_retry_after(retry_after.map(Duration::from_secs).or(refusal.retry_after))
        .with_source(refusal)
}

impl std::fmt::Debug for ScriptedModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ScriptedModel")
            .field("provider", &self.provider)
            .field("wire", &self.wire.name())
            .finish_non_exhaustive()
    }
}
