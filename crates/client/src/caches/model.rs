//! A model whose requests use a prompt cache that the provider stores.

use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;
use windlass_protocol::{Prices, Refusal, Request};
use windlass_stream::{Model, ModelError, ModelFacts, ModelFuture};

use super::storage::{StorageSum, StorageUse};
use super::{StoredCache, takes_cache};
use crate::Client;

/// A client that stores the system prompt and the tools of its requests in a cache of the provider, for agents with a long
/// prompt.
///
/// The first request creates the cache, and later ones name it. The time to live is renewed in the second half of its
/// course. Other tools or another system prompt get a new cache, and the old one is deleted. If the provider refuses a
/// cache, for example because the prompt is short, requests are sent without one. Call
/// [`close`](Self::close) at the end: the provider bills the storage until the time has passed.
///
/// ```no_run
/// # async fn run(client: windlass_client::Client) -> Result<(), Box<dyn std::error::Error>> {
/// use std::sync::Arc;
/// use std::time::Duration;
/// use windlass_client::StoredCacheModel;
///
/// let model = Arc::new(StoredCacheModel::new(client, Duration::from_secs(600)));
/// // Agent::builder().model(model.clone(), "gemini-2.5-flash") ...
/// model.close().await?;
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct StoredCacheModel {
    client: Client,
    ttl: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    cache: Option<LiveCache>,
    /// The storage of earlier caches.
    storage: StorageSum,
    /// The prefix that the provider refused last.
    refused: Option<Request>,
}

#[derive(Debug)]
struct LiveCache {
    cache: StoredCache,
    created: Instant,
    /// The start of the present time to live.
    since: Instant,
}

impl State {
    /// Counts the storage of a cache that ends now, or with its time to live if it could not be deleted.
    fn end(&mut self, client: &Client, live: &LiveCache, ttl: Duration, is_deleted: bool) {
        let left = if is_deleted { Duration::ZERO } else { ttl.saturating_sub(live.since.elapsed()) };
        self.storage.add(client, &live.cache, live.created.elapsed().saturating_add(left));
    }
}

impl StoredCacheModel {
    /// Creates a model whose caches live for `ttl` after their last renewal.
    pub fn new(client: Client, ttl: Duration) -> Self {
        Self { client, ttl, state: Mutex::default() }
    }

    /// Returns the present cache.
    pub async fn cache(&self) -> Option<StoredCache> {
        self.state.lock().await.cache.as_ref().map(|live| live.cache.clone())
    }

    /// Returns the storage that the caches used until now, and its cost if the price is known.
    pub async fn storage(&self) -> StorageUse {
        let state = self.state.lock().await;
        let mut sum = state.storage;
        if let Some(live) = &state.cache {
            sum.add(&self.client, &live.cache, live.created.elapsed());
        }
        sum.to_use()
    }

    /// Deletes the present cache. A later request creates another one.
    ///
    /// # Errors
    /// If the provider cannot be reached. The cache then ends with its time to live.
    pub async fn close(&self) -> Result<(), ModelError> {
        let mut state = self.state.lock().await;
        let Some(live) = state.cache.take() else { return Ok(()) };
        let deleted = self.client.delete_cache(&live.cache).await;
        state.end(&self.client, &live, self.ttl, deleted.is_ok());
        deleted
    }

    /// Returns the request with a cache, or `None` if it has to be sent without one.
    async fn apply(&self, request: &Request) -> Option<Request> {
        if !takes_cache(request) || (request.system.is_none() && request.tools.is_empty()) {
            return None;
        }
        // The lock is kept during the creation, so that requests at the same time do not create two caches.
        let mut state = self.state.lock().await;
        if let Some(live) = state.cache.as_mut()
            && let Some(applied) = live.cache.apply(request)
            && self.renew(live).await
        {
            return Some(applied);
        }
        let mut prefix = Request::new(request.model.clone(), Vec::new()).with_tools(request.tools.clone());
        prefix.system.clone_from(&request.system);
        prefix.tool_fields.clone_from(&request.tool_fields);
        prefix.options.hosted_tools.clone_from(&request.options.hosted_tools);
        if state.refused.as_ref() == Some(&prefix) {
            return None;
        }
        if let Some(old) = state.cache.take() {
            // The cache ends with its time to live if it cannot be deleted.
            let is_deleted = self.client.delete_cache(&old.cache).await.is_ok();
            state.end(&self.client, &old, self.ttl, is_deleted);
        }
        let Ok(cache) = self.client.create_cache(&prefix, self.ttl).await else {
            state.refused = Some(prefix);
            return None;
        };
        let applied = cache.apply(request);
        let now = Instant::now();
        state.cache = Some(LiveCache { cache, created: now, since: now });
        applied
    }

    /// Renews the time to live in its second half. Returns false if the cache has ended.
    async fn renew(&self, live: &mut LiveCache) -> bool {
        let half = self.ttl / 2;
        if live.since.elapsed() < half {
            return true;
        }
        let now = Instant::now();
        let is_renewed = self.client.set_cache_ttl(&live.cache, self.ttl).await.is_ok();
        if is_renewed {
            live.since = now;
        }
        is_renewed
    }
}

impl Model for StoredCacheModel {
    fn stream<'a>(&'a self, request: &'a Request) -> ModelFuture<'a> {
        Box::pin(async move {
            let Some(applied) = self.apply(request).await else { return self.client.stream(request).await };
            match self.client.stream(&applied).await {
                // The provider has deleted the cache, or another program has.
                Err(error) if error.message.contains("CachedContent") => {
                    let mut state = self.state.lock().await;
                    if let Some(live) = state.cache.take() {
                        state.end(&self.client, &live, self.ttl, true);
                    }
                    drop(state);
                    self.client.stream(request).await
                }
                answer => answer,
            }
        })
    }

    fn check(&self, request: &Request) -> Vec<Refusal> {
        self.client.check(request)
    }

    fn facts(&self, model: &str) -> Option<ModelFacts> {
        self.client.facts(model)
    }

    fn prices(&self, model: &str) -> Option<Prices> {
        self.client.prices(model)
    }
}
