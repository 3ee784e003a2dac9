//! The client: a request out, an answer in, and trying again where that may help.

use std::fmt;
use std::sync::Arc;

use secrecy::SecretString;
use tokio::time::Instant;
use windlass_model::{ChunkStream, Model, ModelError, ModelErrorKind, ModelFuture};
use windlass_protocol::{Delivery, Refusal, Request};
use windlass_schema::Loss;
use windlass_wire::{HttpRequest, Wire};

use crate::answer;
use crate::begin::begun;
use crate::event::{AnswerInfo, ClientEvent, Observer};
use crate::facts::{Fact, Facts};
use crate::failure::Failures;
use crate::limits::Paces;
use crate::memories::Memories;
use crate::retry::{self, Attempt, Tries};
use crate::schemas::{Restorations, Schemas, Shown};
use crate::sending::Turn;
use crate::speech::Speech;
use crate::transport::{Header, Incoming, Outgoing, Transport};
use crate::{ClientBuilder, ClientError, Endpoint, Options, RateLimits, Vendor};

/// A provider over HTTP.
///
/// A request that is refused for now, or does not reach the provider, is sent again with growing waits; one that
/// is wrong is not. Nothing is sent again once content was handed out. Dropping the stream closes the
/// connection.
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

/// What a client is made of.
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
}

impl Client {
    /// A client for one endpoint. It reads no environment: proxies and keys come in here.
    ///
    /// # Errors
    /// If the address is not one, or the wire format is not the endpoint's.
    pub fn new(
        endpoint: Endpoint,
        key: Option<SecretString>,
        wire: Arc<dyn Wire>,
        options: Options,
    ) -> Result<Self, ClientError> {
        Self::builder(endpoint, wire).key(key).options(options).build()
    }

    /// Begins a client with more than the defaults: proxy, own authorities, own transport, an observer.
    pub fn builder(endpoint: Endpoint, wire: Arc<dyn Wire>) -> ClientBuilder {
        ClientBuilder::new(endpoint, Speech::Wire(wire))
    }

    /// Begins a client for a vendor of the table: the wire format and its quirks follow from the vendor and from each
    /// request's model.
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

    /// The endpoint that is spoken to.
    pub fn endpoint(&self) -> &Endpoint {
        &self.parts.failures.endpoint
    }

    pub(crate) fn of(parts: Parts) -> Self {
        Self { parts }
    }

    /// What the provider said, with its last answer for a model, of how much is left.
    pub fn rate_limits(&self, model: &str) -> Option<RateLimits> {
        self.parts.paces.of(model)
    }

    async fn answer(&self, request: &Request) -> Result<ChunkStream, ModelError> {
        let wire = self.wire(&request.model)?;
        let deadline = retry::after(Instant::now(), self.parts.options.total_timeout);
        let turn = Turn { wire: wire.as_ref(), model: &request.model, delivery: request.delivery, deadline };
        let mut tries = Tries::new(&self.parts.options);
        loop {
            let (response, restorations) = self.sent(turn, request, &mut tries).await?;
            let (status, request_id) = (response.status, self.parts.failures.request_id(&response.headers));
            self.tell_answer(request, &response, tries.attempts);
            let reading = self.reading(wire.clone(), request_id.clone(), deadline);
            let chunks = if request.delivery == Delivery::Whole || is_json(&response) {
                reading.whole(response).await
            } else {
                begun(reading.stream(response), |kind, text| self.parts.failures.of(kind, text)).await
            };
            let error = match chunks {
                Ok(chunks) => return Ok(restorations.restored(chunks)),
                Err(error) => error.with_request_id(request_id),
            };
            let failed = Attempt { status: Some(status), ..error.into() };
            self.pause(failed, &mut tries, deadline).await.map_err(|failed| failed.error)?;
        }
    }

    /// The request with its tools' schemas as the vendor takes them.
    fn shown<'a>(&self, request: &'a Request) -> Shown<'a> {
        let told = |tool: &str, losses: &[Loss]| {
            self.tell(|| ClientEvent::SchemaLoss { tool: tool.to_owned(), losses: losses.to_vec() });
        };
        self.parts.schemas.shown(request, self.parts.speech.dialect(&request.model), &told)
    }

    fn tell_answer(&self, request: &Request, response: &Incoming, attempts: usize) {
        self.tell(|| {
            ClientEvent::Answer(AnswerInfo {
                provider: self.parts.failures.endpoint.name.clone(),
                model: request.model.clone(),
                status: response.status,
                request_id: self.parts.failures.request_id(&response.headers),
                attempts,
                rate_limits: self.rate_limits(&request.model),
            })
        });
    }

    /// Says the request and sends it; again without a parameter that is refused by name, once for each (RULES L9).
    async fn sent(
        &self,
        turn: Turn<'_>,
        request: &Request,
        tries: &mut Tries,
    ) -> Result<(Incoming, Restorations), ModelError> {
        let Parts { speech, failures, facts, memories, .. } = &self.parts;
        let provider = self.provider();
        let mut refused = facts.of(&provider, &request.model);
        let known = refused.len();
        loop {
            let said = speech.said(request, &refused);
            let shown = self.shown(&said);
            let http = memories
                .with(&shown.request.messages, |memory| {
                    speech.encode(turn.wire, &shown.request, &refused, memory)
                })
                .map_err(|error| failures.of(ModelErrorKind::Refused, &error.to_string()))?;
            let failed = match self.send_until(turn, &self.outgoing(http), tries).await {
                Ok(response) => {
                    // Only what helped is remembered.
                    for fact in refused.split_off(known) {
                        facts.learn(&provider, &request.model, fact);
                    }
                    return Ok((response, shown.restorations));
                }
                Err(failed) => failed,
            };
            match failed.lesson {
                Some(fact) if fact.remedy.is_none() => {
                    let error = without(failed.error, &fact);
                    facts.learn(&provider, &request.model, fact);
                    return Err(error);
                }
                Some(fact) if refused.iter().all(|held| held.parameter != fact.parameter) => {
                    self.tell(|| ClientEvent::Learned(fact.clone()));
                    refused.push(fact);
                }
                _ => return Err(failed.error),
            }
        }
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

    /// The request with its address and its headers.
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
        let said = self.parts.speech.said(request, &refused);
        wire.check(&self.shown(&said).request)
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("endpoint", &self.parts.failures.endpoint.name).finish_non_exhaustive()
    }
}

/// The failure of a request for which an ability is missing, with what it means.
fn without(mut error: ModelError, fact: &Fact) -> ModelError {
    let (kind, advice) = match fact.parameter.as_str() {
        "tools" => (
            ModelErrorKind::Unsupported,
            "the model has no tool calls of its own: let it write calls as text, or take another",
        ),
        "images" => (error.kind, "the model sees no images: take another"),
        _ => (
            ModelErrorKind::Unsupported,
            "the model does not hold its answers to such a form: ask for the form in words, or take another",
        ),
    };
    error.kind = kind;
    error.message = format!("{} ({advice}; this is remembered)", error.message);
    error
}

/// Whether a server gave a whole body where a stream was asked for.
fn is_json(response: &Incoming) -> bool {
    let text = response.header("content-type").unwrap_or_default();
    text.trim_start().to_ascii_lowercase().starts_with("application/json")
}
