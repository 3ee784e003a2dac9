//! A store in memory.

mod sessions;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use windlass_journal::{Durability, Journal, JournalError, Journals, Record};
use windlass_protocol::RawJson;

use crate::name::{check_key, check_plain};
use crate::{ContentHash, Lease, SessionRecords, Store, StoreError, StoredOutput};

use self::sessions::StoredSession;

/// A store in memory, for tests and as the reference for other stores. It ends with the process. Clones share
/// the runs.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore {
    runs: Arc<Mutex<BTreeMap<String, Run>>>,
    /// The newest change of each session.
    sessions: Arc<Mutex<BTreeMap<String, StoredSession>>>,
}

#[derive(Debug)]
struct Run {
    settings: RawJson,
    /// The session of the run. The text is empty if the run does not belong to one.
    session: Option<String>,
    fence: u64,
    /// The end of the present lease.
    expires: Option<Instant>,
    /// The journals by key. `None` is the run's own journal.
    journals: BTreeMap<Option<String>, Vec<Record>>,
    answers: BTreeMap<String, RawJson>,
    messages: BTreeMap<u64, RawJson>,
    /// The number of the newest message, also after it was removed.
    last_message: u64,
    outputs: BTreeMap<String, ContentHash>,
    contents: BTreeMap<ContentHash, Vec<u8>>,
}

#[derive(Clone, Debug)]
struct MemoryLease {
    store: MemoryStore,
    run: String,
    fence: u64,
    ttl: Duration,
}

struct LeasedJournal {
    lease: MemoryLease,
    key: Option<String>,
}

impl MemoryStore {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Run>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn edit<T>(&self, run: &str, work: impl FnOnce(&mut Run) -> T) -> Result<T, StoreError> {
        let mut runs = self.lock();
        let found = runs.get_mut(run).map(work);
        found.ok_or_else(|| StoreError::NotFound { run: run.to_owned(), store: "memory".to_owned() })
    }
}

impl Store for MemoryStore {
    fn sessions(&self) -> Option<Arc<dyn SessionRecords>> {
        Some(Arc::new(self.clone()))
    }

    fn create_run(&self, run: &str, settings: &RawJson) -> Result<(), StoreError> {
        check_plain(run)?;
        let mut runs = self.lock();
        if runs.contains_key(run) {
            return Err(StoreError::Exists { run: run.to_owned() });
        }
        runs.insert(
            run.to_owned(),
            Run {
                settings: settings.clone(),
                session: None,
                fence: 0,
                expires: None,
                journals: BTreeMap::new(),
                answers: BTreeMap::new(),
                messages: BTreeMap::new(),
                last_message: 0,
                outputs: BTreeMap::new(),
                contents: BTreeMap::new(),
            },
        );
        Ok(())
    }

    fn read_settings(&self, run: &str) -> Result<RawJson, StoreError> {
        self.edit(run, |run| run.settings.clone())
    }

    fn list_runs(&self, after: Option<&str>, limit: u32) -> Result<Vec<String>, StoreError> {
        let runs = self.lock();
        let ids = runs.keys().filter(|id| after.is_none_or(|after| id.as_str() > after));
        Ok(ids.take(limit as usize).cloned().collect())
    }

    fn claim(&self, run: &str, ttl: Duration) -> Result<Arc<dyn Lease>, StoreError> {
        let now = Instant::now();
        let fence = self.edit(run, |stored| {
            if stored.expires.is_some_and(|expires| expires > now) {
                return Err(StoreError::Busy { run: run.to_owned() });
            }
            stored.fence = stored.fence.saturating_add(1);
            stored.expires = now.checked_add(ttl);
            Ok(stored.fence)
        })??;
        Ok(Arc::new(MemoryLease { store: self.clone(), run: run.to_owned(), fence, ttl }))
    }

    fn read_run_journal(&self, run: &str) -> Result<Vec<Record>, StoreError> {
        self.edit(run, |run| run.journals.get(&None).cloned().unwrap_or_default())
    }

    fn read_journal(&self, run: &str, key: &str) -> Result<Vec<Record>, StoreError> {
        self.edit(run, |run| run.journals.get(&Some(key.to_owned())).cloned().unwrap_or_default())
    }

    fn list_journals(&self, run: &str) -> Result<Vec<String>, StoreError> {
        self.edit(run, |run| run.journals.keys().flatten().cloned().collect())
    }

