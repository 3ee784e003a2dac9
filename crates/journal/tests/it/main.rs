//! The conformance kit: the journals of this crate pass it, and damaged ones do not.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::{Arc, Mutex};

use windlass_journal::kit::{Violation, check_async_journal, check_journal};
use windlass_journal::{
    AsyncJournal, Durability, FileJournal, FileJournals, Journal, JournalError, JournalFuture, Journals,
    MemoryJournal, MemoryJournals, Record, Redacting,
};
use windlass_protocol::RawJson;
use windlass_redact::Redactor;

#[test]
fn the_journals_of_the_crate_pass() {
    let journals = MemoryJournals::default();
    check_journal(|| journals.open("run-1")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let open = || {
        if path.exists() {
            FileJournal::open(&path).map(|(journal, _)| journal)
        } else {
            FileJournal::create(&path)
        }
    };
    check_journal(open).unwrap();
    let journals = FileJournals::new(folder.path().join("runs"));
    check_journal(|| journals.open("run-1")).unwrap();
}

// A redactor leaves texts without secrets as they are, also their form.
#[test]
fn a_redacting_journal_passes() {
    let journals = MemoryJournals::default();
    let open = || Ok(Redacting::new(journals.open("run-1")?, Redactor::new(["hunter22".into()])));
    check_journal(open).unwrap();
}

/// A shared journal with one defect.
#[derive(Clone)]
struct Damaged {
    inner: Arc<Mutex<MemoryJournal>>,
    damage: fn(Vec<Record>) -> Vec<Record>,
    returned: fn(u64) -> Result<u64, JournalError>,
}

impl Journal for Damaged {
    fn append(&mut self, body: RawJson, at_ms: u64, durability: Durability) -> Result<u64, JournalError> {
        (self.returned)(self.inner.lock().unwrap().append(body, at_ms, durability)?)
    }

    fn records(&self) -> Result<Vec<Record>, JournalError> {
        Ok((self.damage)(self.inner.lock().unwrap().records()?))
    }
}

impl AsyncJournal for Damaged {
    fn append(&mut self, body: RawJson, at_ms: u64, durability: Durability) -> JournalFuture<'_, u64> {
        let appended = Journal::append(self, body, at_ms, durability);
        Box::pin(async { appended })
    }

    fn records(&self) -> JournalFuture<'_, Vec<Record>> {
        let records = Journal::records(self);
        Box::pin(async { records })
    }
}

fn through_json(body: &RawJson) -> RawJson {
    serde_json::from_str::<serde_json::Value>(body.as_str()).unwrap_or_default().to_string().parse().unwrap()
}

#[test]
fn a_journal_with_a_defect_does_not_pass() {
    let damages: [fn(Vec<Record>) -> Vec<Record>; 5] = [
        |mut records| {
            records.pop();
            records
        },
        |mut records| {
            records.reverse();
            records
        },
        |records| {
            records.into_iter().map(|record| Record::new(record.seq + 1, record.at_ms, record.body)).collect()
        },
        |records| {
            records
                .into_iter()
                .map(|record| Record::new(record.seq, record.at_ms / 1000, record.body))
                .collect()
        },
        // A defect of a database with a column of parsed JSON: it writes the JSON again.
        |records| {
            let parsed = |record: Record| Record::new(record.seq, record.at_ms, through_json(&record.body));
            records.into_iter().map(parsed).collect()
        },
    ];
    for damage in damages {
        let journal = Damaged { inner: Arc::default(), damage, returned: Ok };
        assert!(check_journal(|| Ok(journal.clone())).is_err());
    }
    let shifted = Damaged { inner: Arc::default(), damage: |records| records, returned: |seq| Ok(seq + 1) };
    assert!(matches!(check_journal(|| Ok(shifted.clone())), Err(Violation::Differs { seq: 0, .. })));
    let full = Damaged { returned: |_| Err(JournalError::other("full")), inner: Arc::default(), ..shifted };
    let error = check_journal(|| Ok(full.clone())).unwrap_err();
    assert_eq!(error.to_string(), "the journal cannot be written");
    // A journal that forgets everything when it is opened again.
    assert!(matches!(check_journal(|| Ok(MemoryJournal::default())), Err(Violation::Count { .. })));
}

#[test]
fn an_asynchronous_journal_is_checked_the_same_way() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let sound = Damaged { inner: Arc::default(), damage: |records| records, returned: Ok };
    runtime.block_on(check_async_journal(async || Ok(sound.clone()))).unwrap();
    let short = Damaged { inner: Arc::default(), damage: |_| Vec::new(), returned: Ok };
    let checked = runtime.block_on(check_async_journal(async || Ok(short.clone())));
    assert!(matches!(checked, Err(Violation::Count { expected: 9, returned: 0 })), "{checked:?}");
}
