//! Store of facts about models, learned from providers' refusals and model lists.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use windlass_vendors::{CapabilityDocument, Endpoint, Listing, ModelEntry, ParameterRejection};

use crate::Storage;
use crate::stored_document::{WritePermission, now, read, read_under_lock};
use crate::unconfirmed::UnconfirmedRejections;

/// Store of facts about models, shared by clients and kept between processes if it has a [`Storage`].
///
/// ```
/// use windlass_client::{CapabilityStore, FileStorage};
/// let store = CapabilityStore::open(FileStorage::new("/nowhere/windlass/models.json"));
/// assert_eq!(store.trouble(), None);
/// assert!(store.rejections("groq api.groq.com", "any").is_empty());
/// ```
pub struct CapabilityStore {
    document: Mutex<CapabilityDocument>,
    storage: Option<Arc<dyn Storage>>,
    trouble: Mutex<Option<String>>,
    unconfirmed: UnconfirmedRejections,
}

impl CapabilityStore {
    /// Returns an empty store that is lost when it is dropped.
    pub fn in_memory() -> Self {
        Self {
            document: Mutex::default(),
            storage: None,
            trouble: Mutex::default(),
            unconfirmed: UnconfirmedRejections::default(),
        }
    }

    /// Opens a stored document. A document that cannot be parsed is set aside. A document that cannot be read
    /// or set aside, or that a newer version wrote, stays unchanged, and the store then works in memory only;
    /// [`CapabilityStore::trouble`] returns the reason.
    pub fn open(storage: impl Storage + 'static) -> Self {
        let (document, writing, trouble) = read(&storage);
        let storage: Option<Arc<dyn Storage>> =
            if writing == WritePermission::Allowed { Some(Arc::new(storage)) } else { None };
        Self {
            document: Mutex::new(document.unwrap_or_default()),
            storage,
            trouble: Mutex::new(trouble),
            unconfirmed: UnconfirmedRejections::default(),
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
    pub fn rejections(&self, provider: &str, model: &str) -> Vec<ParameterRejection> {
        let kept: Vec<ParameterRejection> = self.lock().rejections(provider, model, now()).cloned().collect();
        kept.into_iter().chain(self.unconfirmed.rejections(provider, model)).collect()
    }

    /// Returns the models of a provider for which facts are stored.
    pub fn models(&self, provider: &str) -> Vec<String> {
        self.lock().models(provider, now()).map(str::to_owned).collect()
    }

    /// Returns the provider's list of models as of the last request for it.
    pub fn listing(&self, provider: &str) -> Option<Listing> {
        self.lock().listing(provider).cloned()
    }

    /// Stores a fact in place of an earlier one about the same parameter.
    pub fn learn(&self, provider: &str, model: &str, rejection: ParameterRejection) {
        self.change(|document| document.add_rejection(provider, model, rejection));
    }

    /// Uses a fact in this process only, until [`settle`](Self::settle) stores or drops it.
    pub(crate) fn suppose(&self, provider: &str, model: &str, rejection: ParameterRejection) {
        self.unconfirmed.add(provider, model, rejection);
    }

    /// Settles the supposed facts about a model after a request has succeeded: stores a fact if the request
    /// did without the denied feature, drops it otherwise.
    pub(crate) fn settle(&self, provider: &str, model: &str, sent: &[u8]) {
        for rejection in self.unconfirmed.settle(provider, model, sent) {
            self.learn(provider, model, rejection);
        }
    }

    /// Stores a provider's list of models.
    pub fn set_listing(&self, provider: &str, models: Vec<ModelEntry>) {
        let listing = Listing::new(now(), models);
        self.change(|document| document.set_listing(provider, listing));
    }

    /// Removes all learned facts about a provider's models.
    pub fn forget(&self, provider: &str) {
        self.change(|document| document.remove_rejections(provider));
    }

    /// Changes the document in memory and in the storage, on top of the changes that other processes have
    /// stored.
    fn change(&self, change: impl FnOnce(&mut CapabilityDocument)) {
        let mut document = self.lock();
        let Some(storage) = &self.storage else { return change(&mut document) };
        // The lock is held to the end of the function, so that no change of another process is lost.
        let lock = storage.lock();
        let (kept, may_write, mut trouble) = match &lock {
            Ok(_) => read_under_lock(storage.as_ref()),
            Err(error) => {
                (None, WritePermission::Forbidden, Some(format!("learned facts cannot be stored: {error}")))
            }
        };
        if let Some(kept) = kept {
            *document = kept;
        }
        change(&mut document);
        document.remove_expired(now());
        if may_write == WritePermission::Allowed {
            let written = document.to_json().map_err(Into::into).and_then(|text| storage.write(&text));
            trouble =
                written.err().map(|error| format!("learned facts cannot be stored: {error}")).or(trouble);
        }
        if trouble.is_some() {
            *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
        }
    }

    fn lock(&self) -> MutexGuard<'_, CapabilityDocument> {
        self.document.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for CapabilityStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CapabilityStore").field("is_kept", &self.storage.is_some()).finish_non_exhaustive()
    }
}
