//! The user's endpoint for embeddings, and its reachability for policy.

use std::sync::Arc;

use anyhow::Context as _;
use windlass_hitl::Policy;
use windlass_protocol::Effect;
use windlass_tools_index::{EmbedFuture, Embedder};
use windlass_tools_web::{Fetch, ServiceKey, WebUrl};

use crate::arguments::Embeddings;
use crate::reach;

/// Variable with the endpoint's key. Keys of providers are not used, because they must not be sent to an
/// address that was meant to be local.
const KEY: &str = "WINDLASS_EMBEDDINGS_KEY";

/// Adapter from the endpoint to the index's `Embedder`.
#[derive(Debug)]
struct Endpoint(windlass_tools_web::Embeddings);

impl Embeddings {
    /// Returns the embedder for passages, if the user named an endpoint.
    pub(crate) fn embedder(&self) -> anyhow::Result<Option<Arc<dyn Embedder>>> {
        let (Some(url), Some(base)) = (&self.url, self.address()?) else { return Ok(None) };
        let model = self.model.as_deref().context("the endpoint for embeddings needs --embeddings-model")?;
        // The user named the address, so it may be on this machine.
        let fetch = Fetch::new().with_reachable(base.host(), base.port())?;
        let key = reach::variable(KEY)
            .map_or(ServiceKey::NotNeeded, |key| ServiceKey::from_variable(Some(key), KEY));
        let mut endpoint = windlass_tools_web::Embeddings::new(Arc::new(fetch), url, model, key)?;
        if let Some(dimensions) = self.dimensions {
            endpoint = endpoint.with_dimensions(dimensions);
        }
        Ok(Some(Arc::new(Endpoint(endpoint))))
    }

    /// Marks the endpoint's address as reachable, wherever it is. Policy still decides about each call.
    pub(crate) fn reachable(&self, policy: Policy) -> anyhow::Result<Policy> {
        Ok(match self.address()? {
            Some(base) => policy.with_reachable(base.host(), base.port()),
            None => policy,
        })
    }

    fn address(&self) -> anyhow::Result<Option<WebUrl>> {
        let refused = "--embeddings is no address of an endpoint";
        self.url.as_deref().map(|url| WebUrl::parse(url).context(refused)).transpose()
    }
}

impl Embedder for Endpoint {
    fn name(&self) -> String {
        format!("{} at {}", self.0.model(), self.0.host())
    }

    fn space(&self) -> String {
        self.0.space()
    }

    fn effects(&self) -> Vec<Effect> {
        vec![self.0.effect()]
    }

    fn embed<'a>(&'a self, texts: &'a [&'a str]) -> EmbedFuture<'a> {
        Box::pin(async move { self.0.embed(texts).await.map_err(|error| error.to_string()) })
    }
}
