//! The HTTP client: sends requests, retries where that may help, and returns answers.

use std::fmt;
use std::sync::Arc;

use secrecy::SecretString;
use tokio::time::Instant;
use windlass_protocol::{Refusal, Request};
use windlass_schema::Loss;
use windlass_stream::{ChunkStream, FreeText, Model, ModelError, ModelErrorKind, ModelFuture};
use windlass_wire::{HttpRequest, Wire};

use crate::answer;
use crate::event::{ClientEvent, Observer};
use crate::facts::{Fact, Facts};
use crate::failure::Failures;
use crate::limits::Paces;
use crate::memories::Memories;
use crate::retry::{self, Tries};
use crate::rewrites::Rewrites;
use crate::schemas::{Schemas, Shown};
use crate::sending::Turn;
use crate::speech::Speech;
use crate::transport::{Header, Outgoing, Transport};
use crate::{ClientBuilder, ClientError, Endpoint, Options, RateLimits, Vendor};

/// HTTP client of one provider, and its [`Model`].
///
/// It retries a request that was refused temporarily or did not reach the provider, with growing waits; it
/// does not retry an invalid request, and nothing once content was handed out. Dropping the stream closes the
/// connection. Clones share rate limits, caches and facts.
///
/// ```
/// use std::sync::Arc;
/// use windlass_client::{Client, Endpoint, HttpOptions, Options};
/// use windlass_wire_openai_chat::OpenAiChat;
///
/// let endpoint = Endpoint::custom("http://localhost:8080/v1", "openai-chat");
/// let client = Client::new(endpoint.clone(), None, Arc::new(OpenAiChat::default()), Options::default())?;
/// let through_a_proxy = Client::builder(endpoint, Arc::new(OpenAiChat::default()))
///     .http(HttpOptions::default().with_proxy("http://proxy.example:3128"))
///     .build()?;
/// # let _ = (client, through_a_proxy);
/// # Ok::<(), windlass_client::ClientError>(())
/// ```
#[derive(Clone)]
pub struct Client {
    pub(crate) parts: Parts,
}

/// State of a client, shared by its clones.
#[derive(Clone)]
pub(crate) struct Parts {
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) speech: Speech,
    pub(crate) failures: Failures,
    pub(crate) options: Options,
    pub(crate) observer: Option<Observer>,
    pub(crate) facts: Arc<Facts>,
    pub(crate) paces: Arc<Paces>,
    pub(crate) schemas: Arc<Schemas>,
    pub(crate) memories: Arc<Memories>,
    pub(crate) rewrites: Arc<Rewrites>,
}

impl Client {
    /// Creates a client for one endpoint. It reads no environment variables; keys and proxies are arguments.
    /// If the endpoint has the name of a built-in vendor, as from [`Endpoint::find`], that vendor's quirks
    /// apply.
    ///
    /// # Errors
    /// If the address is invalid, or the wire format differs from the endpoint's.
    pub fn new(
        endpoint: Endpoint,
        key: Option<SecretString>,
        wire: Arc<dyn Wire>,
        options: Options,
    ) -> Result<Self, ClientError> {
        Self::builder(endpoint, wire).key(key).options(options).build()
    }

    /// Returns a builder, for a proxy, certificate authorities, another transport or a callback.
    pub fn builder(endpoint: Endpoint, wire: Arc<dyn Wire>) -> ClientBuilder {
        let speech = Speech::of_wire(&endpoint, wire);
        ClientBuilder::new(endpoint, speech)
    }

