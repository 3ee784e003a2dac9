//! The gateway, from a request to a response.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use windlass_assemble::{Normalizer, Options};
use windlass_protocol::{Request, Role};
use windlass_stream::{FreeText, Model};
use windlass_wire::{
    DecodedRequest, ProviderError, ProviderErrorKind, RequestError, ResponseHead, Server, Wire,
};

use crate::answer::{GatewayResponse, Writing};
use crate::stop::Stop;
use crate::{carry, refusal};

/// The model behind the gateway.
#[derive(Clone)]
#[non_exhaustive]
pub struct Upstream {
    /// The model.
    pub model: Arc<dyn Model>,
    /// The wire format that it uses.
    pub wire: Arc<dyn Wire>,
    /// The model name to send; the name from the client's request if `None`.
    pub name: Option<String>,
}

/// A gateway that answers clients of several wire formats with one model. Cloning it is cheap.
///
/// It does no IO of its own: the model does its own networking, and [`serve`](crate::serve) or another HTTP
/// server supplies the requests.
///
/// ```
/// use std::sync::Arc;
/// use windlass_gateway::{Gateway, Upstream};
/// # use windlass_protocol::{Request, StopReason};
/// # use windlass_stream::{Chunk, ChunkStream, Model, ModelFuture};
/// # struct Parrot;
/// # impl Model for Parrot {
/// #     fn stream<'a>(&'a self, _: &'a Request) -> ModelFuture<'a> {
/// #         let chunks = [Chunk::text("hello"), Chunk::Finish { reason: StopReason::End, raw: "stop".into() }];
/// #         Box::pin(async { Ok(Box::pin(futures_util::stream::iter(chunks.map(Ok))) as ChunkStream) })
/// #     }
/// # }
/// use windlass_wire_anthropic::Anthropic;
/// use windlass_wire_openai_chat::OpenAiChat;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let upstream = Upstream::new(Arc::new(Parrot), Arc::new(Anthropic::default()));
/// let gateway = Gateway::new(upstream).with_server(Arc::new(OpenAiChat::default()));
/// let body = br#"{"model":"m","messages":[{"role":"user","content":"hi"}]}"#;
/// let answer = gateway.answer("/v1/chat/completions", body).await;
/// assert_eq!(answer.status, 200);
/// # }
/// ```
#[derive(Clone)]
pub struct Gateway {
    upstream: Upstream,
    servers: Vec<Arc<dyn Server>>,
}

impl Upstream {
    /// Creates an upstream for a model that uses this wire format.
    pub fn new(model: Arc<dyn Model>, wire: Arc<dyn Wire>) -> Self {
        Self { model, wire, name: None }
    }

    /// Sets the model name to send instead of the client's.
    pub fn with_name(mut self, name: Option<String>) -> Self {
        self.name = name;
        self
    }
}

impl Gateway {
    /// Creates a gateway to a model, without client formats.
    pub fn new(upstream: Upstream) -> Self {
        Self { upstream, servers: Vec::new() }
    }

    /// Adds a client format.
    pub fn with_server(mut self, server: Arc<dyn Server>) -> Self {
        self.servers.push(server);
        self
    }

    /// Answers a request. `path` is the path with its query.
    ///
    /// The method returns errors as responses in the client's own format. The header `x-windlass-lost` names
    /// the parts of the request that the upstream format cannot express.
    ///
    /// Cancel-safe: dropping the future, or the body of the response, cancels the request to the model.
    pub async fn answer(&self, path: &str, body: &[u8]) -> GatewayResponse {
        self.answer_until(path, body, Stop::default()).await
    }

    /// Like [`Gateway::answer`], but ends the response with an error when the server must stop.
    pub(crate) async fn answer_until(&self, path: &str, body: &[u8], stop: Stop) -> GatewayResponse {
        for server in &self.servers {
            match server.decode_request(path, body) {
                Ok(asked) => return self.ask(server.as_ref(), asked, stop).await,
                Err(RequestError::Path { .. }) => {}
                Err(error) => return refuse(server.as_ref(), &refusal::invalid_request(words(&error))),
            }
        }
        let formats: Vec<&str> = self.servers.iter().map(|server| server.name()).collect();
        let what = format!("{path} is not a served path; the formats here are {}", formats.join(", "));
        let error = serde_json::json!({"error": {"message": what, "type": "not_found_error", "code": null}});
        GatewayResponse::whole(404, error.to_string().into_bytes())
    }

