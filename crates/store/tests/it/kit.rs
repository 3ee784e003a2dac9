//! The conformance kit: it accepts the stores, and rejects a wrong one for each rule.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use windlass_journal::{Durability, Journal, JournalError, Journals, Record};
use windlass_protocol::RawJson;
use windlass_store::kit::{StoreRule, check_store};
use windlass_store::{ContentHash, Lease, MemoryStore, Store, StoreError, StoredOutput};

use crate::scene::{Scene, over_each_store};

over_each_store! { a_store_follows_the_rules }

fn a_store_follows_the_rules(scene: &Scene) {
    check_store(|| Ok(Arc::clone(&scene.store))).unwrap();
}

#[test]
fn a_folder_that_is_opened_again_follows_the_rules() {
    let folder = tempfile::tempdir().unwrap();
    check_store(|| Ok(Arc::new(windlass_store::FolderStore::open(folder.path().join("runs"))?))).unwrap();
}

/// A deviation of a store.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Defect {
    ParsesSettings,
    CreatesTwice,
    IgnoresPages,
    InventsRuns,
    TakesAnyName,
    ReversesRecords,
    ParsesRecords,
    MixesJournals,
    KeepsOldAnswers,
    KeepsRemovedMessages,
    NumbersMessagesWithZero,
    UsesNumbersAgain,
    FindsEveryOutput,
    GivesEveryClaim,
    CountsNoClaims,
    CannotRelease,
    RenewsLostLeases,
    AppendsForFormerOwners,
    Forgets,
}

const WRONG: [(StoreRule, Defect); 19] = [
    (StoreRule::KeepsRuns, Defect::ParsesSettings),
    (StoreRule::KeepsRuns, Defect::CreatesTwice),
    (StoreRule::ListsRuns, Defect::IgnoresPages),
    (StoreRule::ReportsUnknownRuns, Defect::InventsRuns),
    (StoreRule::ChecksNames, Defect::TakesAnyName),
    (StoreRule::KeepsRecords, Defect::ReversesRecords),
    (StoreRule::KeepsRecords, Defect::ParsesRecords),
    (StoreRule::SeparatesJournals, Defect::MixesJournals),
    (StoreRule::ReplacesAnswers, Defect::KeepsOldAnswers),
    (StoreRule::KeepsMessages, Defect::KeepsRemovedMessages),
    (StoreRule::KeepsMessages, Defect::NumbersMessagesWithZero),
    (StoreRule::KeepsMessages, Defect::UsesNumbersAgain),
    (StoreRule::KeepsOutputs, Defect::FindsEveryOutput),
    (StoreRule::HasOneOwner, Defect::GivesEveryClaim),
    (StoreRule::CountsClaims, Defect::CountsNoClaims),
    (StoreRule::Releases, Defect::CannotRelease),
    (StoreRule::RefusesFormerOwners, Defect::RenewsLostLeases),
    (StoreRule::RefusesFormerOwners, Defect::AppendsForFormerOwners),
    (StoreRule::SurvivesReopening, Defect::Forgets),
];

#[test]
fn a_wrong_store_is_rejected_for_each_rule() {
    for (rule, defect) in WRONG {
        let store = Wrong::new(defect);
        let open = || -> Result<Arc<dyn Store>, StoreError> {
            Ok(Arc::new(if defect == Defect::Forgets { Wrong::new(defect) } else { store.clone() }))
        };
        let violation = check_store(open).unwrap_err();
        assert_eq!(violation.rule, rule, "{defect:?}: {violation}");
        assert!(violation.to_string().starts_with(&rule.to_string()), "{violation}");
    }
    let mut rejected: Vec<_> = WRONG.iter().map(|(rule, _)| *rule).collect();
    rejected.dedup();
    assert_eq!(rejected, StoreRule::ALL);
}

/// A store in memory with one defect.
#[derive(Clone, Debug)]
struct Wrong {
    inner: MemoryStore,
    defect: Defect,
    old_answers: Arc<Mutex<Vec<(String, RawJson)>>>,
    last: Arc<Mutex<Option<Arc<dyn Lease>>>>,
}

impl Wrong {
    fn new(defect: Defect) -> Self {
        Self { inner: MemoryStore::default(), defect, old_answers: Arc::default(), last: Arc::default() }
    }
}

/// Returns JSON as a library writes it after parsing.
fn parsed(text: &RawJson) -> RawJson {
    let value: Result<serde_json::Value, _> = serde_json::from_str(text.as_str());
    value.map_or_else(|_| text.clone(), |value| value.to_string().parse().unwrap())
}

impl Store for Wrong {
    fn create_run(&self, run: &str, settings: &RawJson) -> Result<(), StoreError> {
        match self.inner.create_run(run, settings) {
            Err(StoreError::Exists { .. }) if self.defect == Defect::CreatesTwice => Ok(()),
            created => created,
        }
    }

    fn read_settings(&self, run: &str) -> Result<RawJson, StoreError> {
        let settings = self.inner.read_settings(run)?;
        Ok(if self.defect == Defect::ParsesSettings { parsed(&settings) } else { settings })
    }

    fn list_runs(&self, after: Option<&str>, limit: u32) -> Result<Vec<String>, StoreError> {
        self.inner.list_runs(if self.defect == Defect::IgnoresPages { None } else { after }, limit)
    }

