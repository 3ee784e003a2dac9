//! The gateway, from a request to a response.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use windlass_client::Client;
use windlass_protocol::{Part, Payload, Prices, ToolSpec};
use windlass_stream::Model;
use windlass_wire::{
    DecodedRequest, Framing, HeaderDirection, Outline, ProviderError, RequestError, ResponseHead, Server,
    Wire,
};

use crate::answer::GatewayResponse;
use crate::hook::{Hook, Observer};
use crate::passthrough::{ForwardBody, relay_request, tee};
use crate::recorder::{Recorder, UsageObserver};
use crate::refusal;
use crate::relay::{Relay, RelayBody};
use crate::response::{new_id, now, refuse, refuse_while_stopping, split_content_type};
use crate::state::{Session, StateStore};
use crate::stop::Stop;
use crate::translate::Exchange;
use crate::usage_reader::CountedBody;
use crate::{ClientRequest, LossPolicy, headers};

/// The default silence after which a stream carries a keep-alive.
const KEEP_ALIVE: Duration = Duration::from_secs(5);

/// The model behind the gateway.
#[derive(Clone)]
#[non_exhaustive]
pub struct Upstream {
    /// The model.
    pub model: Arc<dyn Model>,
    /// The wire format that it uses.
    pub wire: Arc<dyn Wire>,
    /// The exchange below the level of chunks. Without it, every exchange is translated.
    pub relay: Option<Arc<dyn Relay>>,
    /// The model name to send; the name from the client's request if `None`.
    pub name: Option<String>,
    /// The name of the upstream in measurements. Default: the name of the client's endpoint, or of the wire format.
    pub label: String,
}

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
}

impl Upstream {
    /// Creates an upstream for a model that uses this wire format. The gateway translates every exchange.
    pub fn new(model: Arc<dyn Model>, wire: Arc<dyn Wire>) -> Self {
        let label = wire.name().to_owned();
        Self { model, wire, relay: None, name: None, label }
    }

    /// Creates an upstream for a provider. Exchanges of clients that use the provider's own format are
    /// forwarded byte for byte.
    pub fn from_client(client: Client) -> Self {
        let (wire, label) = (client.wire().clone(), client.endpoint().name.clone());
        let client = Arc::new(client);
        Self { relay: Some(client.clone()), label, ..Self::new(client, wire) }
    }

    /// Sets the exchange below the level of chunks.
    pub fn with_relay(mut self, relay: Arc<dyn Relay>) -> Self {
        self.relay = Some(relay);
        self
    }