    /// Returns a builder for a vendor. The wire format and the quirks follow from the vendor and the model of
    /// each request.
    ///
    /// ```
    /// use windlass_client::{Client, Vendors};
    /// let vendors = Vendors::builtin();
    /// let groq = vendors.get("groq").ok_or("not there")?;
    /// let client = Client::vendor(groq.clone()).key(Some("a key".into())).build()?;
    /// # let _ = client;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn vendor(vendor: Vendor) -> ClientBuilder {
        ClientBuilder::new(vendor.endpoint.clone(), Speech::Vendor(Arc::new(vendor)))
    }

    /// Returns the endpoint of the client.
    pub fn endpoint(&self) -> &Endpoint {
        &self.parts.failures.endpoint
    }

    pub(crate) fn of(parts: Parts) -> Self {
        Self { parts }
    }

    /// Returns the rate limits that the provider sent with its last answer for a model.
    pub fn rate_limits(&self, model: &str) -> Option<RateLimits> {
        self.parts.paces.of(model)
    }

    /// Encodes and sends a request until an answer starts. Repeats it without a parameter that a refusal
    /// names, once for each parameter (RULES L9).
    async fn answer(&self, request: &Request) -> Result<ChunkStream, ModelError> {
        let Parts { speech, failures, facts, memories, rewrites, options, .. } = &self.parts;
        let wire = self.wire(&request.model)?;
        let deadline = retry::after(Instant::now(), options.total_timeout);
        let turn = Turn { wire: &wire, model: &request.model, delivery: request.delivery, deadline };
        let mut tries = Tries::new(options);
        let provider = self.provider();
        let mut refused = facts.of(&provider, &request.model);
        let known = refused.len();
        let mut attempted: Vec<String> = Vec::new();
        loop {
            let said = speech.said(wire.as_ref(), request, &refused, rewrites);
            let shown = self.shown(&said);
            let free_text = FreeText::diff(&request.tools, &said.tools);
            let http = memories
                .with(&shown.request.messages, |memory| {
                    speech.encode(turn.wire.as_ref(), &shown.request, &refused, memory)
                })
                .map_err(|error| failures.of(ModelErrorKind::Refused, &error.to_string()))?;
            let outgoing = self.outgoing(http);
            let failed = match self.begin_until(turn, &outgoing, &mut tries).await {
                Ok(chunks) => {
                    facts.settle(&provider, &request.model, &outgoing.body);
                    // Store only the facts of the request that succeeded.
                    for fact in refused.split_off(known) {
                        facts.learn(&provider, &request.model, fact);
                    }
                    return Ok(shown.restorations.restored(chunks, free_text));
                }
                Err(failed) => failed,
            };
            match failed.lesson {
                Some(fact) if fact.remedy.is_none() => {
                    let error = without(failed.error, &fact);
                    facts.suppose(&provider, &request.model, fact);
                    return Err(error);
                }
                Some(fact)
                    if refused.iter().all(|held| held.parameter != fact.parameter)
                        && !attempted.contains(&fact.parameter) =>
                {
                    self.tell(|| ClientEvent::Learned(fact.clone()));
                    // A repeated message shows that the last remedy did not help, so undo it.
                    if refused.len() > known
                        && refused.last().is_some_and(|last| last.message == fact.message)
                    {
                        refused.pop();
                    }
                    attempted.push(fact.parameter.clone());
                    refused.push(fact);
                }
                _ => return Err(failed.error),
            }
        }
    }

    /// Returns the request with its schemas compiled to the vendor's dialect.
    fn shown<'a>(&self, request: &'a Request) -> Shown<'a> {
        let told = |tool: &str, losses: &[Loss]| {
            self.tell(|| ClientEvent::SchemaLoss { tool: tool.to_owned(), losses: losses.to_vec() });
        };
        self.parts.schemas.shown(request, self.parts.speech.dialect(&request.model), &told)
    }

    pub(crate) fn wire(&self, model: &str) -> Result<Arc<dyn Wire>, ModelError> {
        let Parts { speech, failures, .. } = &self.parts;
        speech
            .wire(model)
            .ok_or_else(|| failures.of(ModelErrorKind::Configuration, "the wire format is not known"))
    }

    pub(crate) fn reading(
        &self,
        wire: Arc<dyn Wire>,
        request_id: Option<String>,
        deadline: Instant,
    ) -> answer::Reading {
        let Parts { failures, options, .. } = &self.parts;
        answer::Reading { wire, failures: failures.clone(), options: *options, request_id, deadline }
    }

    /// Returns the request with its URL and headers.
    fn outgoing(&self, http: HttpRequest) -> Outgoing {
        let Failures { endpoint, key } = &self.parts.failures;
        let request = Outgoing::post(endpoint.url(&http.path), http.body);
        let own = http.headers.iter().map(|(name, value)| Header::new(name, value));
        own.chain(endpoint.all_headers(key.expose())).fold(request, Outgoing::with_header)
    }

    pub(crate) fn tell(&self, event: impl FnOnce() -> ClientEvent) {
        if let Some(observer) = &self.parts.observer {
            observer(&event());
        }
    }
}

impl Model for Client {
    fn stream<'a>(&'a self, request: &'a Request) -> ModelFuture<'a> {
        Box::pin(self.answer(request))
    }

    fn check(&self, request: &Request) -> Vec<Refusal> {
        let Ok(wire) = self.wire(&request.model) else { return Vec::new() };
        let refused = self.parts.facts.of(&self.provider(), &request.model);
        let said = self.parts.speech.said(wire.as_ref(), request, &refused, &self.parts.rewrites);
        wire.check(&self.shown(&said).request)
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("endpoint", &self.parts.failures.endpoint.name).finish_non_exhaustive()
    }
}

/// Returns the error of a request that needs a missing ability, with advice.
fn without(mut error: ModelError, fact: &Fact) -> ModelError {
    let (kind, advice) = match fact.parameter.as_str() {
        "tools" => (
            ModelErrorKind::Unsupported,
            "the model has no tool calls of its own: let it write calls as text, or take another",
        ),
        "images" => (ModelErrorKind::Image, "the model sees no images: take another"),
        _ => (
            ModelErrorKind::Unsupported,
            "the model does not hold its answers to such a form: ask for the form in words, or take another",
        ),
    };
    error.kind = kind;
    error.message = format!("{} ({advice}; this is remembered where that helps)", error.message);
    error
}