    fn claim(&self, run: &str, ttl: Duration) -> Result<Arc<dyn Lease>, StoreError> {
        let mut last = self.last.lock().unwrap();
        if let Some(held) =
            last.as_ref().filter(|held| self.defect == Defect::GivesEveryClaim && held.run() == run)
        {
            held.release().unwrap();
        }
        let lease = self.inner.claim(run, ttl)?;
        *last = Some(Arc::clone(&lease));
        Ok(Arc::new(WrongLease { inner: lease, defect: self.defect }))
    }

    fn read_run_journal(&self, run: &str) -> Result<Vec<Record>, StoreError> {
        let mut records = self.inner.read_run_journal(run)?;
        match self.defect {
            Defect::ReversesRecords => records.reverse(),
            Defect::ParsesRecords => {
                for record in &mut records {
                    record.body = parsed(&record.body);
                }
            }
            _ => {}
        }
        Ok(records)
    }

    fn read_journal(&self, run: &str, key: &str) -> Result<Vec<Record>, StoreError> {
        match self.defect {
            Defect::MixesJournals => self.inner.read_run_journal(run),
            _ => self.inner.read_journal(run, key),
        }
    }

    fn list_journals(&self, run: &str) -> Result<Vec<String>, StoreError> {
        self.inner.list_journals(run)
    }

    fn put_answer(&self, run: &str, name: &str, answer: &RawJson) -> Result<(), StoreError> {
        if self.defect == Defect::KeepsOldAnswers {
            self.old_answers.lock().unwrap().push((name.to_owned(), answer.clone()));
        }
        match self.inner.put_answer(run, name, answer) {
            Err(StoreError::Name { .. }) if self.defect == Defect::TakesAnyName => Ok(()),
            put => put,
        }
    }

    fn read_answers(&self, run: &str) -> Result<Vec<(String, RawJson)>, StoreError> {
        match self.defect {
            Defect::InventsRuns => Ok(self.inner.read_answers(run).unwrap_or_default()),
            Defect::KeepsOldAnswers if self.inner.read_answers(run).is_ok() => {
                Ok(self.old_answers.lock().unwrap().clone())
            }
            _ => self.inner.read_answers(run),
        }
    }

    fn push_message(&self, run: &str, message: &RawJson) -> Result<u64, StoreError> {
        let newest = self.inner.read_messages(run)?.last().map_or(0, |(number, _)| *number);
        let number = self.inner.push_message(run, message)?;
        Ok(match self.defect {
            Defect::NumbersMessagesWithZero => 0,
            Defect::UsesNumbersAgain => newest.saturating_add(1),
            _ => number,
        })
    }

    fn read_messages(&self, run: &str) -> Result<Vec<(u64, RawJson)>, StoreError> {
        self.inner.read_messages(run)
    }

    fn list_outputs(&self, run: &str) -> Result<Vec<StoredOutput>, StoreError> {
        self.inner.list_outputs(run)
    }

    fn read_output(&self, run: &str, hash: &ContentHash) -> Result<Option<Vec<u8>>, StoreError> {
        let output = self.inner.read_output(run, hash)?;
        Ok(if self.defect == Defect::FindsEveryOutput { output.or(Some(Vec::new())) } else { output })
    }
}

#[derive(Debug)]
struct WrongLease {
    inner: Arc<dyn Lease>,
    defect: Defect,
}

struct WrongJournal {
    inner: Box<dyn Journal + Send>,
    defect: Defect,
}

impl WrongLease {
    fn wrap(&self, inner: Box<dyn Journal + Send>) -> Box<dyn Journal + Send> {
        Box::new(WrongJournal { inner, defect: self.defect })
    }
}

impl Journals for WrongLease {
    fn open(&self, key: &str) -> Result<Box<dyn Journal + Send>, JournalError> {
        self.inner.open(key).map(|journal| self.wrap(journal))
    }

    fn find(&self, key: &str) -> Result<Option<Box<dyn Journal + Send>>, JournalError> {
        self.inner.find(key).map(|journal| journal.map(|journal| self.wrap(journal)))
    }
}

impl Lease for WrongLease {
    fn run(&self) -> &str {
        self.inner.run()
    }

    fn fence(&self) -> u64 {
        if self.defect == Defect::CountsNoClaims { 1 } else { self.inner.fence() }
    }

    fn renew(&self) -> Result<(), StoreError> {
        if self.defect == Defect::RenewsLostLeases { Ok(()) } else { self.inner.renew() }
    }

    fn release(&self) -> Result<(), StoreError> {
        match self.defect {
            Defect::CannotRelease => Err(StoreError::Busy { run: self.run().to_owned() }),
            _ => self.inner.release(),
        }
    }

    fn open_run_journal(&self) -> Result<Box<dyn Journal + Send>, JournalError> {
        self.inner.open_run_journal().map(|journal| self.wrap(journal))
    }

    fn put_output(&self, name: &str, content: &[u8]) -> Result<ContentHash, StoreError> {
        self.inner.put_output(name, content)
    }

    fn remove_message(&self, number: u64) -> Result<(), StoreError> {
        if self.defect == Defect::KeepsRemovedMessages { Ok(()) } else { self.inner.remove_message(number) }
    }
}

impl Journal for WrongJournal {
    fn append(&mut self, body: RawJson, at_ms: u64, durability: Durability) -> Result<u64, JournalError> {
        match self.inner.append(body, at_ms, durability) {
            Err(JournalError::LeaseLost { .. }) if self.defect == Defect::AppendsForFormerOwners => Ok(9),
            appended => appended,
        }
    }

    fn records(&self) -> Result<Vec<Record>, JournalError> {
        self.inner.records()
    }
}