    /// Sets the name of the upstream in measurements.
    pub fn with_label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Returns the prices of a model, if they are known.
    pub(crate) fn prices(&self, model: &str) -> Option<Prices> {
        self.model.facts(model).and_then(|facts| facts.prices)
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
        Self {
            upstream,
            servers: Vec::new(),
            hooks: Vec::new(),
            keep_alive: KEEP_ALIVE,
            state: None,
            recorder: None,
            losses: LossPolicy::default(),
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

    /// Sets the policy about parts of a request that the upstream's format cannot express. Default: lenient.
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
    /// A translated request is sent once; the client's header `x-windlass-attempts` permits up to ten
    /// attempts.
    ///
    /// Cancel-safe: dropping the future, or the body of the response, cancels the request to the model.
    pub async fn answer(&self, request: &ClientRequest) -> GatewayResponse {
        self.answer_until(request, Stop::default()).await
    }

    /// Like [`Gateway::answer`], but ends the response with an error when the server must stop.
    pub(crate) async fn answer_until(&self, request: &ClientRequest, stop: Stop) -> GatewayResponse {
        let Some(server) = self.servers.iter().find(|server| server.serves(&request.path)) else {
            return self.not_served(&request.path);
        };
        let server = server.as_ref();
        if let Some(outline) = self.outline_to_forward(server, request) {
            return self.forward(server, request, outline, Vec::new(), stop).await;
        }
        let (request, session) = match self.start_session(server, request).await {
            Ok(started) => started,
            Err(error) => return refuse(server, &error),
        };
        let request = request.as_ref();
        let asked = match server.decode_request(&request.path, &request.body) {
            Ok(asked) => asked,
            Err(error) => match self.outline(server, request) {
                // The provider knows parts of its format that the gateway does not.
                Some(outline) if self.hooks.is_empty() => {
                    return self.forward(server, request, outline, Vec::new(), stop).await;
                }
                _ => return refuse(server, &refusal::invalid_request(words(&error))),
            },
        };
        let mut observers = Vec::new();
        for hook in &self.hooks {
            match hook.inspect(server.name(), request, &asked) {
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
            return self.forward(server, request, outline, observers, stop).await;
        }
        if let Some(recorder) = &self.recorder {
            let model = self.upstream.name.as_deref().unwrap_or(&asked.request.model);
            recorder.begin(&self.upstream.label, self.upstream.prices(model));
            observers.push(Box::new(UsageObserver(recorder.clone())));
        }
        self.translate(server, request, asked, Exchange { observers, stop, session }).await
    }

    /// Reads the stored conversation of a request to an upstream of another format.
    async fn start_session<'a>(
        &self,
        server: &dyn Server,
        request: &'a ClientRequest,
    ) -> Result<(Cow<'a, ClientRequest>, Option<Session>), ProviderError> {
        let is_stateful = server.stores_responses() && self.upstream.wire.name() != server.name();
        let store = self.state.as_ref().filter(|_| is_stateful);
        let started = match store {
            Some(store) => Session::start(store.clone(), request).await?,
            None => None,
        };
        Ok(match started {
            Some((expanded, session)) => (Cow::Owned(expanded), Some(session)),
            None => (Cow::Borrowed(request), None),
        })
    }

    /// Returns the outline of a request that can be forwarded without decoding it.
    fn outline_to_forward(&self, server: &dyn Server, request: &ClientRequest) -> Option<Outline> {
        let relay = self.upstream.relay.as_ref()?;
        let outline = self.outline(server, request)?;
        let model = self.upstream.name.as_deref().unwrap_or(&outline.model);
        let takes_all = !self.upstream.wire.takes_free_text() || relay.takes_free_text(model) != Some(false);
        (takes_all && self.hooks.is_empty()).then_some(outline)
    }

    /// Returns the outline of a request in the upstream's own format.
    fn outline(&self, server: &dyn Server, request: &ClientRequest) -> Option<Outline> {
        let is_own = self.upstream.relay.is_some() && server.name() == self.upstream.wire.name();
        is_own.then(|| server.outline(&request.path, &request.body).ok())?
    }

    /// Returns whether a decoded request can be forwarded as it is.
    fn is_unchanged(&self, server: &dyn Server, asked: &DecodedRequest) -> bool {
        let Some(relay) = &self.upstream.relay else { return false };
        let model = self.upstream.name.as_deref().unwrap_or(&asked.request.model);
        let has_free_text = has_free_text(&asked.request);
        // The chunks of an array cannot be shown to observers while it arrives.
        let is_visible = self.hooks.is_empty() || asked.framing != Framing::Array;
        server.name() == self.upstream.wire.name()
            && is_visible
            && (!has_free_text || relay.takes_free_text(model) != Some(false))
    }

    async fn forward(
        &self,
        server: &dyn Server,
        request: &ClientRequest,
        outline: Outline,
        observers: Vec<Box<dyn Observer>>,
        mut stop: Stop,
    ) -> GatewayResponse {
        let Upstream { wire, relay: Some(relay), name, .. } = &self.upstream else {
            return refuse(server, &refusal::invalid_request("the upstream has no relay"));
        };
        let sent = match relay_request(request, server, wire.as_ref(), &outline, name.as_deref()) {
            Ok(sent) => sent,
            Err(error) => return refuse(server, &refusal::invalid_request(error.to_string())),
        };
        if let Some(recorder) = &self.recorder {
            let model = name.as_deref().unwrap_or(&outline.model);
            recorder.begin(&self.upstream.label, self.upstream.prices(model));
        }
        let response = tokio::select! {
            biased;
            response = relay.forward(sent) => response,
            () = stop.wait() => return refuse_while_stopping(server),
        };
        let response = match response {
            Ok(response) => response,
            Err(error) => return refuse(server, &refusal::from_model_error(&error)),
        };
        let framing = if response.status == 200 { outline.framing } else { Framing::Whole };
        let tee = if response.status == 200 { tee(observers, wire, framing) } else { None };
        let bare = windlass_protocol::Request::new(outline.model.as_str(), Vec::new());
        let head = ResponseHead::new(new_id(), outline.model, now());
        let encoder = server.encoder(&DecodedRequest::new(bare, framing), head);
        let headers = headers::select_headers(HeaderDirection::Down, server, &response.headers);
        let (content_type, headers) = split_content_type(headers, encoder.content_type());
        let (waiting, is_over) = (std::collections::VecDeque::new(), false);
        let body = self.count_usage(response.body, response.status, framing);
        let body = ForwardBody { body, tee, encoder, framing, stop, waiting, is_over }.body();
        GatewayResponse { status: response.status, content_type, headers, body }
    }

    /// Reads the usage beside a body, for the recorder.
    fn count_usage(&self, body: RelayBody, status: u16, framing: Framing) -> RelayBody {
        match &self.recorder {
            Some(recorder) if status == 200 => {
                Box::pin(CountedBody::new(body, self.upstream.wire.clone(), framing, recorder.clone()))
            }
            _ => body,
        }
    }

    fn not_served(&self, path: &str) -> GatewayResponse {
        let formats: Vec<&str> = self.servers.iter().map(|server| server.name()).collect();
        let what = format!("{path} is not a served path; the formats here are {}", formats.join(", "));
        let error = serde_json::json!({"error": {"message": what, "type": "not_found_error", "code": null}});
        GatewayResponse::whole(404, error.to_string().into_bytes())
    }
}

/// Returns whether a request has a free-text tool or a call of one.
fn has_free_text(request: &windlass_protocol::Request) -> bool {
    let mut parts = request.messages.iter().flat_map(|message| &message.parts);
    request.tools.iter().any(|tool| matches!(tool, ToolSpec::Freeform { .. }))
        || parts
            .any(|part| matches!(part, Part::Call(call) if !matches!(call.payload, Payload::Function { .. })))
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

impl fmt::Debug for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upstream")
            .field("wire", &self.wire.name())
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
