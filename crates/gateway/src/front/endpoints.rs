//! The endpoints beside the requests to models: counts, the state of the server, measurements and lists of models.

use std::sync::Arc;

use windlass_wire::{ProviderError, ProviderErrorKind, Server};

use super::refusals::{RETRY_AFTER, is_probe, not_allowed, overload_error};
use super::{CatalogModel, ClientKey, Front, catalog, count};
use crate::refusal::api::{self, Api};
use crate::response::{json, refuse};
use crate::{ClientRequest, GatewayResponse};

impl Front {
    /// Refuses a path that the server does not have, or a method that a path does not take.
    pub(super) fn refuse_path(&self, method: &str, request: &ClientRequest) -> GatewayResponse {
        let is_served = self.server_for(request).is_some()
            || count::is_count(request)
            // A model of Gemini's API has methods that the server does not serve.
            || (method != "POST" && catalog::answer(request, &[]).is_some())
            || is_probe("GET", request)
            || request.route() == "/metrics";
        if is_served {
            return not_allowed(request);
        }
        api::not_served(method, request, self.chain.first().servers.iter().map(AsRef::as_ref))
    }

    /// Counts tokens on a thread for blocking work, in a place of a request.
    pub(super) async fn count(&self, request: &ClientRequest) -> GatewayResponse {
        if Api::find(request) == Api::Anthropic {
            let servers = &self.chain.first().servers;
            let refused = |server: &Arc<dyn Server>| {
                Some(refuse(server.as_ref(), &server.refuse_version(&request.headers, &request.body)?))
            };
            if let Some(refusal) = servers.iter().find_map(refused) {
                return refusal;
            }
        }
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

    pub(super) fn readiness(&self) -> GatewayResponse {
        if self.shared.places.free(self.requests) > 0 {
            return json(200, &serde_json::json!({"status": "ready"}));
        }
        let mut full = json(503, &serde_json::json!({"status": "full"}));
        full.headers.push(("retry-after".to_owned(), RETRY_AFTER.as_secs().to_string()));
        full
    }

    /// Returns the measurements as Prometheus text.
    pub fn to_prometheus(&self) -> String {
        let free = self.shared.places.free(self.requests);
        self.shared.metrics.to_text(free, self.cache.as_ref().map(|cache| cache.size()))
    }

    pub(super) fn metrics_page(&self) -> GatewayResponse {
        let mut page = GatewayResponse::whole(200, self.to_prometheus().into_bytes());
        "text/plain; version=0.0.4; charset=utf-8".clone_into(&mut page.content_type);
        page
    }

    /// Returns the list of models, or one model, that the client may use.
    pub(super) fn list(
        &self,
        request: &ClientRequest,
        client: Option<&ClientKey>,
    ) -> Option<GatewayResponse> {
        let is_permitted = |model: &&CatalogModel| client.is_none_or(|key| key.permits(&model.id));
        let models: Vec<&CatalogModel> = self.catalog.iter().filter(is_permitted).collect();
        catalog::answer(request, &models)
    }
}
