//! The gateway, from a request to a response.

mod summary;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use windlass_wire::{ProviderError, RequestError, Server};

use crate::address::AddressCache;
use crate::answer::GatewayResponse;
use crate::hook::Hook;
use crate::recorder::{Recorder, UsageObserver};
use crate::refusal::{self, api};
use crate::response::refuse;
use crate::state::{Session, StateStore};
use crate::stop::Stop;
use crate::translate::Exchange;
use crate::upstream::Upstream;
use crate::{ClientRequest, LossPolicy};

pub(crate) use summary::{RequestKind, RequestSummary};

/// The default silence after which a stream carries a keep-alive.
const KEEP_ALIVE: Duration = Duration::from_secs(5);

/// A gateway that answers clients of several wire formats with one model. Cloning it is cheap.
///
/// It does no IO of its own: the model does its own networking, and [`serve`](crate::serve) or another HTTP
/// server supplies the requests.
///
/// ```
/// use std::sync::Arc;
/// use windlass_gateway::{ClientRequest, Gateway, Upstream};
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
/// let answer = gateway.answer(&ClientRequest::new("/v1/chat/completions", &body[..])).await;
/// assert_eq!(answer.status, 200);
/// # }
/// ```
#[derive(Clone)]
pub struct Gateway {
    pub(crate) upstream: Upstream,
    pub(crate) servers: Vec<Arc<dyn Server>>,
    pub(crate) hooks: Vec<Arc<dyn Hook>>,
    pub(crate) keep_alive: Duration,
    pub(crate) state: Option<Arc<dyn StateStore>>,
    pub(crate) recorder: Option<Arc<Recorder>>,
    pub(crate) losses: LossPolicy,
    /// The addresses of the upstream for forwarded requests.
    pub(crate) addresses: Arc<AddressCache>,
}

impl Gateway {
    /// Creates a gateway to a model, without client formats.
    pub fn new(upstream: Upstream) -> Self {
        Self {
            upstream,
            servers: Vec::new(),
            hooks: Vec::new(),
            keep_alive: KEEP_ALIVE,
            state: None,
            recorder: None,
            losses: LossPolicy::default(),
            addresses: Arc::default(),
        }
    }

    /// Adds a hook that sees decoded copies of requests and answers.
    pub fn with_hook(mut self, hook: Arc<dyn Hook>) -> Self {
        self.hooks.push(hook);
        self
    }

    /// Sets the silence of a model after which a translated stream starts without content, or carries a
    /// keep-alive. Default: 5 seconds. A model's error after that time is an event inside the stream.
    pub fn with_keep_alive(mut self, silence: Duration) -> Self {
        self.keep_alive = silence;
        self
    }

    /// Sets the policy about parts of a request that the upstream's format cannot express. Default: [`LossPolicy::Standard`].
    pub fn with_loss_policy(mut self, losses: LossPolicy) -> Self {
        self.losses = losses;
        self
    }

    /// Stores responses and conversations of clients, for [`ClientRequest::owner`], if the upstream has another format.
    /// Without a store, a request that continues a stored response is refused with the code on which clients send the
    /// whole conversation.
    pub fn with_state(mut self, store: Arc<dyn StateStore>) -> Self {
        self.state = Some(store);
        self
    }

    /// Records the exchange.
    pub(crate) fn with_recorder(mut self, recorder: Arc<Recorder>) -> Self {
        self.recorder = Some(recorder);
        self
    }

    /// Adds a client format.
    pub fn with_server(mut self, server: Arc<dyn Server>) -> Self {
        self.servers.push(server);
        self
    }

    /// Answers a request.
    ///
    /// A request in the upstream's own format is forwarded byte for byte, with the headers that the format
    /// documents, if nothing in it has to change but the model's name. Any other request is translated; the
    /// header `x-windlass-lost` names the parts that the upstream format cannot express. The method returns
    /// errors as responses in the client's own format.
    ///
    /// A request for embeddings, or for a compaction, is forwarded to an upstream of the same API.
    ///
    /// A translated request is sent once; the client's header `x-windlass-attempts` permits up to ten
    /// attempts.
    ///
    /// Cancel-safe: dropping the future, or the body of the response, cancels the request to the model.
    pub async fn answer(&self, request: &ClientRequest) -> GatewayResponse {
        self.answer_until(request.clone(), RequestSummary::read(request), Stop::default()).await
    }

