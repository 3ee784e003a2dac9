//! Facts about models, learned from providers' refusals and model lists.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::book::{Book, Writing, is_believed, now, read, read_locked};
use crate::capability::Said;
use crate::edit::{Change, Edit};
use crate::supposed::Supposed;
use crate::{Endpoint, Quirk, Storage};

/// Store of facts about models, shared by clients and kept between processes if it has a [`Storage`].
///
/// ```
/// use windlass_client::{Facts, FileStorage};
/// let facts = Facts::open(FileStorage::new("/nowhere/windlass/models.json"));
/// assert_eq!(facts.trouble(), None);
/// assert!(facts.of("groq api.groq.com", "any").is_empty());
/// ```
pub struct Facts {
    book: Mutex<Book>,
    storage: Option<Arc<dyn Storage>>,
    trouble: Mutex<Option<String>>,
    supposed: Supposed,
}

/// A fact about a model that a refusal taught.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Fact {
    /// Name of the refused parameter.
    pub parameter: String,
    /// Change of later requests; `None` if the fact only denies an ability.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<Remedy>,
    /// Abilities that the refusal denies.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub abilities: Said,
    /// First 200 characters of the provider's message.
    pub message: String,
    /// Time at which the fact was learned, in seconds since 1970.
    pub learned_at: u64,
}

/// Change of later requests because of a refused parameter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Remedy {
    /// Omits the parameter.
    Drop,
    /// Sends the parameter under this name.
    Rename(String),
    /// Omits this string from the parameter's list.
    DropItem(String),
    /// Applies this quirk to the request.
    Quirk(Quirk),
}

/// A model in a provider's list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelEntry {
    /// Name of the model in requests.
    pub id: String,
    /// Size of the context window in tokens, for request and answer together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u64>,
    /// Maximum number of tokens in an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Abilities that the list states.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub abilities: Said,
}

/// A provider's list of models.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Listing {
    /// Time of the request, in seconds since 1970.
    pub asked_at: u64,
    /// Models, in the provider's order.
    pub models: Vec<ModelEntry>,
}

impl ModelEntry {
    /// Returns an entry that has a name and no further data.
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), context_tokens: None, output_tokens: None, abilities: Said::new() }
    }
}

impl Facts {
    /// Returns an empty store that is lost when it is dropped.
    pub fn in_memory() -> Self {
        Self {
            book: Mutex::default(),
            storage: None,
            trouble: Mutex::default(),
            supposed: Supposed::default(),
        }
    }

    /// Opens a stored document. A document that cannot be parsed is set aside. A document that cannot be read
    /// or set aside, or that a newer version wrote, stays unchanged, and the store then works in memory only;
    /// [`Facts::trouble`] returns the reason.
    pub fn open(storage: impl Storage + 'static) -> Self {
        let (book, writing, trouble) = read(&storage);
        let storage: Option<Arc<dyn Storage>> =
            if writing == Writing::Allowed { Some(Arc::new(storage)) } else { None };
        Self {
            book: Mutex::new(book.unwrap_or_default()),
            storage,
            trouble: Mutex::new(trouble),
            supposed: Supposed::default(),
        }
    }

    /// Returns the last problem with the storage, for the user.
    pub fn trouble(&self) -> Option<String> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the key under which an endpoint's facts are stored: its name and host, because another server
    /// can behave differently.
    pub fn provider(endpoint: &Endpoint) -> String {
        format!("{} {}", endpoint.name, endpoint.host())
    }

    /// Returns the facts about a model that have not expired, and those that only this process supposes.
    pub fn of(&self, provider: &str, model: &str) -> Vec<Fact> {
        let now = now();
        let book = self.lock();
        let facts = book.facts.get(provider).and_then(|models| models.get(model));
        let kept = facts.into_iter().flatten().filter(|fact| is_believed(fact, now)).cloned();
        kept.chain(self.supposed.of(provider, model)).collect()
    }

