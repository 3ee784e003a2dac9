//! Requests for the models of a provider, and the known abilities of a model.

use tokio::time::Instant;
use windlass_protocol::Delivery;
use windlass_stream::{ModelError, ModelErrorKind};

use crate::capability::{Known, Said, Source};
use crate::discovery::{self, Page};
use crate::facts::{Facts, ModelEntry};
use crate::retry::Tries;
use crate::sending::Turn;
use crate::speech::Speech;
use crate::transport::{Header, Outgoing};
use crate::{Client, Discovery, retry};

/// Parser of one page.
type Read = fn(&[u8]) -> Option<Page>;

/// Maximum number of requested pages.
const PAGES: usize = 20;

/// Maximum number of models for which details are requested.
const SHOWN: usize = 100;

impl Client {
    /// Returns a model's context window in tokens, if the stored list of its provider contains it.
    pub fn context_tokens(&self, model: &str) -> Option<u64> {
        let listing = self.parts.facts.listing(&self.provider())?;
        listing.models.into_iter().find(|entry| entry.id == model)?.context_tokens
    }

    /// Returns the known abilities of a model without a request. Sources, the strongest first: the user's
    /// files, refusals, the provider's list if it was requested, the table, the vendor's row.
    pub fn capabilities(&self, model: &str) -> Known {
        let provider = self.provider();
        let mut learned = Said::new();
        for fact in self.parts.facts.of(&provider, model) {
            learned.extend(fact.abilities);
        }
        let listing = self.parts.facts.listing(&provider);
        let listed = listing.into_iter().flat_map(|listing| listing.models).find(|entry| entry.id == model);
        let asked = [
            (Source::Learned, learned),
            (Source::Discovered, listed.map(|entry| entry.abilities).unwrap_or_default()),
        ];
        if let Some(vendor) = self.parts.speech.vendor() {
            vendor.known(model, &asked)
        } else {
            let mut known = Known::default();
            for (source, said) in &asked {
                known.add(said, source);
            }
            known
        }
    }

    /// Returns the store of learned and discovered facts, which clients can share.
    pub fn facts(&self) -> &Facts {
        &self.parts.facts
    }

    /// Returns the key under which this client's [`Facts`] are stored.
    pub fn provider(&self) -> String {
        Facts::provider(&self.parts.failures.endpoint)
    }

    /// Requests the provider's list of models and stores it. Returns an empty list for a provider without
    /// such a list.
    ///
    /// Cancel-safe: the list is stored only when it is complete.
    ///
    /// # Errors
    /// If a request fails, or a response is not a list of models.
    pub async fn list_models(&self) -> Result<Vec<ModelEntry>, ModelError> {
        let discovery = match (&self.parts.speech, self.parts.speech.vendor()) {
            (Speech::Wire(wire, None), _) => Discovery::of_wire(wire.name()),
            (_, Some(vendor)) => vendor.discovery,
            (_, None) => Discovery::None,
        };
        let (path, first, read): (_, _, Read) = match discovery {
            Discovery::None => return Ok(Vec::new()),
            Discovery::OpenAi | Discovery::OpenRouter | Discovery::Ollama => {
                ("/models", "", discovery::models)
            }
            Discovery::Anthropic => ("/v1/models", "limit=1000", discovery::models),
            Discovery::Gemini => ("/models", "pageSize=1000", discovery::gemini_models),
        };
        let mut models = Vec::new();
        let mut query = Some(first.to_owned());
        for _ in 0..PAGES {
            let Some(asked) = query.take() else { break };
            let mark = if asked.is_empty() { "" } else { "?" };
            let url = format!("{}{mark}{asked}", self.parts.failures.endpoint.url(path));
            let body = self.fetch(Outgoing::get(url)).await?;
            let page = read(&body).ok_or_else(|| {
                self.parts.failures.of(ModelErrorKind::Malformed, "what came is no list of models")
            })?;
            models.extend(page.models);
            query = page.next;
        }
        if discovery == Discovery::Ollama {
            self.show(&mut models).await?;
        }
        self.parts.facts.list(&self.provider(), models.clone());
        Ok(models)
    }

    /// Requests the details of each model from Ollama.
    async fn show(&self, models: &mut [ModelEntry]) -> Result<(), ModelError> {
        let base = self.parts.failures.endpoint.base_url.trim_end_matches('/');
        let url = format!("{}/api/show", base.strip_suffix("/v1").unwrap_or(base));
        for model in models.iter_mut().take(SHOWN) {
            let body = serde_json::json!({ "model": model.id }).to_string();
            let request =
                Outgoing::post(&url, body).with_header(Header::new("content-type", "application/json"));
            discovery::ollama_shows(&self.fetch(request).await?, model);
        }
        Ok(())
    }

    /// Sends a request that is not for an answer of a model, and returns the body of its response.
    async fn fetch(&self, request: Outgoing) -> Result<Vec<u8>, ModelError> {
        let wire = self.wire("")?;
        let version = if wire.name() == "anthropic" {
            Some(Header::new("anthropic-version", "2023-06-01"))
        } else {
            None
        };
        let key = self.parts.failures.key.expose();
        let headers = self.parts.failures.endpoint.all_headers(key).into_iter().chain(version);
        let request = headers.fold(request, Outgoing::with_header);
        let deadline = retry::after(Instant::now(), self.parts.options.total_timeout);
        let mut tries = Tries::new(&self.parts.options);
        let turn = Turn { wire: &wire, model: "", delivery: Delivery::Whole, deadline };
        let response = self.send_until(turn, &request, &mut tries).await.map_err(|refused| refused.error)?;
        self.reading(wire, None, deadline).body(response.body).await
    }
}

impl Discovery {
    pub(crate) fn of_wire(name: &str) -> Self {
        match name {
            "anthropic" => Self::Anthropic,
            "gemini" => Self::Gemini,
            _ => Self::OpenAi,
        }
    }
}
