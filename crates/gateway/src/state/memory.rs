//! A store in memory.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use super::limits::StateLimits;
use super::store::{StateError, StateFuture, StateStore};

/// A store in memory, which is empty when the program starts. Each access takes logarithmic time.
///
/// ```
/// use windlass_gateway::{MemoryStateStore, StateLimits, StateStore};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), windlass_gateway::StateError> {
/// let store = MemoryStateStore::new(StateLimits { owner_values: 2, ..StateLimits::default() });
/// for id in ["a", "b", "c"] {
///     store.insert("ann", id, "{}".into()).await?;
/// }
/// assert!(store.get("ann", "a").await?.is_none() && store.get("ann", "c").await?.is_some());
/// assert!(store.get("bob", "c").await?.is_none());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct MemoryStateStore {
    limits: StateLimits,
    held: Arc<Mutex<Contents>>,
}

#[derive(Default)]
struct Contents {
    owners: HashMap<Arc<str>, Owner>,
    /// The owner of the response of each access, the oldest access first.
    uses: BTreeMap<u64, Arc<str>>,
    /// The number of the next access.
    next: u64,
    bytes: usize,
}

#[derive(Default)]
struct Owner {
    values: HashMap<Arc<str>, StoredValue>,
    /// The id of each use, oldest use first.
    uses: BTreeMap<u64, Arc<str>>,
    bytes: usize,
}

struct StoredValue {
    value: Bytes,
    size: usize,
    used: Instant,
    number: u64,
}

impl MemoryStateStore {
    /// Creates an empty store.
    pub fn new(limits: StateLimits) -> Self {
        Self { limits, held: Arc::default() }
    }

    /// Returns the number of values and the bytes that count.
    pub fn size(&self) -> (usize, usize) {
        let held = self.lock();
        (held.uses.len(), held.bytes)
    }

    fn lock(&self) -> MutexGuard<'_, Contents> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.expire(self.limits.idle);
        held
    }

    fn insert_value(
        &self,
        held: &mut Contents,
        owner: &str,
        id: &str,
        value: &[u8],
    ) -> Result<(), StateError> {
        let size = self.limits.size(owner, id, value)?;
        held.remove(owner, id);
        // The value may share the memory of a larger buffer.
        held.insert(owner, id, Bytes::copy_from_slice(value), size);
        while let Some(full) = held.owners.get(owner)
            && (full.bytes > self.limits.owner_bytes || full.values.len() > self.limits.owner_values.max(1))
            && let Some(oldest) = full.uses.values().next().cloned()
        {
            held.remove(owner, &oldest);
        }
        while held.bytes > self.limits.bytes && held.remove_oldest() {}
        Ok(())
    }
}

impl Contents {
    fn insert(&mut self, owner: &str, id: &str, value: Bytes, size: usize) {
        let number = self.next;
        self.next = self.next.saturating_add(1);
        let (owner, id): (Arc<str>, Arc<str>) = (owner.into(), id.into());
        let of_owner = self.owners.entry(owner.clone()).or_default();
        of_owner.uses.insert(number, id.clone());
        of_owner.bytes = of_owner.bytes.saturating_add(size);
        of_owner.values.insert(id, StoredValue { value, size, used: Instant::now(), number });
        self.uses.insert(number, owner);
        self.bytes = self.bytes.saturating_add(size);
    }

    fn remove(&mut self, owner: &str, id: &str) -> bool {
        let Some(of_owner) = self.owners.get_mut(owner) else { return false };
        let Some(stored) = of_owner.values.remove(id) else { return false };
        of_owner.uses.remove(&stored.number);
        of_owner.bytes = of_owner.bytes.saturating_sub(stored.size);
        if of_owner.values.is_empty() {
            self.owners.remove(owner);
        }
        self.uses.remove(&stored.number);
        self.bytes = self.bytes.saturating_sub(stored.size);
        true
    }

    /// Returns a value and makes it the one that was used last.
    fn take_used(&mut self, owner: &str, id: &str) -> Option<Bytes> {
        let number = self.next;
        let name = self.owners.get_key_value(owner)?.0.clone();
        let of_owner = self.owners.get_mut(&name)?;
        let stored = of_owner.values.get_mut(id)?;
        let earlier = std::mem::replace(&mut stored.number, number);
        stored.used = Instant::now();
        let value = stored.value.clone();
        if let Some(id) = of_owner.uses.remove(&earlier) {
            of_owner.uses.insert(number, id);
        }
        self.uses.remove(&earlier);
        self.uses.insert(number, name);
        self.next = number.saturating_add(1);
        Some(value)
    }

    /// Returns the owner and the id of the value that was not used for the longest time.
    fn oldest(&self) -> Option<(Arc<str>, Arc<str>)> {
        let (number, owner) = self.uses.first_key_value()?;
        Some((owner.clone(), self.owners.get(owner)?.uses.get(number)?.clone()))
    }

    fn remove_oldest(&mut self) -> bool {
        self.oldest().is_some_and(|(owner, id)| self.remove(&owner, &id))
    }

    fn expire(&mut self, idle: Duration) {
        while let Some((owner, id)) = self.oldest() {
            let stored = self.owners.get(&owner).and_then(|owner| owner.values.get(&id));
            if stored.is_none_or(|stored| stored.used.elapsed() < idle) {
                return;
            }
            self.remove(&owner, &id);
        }
    }
}

impl Default for MemoryStateStore {
    fn default() -> Self {
        Self::new(StateLimits::default())
    }
}

impl StateStore for MemoryStateStore {
    fn get<'a>(&'a self, owner: &'a str, id: &'a str) -> StateFuture<'a, Option<Bytes>> {
        Box::pin(async move { Ok(self.lock().take_used(owner, id)) })
    }

    fn insert<'a>(&'a self, owner: &'a str, id: &'a str, value: Bytes) -> StateFuture<'a, ()> {
        Box::pin(async move { self.insert_value(&mut self.lock(), owner, id, &value) })
    }

    fn replace<'a>(
        &'a self,
        owner: &'a str,
        id: &'a str,
        old: &'a Bytes,
        new: Bytes,
    ) -> StateFuture<'a, bool> {
        Box::pin(async move {
            // The comparison and the insertion hold one lock.
            let mut held = self.lock();
            if held.take_used(owner, id).as_ref() != Some(old) {
                return Ok(false);
            }
            self.insert_value(&mut held, owner, id, &new).map(|()| true)
        })
    }

    fn remove<'a>(&'a self, owner: &'a str, id: &'a str) -> StateFuture<'a, bool> {
        Box::pin(async move { Ok(self.lock().remove(owner, id)) })
    }
}

impl fmt::Debug for MemoryStateStore {
    // The values contain conversations.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (values, bytes) = self.size();
        f.debug_struct("MemoryStateStore")
            .field("values", &values)
            .field("bytes", &bytes)
            .finish_non_exhaustive()
    }
}
