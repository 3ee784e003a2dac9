//! Prompt caches that the provider stores: creation, time to live and deletion.

mod model;
mod storage;

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;
use windlass_protocol::{Request, RequestOptions, ToolChoice};
use windlass_stream::{ModelError, ModelErrorKind};
use windlass_vendors::Header;
use windlass_wire::{CachesApi, HttpRequest};

pub use self::model::StoredCacheModel;
pub use self::storage::StorageUse;
use crate::Client;
use crate::files::Repetition;
use crate::retry::{self, Attempt, Tries};
use crate::transport::TransportRequest;

/// A prompt cache that the provider stores.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StoredCache {
    /// The provider's name of the cache.
    pub name: String,
    /// The number of tokens in the cache, if the provider states it.
    pub tokens: Option<u64>,
    /// The time at which the provider deletes the cache, as it was stated at the creation.
    pub expires_at: Option<String>,
    /// The request with which the cache was created.
    prefix: Arc<Request>,
}

impl StoredCache {
    /// Returns the request with the name of this cache and without the messages in it. Returns `None` if the cache does not
    /// have the beginning of the request: its model, system prompt, tools and first messages, or if the request demands a
    /// call.
    pub fn apply(&self, request: &Request) -> Option<Request> {
        let prefix = &self.prefix;
        let is_same = prefix.model == request.model
            && prefix.system == request.system
            && prefix.tools == request.tools
            && prefix.tool_fields == request.tool_fields
            && prefix.options.hosted_tools == request.options.hosted_tools;
        let is_longer =
            request.messages.len() > prefix.messages.len() && request.messages.starts_with(&prefix.messages);
        if !is_same || !is_longer || !takes_cache(request) {
            return None;
        }
        let mut shorter = request.clone();
        shorter.options.stored_cache = Some(self.name.clone());
        if !prefix.messages.is_empty() {
            let later = prefix.messages.len()..request.messages.len();
            shorter.messages = later.filter_map(|at| request.messages.get_shared(at)).cloned().collect();
            shorter.earlier_preambles.clear();
        }
        Some(shorter)
    }

    /// Returns the price of storing the cache for a time, in the unit of `million_token_hours`, the provider's price of
    /// storing a million tokens for an hour. Returns `None` if the number of tokens is not known.
    pub fn storage_cost(&self, million_token_hours: u64, time: Duration) -> Option<u64> {
        let cost = u128::from(self.tokens?)
            .checked_mul(u128::from(million_token_hours))?
            .checked_mul(u128::from(time.as_secs()))?;
        u64::try_from(cost.checked_div(3_600_000_000)?).ok()
    }
}

/// Returns whether a request can use a stored cache. The choice among tools is a part of the cache.
fn takes_cache(request: &Request) -> bool {
    let RequestOptions { tool_choice, stored_cache, extra, .. } = &request.options;
    *tool_choice == ToolChoice::Auto && stored_cache.is_none() && !extra.contains_key("cachedContent")
}

