//! The writer of a working run's feed.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{SystemTime, UNIX_EPOCH};

use windlass_agent::{Entry, Event};
use windlass_hitl::ApprovalOutcome;
use windlass_journal::{Durability, Journal, JournalError, MemoryJournal, Record};
use windlass_protocol::{CallId, RawJson};

use super::card::{Question, Tokens};
use super::convert::guidance_id;
use super::event::FeedEvent;
use super::follower::FeedFollower;
use super::kind::FeedKind;
use super::live::{LiveReader, NewEvent, is_announcement};
use super::log::{FeedIdentity, LogItem, LogWriter, NumberedEvents, number, with_window};
use super::records::RecordReader;
use super::windows::AnswerWindows;
use crate::error::Result;

/// Writer of a working run's feed. It numbers the events of the run and stores their order.
///
/// Pass every event of the run to [`observe`](Self::observe), and call [`settle`](Self::settle) when no event is
/// ready and at the end. [`SessionHost`](crate::sessions::SessionHost) does so for the runs that it owns, and
/// [`in_memory`](Self::in_memory) is for a program with only an agent.
pub struct RunFeed {
    identity: FeedIdentity,
    reader: RecordReader,
    live: LiveReader,
    log: LogWriter,
    next_seq: u64,
    records: Arc<NewRecords>,
    /// Observers, which keep the record of the session and notify the user.
    followers: Vec<Box<dyn FeedFollower>>,
    windows: AnswerWindows,
    /// The windows that changed the arguments of calls.
    edited: BTreeMap<CallId, String>,
    /// The events of records that the log did not have when it was opened.
    recovered: Vec<FeedEvent>,
    /// Id of this start of the run, as in the record of the session.
    start: Option<String>,
}

/// The records that were written and whose events have no number yet.
#[derive(Debug, Default)]
pub(crate) struct NewRecords {
    queue: Mutex<VecDeque<(u64, u64, Entry)>>,
    guidance: GuidanceSlot,
}

/// The id and the text of the newest question about how a run continues. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct GuidanceSlot {
    question: Arc<Mutex<Option<(String, String)>>>,
}

impl GuidanceSlot {
    /// Returns the id of the question with this text.
    pub(crate) fn find(&self, text: &str) -> Option<String> {
        let question = self.question.lock().unwrap_or_else(PoisonError::into_inner);
        question.as_ref().filter(|(_, known)| known == text).map(|(id, _)| id.clone())
    }

    fn set(&self, id: String, text: String) {
        *self.question.lock().unwrap_or_else(PoisonError::into_inner) = Some((id, text));
    }
}

impl NewRecords {
    /// Returns true if every record has its numbers.
    pub(crate) fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(u64, u64, Entry)>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Journal that also passes its records to a [`RunFeed`], as long as the feed exists.
pub(crate) struct ObservedJournal<J> {
    journal: J,
    records: Weak<NewRecords>,
}

impl<J: Journal> Journal for ObservedJournal<J> {
    fn append(&mut self, body: RawJson, at_ms: u64, durability: Durability) -> Result<u64, JournalError> {
        let Some(records) = self.records.upgrade() else {
            return self.journal.append(body, at_ms, durability);
        };
        let entry = Record::new(0, at_ms, body.clone()).read::<Entry>();
        let seq = self.journal.append(body, at_ms, durability)?;
        if let Ok(entry) = entry {
            // The question is asked after this record, and its answer must find it.
            if let Entry::Interrupt { id, question } = &entry {
                records.guidance.set(guidance_id(*id), question.clone());
            }
            records.lock().push_back((seq, at_ms, entry));
        }
        Ok(seq)
    }

