//! The record of one exchange: the model that answers, and the tokens that it reports.

mod stored_ids;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use serde::Serialize;
use windlass_protocol::{Prices, StopReason, Usage};
use windlass_stream::Chunk;

use crate::estimate::chunk_tokens;
use crate::hook::Observer;

pub(crate) use stored_ids::{StoredAt, StoredIds, is_id};

/// The record of an exchange while it happens.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    record: Mutex<Record>,
    /// True if forwarded answers are decoded to find their end.
    finds_end: bool,
    id_keeper: Option<IdKeeper>,
}

/// The table that gets the ids of forwarded answers, and the client that owns them.
#[derive(Debug)]
struct IdKeeper {
    ids: Arc<StoredIds>,
    owner: String,
}

/// A repeated send of a translated request to one upstream, which the client permitted with `x-windlass-attempts`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Repeat {
    /// The label of the upstream.
    pub upstream: String,
    /// The time of the failure before it, in milliseconds since 1970.
    pub time_ms: u64,
    /// The number of requests that were sent to the upstream before it.
    pub attempts: usize,
    /// The wait after the failure, in milliseconds.
    pub wait_ms: u64,
}

/// The record of an exchange.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    /// The label of the upstream; empty if no request was sent.
    pub(crate) upstream: String,
    pub(crate) sent_at: Option<Instant>,
    pub(crate) prices: Option<Prices>,
    /// The provider's count.
    pub(crate) usage: Option<Usage>,
    /// The output tokens by the length of the answer, for an answer that ends before its count.
    pub(crate) output_estimate: u64,
    /// The repeats, also those at earlier upstreams.
    pub(crate) repeats: Vec<Repeat>,
    /// True if the model ended its answer.
    pub(crate) is_finished: bool,
    /// True if the answer has an error.
    pub(crate) has_failed: bool,
}

impl Recorder {
    /// Creates a recorder that also finds the end of forwarded answers.
    pub(crate) fn with_end() -> Self {
        Self { finds_end: true, ..Self::default() }
    }

    pub(crate) fn finds_end(&self) -> bool {
        self.finds_end
    }

    /// Keeps the ids of forwarded answers for a client.
    pub(crate) fn with_ids(mut self, ids: Arc<StoredIds>, owner: impl Into<String>) -> Self {
        self.id_keeper = Some(IdKeeper { ids, owner: owner.into() });
        self
    }

    pub(crate) fn keeps_ids(&self) -> bool {
        self.id_keeper.is_some()
    }

    /// Keeps the id of an answer of the upstream.
    pub(crate) fn keep_id(&self, id: &str) {
        if let Some(IdKeeper { ids, owner }) = &self.id_keeper {
            ids.insert(owner, id, &self.read().upstream);
        }
    }

    /// Records that the model ended its answer.
    pub(crate) fn finish(&self) {
        self.change(|record| record.is_finished = true);
    }

    fn observe_end(&self, chunk: &Chunk) {
        match chunk {
            Chunk::Finish { reason: StopReason::Error, .. } | Chunk::Error { .. } => {
                self.change(|record| record.has_failed = true);
            }
            Chunk::Finish { .. } => self.finish(),
            _ => {}
        }
    }

    /// Records that a request is sent. The record of an earlier attempt is removed, apart from its repeats.
    pub(crate) fn begin(&self, label: &str, prices: Option<Prices>) {
        let upstream = label.to_owned();
        self.change(|record| {
            let (sent_at, repeats) = (Some(Instant::now()), std::mem::take(&mut record.repeats));
            *record = Record { upstream, sent_at, prices, repeats, ..Record::default() };
        });
    }

    /// Records that the request is sent again after a wait.
    pub(crate) fn repeat(&self, attempts: usize, wait: Duration) {
        let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let (time_ms, wait_ms) = (milliseconds(time), milliseconds(wait));
        self.change(|record| {
            record.repeats.push(Repeat { upstream: record.upstream.clone(), time_ms, attempts, wait_ms });
        });
    }

    /// Records the provider's count up to now.
    pub(crate) fn count(&self, usage: Usage) {
        self.change(|record| record.usage = Some(usage));
    }

    /// Adds output tokens to the estimate.
    pub(crate) fn add_output(&self, tokens: u64) {
        self.change(|record| record.output_estimate = record.output_estimate.saturating_add(tokens));
    }

    pub(crate) fn read(&self) -> Record {
        self.record.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn change(&self, change: impl FnOnce(&mut Record)) {
        change(&mut self.record.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// An observer that records the usage of a translated answer.
pub(crate) struct UsageObserver(pub(crate) Arc<Recorder>);

impl Observer for UsageObserver {
    fn observe(&mut self, chunk: &Chunk) {
        self.0.observe_end(chunk);
        match chunk {
            Chunk::Usage { usage } => self.0.count(*usage),
            Chunk::AnsweredBy { prices, .. } => self.0.change(|record| record.prices = *prices),
            _ => self.0.add_output(chunk_tokens(chunk)),
        }
    }
}

/// An observer that records the end of a forwarded answer, whose usage is read beside its bytes.
pub(crate) struct EndObserver(pub(crate) Arc<Recorder>);

impl Observer for EndObserver {
    fn observe(&mut self, chunk: &Chunk) {
        self.0.observe_end(chunk);
    }
}
