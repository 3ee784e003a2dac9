//! The responses and conversations that upstreams store, with their upstream and their client.

use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::record_file::{RecordFile, RecordFileError, RecordKeeper, Records};

/// Maximum ids of one client. Its oldest id is forgotten first, so a client displaces only its own ids.
const IDS_OF_A_CLIENT: usize = 4096;
/// Maximum ids of all clients. The oldest id of the client with the most ids is forgotten first.
const IDS: usize = 65_536;
/// Maximum bytes of an id. A longer one is not kept.
const ID_BYTES: usize = 256;

/// The ids that upstreams gave to stored values. A client reaches only the values of its own requests, because all clients
/// share the upstream's key.
#[derive(Debug, Default)]
pub(crate) struct StoredIds(Mutex<RecordKeeper<Table>>);

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

/// A line of the file of the table.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct IdRecord {
    /// The hash of the client's key; empty without keys of clients.
    owner: String,
    id: String,
    /// The label of the upstream; `None` for an id that was removed.
    upstream: Option<String>,
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
    /// Adds the ids of a file, and keeps the table in it.
    pub(crate) fn open(&self, path: &Path) -> Result<RecordFile, RecordFileError> {
        self.lock().open(path)
    }

    /// Keeps the id of a value that an upstream with this label stores for a client. The first owner of an id keeps it.
    pub(crate) fn insert(&self, owner: &str, id: &str, upstream: &str) {
        let table = &mut *self.lock();
        if table.records.insert(owner, id, upstream) {
            // The answer with the id is paid for, so it is sent without a record, too.
            table.store(|| IdRecord::new(owner, id, Some(upstream)));
        }
    }

    /// Finds the upstream of an id, for this client.
    pub(crate) fn find(&self, owner: &str, id: &str) -> StoredAt {
        match self.lock().records.entries.get(id) {
            Some(entry) if entry.owner == owner => StoredAt::Upstream(entry.upstream.clone()),
            Some(_) => StoredAt::Foreign,
            None => StoredAt::Unknown,
        }
    }

    /// Forgets an id of this client.
    pub(crate) fn remove(&self, owner: &str, id: &str) {
        let table = &mut *self.lock();
        if table.records.remove(owner, id) {
            // The upstream has deleted the value.
            table.store(|| IdRecord::new(owner, id, None));
        }
    }

    fn lock(&self) -> MutexGuard<'_, RecordKeeper<Table>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    /// Inserts an id. Returns false if that changes nothing.
    fn insert(&mut self, owner: &str, id: &str, upstream: &str) -> bool {
        if !is_id(id) {
            return false;
        }
        if let Some(entry) = self.entries.get_mut(id) {
            let is_change = entry.owner == owner && entry.upstream != upstream;
            if is_change {
                upstream.clone_into(&mut entry.upstream);
            }
            return is_change;
        }
        let entry = Entry { owner: owner.to_owned(), upstream: upstream.to_owned() };
        self.entries.insert(id.to_owned(), entry);
        let ids = self.owners.entry(owner.to_owned()).or_default();
        ids.push_back(id.to_owned());
        let oldest = if ids.len() > IDS_OF_A_CLIENT { ids.pop_front() } else { None };
        let oldest = oldest.or_else(|| self.pop_surplus());
        if let Some(oldest) = oldest {
            self.entries.remove(&oldest);
        }
        true
    }

    /// Removes an id of this owner. Returns false if the owner does not have it.
    fn remove(&mut self, owner: &str, id: &str) -> bool {
        if self.entries.get(id).is_none_or(|entry| entry.owner != owner) {
            return false;
        }
        self.entries.remove(id);
        if let Some(ids) = self.owners.get_mut(owner) {
            ids.retain(|held| held != id);
            if ids.is_empty() {
                self.owners.remove(owner);
            }
        }
        true
    }

    /// Takes the oldest id of the client with the most ids, if there are too many ids.
    fn pop_surplus(&mut self) -> Option<String> {
        if self.entries.len() <= IDS {
            return None;
        }
        self.owners.values_mut().max_by_key(|ids| ids.len())?.pop_front()
    }
}

/// The file has the ids of each owner in their order, so the same ids are forgotten first after a restart.
impl Records for Table {
    const KIND: &'static str = "stored-ids 1";

    type Record = IdRecord;

    fn apply(&mut self, record: IdRecord) {
        let IdRecord { owner, id, upstream } = record;
        match upstream {
            Some(upstream) => self.insert(&owner, &id, &upstream),
            None => self.remove(&owner, &id),
        };
    }

    fn list(&self) -> impl Iterator<Item = IdRecord> {
        let ids = self.owners.iter().flat_map(|(owner, ids)| ids.iter().map(move |id| (owner, id)));
        ids.filter_map(|(owner, id)| Some(IdRecord::new(owner, id, Some(&self.entries.get(id)?.upstream))))
    }

    fn count(&self) -> usize {
        self.entries.len()
    }
}

impl IdRecord {
    fn new(owner: &str, id: &str, upstream: Option<&str>) -> Self {
        Self { owner: owner.to_owned(), id: id.to_owned(), upstream: upstream.map(str::to_owned) }
    }
}

/// Returns true for a text that can be a part of a path at an upstream without changing the path around it.
pub(crate) fn is_id(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=ID_BYTES).contains(&text.len()) && text.bytes().all(is_plain)
}

#[cfg(test)]
mod tests;
