//! What providers have said of their models: in refusals, and when they were asked.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::book::{Book, Writing, is_believed, now, read, read_locked};
use crate::capability::Said;
use crate::edit::{Change, Edit};
use crate::supposed::Supposed;
use crate::{Endpoint, Quirk, Storage};

/// What providers have said of their models, shared by clients and kept between processes if there is a place.
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

/// What a refusal said of a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Fact {
    /// The parameter that was refused.
    pub parameter: String,
    /// What is done about it in later requests; nothing if only an ability is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<Remedy>,
    /// What follows for the model's abilities.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub abilities: Said,
    /// The beginning of the provider's words.
    pub message: String,
    /// When it was said, in seconds since 1970.
    pub learned_at: u64,
}

/// What is done about a parameter that is refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Remedy {
    /// It is not sent.
    Drop,
    /// It is sent under this name.
    Rename(String),
    /// This text is not sent in its list.
    DropItem(String),
    /// The request is said with this quirk.
    Quirk(Quirk),
}

/// A model, as its provider's list has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelEntry {
    /// The name that requests give.
    pub id: String,
    /// How many tokens request and answer may have together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u64>,
    /// How many tokens an answer may have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// The abilities that the list speaks of.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub abilities: Said,
}

/// A provider's list of its models.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Listing {
    /// When it was asked for, in seconds since 1970.
    pub asked_at: u64,
    /// The models, in the provider's order.
    pub models: Vec<ModelEntry>,
}

impl ModelEntry {
    /// A model of which nothing but its name is known.
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), context_tokens: None, output_tokens: None, abilities: Said::new() }
    }
}

impl Facts {
    /// Nothing is known yet, and nothing is kept when the process ends.
    pub fn in_memory() -> Self {
        Self {
            book: Mutex::default(),
            storage: None,
            trouble: Mutex::default(),
            supposed: Supposed::default(),
        }
    }

    /// What is kept in a place. A document that cannot be understood is set aside; one that cannot even be read or
    /// moved, or that a newer version wrote, is left alone, and nothing is kept then. [`Facts::trouble`] says so.
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

    /// What went wrong with the place so far, for the human.
    pub fn trouble(&self) -> Option<String> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The name under which an endpoint's models are kept: a server at another address is another.
    pub fn provider(endpoint: &Endpoint) -> String {
        format!("{} {}", endpoint.name, endpoint.host())
    }

    /// What refusals said of a model, as far as they are still believed.
    pub fn of(&self, provider: &str, model: &str) -> Vec<Fact> {
        let now = now();
        let book = self.lock();
        let facts = book.facts.get(provider).and_then(|models| models.get(model));
        let kept = facts.into_iter().flatten().filter(|fact| is_believed(fact, now)).cloned();
        kept.chain(self.supposed.of(provider, model)).collect()
    }

    /// The models of a provider of which refusals said something.
    pub fn models(&self, provider: &str) -> Vec<String> {
        let now = now();
        let book = self.lock();
        let models = book.facts.get(provider).into_iter().flatten();
        models
            .filter(|(_, facts)| facts.iter().any(|fact| is_believed(fact, now)))
            .map(|(id, _)| id.clone())
            .collect()
    }

    /// A provider's list of its models, as it was when it was last asked.
    pub fn listing(&self, provider: &str) -> Option<Listing> {
        self.lock().listings.get(provider).cloned()
    }

    /// Remembers what a refusal said, in place of what was said of that parameter before.
    pub fn learn(&self, provider: &str, model: &str, fact: Fact) {
        self.change(|book| {
            let facts =
                book.facts.entry(provider.to_owned()).or_default().entry(model.to_owned()).or_default();
            facts.retain(|held| held.parameter != fact.parameter);
            facts.push(fact);
        });
    }

    /// Believes in this process what a refusal seemed to say, until [`settle`](Self::settle) keeps it or drops it.
    pub(crate) fn suppose(&self, provider: &str, model: &str, fact: Fact) {
        self.supposed.add(provider, model, fact);
    }

    /// Looks at what is supposed of a model in the light of a request that succeeded.
    pub(crate) fn settle(&self, provider: &str, model: &str, sent: &[u8]) {
        for fact in self.supposed.settle(provider, model, sent) {
            self.learn(provider, model, fact);
        }
    }

    /// Remembers a provider's list of its models.
    pub fn list(&self, provider: &str, models: Vec<ModelEntry>) {
        let listing = Listing { asked_at: now(), models };
        self.change(|book| drop(book.listings.insert(provider.to_owned(), listing)));
    }

    /// Forgets all that refusals of a provider said.
    pub fn forget(&self, provider: &str) {
        self.change(|book| drop(book.facts.remove(provider)));
    }

    /// Changes the book here and in its place, on top of what other processes have put there since.
    fn change(&self, change: impl FnOnce(&mut Book)) {
        let mut book = self.lock();
        let Some(storage) = &self.storage else { return change(&mut book) };
        // From here to the end other processes wait, so that no change of theirs is lost.
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
    /// A fact that is learned now.
    pub(crate) fn new(
        parameter: impl Into<String>,
        remedy: Option<Remedy>,
        abilities: Said,
        message: &str,
    ) -> Self {
        let message = message.chars().take(200).collect();
        Self { parameter: parameter.into(), remedy, abilities, message, learned_at: now() }
    }

    /// The change of a body, if that is what is done about it.
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
