//! The durability of a feed's log.

use std::sync::{Arc, Mutex};

use windlass_agent::Entry;
use windlass_journal::{Durability, Journal, JournalError, MemoryJournal, Record};
use windlass_protocol::RawJson;

use super::FeedIdentity;
use crate::feed::kind::FeedKind;
use crate::feed::windows::AnswerWindows;
use crate::feed::writer::{GuidanceSlot, RunFeed};

/// A journal that notes the durability of each append.
struct Noting {
    records: Vec<Record>,
    durabilities: Arc<Mutex<Vec<Durability>>>,
}

impl Journal for Noting {
    fn append(&mut self, body: RawJson, at_ms: u64, durability: Durability) -> Result<u64, JournalError> {
        let seq = self.records.len() as u64;
        self.records.push(Record::new(seq, at_ms, body));
        self.durabilities.lock().unwrap().push(durability);
        Ok(seq)
    }

    fn records(&self) -> Result<Vec<Record>, JournalError> {
        Ok(self.records.clone())
    }
}

// Regression test: the log was not synced, so a machine that crashed could give its last numbers again.
#[test]
fn the_numbers_of_events_are_on_the_disk_before_a_reader_sees_them() {
    let durabilities = Arc::<Mutex<Vec<Durability>>>::default();
    let log = Noting { records: Vec::new(), durabilities: Arc::clone(&durabilities) };
    let identity =
        FeedIdentity { session: "s".to_owned(), run: "r".to_owned(), first: 1, ..FeedIdentity::default() };
    let (guidance, windows) = (GuidanceSlot::default(), AnswerWindows::default());
    let mut feed = RunFeed::open(Box::new(log), identity, &[], guidance, windows).unwrap();
    let take = || std::mem::take(&mut *durabilities.lock().unwrap());
    assert_eq!(take(), [Durability::Synced], "the head of the log");

    feed.add(FeedKind::Notice { text: "one".to_owned() }).unwrap();
    assert_eq!(take(), [Durability::Synced]);

    let mut journal = feed.wrap(MemoryJournal::default());
    for mode in ["a", "b", "c"] {
        let entry = serde_json::to_string(&Entry::Mode { mode: mode.to_owned() }).unwrap();
        journal.append(entry.parse().unwrap(), 1, Durability::Buffered).unwrap();
    }
    assert_eq!(feed.settle().unwrap().len(), 3);
    assert_eq!(take(), [Durability::Buffered, Durability::Buffered, Durability::Synced]);
    assert!(feed.settle().unwrap().is_empty());
    assert_eq!(take(), [], "nothing is written without an event");
}
