//! The endpoints of a gateway's server: routes by model, lists of models, token counts, health and metrics.

mod accounts;
mod amounts;
mod attempt;
mod attempts;
mod budget;
mod cache;
mod cache_plan;
mod calendar;
mod catalog;
mod chain;
mod conversation;
mod cool_downs;
mod count;
mod endpoints;
mod first_event;
mod front_records;
mod generate;
mod handle;
mod kept;
mod keys;
mod limits;
mod log;
mod measured;
mod metrics;
mod page_rules;
mod pages;
mod places;
mod refusals;
mod stored;
mod tracer;
mod window;

pub use crate::recorder::Repeat;
pub use accounts::ClientUsage;
pub use attempt::{Attempt, AttemptSpan};
pub use cache::{CacheOptions, CacheResult};
pub use catalog::CatalogModel;
pub use chain::{Affinity, GatewayChain};
pub use cool_downs::FallbackReason;
pub use handle::FrontHandle;
pub use keys::{ClientKey, ClientKeys, KeyError};
pub use limits::ClientLimits;
pub use log::{RequestLine, RequestLog, SampledLog};
pub use tracer::{RequestSpan, RequestTracer};

use std::fmt;
use std::sync::Arc;

use windlass_wire::{ProviderError, Server};

use crate::gateway::RequestKind;
use crate::response::{json, refuse};
use crate::state::StateStore;
use crate::stop::Stop;
use crate::{ClientRequest, Gateway, GatewayResponse};
use cache::AnswerCache;
use front_records::FrontRecords;
use page_rules::PageRules;
use refusals::{is_probe, missing_key};
use tracer::Tracer;

/// A server's endpoints around one or more gateways. Cloning it is cheap, and the clones share their measurements.
///
/// | request | answer |
/// |---|---|
/// | `POST` to a path of a format | the gateway of the model's route |
/// | `POST /v1/responses/compact` | a compaction of an upstream of that API |
/// | `POST /v1/embeddings`, `/v1beta/models/ID:embedContent`, `:batchEmbedContents` | embeddings of an upstream of that API |
/// | `GET /v1/models`, `/v1/models/ID`, `/v1beta/models`, `/v1beta/models/ID` | the catalogue, in the client's format |
/// | `POST /v1/messages/count_tokens`, `/v1beta/models/ID:countTokens`, `/v1/responses/input_tokens` | a count of tokens |
/// | `GET /health`, `/ready` | the state, without a key |
/// | `GET`, `DELETE /v1/responses/ID`, `/v1/conversations` and the paths below them | stored state: that of an upstream of the format, or that of the gateway with [`with_state`](Self::with_state) |
/// | `GET /metrics` | Prometheus text |
/// | another path | an error in the form of the path's API |
///
/// ```
/// # fn example(gateway: windlass_gateway::Gateway, small: windlass_gateway::Gateway) {
/// use windlass_gateway::{CatalogModel, Front};
///
/// let front = Front::new(gateway)
///     .with_route(["haiku"], small)
///     .with_model(CatalogModel::new("claude-sonnet-4-6", "anthropic"))
///     .with_model(CatalogModel::new("haiku", "anthropic"))
///     .with_concurrent_requests(200);
/// # drop(front);
/// # }
/// ```
#[derive(Clone)]
pub struct Front {
    /// The formats of its first gateway are those of the server.
    chain: GatewayChain,
    routes: Vec<Route>,
    catalog: Vec<CatalogModel>,
    keys: Option<Arc<ClientKeys>>,
    pages: PageRules,
    log: Option<Arc<dyn RequestLog>>,
    tracer: Tracer,
    requests: usize,
    shared: Arc<FrontRecords>,
    state: Option<Arc<dyn StateStore>>,
    cache: Option<Arc<AnswerCache>>,
}

#[derive(Clone)]
struct Route {
    names: Vec<String>,
    chain: GatewayChain,
}

/// Maximum concurrent requests by default.
const REQUESTS: usize = 1024;

impl Front {
    /// Creates the endpoints of one gateway, or of a chain, which answers for every model without a route.
    pub fn new(chain: impl Into<GatewayChain>) -> Self {
        Self {
            chain: chain.into(),
            routes: Vec::new(),
            catalog: Vec::new(),
            keys: None,
            pages: PageRules::default(),
            log: None,
            tracer: Tracer::default(),
            requests: REQUESTS,
            shared: Arc::default(),
            state: None,
            cache: None,
        }
    }