    fn put_answer(&self, run: &str, name: &str, answer: &RawJson) -> Result<(), StoreError> {
        let name = check_plain(name)?.to_owned();
        self.edit(run, |run| drop(run.answers.insert(name, answer.clone())))
    }

    fn read_answers(&self, run: &str) -> Result<Vec<(String, RawJson)>, StoreError> {
        self.edit(run, |run| run.answers.clone().into_iter().collect())
    }

    fn push_message(&self, run: &str, message: &RawJson) -> Result<u64, StoreError> {
        self.edit(run, |run| {
            run.last_message = run.last_message.saturating_add(1);
            run.messages.insert(run.last_message, message.clone());
            run.last_message
        })
    }

    fn read_messages(&self, run: &str) -> Result<Vec<(u64, RawJson)>, StoreError> {
        self.edit(run, |run| run.messages.clone().into_iter().collect())
    }

    fn list_outputs(&self, run: &str) -> Result<Vec<StoredOutput>, StoreError> {
        let outputs = self.edit(run, |run| run.outputs.clone())?;
        Ok(outputs.into_iter().map(|(name, hash)| StoredOutput::new(name, hash)).collect())
    }

    fn read_output(&self, run: &str, hash: &ContentHash) -> Result<Option<Vec<u8>>, StoreError> {
        self.edit(run, |run| run.contents.get(hash).cloned())
    }
}

impl MemoryLease {
    /// Changes the run if this lease still owns it. The comparison and the change are under one lock.
    fn write<T>(&self, change: impl FnOnce(&mut Run) -> T) -> Result<T, StoreError> {
        let lost = || StoreError::LeaseLost { run: self.run.clone(), fence: self.fence };
        self.store.edit(&self.run, |run| {
            let is_owner = run.fence == self.fence && run.expires.is_some();
            is_owner.then(|| change(run)).ok_or_else(lost)
        })?
    }
}

impl Journals for MemoryLease {
    fn open(&self, key: &str) -> Result<Box<dyn Journal + Send>, JournalError> {
        let key = check_key(key)?.to_owned();
        self.write(|run| {
            run.journals.entry(Some(key.clone())).or_default();
        })?;
        Ok(Box::new(LeasedJournal { lease: self.clone(), key: Some(key) }))
    }

    fn find(&self, key: &str) -> Result<Option<Box<dyn Journal + Send>>, JournalError> {
        let has = self.store.edit(&self.run, |run| run.journals.contains_key(&Some(key.to_owned())))?;
        if has { self.open(key).map(Some) } else { Ok(None) }
    }
}

impl Lease for MemoryLease {
    fn run(&self) -> &str {
        &self.run
    }

    fn fence(&self) -> u64 {
        self.fence
    }

    fn renew(&self) -> Result<(), StoreError> {
        let expires = Instant::now().checked_add(self.ttl);
        self.write(|run| run.expires = expires)
    }

    fn release(&self) -> Result<(), StoreError> {
        self.write(|run| run.expires = None)
    }

    fn open_run_journal(&self) -> Result<Box<dyn Journal + Send>, JournalError> {
        self.write(|_| ())?;
        Ok(Box::new(LeasedJournal { lease: self.clone(), key: None }))
    }

    fn put_output(&self, name: &str, content: &[u8]) -> Result<ContentHash, StoreError> {
        let (name, hash) = (check_plain(name)?.to_owned(), ContentHash::compute(content));
        self.write(|run| {
            run.contents.insert(hash.clone(), content.to_vec());
            run.outputs.insert(name, hash.clone());
        })?;
        Ok(hash)
    }

    fn remove_message(&self, number: u64) -> Result<(), StoreError> {
        self.write(|run| drop(run.messages.remove(&number)))
    }
}

impl Journal for LeasedJournal {
    fn append(&mut self, body: RawJson, at_ms: u64, _: Durability) -> Result<u64, JournalError> {
        let key = self.key.clone();
        let seq = self.lease.write(|run| {
            let records = run.journals.entry(key).or_default();
            let seq = records.len() as u64;
            records.push(Record::new(seq, at_ms, body));
            seq
        })?;
        Ok(seq)
    }

    fn records(&self) -> Result<Vec<Record>, JournalError> {
        let key = self.key.clone();
        Ok(self
            .lease
            .store
            .edit(&self.lease.run, |run| run.journals.get(&key).cloned().unwrap_or_default())?)
    }
}