    /// Like [`Gateway::answer`], but ends the response with an error when the server must stop. It takes the request, so
    /// that the bytes of a body do not outlive their translation, and the parts that the caller has read.
    pub(crate) async fn answer_until(
        &self,
        request: ClientRequest,
        summary: RequestSummary,
        stop: Stop,
    ) -> GatewayResponse {
        // The futures of other exchanges than forwarded ones are boxed: the future of each request is moved several times, and
        // would have the size of the largest.
        let RequestSummary { kind, outline } = summary;
        let Some(server) = kind.server(&self.servers, &request) else { return self.not_served(&request) };
        match kind {
            RequestKind::Answer => {}
            RequestKind::Embeddings(api) => {
                return Box::pin(self.embed(api, server, &request, outline, stop)).await;
            }
            RequestKind::Compaction => {
                return Box::pin(self.compact(server, &request, outline, stop)).await;
            }
        }
        if let Some(outline) = self.outline_to_forward(server, &request, outline) {
            return self.forward(server, &request, outline, Vec::new(), stop).await;
        }
        let (expanded, session) = match self.start_session(self.state.as_ref(), server, &request).await {
            Ok((Cow::Owned(expanded), session)) => (Some(expanded), session),
            Ok((Cow::Borrowed(_), session)) => (None, session),
            Err(error) => return refuse(server, &error),
        };
        let request = expanded.unwrap_or(request);
        let asked = match server.decode_request(&request.path, &request.body) {
            Ok(asked) => asked,
            Err(error) => match self.outline(server, &request) {
                // The provider knows parts of its format that the gateway does not.
                Some(outline) if self.hooks.is_empty() => {
                    return self.forward(server, &request, outline, Vec::new(), stop).await;
                }
                _ => return refuse(server, &refusal::invalid_request(words(&error))),
            },
        };
        let mut observers = Vec::new();
        for hook in &self.hooks {
            match hook.inspect(server.name(), &request, &asked) {
                Ok(observer) => observers.extend(observer),
                Err(error) => return refuse(server, &error),
            }
        }
        if self.is_unchanged(server, &asked) {
            // A body with two models must not be forwarded: only one of them would be replaced or permitted.
            let outline = match server.outline(&request.path, &request.body) {
                Ok(outline) => outline,
                Err(error) => return refuse(server, &refusal::invalid_request(words(&error))),
            };
            return self.forward(server, &request, outline, observers, stop).await;
        }
        if let Some(error) = server.refuse_version(&request.headers, &request.body) {
            return refuse(server, &error);
        }
        if let Some(recorder) = &self.recorder {
            let model = self.upstream.name.as_deref().unwrap_or(&asked.request.model);
            recorder.begin(&self.upstream.label, self.upstream.prices(model));
            observers.push(Box::new(UsageObserver(recorder.clone())));
        }
        Box::pin(self.translate(server, request, asked, Exchange { observers, stop, session })).await
    }

    /// Reads the stored conversation of a request to an upstream of another format.
    pub(crate) async fn start_session<'a>(
        &self,
        store: Option<&Arc<dyn StateStore>>,
        server: &dyn Server,
        request: &'a ClientRequest,
    ) -> Result<(Cow<'a, ClientRequest>, Option<Session>), ProviderError> {
        let is_stateful = server.stores_responses() && self.upstream.wire.name() != server.name();
        let started = match store.filter(|_| is_stateful) {
            Some(store) => Box::pin(Session::start(store.clone(), request)).await?,
            None => None,
        };
        Ok(match started {
            Some((expanded, session)) => (Cow::Owned(expanded), Some(session)),
            None => (Cow::Borrowed(request), None),
        })
    }

    pub(crate) fn not_served(&self, request: &ClientRequest) -> GatewayResponse {
        api::not_served("POST", request, self.servers.iter().map(AsRef::as_ref))
    }
}

/// Formats an error with its cause, which contains the position in the JSON.
fn words(error: &RequestError) -> String {
    match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let formats: Vec<&str> = self.servers.iter().map(|server| server.name()).collect();
        f.debug_struct("Gateway")
            .field("formats", &formats)
            .field("upstream", &self.upstream.wire.name())
            .finish_non_exhaustive()
    }
}
