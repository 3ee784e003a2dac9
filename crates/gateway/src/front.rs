//! The endpoints of a gateway's server: routes by model, lists of models, token counts, health and metrics.

mod accounts;
mod amounts;
mod attempts;
mod budget;
mod calendar;
mod catalog;
mod chain;
mod conversation;
mod cool_downs;
mod count;
mod front_records;
mod generate;
mod handle;
mod keys;
mod limits;
mod log;
mod measured;
mod metrics;
mod places;
mod refusals;
mod window;

pub use accounts::ClientUsage;
pub use catalog::CatalogModel;
pub use chain::{Affinity, GatewayChain};
pub use handle::FrontHandle;
pub use keys::{ClientKey, ClientKeys, KeyError};
pub use limits::ClientLimits;
pub use log::{RequestLine, RequestLog};

use std::fmt;
use std::sync::Arc;

use windlass_wire::{ProviderError, ProviderErrorKind, Server};

use crate::response::{json, refuse};
use crate::state::{self, StateStore};
use crate::stop::Stop;
use crate::{ClientRequest, Gateway, GatewayResponse};
use front_records::FrontRecords;
use refusals::{RETRY_AFTER, is_probe, missing_key, not_allowed, overload_error};

/// A server's endpoints around one or more gateways. Cloning it is cheap, and the clones share their measurements.
///
/// | request | answer |
/// |---|---|
/// | `POST` to a path of a format | the gateway of the model's route |
/// | `GET /v1/models`, `/v1/models/ID`, `/v1beta/models`, `/v1beta/models/ID` | the catalogue, in the client's format |
/// | `POST /v1/messages/count_tokens`, `/v1beta/models/ID:countTokens`, `/v1/responses/input_tokens` | a count of tokens |
/// | `GET /health`, `/ready` | the state, without a key |
/// | `GET`, `DELETE /v1/responses/ID`, `/v1/conversations` and the paths below them | stored state, with [`with_state`](Self::with_state) |
/// | `GET /metrics` | Prometheus text |
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
    origins: Vec<String>,
    log: Option<Arc<dyn RequestLog>>,
    requests: usize,
    shared: Arc<FrontRecords>,
    state: Option<Arc<dyn StateStore>>,
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
            origins: Vec::new(),
            log: None,
            requests: REQUESTS,
            shared: Arc::default(),
            state: None,
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

    /// Permits the pages of an origin, such as `https://app.example`, to call the server from a browser. Without origins,
    /// every request of a page is refused.
    pub fn with_origin(mut self, origin: impl Into<String>) -> Self {
        self.origins.push(origin.into());
        self
    }

    /// Writes a line for each request.
    pub fn with_log(mut self, log: Arc<dyn RequestLog>) -> Self {
        self.log = Some(log);
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

    /// Sets the use of budgets, from [`usage`](Self::usage) of an earlier process.
    pub fn with_usage(self, usage: &[ClientUsage]) -> Self {
        self.shared.accounts.restore(usage);
        self
    }

    /// Returns the use of the budgets of clients with [`ClientLimits`]. The amounts that open requests reserve are part
    /// of it. A server with budgets stores it, because a new process begins with none.
    pub fn usage(&self) -> Vec<ClientUsage> {
        self.shared.accounts.usage()
    }

    /// Returns the measurements as Prometheus text.
    pub fn to_prometheus(&self) -> String {
        self.shared.metrics.to_text(self.shared.places.free(self.requests))
    }

    /// Returns true if pages of this origin may call the server.
    pub(crate) fn permits_origin(&self, origin: &str) -> bool {
        self.origins.iter().any(|permitted| permitted == origin)
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
        match keys.find(request) {
            Some(key) => Ok(Some(key)),
            None => Err(Box::new(self.refuse(self.server_for(request), &missing_key()))),
        }
    }

    /// Answers a request of any method from an admitted client. Cancel-safe like [`Gateway::answer`].
    pub(crate) async fn answer(
        &self,
        method: &str,
        client: Option<&ClientKey>,
        request: &ClientRequest,
        stop: Stop,
    ) -> GatewayResponse {
        let path = request.route();
        if let Some(store) = &self.state
            && let Some(answer) = state::answer(store.as_ref(), self.state_server(), method, request).await
        {
            return answer;
        }
        match method {
            "GET" | "HEAD" if path == "/ready" => self.readiness(),
            "GET" | "HEAD" if is_probe(method, request) => json(200, &serde_json::json!({"status": "ok"})),
            "GET" | "HEAD" if path == "/metrics" => self.metrics_page(),
            "GET" | "HEAD" => self.list(request, client).unwrap_or_else(|| not_allowed(path)),
            "POST" if count::is_count(request) => self.count(request).await,
            "POST" => self.generate(client, request, stop).await,
            _ => not_allowed(path),
        }
    }

    /// Counts tokens on a thread for blocking work, in a place of a request.
    async fn count(&self, request: &ClientRequest) -> GatewayResponse {
        let Some(place) = self.shared.places.enter(self.requests) else {
            return self.refuse(self.server_for(request), &overload_error());
        };
        let request = request.clone();
        let counted = tokio::task::spawn_blocking(move || {
            let counted = count::answer(&request);
            drop(place);
            counted
        });
        let failure = |error: tokio::task::JoinError| {
            let error = ProviderError::new(ProviderErrorKind::Server, None, error.to_string());
            self.refuse(None, &error.with_status(500))
        };
        counted.await.unwrap_or_else(failure)
    }

    fn readiness(&self) -> GatewayResponse {
        if self.shared.places.free(self.requests) > 0 {
            return json(200, &serde_json::json!({"status": "ready"}));
        }
        let mut full = json(503, &serde_json::json!({"status": "full"}));
        full.headers.push(("retry-after".to_owned(), RETRY_AFTER.as_secs().to_string()));
        full
    }

    fn metrics_page(&self) -> GatewayResponse {
        let mut page = GatewayResponse::whole(200, self.to_prometheus().into_bytes());
        "text/plain; version=0.0.4; charset=utf-8".clone_into(&mut page.content_type);
        page
    }

    /// Returns the list of models, or one model, that the client may use.
    fn list(&self, request: &ClientRequest, client: Option<&ClientKey>) -> Option<GatewayResponse> {
        let is_permitted = |model: &&CatalogModel| client.is_none_or(|key| key.permits(&model.id));
        let models: Vec<&CatalogModel> = self.catalog.iter().filter(is_permitted).collect();
        catalog::answer(request, &models)
    }

    /// Returns the format whose server stores responses.
    fn state_server(&self) -> Option<&dyn Server> {
        self.chain.first().servers.iter().find(|server| server.stores_responses()).map(AsRef::as_ref)
    }

    /// Returns the format of a client's request.
    fn server_for(&self, request: &ClientRequest) -> Option<&dyn Server> {
        self.chain.first().servers.iter().find(|server| server.serves(&request.path)).map(AsRef::as_ref)
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