    fn records(&self) -> Result<Vec<Record>, JournalError> {
        self.journal.records()
    }
}

impl RunFeed {
    /// Opens the feed of a run whose journal this process owns. The records that the log of the feed lacks, because
    /// an earlier process was killed, get their numbers now.
    ///
    /// # Errors
    ///
    /// Fails if the log cannot be read or written.
    pub(crate) fn open(
        log: Box<dyn Journal + Send>,
        identity: FeedIdentity,
        records: &[Record],
        guidance: GuidanceSlot,
        windows: AnswerWindows,
    ) -> Result<Self> {
        let items = log.records()?;
        let mut numbered = NumberedEvents::read(identity, &items, records)?;
        let mut log = LogWriter::new(log);
        if items.is_empty() {
            let (session, first) = (numbered.identity.session.clone(), numbered.identity.first);
            log.append(LogItem::Head { session, first }, now_ms())?;
        }
        let known = numbered.events.len();
        for item in numbered.add_rest(records)? {
            log.append(item, now_ms())?;
        }
        log.sync()?;
        let asked = numbered.events.iter().rev().find_map(|event| match &event.kind {
            FeedKind::QuestionOpened { question, card: Question::Guidance { text } } => {
                Some((question.clone(), text.clone()))
            }
            _ => None,
        });
        if let Some((id, text)) = asked {
            guidance.set(id, text);
        }
        let recovered = numbered.events.split_off(known);
        Ok(Self {
            live: LiveReader::default(),
            identity: numbered.identity,
            reader: numbered.reader,
            log,
            next_seq: numbered.next_seq,
            records: Arc::new(NewRecords { queue: Mutex::default(), guidance }),
            followers: Vec::new(),
            windows,
            edited: BTreeMap::new(),
            recovered,
            start: None,
        })
    }

    /// Opens the feed of an agent's run that is in no session. Its numbers begin at 1 and are in memory, so a reader that
    /// comes back needs the events that this process kept.
    ///
    /// # Errors
    ///
    /// Does not fail so far: a journal in memory takes every item.
    pub fn in_memory(session: impl Into<String>, run: impl Into<String>) -> Result<Self> {
        let identity =
            FeedIdentity { session: session.into(), run: run.into(), first: 1, ..FeedIdentity::default() };
        let log = Box::new(MemoryJournal::default());
        Self::open(log, identity, &[], GuidanceSlot::default(), AnswerWindows::default())
    }

    /// Wraps the journal of a new run, so that the feed receives its records. Pass the result to
    /// [`RunOptions::with_journal`](windlass_agent::RunOptions::with_journal).
    pub fn wrap_journal<J: Journal>(&self, journal: J) -> impl Journal + use<J> {
        self.wrap(journal)
    }

    /// Wraps the run's journal, so that the feed receives its records.
    pub(crate) fn wrap<J: Journal>(&self, journal: J) -> ObservedJournal<J> {
        ObservedJournal { journal, records: Arc::downgrade(&self.records) }
    }

    /// Returns the id of the session.
    pub fn session(&self) -> &str {
        &self.identity.session
    }

    /// Returns the id of the run.
    pub fn run(&self) -> &str {
        &self.identity.run
    }

    /// Returns the tokens and the cost of the run until now, with those of its sub-agents.
    pub fn total(&self) -> Tokens {
        self.reader.total()
    }

    /// Adds an observer of the events.
    pub(crate) fn add_follower(&mut self, follower: impl FeedFollower + 'static) {
        self.followers.push(Box::new(follower));
    }

    /// Sets the id of this start of the run.
    pub(crate) fn set_start(&mut self, start: String) {
        self.start = Some(start);
    }

    /// Returns the id of this start of the run.
    pub(crate) fn start(&self) -> Option<&str> {
        self.start.as_deref()
    }

    /// Returns the number of the next event.
    pub fn next_seq(&self) -> u64 {
        self.next_seq
    }

    /// Returns the number of the first event that this process adds.
    pub(crate) fn first_live_seq(&self) -> u64 {
        self.recovered.first().map_or(self.next_seq, |event| event.seq)
    }

    /// Returns the events that an earlier process recorded and did not number, once.
    pub fn take_recovered(&mut self) -> Vec<FeedEvent> {
        std::mem::take(&mut self.recovered)
    }

    /// Sets the window in which a question was answered. Call it before the run receives the answer.
    pub fn set_window(&mut self, question: impl Into<String>, window: impl Into<String>) {
        self.windows.set(question, window);
    }

    /// Returns the feed's events for an event of the run, and for the records before it.
    ///
    /// # Errors
    ///
    /// Fails if their numbers cannot be stored.
    pub fn observe(&mut self, event: &Event) -> Result<Vec<FeedEvent>> {
        let mut events = Vec::new();
        let announced = self.records.lock().iter().position(|(_, _, entry)| is_announcement(event, entry));
        if let Some(position) = announced {
            self.number_records(position.saturating_add(1), &mut events)?;
        }
        let turn = self.reader.next_turn();
        for event in self.live.read(event, turn) {
            self.number_event(event, &mut events)?;
        }
        self.track(&events)?;
        Ok(events)
    }

