//! The HTTP client: sends requests, retries where that may help, and returns answers.

use std::fmt;
use std::sync::Arc;

use secrecy::SecretString;
use tokio::time::Instant;
use windlass_protocol::{Refusal, Request};
use windlass_schema::{Dialect, Loss};
use windlass_stream::{ChunkStream, FreeText, Model, ModelError, ModelErrorKind, ModelFuture};
use windlass_vendors::{Endpoint, Header, ParameterRejection, RequestEncoder, Vendor};
use windlass_wire::{HttpRequest, Wire};

use crate::capability_store::CapabilityStore;
use crate::event::{ClientEvent, Observer};
use crate::failure::Failures;
use crate::limits::Paces;
use crate::memories::Memories;
use crate::response::ResponseDecoder;
use crate::retry::{self, Tries};
use crate::schemas::{CompiledRequest, Schemas};
use crate::sending::AttemptContext;
use crate::transport::{Transport, TransportRequest};
use crate::{ClientBuilder, ClientError, Options, RateLimits};

/// HTTP client of one provider, and its [`Model`].
///
/// It retries a request that was refused temporarily or did not reach the provider, with growing waits; it
/// does not retry an invalid request, and nothing once content was handed out. Dropping the stream closes the
/// connection. Clones share rate limits, caches and store.
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
    pub(crate) inner: ClientInner,
}