    /// Adds the gateway, or the chain, for these model names. The first route with a name counts. An alias is a route to
    /// a gateway whose upstream has a name.
    pub fn with_route<N: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = N>,
        chain: impl Into<GatewayChain>,
    ) -> Self {
        let names = names.into_iter().map(Into::into).collect();
        self.routes.push(Route { names, chain: chain.into() });
        self
    }

    /// Adds a model to the lists of models.
    pub fn with_model(mut self, model: CatalogModel) -> Self {
        self.catalog.push(model);
        self
    }

    /// Requires a key of each client.
    pub fn with_client_keys(mut self, keys: ClientKeys) -> Self {
        self.keys = Some(Arc::new(keys));
        self
    }

    /// Writes a line for each request.
    pub fn with_log(mut self, log: Arc<dyn RequestLog>) -> Self {
        self.log = Some(log);
        self
    }

    /// Begins a span for each request to a model.
    pub fn with_tracer(mut self, tracer: Arc<dyn RequestTracer>) -> Self {
        self.tracer = Tracer::new(tracer);
        self
    }

    /// Sets the maximum number of requests that are answered at the same time. Default: 1,024. Further requests are
    /// refused with status 503 and `retry-after`.
    pub fn with_concurrent_requests(mut self, requests: usize) -> Self {
        self.requests = requests.max(1);
        self
    }

    /// Stores responses and conversations of clients for gateways whose upstream has another format, and answers
    /// requests about them. The owner of a value is the client's key.
    pub fn with_state(mut self, store: Arc<dyn StateStore>) -> Self {
        self.state = Some(store);
        self
    }

    /// Answers equal requests of a client from a cache. Default: without a cache. A configuration that replaces this one
    /// begins with an empty cache.
    pub fn with_cache(mut self, options: CacheOptions) -> Self {
        self.cache = Some(Arc::new(AnswerCache::new(options)));
        self
    }

    /// Finds the client of a request by its path and headers, before its body is read; `None` if no key is required.
    ///
    /// # Errors
    /// The refusal of a request without a valid key.
    pub(crate) fn admit(
        &self,
        method: &str,
        request: &ClientRequest,
    ) -> Result<Option<&ClientKey>, Box<GatewayResponse>> {
        let Some(keys) = self.keys.as_ref().filter(|_| !is_probe(method, request)) else { return Ok(None) };
        if let Some(key) = keys.find(request) {
            return Ok(Some(key));
        }
        let server = self.server_for(request);
        Err(Box::new(self.refuse(server, &missing_key())))
    }

    /// Answers a request of any method from an admitted client. Cancel-safe like [`Gateway::answer`].
    pub(crate) async fn answer(
        &self,
        method: &str,
        client: Option<&ClientKey>,
        request: ClientRequest,
        stop: Stop,
    ) -> GatewayResponse {
        let path = request.route();
        if request.can_be_about_state()
            && let Some(answer) = Box::pin(self.answer_stored(method, client, &request, &stop)).await
        {
            return answer;
        }
        match method {
            "GET" | "HEAD" if path == "/ready" => self.readiness(),
            "GET" | "HEAD" if is_probe(method, &request) => json(200, &serde_json::json!({"status": "ok"})),
            "GET" | "HEAD" if path == "/metrics" => self.metrics_page(),
            "GET" if refusals::is_web_socket(&request) => refusals::no_web_sockets(),
            "GET" | "HEAD" => {
                self.list(&request, client).unwrap_or_else(|| self.refuse_path(method, &request))
            }
            "POST" if count::is_count(&request) => Box::pin(self.count(&request)).await,
            "POST" => self.generate(client, request, stop).await,
            _ => self.refuse_path(method, &request),
        }
    }

    /// Returns the format whose server stores responses.
    fn state_server(&self) -> Option<&dyn Server> {
        self.chain.first().servers.iter().find(|server| server.stores_responses()).map(AsRef::as_ref)
    }

    /// Returns the format of a client's request.
    fn server_for(&self, request: &ClientRequest) -> Option<&dyn Server> {
        RequestKind::find(request).server(&self.chain.first().servers, request)
    }

    /// Returns an error in the client's format, or in OpenAI's form for a path of no format.
    fn refuse(&self, server: Option<&dyn Server>, error: &ProviderError) -> GatewayResponse {
        let servers = &self.chain.first().servers;
        match server.or_else(|| servers.first().map(AsRef::as_ref)) {
            Some(server) => {
                let mut answer = refuse(server, error);
                answer.status = error.status.unwrap_or(answer.status);
                answer
            }
            None => {
                json(error.status.unwrap_or(400), &serde_json::json!({"error": {"message": error.message}}))
            }
        }
    }
}

impl From<Gateway> for Front {
    fn from(gateway: Gateway) -> Self {
        Self::new(gateway)
    }
}

impl fmt::Debug for Front {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let routes: Vec<&Vec<String>> = self.routes.iter().map(|route| &route.names).collect();
        f.debug_struct("Front")
            .field("default", self.chain.first())
            .field("routes", &routes)
            .field("models", &self.catalog.len())
            .field("has_keys", &self.keys.is_some())
            .finish_non_exhaustive()
    }
}