    /// Returns the events of all records that were written. Call it when the run has no event ready, and at its end.
    ///
    /// # Errors
    ///
    /// Fails if their numbers cannot be stored.
    pub fn settle(&mut self) -> Result<Vec<FeedEvent>> {
        let mut events = Vec::new();
        let count = self.records.lock().len();
        self.number_records(count, &mut events)?;
        self.track(&events)?;
        Ok(events)
    }

    /// Makes the numbers of the events durable, and informs the observers.
    fn track(&mut self, events: &[FeedEvent]) -> Result<()> {
        self.log.sync()?;
        if !events.is_empty() {
            for follower in &mut self.followers {
                follower.follow(events)?;
            }
        }
        Ok(())
    }

    /// Returns true if [`settle`](Self::settle) would read records.
    pub fn has_new_records(&self) -> bool {
        !self.records.is_empty()
    }

    /// Returns the records that have no numbers yet. While there are some, [`settle`](Self::settle) returns events.
    pub(crate) fn new_records(&self) -> Arc<NewRecords> {
        Arc::clone(&self.records)
    }

    /// Adds an event that neither a record nor an event of the run contains.
    ///
    /// # Errors
    ///
    /// Fails if its number cannot be stored.
    pub(crate) fn add(&mut self, kind: FeedKind) -> Result<Vec<FeedEvent>> {
        let mut events = Vec::new();
        self.number_event(NewEvent::for_root(kind), &mut events)?;
        self.track(&events)?;
        Ok(events)
    }

    fn number_records(&mut self, count: usize, events: &mut Vec<FeedEvent>) -> Result<()> {
        let records: Vec<_> = {
            let mut queue = self.records.lock();
            let count = count.min(queue.len());
            queue.drain(..count).collect()
        };
        for (record, at_ms, entry) in records {
            let kinds = self.reader.read(&entry);
            if kinds.is_empty() {
                continue;
            }
            let window = kinds.iter().find_map(|kind| match kind {
                FeedKind::QuestionClosed { question, .. } => self.windows.take(question),
                _ => None,
            });
            let window = self.name_window(&entry, window);
            let item = LogItem::Record { record, events: kinds.len() as u64, by: window.clone() };
            self.log.append(item, at_ms)?;
            for kind in kinds {
                let kind = with_window(kind, window.as_deref());
                events.push(self.next(at_ms, NewEvent::for_root(kind)));
            }
        }
        Ok(())
    }

    /// Returns the window of the answer in a record. An answer with changed arguments also closes the question about the
    /// changed call, for which no window answers.
    fn name_window(&mut self, entry: &Entry, window: Option<String>) -> Option<String> {
        let Entry::Approval { call, outcome: ApprovalOutcome::Answered(decision) } = entry else {
            return window;
        };
        let window = window.or_else(|| self.edited.remove(call));
        if let (Some(window), true) = (&window, decision.arguments.is_some()) {
            self.edited.insert(call.clone(), window.clone());
        }
        window
    }

    fn number_event(&mut self, event: NewEvent, events: &mut Vec<FeedEvent>) -> Result<()> {
        let at_ms = now_ms();
        if event.kind.is_numbered() {
            let NewEvent { agent, kind } = event;
            let kind = match &kind {
                FeedKind::QuestionClosed { question, .. } => {
                    let window = self.windows.take(question);
                    with_window(kind, window.as_deref())
                }
                _ => kind,
            };
            let item = LogItem::Event { agent: agent.clone(), kind: Box::new(kind.clone()) };
            self.log.append(item, at_ms)?;
            self.reader.count_agent(agent.as_ref(), &kind);
            events.push(self.next(at_ms, NewEvent { agent, kind }));
        } else {
            events.push(number(&self.identity, self.next_seq.saturating_sub(1), at_ms, event));
        }
        Ok(())
    }

    fn next(&mut self, at_ms: u64, event: NewEvent) -> FeedEvent {
        let event = number(&self.identity, self.next_seq, at_ms, event);
        self.next_seq = self.next_seq.saturating_add(1);
        event
    }
}

impl Drop for RunFeed {
    /// Marks a run that its process left before its end, so that a list of sessions does not show it as working.
    fn drop(&mut self) {
        for follower in &mut self.followers {
            follower.leave();
        }
    }
}

impl fmt::Debug for RunFeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunFeed").field("identity", &self.identity).finish_non_exhaustive()
    }
}

/// Returns the time in milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}
