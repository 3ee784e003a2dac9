//! The record of one exchange: the model that answers, and the tokens that it reports.

use std::sync::{Arc, Mutex, PoisonError};

use windlass_protocol::{Prices, Usage};
use windlass_stream::Chunk;

use crate::estimate::chunk_tokens;
use crate::hook::Observer;

/// The record of an exchange while it happens.
#[derive(Debug, Default)]
pub(crate) struct Recorder(Mutex<Record>);

/// The record of an exchange.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    /// The label of the upstream; empty if no request was sent.
    pub(crate) upstream: String,
    pub(crate) prices: Option<Prices>,
    /// The provider's count.
    pub(crate) usage: Option<Usage>,
    /// The output tokens by the length of the answer, for an answer that ends before its count.
    pub(crate) output_estimate: u64,
}

impl Recorder {
    /// Records that a request is sent. A record of an earlier attempt is removed.
    pub(crate) fn begin(&self, label: &str, prices: Option<Prices>) {
        let upstream = label.to_owned();
        self.change(|record| *record = Record { upstream, prices, ..Record::default() });
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
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn change(&self, change: impl FnOnce(&mut Record)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// An observer that records the usage of a translated answer.
pub(crate) struct UsageObserver(pub(crate) Arc<Recorder>);

impl Observer for UsageObserver {
    fn observe(&mut self, chunk: &Chunk) {
        match chunk {
            Chunk::Usage { usage } => self.0.count(*usage),
            Chunk::AnsweredBy { prices, .. } => self.0.change(|record| record.prices = *prices),
            _ => self.0.add_output(chunk_tokens(chunk)),
        }
    }
}
