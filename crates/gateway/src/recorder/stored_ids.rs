//! The responses and conversations that upstreams store, with their upstream and their client.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Maximum ids of one client. Its oldest id is forgotten first, so a client displaces only its own ids.
const IDS_OF_A_CLIENT: usize = 4096;
/// Maximum ids of all clients. The oldest id of the client with the most ids is forgotten first.
const IDS: usize = 65_536;
/// Maximum bytes of an id. A longer one is not kept.
const ID_BYTES: usize = 256;

/// The ids that upstreams gave to stored values. A client reaches only the values of its own requests, because all clients
/// share the upstream's key.
#[derive(Debug, Default)]
pub(crate) struct StoredIds(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    entries: HashMap<String, Entry>,
    /// The ids of each owner, the oldest first.
    owners: HashMap<String, VecDeque<String>>,
}

#[derive(Debug)]
struct Entry {
    owner: String,
    upstream: String,
}

/// The relation of a client to an id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StoredAt {
    /// An upstream stores the value for the client.
    Upstream(String),
    /// The value belongs to another client.
    Foreign,
    Unknown,
}

impl StoredIds {
    /// Keeps the id of a value that an upstream with this label stores for a client. The first owner of an id keeps it.
    pub(crate) fn insert(&self, owner: &str, id: &str, upstream: &str) {
        if !is_id(id) {
            return;
        }
        let table = &mut *self.lock();
        if let Some(entry) = table.entries.get_mut(id) {
            if entry.owner == owner {
                upstream.clone_into(&mut entry.upstream);
            }
            return;
        }
        let entry = Entry { owner: owner.to_owned(), upstream: upstream.to_owned() };
        table.entries.insert(id.to_owned(), entry);
        let ids = table.owners.entry(owner.to_owned()).or_default();
        ids.push_back(id.to_owned());
        let oldest = if ids.len() > IDS_OF_A_CLIENT { ids.pop_front() } else { None };
        let oldest = oldest.or_else(|| table.pop_surplus());
        if let Some(oldest) = oldest {
            table.entries.remove(&oldest);
        }
    }

    /// Finds the upstream of an id, for this client.
    pub(crate) fn find(&self, owner: &str, id: &str) -> StoredAt {
        match self.lock().entries.get(id) {
            Some(entry) if entry.owner == owner => StoredAt::Upstream(entry.upstream.clone()),
            Some(_) => StoredAt::Foreign,
            None => StoredAt::Unknown,
        }
    }

    /// Forgets an id of this client.
    pub(crate) fn remove(&self, owner: &str, id: &str) {
        let table = &mut *self.lock();
        if table.entries.get(id).is_some_and(|entry| entry.owner == owner) {
            table.entries.remove(id);
            if let Some(ids) = table.owners.get_mut(owner) {
                ids.retain(|held| held != id);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    /// Takes the oldest id of the client with the most ids, if there are too many ids.
    fn pop_surplus(&mut self) -> Option<String> {
        if self.entries.len() <= IDS {
            return None;
        }
        self.owners.values_mut().max_by_key(|ids| ids.len())?.pop_front()
    }
}

/// Returns true for a text that can be a part of a path at an upstream without changing the path around it.
pub(crate) fn is_id(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=ID_BYTES).contains(&text.len()) && text.bytes().all(is_plain)
}

#[cfg(test)]
mod tests;
