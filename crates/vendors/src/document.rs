//! The JSON document that stores learned facts about models.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Listing, ParameterRejection};

/// Version of the document. A document of a newer version is neither read nor overwritten.
const VERSION: u32 = 1;

/// Rejected parameters and lists of models, by provider: the value that `windlass-client` stores between processes.
///
/// The document has no clock and no file: callers pass the time in seconds since 1970, and store the bytes of
/// [`to_json`](Self::to_json).
///
/// ```
/// use windlass_vendors::{CapabilityDocument, Listing, ModelEntry};
/// let mut document = CapabilityDocument::default();
/// document.set_listing("groq api.groq.com", Listing::new(1_760_000_000, vec![ModelEntry::new("qwen3")]));
/// let again = CapabilityDocument::parse(&document.to_json()?)?;
/// assert_eq!(again.listing("groq api.groq.com").map(|listing| listing.models.len()), Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CapabilityDocument {
    version: u32,
    /// Keyed by provider, then by model. The name is part of the stored format.
    #[serde(default)]
    facts: BTreeMap<String, BTreeMap<String, Vec<ParameterRejection>>>,
    /// Keyed by provider.
    #[serde(default)]
    listings: BTreeMap<String, Listing>,
}

/// Error of [`CapabilityDocument::parse`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// A newer version of this crate wrote the document.
    #[error("the document has the newer version {0}")]
    Newer(u32),
    /// The bytes are not a document.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

impl CapabilityDocument {
    /// Parses a stored document.
    ///
    /// # Errors
    /// If a newer version wrote it, or it cannot be parsed.
    pub fn parse(document: &[u8]) -> Result<Self, DocumentError> {
        #[derive(Deserialize)]
        struct Head {
            version: u32,
        }
        match serde_json::from_slice(document)? {
            Head { version } if version > VERSION => Err(DocumentError::Newer(version)),
            _ => Ok(serde_json::from_slice(document)?),
        }
    }

    /// Returns the document as JSON.
    ///
    /// # Errors
    /// If a value cannot be serialized.
    pub fn to_json(&self) -> Result<Vec<u8>, serde_json::Error> {
        serde_json::to_vec_pretty(&Self { version: VERSION, ..self.clone() })
    }

    /// Returns the valid rejections of a model.
    pub fn rejections<'a>(
        &'a self,
        provider: &str,
        model: &str,
        now: u64,
    ) -> impl Iterator<Item = &'a ParameterRejection> {
        let rejections = self.facts.get(provider).and_then(|models| models.get(model));
        rejections.into_iter().flatten().filter(move |rejection| rejection.is_valid(now))
    }

    /// Returns the models of a provider that have valid rejections.
    pub fn models<'a>(&'a self, provider: &str, now: u64) -> impl Iterator<Item = &'a str> {
        let models = self.facts.get(provider).into_iter().flatten();
        let known =
            models.filter(move |(_, rejections)| rejections.iter().any(|rejection| rejection.is_valid(now)));
        known.map(|(model, _)| model.as_str())
    }

    /// Returns the provider's list of models.
    pub fn listing(&self, provider: &str) -> Option<&Listing> {
        self.listings.get(provider)
    }

    /// Stores a rejection in place of an earlier one about the same parameter.
    pub fn add_rejection(&mut self, provider: &str, model: &str, rejection: ParameterRejection) {
        let rejections =
            self.facts.entry(provider.to_owned()).or_default().entry(model.to_owned()).or_default();
        rejections.retain(|held| held.parameter != rejection.parameter);
        rejections.push(rejection);
    }

    /// Stores a provider's list of models in place of an earlier one.
    pub fn set_listing(&mut self, provider: &str, listing: Listing) {
        self.listings.insert(provider.to_owned(), listing);
    }

    /// Removes the rejections of all of a provider's models.
    pub fn remove_rejections(&mut self, provider: &str) {
        self.facts.remove(provider);
    }

    /// Removes rejections that are not valid any more.
    pub fn remove_expired(&mut self, now: u64) {
        for models in self.facts.values_mut() {
            for rejections in models.values_mut() {
                rejections.retain(|rejection| rejection.is_valid(now));
            }
            models.retain(|_, rejections| !rejections.is_empty());
        }
        self.facts.retain(|_, models| !models.is_empty());
    }
}
