//! The endpoint for embeddings that the user names: how it is reached, and who may send it what.

use std::sync::Arc;

use anyhow::Context as _;
use windlass_hitl::Policy;
use windlass_protocol::Effect;
use windlass_tools_index::{EmbedFuture, Embedder};
use windlass_tools_web::{Fetch, ServiceKey, WebUrl};

use crate::arguments::Embeddings;
use crate::reach;

/// The variable with the endpoint's key. It is no provider's: a key must not go to an address that was meant to be local.
const KEY: &str = "WINDLASS_EMBEDDINGS_KEY";

/// The endpoint, as what ranks passages wants it.
#[derive(Debug)]
struct Endpoint(windlass_tools_web::Embeddings);

impl Embeddings {
    /// What turns passages into vectors, if the user named it.
    pub(crate) fn embedder(&self) -> anyhow::Result<Option<Arc<dyn Embedder>>> {
        let (Some(url), Some(base)) = (&self.url, self.address()?) else { return Ok(None) };
        let model = self.model.as_deref().context("the endpoint for embeddings needs --embeddings-model")?;
        // The user named it, so it may be on this machine.
        let fetch = Fetch::new().with_reachable(base.host(), base.port())?;
        let key = reach::variable(KEY).map_or(ServiceKey::NotNeeded, |key| ServiceKey::of(Some(key), KEY));
        let mut endpoint = windlass_tools_web::Embeddings::new(Arc::new(fetch), url, model, key)?;
        if let Some(dimensions) = self.dimensions {
            endpoint = endpoint.with_dimensions(dimensions);
        }
        Ok(Some(Arc::new(Endpoint(endpoint))))
    }

    /// A policy that may be asked about the endpoint, wherever it is; whether a call may go there stays its own
    /// decision.
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
