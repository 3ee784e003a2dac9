//! Adapter from an endpoint for embeddings to the index.

use std::sync::Arc;

use windlass_hitl::Policy;
use windlass_protocol::Effect;
use windlass_tools_index::{EmbedFuture, Embedder};
use windlass_tools_web::{Embeddings, Fetch, ServiceKey, WebUrl};

use crate::config::{EmbeddingOptions, variable};
use crate::error::{Context as _, Remedy, Result, Setting};

/// Variable with the endpoint's key. Keys of providers are not used, because they must not be sent to an
/// address that was meant to be local.
const KEY: &str = "WINDLASS_EMBEDDINGS_KEY";

/// Adapter from the endpoint to the index's `Embedder`.
#[derive(Debug)]
struct Endpoint(Embeddings);

/// Returns the embedder for passages, if the user named an endpoint.
pub(crate) fn build_embedder(options: &EmbeddingOptions) -> Result<Option<Arc<dyn Embedder>>> {
    let (Some(url), Some(base)) = (&options.url, parse_address(options)?) else { return Ok(None) };
    let model = options
        .model
        .as_deref()
        .context("the endpoint for embeddings needs a model")
        .map_err(|error| error.with_remedy(Remedy::Set(Setting::EmbeddingsModel)))?;
    // The user named the address, so it may be on this machine.
    let fetch = Fetch::new().with_reachable(base.host(), base.port())?;
    let key = variable(KEY).map_or(ServiceKey::NotNeeded, |key| ServiceKey::from_variable(Some(key), KEY));
    let mut endpoint = Embeddings::new(Arc::new(fetch), url, model, key)?;
    if let Some(dimensions) = options.dimensions {
        endpoint = endpoint.with_dimensions(dimensions);
    }
    Ok(Some(Arc::new(Endpoint(endpoint))))
}

/// Marks the endpoint's address as reachable, wherever it is. Policy still decides about each call.
pub(crate) fn add_reachable(options: &EmbeddingOptions, policy: Policy) -> Result<Policy> {
    Ok(match parse_address(options)? {
        Some(base) => policy.with_reachable(base.host(), base.port()),
        None => policy,
    })
}

fn parse_address(options: &EmbeddingOptions) -> Result<Option<WebUrl>> {
    let parse = |url| WebUrl::parse(url).context("the address of the endpoint for embeddings is invalid");
    let parsed = options.url.as_deref().map(parse).transpose();
    parsed.map_err(|error| error.with_remedy(Remedy::Set(Setting::EmbeddingsUrl)))
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
