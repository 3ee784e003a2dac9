//! A journal in memory.

use windlass_protocol::RawJson;

use crate::{Durability, Journal, JournalError, Record};

/// A journal in memory, for tests and for runs that are never resumed. It ends with the process.
#[derive(Clone, Debug, Default)]
pub struct MemoryJournal {
    records: Vec<Record>,
}

impl Journal for MemoryJournal {
    fn append(&mut self, body: RawJson, at_ms: u64, _: Durability) -> Result<u64, JournalError> {
        let seq = self.records.len() as u64;
        self.records.push(Record::new(seq, at_ms, body));
        Ok(seq)
    }

    fn records(&self) -> Result<Vec<Record>, JournalError> {
        Ok(self.records.clone())
    }
}