/// State of a client, shared by its clones.
#[derive(Clone)]
pub(crate) struct ClientInner {
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) encoder: RequestEncoder,
    pub(crate) failures: Failures,
    pub(crate) options: Options,
    pub(crate) observer: Option<Observer>,
    pub(crate) store: Arc<CapabilityStore>,
    pub(crate) paces: Arc<Paces>,
    pub(crate) schemas: Arc<Schemas>,
    pub(crate) memories: Arc<Memories>,
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
        let encoder = RequestEncoder::for_wire(&endpoint, wire);
        ClientBuilder::new(endpoint, Some(encoder))
    }

    /// Returns a builder for a vendor. The wire format and the quirks follow from the vendor and the model of
    /// each request.
    ///
    /// ```
    /// use windlass_client::{Client, Vendors};
    /// let vendors = Vendors::builtin();
    /// let groq = vendors.get("groq").ok_or("not found")?;
    /// let client = Client::vendor(groq.clone()).key(Some("a key".into())).build()?;
    /// # let _ = client;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn vendor(vendor: Vendor) -> ClientBuilder {
        ClientBuilder::new(vendor.endpoint.clone(), RequestEncoder::for_vendor(vendor))
    }

    /// Returns the endpoint of the client.
    pub fn endpoint(&self) -> &Endpoint {
        &self.inner.failures.endpoint
    }

    /// Returns the wire format of the client.
    pub fn wire(&self) -> &Arc<dyn Wire> {
        self.inner.encoder.wire()
    }

    pub(crate) fn from_inner(inner: ClientInner) -> Self {
        Self { inner }
    }

    /// Returns the rate limits that the provider sent with its last answer for a model.
    pub fn rate_limits(&self, model: &str) -> Option<RateLimits> {
        self.inner.paces.for_model(model)
    }

    /// Encodes and sends a request until an answer starts. Repeats it without a parameter that a refusal
    /// names, once for each parameter (RULES L9).
    async fn send_adapting(&self, request: &Request) -> Result<ChunkStream, ModelError> {
        let ClientInner { encoder, failures, store, memories, options, .. } = &self.inner;
        let deadline = retry::add_wait(Instant::now(), options.total_timeout);
        let context = AttemptContext {
            wire: encoder.wire(),
            model: &request.model,
            delivery: request.delivery,
            deadline,
        };
        let mut tries = Tries::new(options);
        let provider = self.provider();
        let mut refused = store.rejections(&provider, &request.model);
        let known = refused.len();
        let mut attempted: Vec<String> = Vec::new();
        loop {
            let prepared = encoder.prepare(request, &refused);
            let compiled = self.compile_schemas(&prepared);
            let free_text = FreeText::diff(&request.tools, &prepared.tools);
            let http = memories
                .with_memory(&compiled.request.messages, |memory| {
                    encoder.encode(&compiled.request, &refused, memory)
                })
                .map_err(|error| failures.model_error(ModelErrorKind::Refused, &error.to_string()))?;
            let http = self.add_address(http);
            let failed = match self.send_until_first_chunk(context, &http, &mut tries).await {
                Ok(chunks) => {
                    store.settle(&provider, &request.model, &http.body);
                    // Store only the rejections of the request that succeeded.
                    for rejection in refused.split_off(known) {
                        store.learn(&provider, &request.model, rejection);
                    }
                    return Ok(compiled.restorations.restore(chunks, free_text));
                }
                Err(failed) => failed,
            };
            match failed.rejection {
                Some(rejection) if rejection.remedy.is_none() => {
                    let error = explain_missing_ability(failed.error, &rejection);
                    store.suppose(&provider, &request.model, rejection);
                    return Err(error);
                }
                Some(rejection)
                    if refused.iter().all(|held| held.parameter != rejection.parameter)
                        && !attempted.contains(&rejection.parameter) =>
                {
                    self.notify(|| ClientEvent::Learned(rejection.clone()));
                    // A repeated message shows that the last remedy did not help, so undo it.
                    if refused.len() > known
                        && refused.last().is_some_and(|last| last.message == rejection.message)
                    {
                        refused.pop();
                    }
                    attempted.push(rejection.parameter.clone());
                    refused.push(rejection);
                }
                _ => return Err(failed.error),
            }
        }
    }

    /// Returns the request with its schemas compiled to the vendor's dialect.
    fn compile_schemas<'a>(&self, request: &'a Request) -> CompiledRequest<'a> {
        let report = |tool: &str, losses: &[Loss]| {
            self.notify(|| ClientEvent::SchemaLoss { tool: tool.to_owned(), losses: losses.to_vec() });
        };
        let dialect = Dialect::from_name(self.inner.encoder.schema_dialect(&request.model));
        self.inner.schemas.compile_request(request, dialect.unwrap_or(Dialect::OpenAi), &report)
    }

    /// Returns the decoder of a response.
    pub(crate) fn response_decoder(
        &self,
        wire: Arc<dyn Wire>,
        request_id: Option<String>,
        deadline: Instant,
    ) -> ResponseDecoder {
        let ClientInner { failures, options, .. } = &self.inner;
        ResponseDecoder { wire, failures: failures.clone(), options: *options, request_id, deadline }
    }

    /// Returns the request with its URL and headers.
    fn add_address(&self, http: HttpRequest) -> TransportRequest {
        let Failures { endpoint, key } = &self.inner.failures;
        let request = TransportRequest::post(endpoint.url(&http.path), http.body);
        let own = http.headers.iter().map(|(name, value)| Header::new(name, value));
        own.chain(endpoint.all_headers(key.expose())).fold(request, TransportRequest::with_header)
    }

    pub(crate) fn notify(&self, event: impl FnOnce() -> ClientEvent) {
        if let Some(observer) = &self.inner.observer {
            observer(&event());
        }
    }
}

impl Model for Client {
    fn stream<'a>(&'a self, request: &'a Request) -> ModelFuture<'a> {
        Box::pin(self.send_adapting(request))
    }

    fn check(&self, request: &Request) -> Vec<Refusal> {
        let refused = self.inner.store.rejections(&self.provider(), &request.model);
        let prepared = self.inner.encoder.prepare(request, &refused);
        self.inner.encoder.wire().check(&self.compile_schemas(&prepared).request)
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("endpoint", &self.inner.failures.endpoint.name).finish_non_exhaustive()
    }
}

/// Returns the error of a request that needs a missing ability, with advice.
fn explain_missing_ability(mut error: ModelError, rejection: &ParameterRejection) -> ModelError {
    let (kind, advice) = match rejection.parameter.as_str() {
        "tools" => (
            ModelErrorKind::Unsupported,
            "the model does not support tool calls: use text calls, or choose another model",
        ),
        "images" => (ModelErrorKind::Image, "the model does not support images: choose another model"),
        _ => (
            ModelErrorKind::Unsupported,
            "the model does not support structured output: describe the format in the prompt, or choose \
             another",
        ),
    };
    error.kind = kind;
    error.message = format!("{} ({advice}; later requests take this into account)", error.message);
    error
}
