//! A model without HTTP as an exchange of a cassette: its request is the body of a `POST` to `model:stream`, and each chunk
//! of its answer is a line.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use serde::{Deserialize, Serialize};
use windlass_client::{
    ByteStream, Transport, TransportError, TransportErrorKind, TransportFuture, TransportRequest,
    TransportResponse,
};
use windlass_protocol::{Prices, Refusal, Request};
use windlass_stream::{Chunk, ChunkStream, Model, ModelError, ModelErrorKind, ModelFacts, ModelFuture};

/// The address of the exchanges.
const URL: &str = "model:stream";
/// The status of an answer that began.
const BEGAN: u16 = 200;
/// The status of a request that failed before its answer.
const FAILED: u16 = 500;
/// The longest line of an answer in bytes.
const LONGEST: usize = 64 * 1024 * 1024;

/// Sends the requests of a model through a transport.
pub(crate) struct TransportedModel {
    /// Returns facts and refusals, which a cassette does not contain.
    live: Arc<dyn Model>,
    transport: Arc<dyn Transport>,
}

/// Answers the requests of a `TransportedModel` with a model.
struct ModelTransport(Arc<dyn Model>);

/// A line of an answer.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Line {
    Failure { failure: Failure },
    Chunk(Box<Chunk>),
}

#[derive(Debug, Serialize, Deserialize)]
struct Failure {
    kind: String,
    message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    retry_after_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    request_id: Option<String>,
}

/// The names of the kinds in a cassette.
const KINDS: [(ModelErrorKind, &str); 11] = [
    (ModelErrorKind::Configuration, "configuration"),
    (ModelErrorKind::Unreachable, "unreachable"),
    (ModelErrorKind::Refused, "refused"),
    (ModelErrorKind::Unsupported, "unsupported"),
    (ModelErrorKind::Image, "image"),
    (ModelErrorKind::ContextLength, "context_length"),
    (ModelErrorKind::RateLimit, "rate_limit"),
    (ModelErrorKind::Server, "server"),
    (ModelErrorKind::Idle, "idle"),
    (ModelErrorKind::Dropped, "dropped"),
    (ModelErrorKind::Malformed, "malformed"),
];

impl Failure {
    fn from_error(error: &ModelError) -> Self {
        let name = KINDS.iter().find(|(kind, _)| *kind == error.kind).map_or("server", |(_, name)| name);
        let wait = error.retry_after.map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
        Self {
            kind: name.to_owned(),
            message: error.message.clone(),
            retry_after_ms: wait,
            request_id: error.request_id.clone(),
        }
    }

    fn into_error(self) -> ModelError {
        let kind = KINDS.iter().find(|(_, name)| *name == self.kind).map(|(kind, _)| *kind);
        ModelError::new(kind.unwrap_or(ModelErrorKind::Server), self.message)
            .with_retry_after(self.retry_after_ms.map(Duration::from_millis))
            .with_request_id(self.request_id)
    }
}

/// Returns a model whose exchanges pass a transport. `wrap` adds the recording or the replay to the transport of the live
/// model.
pub(crate) fn wrap_model(
    live: Arc<dyn Model>,
    wrap: impl FnOnce(Arc<dyn Transport>) -> Arc<dyn Transport>,
) -> TransportedModel {
    let transport = wrap(Arc::new(ModelTransport(live.clone())));
    TransportedModel { live, transport }
}

impl Transport for ModelTransport {
    fn send(&self, request: TransportRequest) -> TransportFuture<'_> {
        Box::pin(async move {
            let request: Request = serde_json::from_slice(&request.body)
                .map_err(|error| TransportError::new(TransportErrorKind::Request, error.to_string()))?;
            match self.0.stream(&request).await {
                Ok(chunks) => {
                    let lines = chunks.map(|item| Ok(write_line(&item)));
                    Ok(TransportResponse::new(BEGAN, Vec::new(), Box::pin(lines)))
                }
                Err(error) => {
                    let line = write_line(&Err(error));
                    Ok(TransportResponse::new(FAILED, Vec::new(), Box::pin(stream::iter([Ok(line)]))))
                }
            }
        })
    }
}

/// Writes a chunk or an error as a line. Both are values without maps of other keys than texts, so the encoding succeeds.
fn write_line(item: &Result<Chunk, ModelError>) -> Bytes {
    let line = match item {
        Ok(chunk) => serde_json::to_vec(chunk),
        Err(error) => serde_json::to_vec(&Line::Failure { failure: Failure::from_error(error) }),
    };
    let mut line = line.unwrap_or_default();
    line.push(b'\n');
    line.into()
}

impl Model for TransportedModel {
    fn stream<'a>(&'a self, request: &'a Request) -> ModelFuture<'a> {
        Box::pin(async move {
            let body = serde_json::to_vec(request).map_err(|error| format_error(&error.to_string()))?;
            let response = self.transport.send(TransportRequest::post(URL, body)).await;
            let TransportResponse { status, body, .. } = response.map_err(|error| transport_error(&error))?;
            let mut chunks = read_lines(body);
            if status == BEGAN {
                return Ok(chunks);
            }
            match chunks.next().await {
                Some(Err(error)) => Err(error),
                _ => Err(format_error("a failed request has no error")),
            }
        })
    }

    fn check(&self, request: &Request) -> Vec<Refusal> {
        self.live.check(request)
    }

    fn facts(&self, model: &str) -> Option<ModelFacts> {
        self.live.facts(model)
    }

    fn prices(&self, model: &str) -> Option<Prices> {
        self.live.prices(model)
    }
}

fn format_error(problem: &str) -> ModelError {
    ModelError::new(ModelErrorKind::Malformed, format!("the recorded answer of the model: {problem}"))
}

fn transport_error(error: &TransportError) -> ModelError {
    ModelError::new(ModelErrorKind::Dropped, error.message.clone())
}

/// Splits a body into its lines. The body of a recording can be split anywhere.
fn read_lines(body: ByteStream) -> ChunkStream {
    let items = stream::unfold(Some((body, Vec::new())), |state| async move {
        let (mut body, mut rest) = state?;
        loop {
            if let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
                let later = rest.split_off(end.saturating_add(1));
                let item = read_line(&std::mem::replace(&mut rest, later));
                let next = item.is_ok().then_some((body, rest));
                return Some((item, next));
            }
            match body.next().await {
                Some(Ok(piece)) if rest.len().saturating_add(piece.len()) > LONGEST => {
                    return Some((Err(format_error("a line is too long")), None));
                }
                Some(Ok(piece)) => rest.extend_from_slice(&piece),
                Some(Err(error)) => return Some((Err(transport_error(&error)), None)),
                None if rest.is_empty() => return None,
                None => return Some((Err(format_error("the last line is cut")), None)),
            }
        }
    });
    Box::pin(items)
}

fn read_line(line: &[u8]) -> Result<Chunk, ModelError> {
    match serde_json::from_slice(line) {
        Ok(Line::Chunk(chunk)) => Ok(*chunk),
        Ok(Line::Failure { failure }) => Err(failure.into_error()),
        Err(error) => Err(format_error(&error.to_string())),
    }
}