    async fn ask(&self, server: &dyn Server, mut asked: DecodedRequest, mut stop: Stop) -> GatewayResponse {
        let model = asked.request.model.clone();
        let carried = carry(asked.request.clone(), server.name(), self.upstream.wire.as_ref());
        if let Some(what) = carried.refused {
            return refuse(server, &refusal::invalid_request(what));
        }
        let mut request = carried.request;
        if let Some(name) = &self.upstream.name {
            request.model.clone_from(name);
        }
        let begun = tokio::select! {
            biased;
            begun = self.upstream.model.stream(&request) => begun,
            () = stop.wait() => return refuse_while_stopping(server),
        };
        let chunks = match begun {
            Ok(chunks) => chunks,
            Err(error) => return refuse(server, &refusal::from_model_error(&error)),
        };
        let wire = &self.upstream.wire;
        let free_text = if wire.takes_free_text() || server.name() == wire.name() {
            FreeText::default()
        } else {
            FreeText::for_tools(&asked.request.tools)
        };
        asked.request.messages.clear();
        let encoder = server.encoder(&asked, ResponseHead::new(new_id(), model, now()));
        let content_type = encoder.content_type();
        let normalizer = Some(Normalizer::new(Options::default().with_turn(turn(&request))));
        let (has_end, is_over) = (false, false);
        let waiting = VecDeque::new();
        let body = Writing { chunks, normalizer, free_text, encoder, stop, has_end, is_over, waiting }.body();
        let mut headers = Vec::new();
        if !carried.lost.is_empty() {
            headers.push(("x-windlass-lost", header(&carried.lost.join(", "))));
        }
        GatewayResponse { status: 200, content_type, headers, body }
    }
}

/// Returns status 503: the gateway itself is unavailable, and 502 would blame the upstream provider.
fn refuse_while_stopping(server: &dyn Server) -> GatewayResponse {
    GatewayResponse { status: 503, ..refuse(server, &refusal::stopping_error()) }
}

fn refuse(server: &dyn Server, error: &ProviderError) -> GatewayResponse {
    let (status, body) = server.encode_error(error);
    // An upstream failure is status 502 for a gateway, whatever status the format has for it.
    let status = if error.kind == ProviderErrorKind::Server { 502 } else { status };
    let mut answer = GatewayResponse::whole(status, body);
    if let Some(wait) = error.retry_after {
        // Round up to whole seconds, because a client that retries too early is rejected again.
        let seconds = wait.as_millis().div_ceil(1000);
        answer.headers.push(("retry-after", seconds.to_string()));
    }
    answer
}

/// Returns the number of the turn. Ids for calls without ids contain it, so that they are unique in the
/// conversation.
fn turn(request: &Request) -> u64 {
    let answers = request.messages.iter().filter(|message| message.role == Role::Assistant).count();
    u64::try_from(answers).unwrap_or(u64::MAX)
}

/// Formats an error with its cause, which contains the position in the JSON.
fn words(error: &RequestError) -> String {
    match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

/// Converts a text to a valid header value: printable ASCII, at most 1,024 characters.
fn header(text: &str) -> String {
    text.chars()
        .map(|letter| if letter.is_ascii_graphic() || letter == ' ' { letter } else { '?' })
        .take(1024)
        .collect()
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// Returns a unique id from the time and 64 random bits; only the time if no randomness is available.
fn new_id() -> String {
    let random = getrandom::u64().unwrap_or_default();
    format!("{:x}{random:016x}", now())
}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let formats: Vec<&str> = self.servers.iter().map(|server| server.name()).collect();
        f.debug_struct("Gateway")
            .field("formats", &formats)
            .field("upstream", &self.upstream.wire.name())
            .finish()
    }
}

impl fmt::Debug for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upstream")
            .field("wire", &self.wire.name())
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
