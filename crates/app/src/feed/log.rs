//! The log of a feed: the order and the numbers of a run's numbered events, beside the run's journal.
//!
//! The log does not repeat the records. An item names the next record, whose events [`RecordReader`] returns, or
//! contains an event that no record has. So the numbers are the same in every process, and a process that was killed
//! between a record and its item loses nothing: the next items are those of the records after the last item.

use serde::{Deserialize, Serialize};
use windlass_agent::{Entry, Prices};
use windlass_journal::{Durability, Journal, Record};

use super::event::{AgentPath, FeedEvent};
use super::kind::FeedKind;
use super::live::NewEvent;
use super::records::RecordReader;
use crate::error::Result;

/// Item of a log.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "item", rename_all = "snake_case")]
pub(crate) enum LogItem {
    /// The first item: the session, and the number of the run's first event.
    Head { session: String, first: u64 },
    /// The events of the next record that has some.
    Record {
        record: u64,
        events: u64,
        /// The window that gave the answer that the record contains.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
    /// An event that no record contains.
    Event {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<AgentPath>,
        #[serde(flatten)]
        kind: Box<FeedKind>,
    },
}

/// The place of a run's feed in its session, and the facts that the events of its records depend on.
#[derive(Clone, Debug, Default)]
pub(crate) struct FeedIdentity {
    pub(crate) session: String,
    pub(crate) run: String,
    /// The number of the run's first event.
    pub(crate) first: u64,
    /// The run that this run continues.
    pub(crate) parent: Option<String>,
    pub(crate) prices: Prices,
}

/// The numbered events of a run until now, and the state that continues them.
#[derive(Debug)]
pub(crate) struct NumberedEvents {
    pub(super) identity: FeedIdentity,
    pub(crate) events: Vec<FeedEvent>,
    pub(super) reader: RecordReader,
    /// The number of the next event.
    pub(super) next_seq: u64,
    /// The number of the next record that has no item yet.
    pub(super) next_record: u64,
}

impl NumberedEvents {
    /// Reads the events that a log names, from the records of its run.
    ///
    /// # Errors
    ///
    /// Fails if a record or an item cannot be read.
    pub(crate) fn read(mut identity: FeedIdentity, log: &[Record], records: &[Record]) -> Result<Self> {
        let mut items = log.iter().peekable();
        if let Some(LogItem::Head { session, first }) =
            items.peek().map(|item| item.read::<LogItem>()).transpose()?
        {
            (identity.session, identity.first) = (session, first);
            items.next();
        }
        let reader = RecordReader::new(identity.prices, identity.parent.clone());
        let next_seq = identity.first;
        let mut numbered = Self { identity, events: Vec::new(), reader, next_seq, next_record: 0 };
        for item in items {
            match item.read::<LogItem>()? {
                LogItem::Head { .. } => {}
                LogItem::Record { record, events, by } => {
                    numbered.add_record(records, record, Some(events), by.as_deref())?;
                }
                LogItem::Event { agent, kind } => {
                    numbered.reader.count_agent(agent.as_ref(), &kind);
                    numbered.push(item.at_ms, NewEvent { agent, kind: *kind });
                }
            }
        }
        Ok(numbered)
    }

    /// Adds the events of the records without an item, and returns the items that name them.
    pub(crate) fn add_rest(&mut self, records: &[Record]) -> Result<Vec<LogItem>> {
        let mut items = Vec::new();
        while self.next_record < records.len() as u64 {
            let (record, before) = (self.next_record, self.next_seq);
            self.add_record(records, record, None, None)?;
            let events = self.next_seq.saturating_sub(before);
            if events > 0 {
                items.push(LogItem::Record { record, events, by: None });
            }
        }
        Ok(items)
    }

    /// Adds the events of a record, after it has read the records before. `count` is the number of its numbers, if
    /// they are in the log.
    fn add_record(
        &mut self,
        records: &[Record],
        until: u64,
        count: Option<u64>,
        by: Option<&str>,
    ) -> Result<()> {
        let mut events = Vec::new();
        let mut at_ms = 0;
        while self.next_record <= until {
            // A log can be ahead of a journal whose end was lost together with the machine.
            let record = usize::try_from(self.next_record).ok().and_then(|at| records.get(at));
            self.next_record = self.next_record.saturating_add(1);
            let Some(record) = record else { continue };
            events = self.reader.read(&record.read::<Entry>()?);
            at_ms = record.at_ms;
        }
        let end = count.map(|count| self.next_seq.saturating_add(count));
        for kind in events {
            if end.is_some_and(|end| self.next_seq >= end) {
                break;
            }
            self.push(at_ms, NewEvent::for_root(with_window(kind, by)));
        }
        self.next_seq = end.unwrap_or(self.next_seq);
        Ok(())
    }

    fn push(&mut self, at_ms: u64, event: NewEvent) {
        let event = number(&self.identity, self.next_seq, at_ms, event);
        self.next_seq = self.next_seq.saturating_add(1);
        self.events.push(event);
    }
}

/// Gives an event its number.
pub(super) fn number(identity: &FeedIdentity, seq: u64, at_ms: u64, event: NewEvent) -> FeedEvent {
    let NewEvent { agent, kind } = event;
    FeedEvent { seq, session: identity.session.clone(), run: identity.run.clone(), at_ms, agent, kind }
}

/// Adds the window of an answer to the event that closes its question.
pub(super) fn with_window(kind: FeedKind, window: Option<&str>) -> FeedKind {
    match kind {
        FeedKind::QuestionClosed { question, closing, by } => {
            FeedKind::QuestionClosed { question, closing, by: by.or(window.map(str::to_owned)) }
        }
        kind => kind,
    }
}

/// Writer of a log. A reader may see an event only after [`sync`](Self::sync): a number that was lost with the machine
/// would be given again, to another event.
pub(super) struct LogWriter {
    log: Box<dyn Journal + Send>,
    /// The newest item. It is written together with the command to sync, which also syncs the items before it.
    newest: Option<(LogItem, u64)>,
}

impl LogWriter {
    pub(super) fn new(log: Box<dyn Journal + Send>) -> Self {
        Self { log, newest: None }
    }

    /// Appends an item.
    pub(super) fn append(&mut self, item: LogItem, at_ms: u64) -> Result<()> {
        let before = self.newest.replace((item, at_ms));
        self.write(before, Durability::Buffered)
    }

    /// Returns when all items are on the disk. Costs nothing without a new one.
    pub(super) fn sync(&mut self) -> Result<()> {
        let newest = self.newest.take();
        self.write(newest, Durability::Synced)
    }

    fn write(&mut self, item: Option<(LogItem, u64)>, durability: Durability) -> Result<()> {
        let Some((item, at_ms)) = item else { return Ok(()) };
        let text = serde_json::to_string(&item)?;
        self.log.append(text.parse()?, at_ms, durability)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
