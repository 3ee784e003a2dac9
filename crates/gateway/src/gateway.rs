//! The gateway: one request in, one answer out.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use windlass_assemble::{Normalizer, Options};
use windlass_model::Model;
use windlass_protocol::{Request, Role};
use windlass_stream::FreeText;
use windlass_wire::{Asked, ProviderError, ProviderErrorKind, Reply, RequestError, Server};

use crate::answer::{Answer, Writing};
use crate::carry::takes_free_text;
use crate::stop::Stop;
use crate::{carry, refusal};

/// The model that answers.
#[derive(Clone)]
#[non_exhaustive]
pub struct Upstream {
    /// The model.
    pub model: Arc<dyn Model>,
    /// The name of the wire format that it speaks.
    pub wire: String,
    /// The name under which it is asked; without it, the name that the client gave.
    pub name: Option<String>,
}

/// Answers clients of several wire formats with one model. Cheap to clone.
///
/// No IO of its own: the model does what network there is, and [`serve`](crate::serve) or a server of the user's own
/// brings the requests.
///
/// ```
/// use std::sync::Arc;
/// use windlass_gateway::{Gateway, Upstream};
/// # use windlass_model::{ChunkStream, Model, ModelFuture};
/// # use windlass_protocol::{Request, StopReason};
/// # use windlass_stream::Chunk;
/// # struct Parrot;
/// # impl Model for Parrot {
/// #     fn stream<'a>(&'a self, _: &'a Request) -> ModelFuture<'a> {
/// #         let chunks = [Chunk::text("hello"), Chunk::Finish { reason: StopReason::End, raw: "stop".into() }];
/// #         Box::pin(async { Ok(Box::pin(futures_util::stream::iter(chunks.map(Ok))) as ChunkStream) })
/// #     }
/// # }
/// use windlass_wire_openai_chat::OpenAiChat;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let gateway = Gateway::new(Upstream::new(Arc::new(Parrot), "anthropic")).with_server(Arc::new(OpenAiChat::default()));
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
    /// A model that speaks a wire format.
    pub fn new(model: Arc<dyn Model>, wire: impl Into<String>) -> Self {
        Self { model, wire: wire.into(), name: None }
    }

    /// The same model, asked under this name whatever the client says.
    pub fn with_name(mut self, name: Option<String>) -> Self {
        self.name = name;
        self
    }
}

impl Gateway {
    /// A gateway to a model, that takes no format yet.
    pub fn new(upstream: Upstream) -> Self {
        Self { upstream, servers: Vec::new() }
    }

    /// The same gateway, for clients of one more format.
    pub fn with_server(mut self, server: Arc<dyn Server>) -> Self {
        self.servers.push(server);
        self
    }

    /// Answers a request; `path` is what stands behind the host, with its query.
    ///
    /// It never fails: what cannot be answered is refused in the client's own format. The header `x-windlass-lost`
    /// names what of the request had no word in the other format.
    ///
    /// Cancel-safe: dropping the future, or the answer's body, gives up the request to the model.
    pub async fn answer(&self, path: &str, body: &[u8]) -> Answer {
        self.answer_until(path, body, Stop::default()).await
    }

    /// Like [`Gateway::answer`]; the answer ends with an error when the server has to stop.
    pub(crate) async fn answer_until(&self, path: &str, body: &[u8], stop: Stop) -> Answer {
        for server in &self.servers {
            match server.decode_request(path, body) {
                Ok(asked) => return self.ask(server.as_ref(), asked, stop).await,
                Err(RequestError::Path { .. }) => {}
                Err(error) => return refused(server.as_ref(), &refusal::of_request(words(&error))),
            }
        }
        let formats: Vec<&str> = self.servers.iter().map(|server| server.name()).collect();
        let what = format!("nothing is at {path}; the formats here are {}", formats.join(", "));
        let error = serde_json::json!({"error": {"message": what, "type": "not_found_error", "code": null}});
        Answer::whole(404, error.to_string().into_bytes())
    }

    async fn ask(&self, server: &dyn Server, mut asked: Asked, mut stop: Stop) -> Answer {
        let model = asked.request.model.clone();
        let carried = carry(asked.request.clone(), server.name(), &self.upstream.wire);
        if let Some(what) = carried.refused {
            return refused(server, &refusal::of_request(what));
        }
        let mut request = carried.request;
        if let Some(name) = &self.upstream.name {
            request.model.clone_from(name);
        }
        let begun = tokio::select! {
            biased;
            begun = self.upstream.model.stream(&request) => begun,
            () = stop.wait() => return refused(server, &refusal::of_stopping()),
        };
        let chunks = match begun {
            Ok(chunks) => chunks,
            Err(error) => return refused(server, &refusal::of_model(&error)),
        };
        let free_text = if takes_free_text(&self.upstream.wire) || server.name() == self.upstream.wire {
            FreeText::default()
        } else {
            FreeText::of(&asked.request.tools)
        };
        asked.request.messages.clear();
        let encoder = server.encoder(&asked, Reply::new(new_id(), model, now()));
        let content_type = encoder.content_type();
        let normalizer = Some(Normalizer::new(Options::default().with_turn(turn(&request))));
        let (has_end, is_over) = (false, false);
        let waiting = VecDeque::new();
        let body = Writing { chunks, normalizer, free_text, encoder, stop, has_end, is_over, waiting }.body();
        let mut headers = Vec::new();
        if !carried.lost.is_empty() {
            headers.push(("x-windlass-lost", header(&carried.lost.join(", "))));
        }
        Answer { status: 200, content_type, headers, body }
    }
}

fn refused(server: &dyn Server, error: &ProviderError) -> Answer {
    let (status, body) = server.encode_error(error);
    // Where the model behind fails, the gateway is a gateway.
    let status = if error.kind == ProviderErrorKind::Server { 502 } else { status };
    let mut answer = Answer::whole(status, body);
    if let Some(wait) = error.retry_after {
        // Seconds, rounded up: a client that comes back too early is refused again.
        let seconds = wait.as_millis().div_ceil(1000);
        answer.headers.push(("retry-after", seconds.to_string()));
    }
    answer
}

/// The number of the turn, for the ids of calls that come without one: they are unique in the conversation then.
fn turn(request: &Request) -> u64 {
    let answers = request.messages.iter().filter(|message| message.role == Role::Assistant).count();
    u64::try_from(answers).unwrap_or(u64::MAX)
}

/// The error with its cause, which names the place in the JSON.
fn words(error: &RequestError) -> String {
    match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

/// A text as the value of a header, which has no line ends and no other letters than ASCII's.
fn header(text: &str) -> String {
    text.chars()
        .map(|letter| if letter.is_ascii_graphic() || letter == ' ' { letter } else { '?' })
        .take(1024)
        .collect()
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// An id that no other answer has; without randomness it is of the time alone.
fn new_id() -> String {
    let random = getrandom::u64().unwrap_or_default();
    format!("{:x}{random:016x}", now())
}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let formats: Vec<&str> = self.servers.iter().map(|server| server.name()).collect();
        f.debug_struct("Gateway").field("formats", &formats).field("upstream", &self.upstream.wire).finish()
    }
}

impl fmt::Debug for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upstream").field("wire", &self.wire).field("name", &self.name).finish_non_exhaustive()
    }
}