impl Client {
    /// Stores a prompt cache with the model, the system prompt, the tools and the messages of a request. The list of
    /// messages can be empty.
    ///
    /// Providers bill the tokens of the creation, and the storage until the cache is deleted or `ttl` has passed.
    /// [`StoredCacheModel`](crate::StoredCacheModel) creates caches for an agent.
    ///
    /// ```no_run
    /// # async fn run(client: windlass_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use std::time::Duration;
    /// use windlass_protocol::{Message, Request};
    ///
    /// let book = std::fs::read_to_string("book.txt")?;
    /// let prefix = Request::new("gemini-2.5-flash", vec![Message::user(book)]);
    /// let cache = client.create_cache(&prefix, Duration::from_secs(600)).await?;
    /// let mut question = prefix.clone();
    /// question.messages.push(Message::user("Who is the narrator?"));
    /// let request = cache.apply(&question).ok_or("another beginning")?;
    /// # let _ = request;
    /// client.delete_cache(&cache).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// If the format has no API for caches, or the provider refuses the creation, for example because the prefix is
    /// shorter than its minimum.
    pub async fn create_cache(&self, request: &Request, ttl: Duration) -> Result<StoredCache, ModelError> {
        let wire = self.wire();
        let api = self.caches_api(wire.as_ref())?;
        let prepared = self.inner.encoder.prepare(request, &[]);
        let compiled = self.compile_schemas(&prepared);
        let body = api
            .encode_creation(&compiled.request, ttl)
            .map_err(|error| self.inner.failures.model_error(ModelErrorKind::Refused, &error.to_string()))?;
        let answer = self
            .exchange_cache(self.add_address(HttpRequest::post(api.path(), body)), Repetition::StoresAgain)
            .await;
        let answer = answer.map_err(|failed| failed.error)?;
        let text = |name: &str| answer.get(name).and_then(Value::as_str).map(str::to_owned);
        let Some(name) = text("name").filter(|name| self.stored_url(api.path(), name).is_some()) else {
            return Err(self.reject_response("the response to the creation of a cache does not name it"));
        };
        let tokens = answer.pointer("/usageMetadata/totalTokenCount").and_then(Value::as_u64);
        let mut prefix = request.clone();
        prefix.earlier_preambles.clear();
        Ok(StoredCache { name, tokens, expires_at: text("expireTime"), prefix: Arc::new(prefix) })
    }

    /// Returns the price of storing a cache for a time, in millionths of the currency. Returns `None` if the number of its
    /// tokens or the price is unknown. The price comes from the user's files or the table of `windlass-vendors`
    /// ([`price`](Self::price)).
    pub fn storage_cost(&self, cache: &StoredCache, time: Duration) -> Option<u64> {
        let price = self.price(&cache.prefix.model)?.storage?;
        Some(price.cost(cache.tokens?, time))
    }

    /// Sets the time to live of a stored cache, from now.
    ///
    /// # Errors
    /// If the cache does not exist any more, or the request fails.
    pub async fn set_cache_ttl(&self, cache: &StoredCache, ttl: Duration) -> Result<(), ModelError> {
        let wire = self.wire();
        let api = self.caches_api(wire.as_ref())?;
        let (query, body) = api.encode_ttl(ttl);
        let url = self.cache_url(api, cache)?;
        let request = self.add_headers(TransportRequest::patch(format!("{url}?{query}"), body));
        let request = request.with_header(Header::new("content-type", "application/json"));
        self.exchange_cache(request, Repetition::Safe).await.map(drop).map_err(|failed| failed.error)
    }

    /// Deletes a stored cache. A cache that does not exist any more is not an error.
    ///
    /// # Errors
    /// If the request fails.
    pub async fn delete_cache(&self, cache: &StoredCache) -> Result<(), ModelError> {
        let wire = self.wire();
        let url = self.cache_url(self.caches_api(wire.as_ref())?, cache)?;
        let request = self.add_headers(TransportRequest::delete(url));
        match self.exchange_cache(request, Repetition::Safe).await {
            Err(Attempt { status: Some(404), .. }) | Ok(_) => Ok(()),
            Err(failed) => Err(failed.error),
        }
    }

    async fn exchange_cache(
        &self,
        request: TransportRequest,
        repetition: Repetition,
    ) -> Result<Value, Attempt> {
        let deadline = retry::add_wait(Instant::now(), self.inner.options.total_timeout);
        let mut tries = Tries::new(&self.inner.options);
        Ok(self.exchange(request, &mut tries, deadline, repetition).await?.1)
    }

    fn caches_api<'a>(&self, wire: &'a dyn windlass_wire::Wire) -> Result<&'a dyn CachesApi, ModelError> {
        wire.caches_api().ok_or_else(|| self.refuse("it has no API for caches that it stores"))
    }

    fn cache_url(&self, api: &dyn CachesApi, cache: &StoredCache) -> Result<String, ModelError> {
        let name = &cache.name;
        let url = self.stored_url(api.path(), name);
        url.ok_or_else(|| self.refuse(&format!("{name:?} is not the name of a cache")))
    }
}