    /// Returns the models of a provider for which facts are stored.
    pub fn models(&self, provider: &str) -> Vec<String> {
        let now = now();
        let book = self.lock();
        let models = book.facts.get(provider).into_iter().flatten();
        models
            .filter(|(_, facts)| facts.iter().any(|fact| is_believed(fact, now)))
            .map(|(id, _)| id.clone())
            .collect()
    }

    /// Returns the provider's list of models as of the last request for it.
    pub fn listing(&self, provider: &str) -> Option<Listing> {
        self.lock().listings.get(provider).cloned()
    }

    /// Stores a fact in place of an earlier one about the same parameter.
    pub fn learn(&self, provider: &str, model: &str, fact: Fact) {
        self.change(|book| {
            let facts =
                book.facts.entry(provider.to_owned()).or_default().entry(model.to_owned()).or_default();
            facts.retain(|held| held.parameter != fact.parameter);
            facts.push(fact);
        });
    }

    /// Uses a fact in this process only, until [`settle`](Self::settle) stores or drops it.
    pub(crate) fn suppose(&self, provider: &str, model: &str, fact: Fact) {
        self.supposed.add(provider, model, fact);
    }

    /// Settles the supposed facts about a model after a request has succeeded: stores a fact if the request
    /// did without the denied feature, drops it otherwise.
    pub(crate) fn settle(&self, provider: &str, model: &str, sent: &[u8]) {
        for fact in self.supposed.settle(provider, model, sent) {
            self.learn(provider, model, fact);
        }
    }

    /// Stores a provider's list of models.
    pub fn list(&self, provider: &str, models: Vec<ModelEntry>) {
        let listing = Listing { asked_at: now(), models };
        self.change(|book| drop(book.listings.insert(provider.to_owned(), listing)));
    }

    /// Removes all learned facts about a provider's models.
    pub fn forget(&self, provider: &str) {
        self.change(|book| drop(book.facts.remove(provider)));
    }

    /// Changes the document in memory and in the storage, on top of the changes that other processes have
    /// stored.
    fn change(&self, change: impl FnOnce(&mut Book)) {
        let mut book = self.lock();
        let Some(storage) = &self.storage else { return change(&mut book) };
        // The lock is held to the end of the function, so that no change of another process is lost.
        let lock = storage.lock();
        let (kept, may_write, mut trouble) = match &lock {
            Ok(_) => read_locked(storage.as_ref()),
            Err(error) => {
                (None, Writing::Forbidden, Some(format!("what was learned cannot be kept: {error}")))
            }
        };
        if let Some(kept) = kept {
            *book = kept;
        }
        change(&mut book);
        book.clean(now());
        if may_write == Writing::Allowed {
            let written =
                serde_json::to_vec_pretty(&*book).map_err(Into::into).and_then(|text| storage.write(&text));
            trouble =
                written.err().map(|error| format!("what was learned cannot be kept: {error}")).or(trouble);
        }
        if trouble.is_some() {
            *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Fact {
    /// Returns a fact that is learned now.
    pub(crate) fn new(
        parameter: impl Into<String>,
        remedy: Option<Remedy>,
        abilities: Said,
        message: &str,
    ) -> Self {
        let message = message.chars().take(200).collect();
        Self { parameter: parameter.into(), remedy, abilities, message, learned_at: now() }
    }

    /// Returns the edit of the body, if the remedy is one.
    pub(crate) fn edit(&self) -> Option<Edit> {
        let change = match self.remedy.as_ref()? {
            Remedy::Drop => Change::Drop,
            Remedy::Rename(name) => Change::Rename(name.clone()),
            Remedy::DropItem(item) => Change::DropItem(item.clone()),
            Remedy::Quirk(_) => return None,
        };
        Some(Edit::new(&self.parameter, change))
    }
}

impl std::fmt::Debug for Facts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Facts").field("is_kept", &self.storage.is_some()).finish_non_exhaustive()
    }
}
