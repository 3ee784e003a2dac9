//! Requests for the models of a provider, and the known abilities of a model.

use tokio::time::Instant;
use windlass_protocol::Delivery;
use windlass_stream::{ModelError, ModelErrorKind};
use windlass_vendors::{
    ClaimSource, Claims, Discovery, Header, ModelCapabilities, ModelEntry, ModelPrice, add_model_details,
};

use crate::capability_store::CapabilityStore;
use crate::client::ClientInner;
use crate::retry::Tries;
use crate::sending::AttemptContext;
use crate::transport::TransportRequest;
use crate::{Client, retry};

/// Maximum number of requested pages.
const PAGES: usize = 20;

/// Maximum number of models for which details are requested.
const SHOWN: usize = 100;

impl Client {
    /// Returns a model's context window in tokens, if the stored list of its provider or the table of `windlass-vendors`
    /// contains it.
    pub fn context_tokens(&self, model: &str) -> Option<u64> {
        let listing = self.inner.store.listing(&self.provider());
        let listed = listing.into_iter().flat_map(|listing| listing.models).find(|entry| entry.id == model);
        listed.and_then(|entry| entry.context_tokens).or_else(|| self.inner.encoder.context_tokens(model))
    }

    /// Returns the price of a model, if the user's files or the table of `windlass-vendors` contain it.
    pub fn price(&self, model: &str) -> Option<ModelPrice> {
        self.inner.encoder.price(model)
    }

    /// Returns the known abilities of a model without a request. Sources, the strongest first: the user's
    /// files, refusals, the provider's list if it was requested, the table, the vendor's row.
    pub fn capabilities(&self, model: &str) -> ModelCapabilities {
        let provider = self.provider();
        let mut learned = Claims::new();
        for rejection in self.inner.store.rejections(&provider, model) {
            learned.extend(rejection.abilities);
        }
        let listing = self.inner.store.listing(&provider);
        let listed = listing.into_iter().flat_map(|listing| listing.models).find(|entry| entry.id == model);
        let stated = [
            (ClaimSource::Learned, learned),
            (ClaimSource::Discovered, listed.map(|entry| entry.abilities).unwrap_or_default()),
        ];
        self.inner.encoder.capabilities(model, &stated)
    }

    /// Returns the store of learned and discovered facts, which clients can share.
    pub fn capability_store(&self) -> &CapabilityStore {
        &self.inner.store
    }

    /// Returns the key of this client's provider in a [`CapabilityStore`].
    pub fn provider(&self) -> String {
        self.inner.failures.provider.clone()
    }

    /// Requests the provider's list of models and stores it. Returns an empty list for a provider without
    /// such a list.
    ///
    /// Cancel-safe: the list is stored only when it is complete.
    ///
    /// # Errors
    /// If a request fails, or a response is not a list of models.
    pub async fn list_models(&self) -> Result<Vec<ModelEntry>, ModelError> {
        let discovery = self.inner.encoder.discovery();
        let mut models = Vec::new();
        let Some(first) = discovery.first_page() else { return Ok(models) };
        let mut path = Some(first);
        for _ in 0..PAGES {
            let Some(asked) = path.take() else { break };
            let body = self.fetch(TransportRequest::get(self.inner.failures.endpoint.url(&asked))).await?;
            let page = discovery.parse_page(&body).ok_or_else(|| {
                self.inner.failures.model_error(
                    ModelErrorKind::Malformed,
                    "the response is not a list of \
                     models",
                )
            })?;
            models.extend(page.models);
            path = page.next;
        }
        if discovery == Discovery::Ollama {
            self.show(&mut models).await?;
        }
        self.inner.store.set_listing(&self.provider(), models.clone());
        Ok(models)
    }

    /// Requests the details of each model from Ollama.
    async fn show(&self, models: &mut [ModelEntry]) -> Result<(), ModelError> {
        let base = self.inner.failures.endpoint.base_url.trim_end_matches('/');
        let url = format!("{}/api/show", base.strip_suffix("/v1").unwrap_or(base));
        for model in models.iter_mut().take(SHOWN) {
            let body = serde_json::json!({ "model": model.id }).to_string();
            let request = TransportRequest::post(&url, body)
                .with_header(Header::new("content-type", "application/json"));
            add_model_details(&self.fetch(request).await?, model);
        }
        Ok(())
    }

    /// Sends a request that is not for an answer of a model, and returns the body of its response.
    async fn fetch(&self, request: TransportRequest) -> Result<Vec<u8>, ModelError> {
        let ClientInner { encoder, failures, options, .. } = &self.inner;
        let own = encoder.wire().headers().into_iter().map(|(name, value)| Header::new(name, value));
        let headers = failures.endpoint.all_headers(failures.key.expose()).into_iter().chain(own);
        let request = headers.fold(request, TransportRequest::with_header);
        let deadline = retry::add_wait(Instant::now(), options.total_timeout);
        let mut tries = Tries::new(options);
        let context = AttemptContext { wire: encoder.wire(), model: "", delivery: Delivery::Whole, deadline };
        let response =
            self.send_until(context, &request, &mut tries).await.map_err(|refused| refused.error)?;
        self.response_decoder(encoder.wire().clone(), None, deadline).read_body(response.body).await
    }
}
