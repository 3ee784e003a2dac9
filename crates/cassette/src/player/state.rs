//! The content of a cassette, and the parts of it that were replayed.

use std::collections::{BTreeMap, VecDeque};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use windlass_hitl::ApprovalDecision;
use windlass_protocol::CallId;
use windlass_tool::Inspection;

use crate::line::{AskedApproval, BASE_URL, Body, Failure, Outcome};
use crate::{Difference, Line};

/// Content of a cassette, with the state of its replay.
pub(crate) struct ReplayState {
    pub(super) settings: Value,
    /// The definitions of tools from outside, by source.
    pub(super) definitions: BTreeMap<String, Value>,
    pub(super) is_forked: bool,
    pub(super) state: Mutex<State>,
    pub(super) followers: Mutex<Vec<Follower>>,
    /// Held while followers apply changes, so that concurrent agents cannot apply two changes in the wrong order.
    pub(super) applying: futures_util::lock::Mutex<()>,
}

/// Completion of the application of changed definitions.
pub type DefinitionsFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A source of definitions whose changes a replay applies.
#[derive(Clone)]
pub(super) struct Follower {
    pub(super) source: String,
    pub(super) apply: Arc<dyn Fn(Value) -> DefinitionsFuture + Send + Sync>,
}

/// Recorded change of definitions.
#[derive(Debug)]
struct DefinitionsChange {
    source: String,
    definitions: Value,
    /// The numbers of the exchanges and of the calls that were recorded before the change.
    exchanges: usize,
    calls: usize,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) exchanges: Vec<Exchange>,
    /// Recorded inspections, in their order. Each is returned once.
    pub(crate) sights: Vec<Sight>,
    pub(crate) calls: Vec<Call>,
    pub(crate) approvals: Vec<Approval>,
    /// True if the digests of the approvals have an earlier version, so that no request has them.
    pub(crate) has_old_digests: bool,
    pub(crate) questions: Vec<(String, Option<String>)>,
    /// Changes of definitions that were not applied yet, in their order.
    changes: VecDeque<DefinitionsChange>,
    pub(crate) differences: Vec<Difference>,
}

/// Recorded inspection of a call's targets.
#[derive(Debug)]
pub(crate) struct Sight {
    pub(crate) tool: String,
    pub(crate) input: String,
    pub(crate) seen: Inspection,
}

/// Recorded exchange.
#[derive(Debug)]
pub(crate) struct Exchange {
    pub(crate) number: u64,
    pub(crate) method: String,
    pub(crate) url: String,
    pub(crate) body: Body,
    pub(crate) status: Option<u16>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) pieces: Vec<Vec<u8>>,
    pub(crate) failure: Option<Failure>,
    pub(crate) is_played: bool,
}

/// Recorded call, returned once. Its id is not unique: if the provider assigns no ids, a generated id of a
/// sub-agent's call can equal one of its parent's.
#[derive(Debug)]
pub(crate) struct Call {
    /// Absent in recordings of earlier versions.
    pub(crate) agents: Option<Vec<String>>,
    pub(crate) id: CallId,
    pub(crate) tool: String,
    pub(crate) input: String,
    pub(crate) outcome: Outcome,
    pub(crate) is_played: bool,
}

/// Recorded decision of an approver, returned once.
#[derive(Debug)]
pub(crate) struct Approval {
    pub(crate) id: CallId,
    /// Absent in recordings of earlier versions.
    pub(crate) asked: Option<AskedApproval>,
    pub(crate) decision: Option<ApprovalDecision>,
}

impl ReplayState {
    /// Applies the changes of definitions that precede everything that was not replayed yet.
    pub(crate) async fn apply_changes(&self) {
        if self.state().changes.is_empty() {
            return;
        }
        let _applying = self.applying.lock().await;
        loop {
            let Some(change) = self.state().next_change() else { return };
            let followers = self.followers.lock().unwrap_or_else(PoisonError::into_inner).clone();
            for follower in followers.iter().filter(|follower| follower.source == change.source) {
                (follower.apply)(change.definitions.clone()).await;
            }
        }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Sorts the lines of a cassette. Returns the definitions at the first request besides, by source.
    pub(super) fn read(version: u32, lines: Vec<Line>) -> (Self, BTreeMap<String, Value>) {
        let has_old_digests = version < Line::DIGEST_VERSION;
        let mut state = Self { has_old_digests, ..Self::default() };
        let mut definitions = BTreeMap::new();
        for line in lines {
            match line {
                // A change before the first request applies to the whole run, and so does the address of a vendor,
                // which is recorded once.
                Line::Definitions { source, definitions: recorded }
                    if state.exchanges.is_empty() || source.starts_with(BASE_URL) =>
                {
                    definitions.insert(source, recorded);
                }
                Line::Definitions { source, definitions } => {
                    let (exchanges, calls) = (state.exchanges.len(), state.calls.len());
                    state.changes.push_back(DefinitionsChange { source, definitions, exchanges, calls });
                }
                line => state.take(line),
            }
        }
        (state, definitions)
    }

    /// Removes the next change of definitions if all exchanges and calls before it were replayed.
    fn next_change(&mut self) -> Option<DefinitionsChange> {
        let change = self.changes.front()?;
        let is_due = self.exchanges.iter().take(change.exchanges).all(|exchange| exchange.is_played)
            && self.calls.iter().take(change.calls).all(|call| call.is_played);
        if is_due { self.changes.pop_front() } else { None }
    }

    fn take(&mut self, line: Line) {
        match line {
            Line::Request { exchange, method, url, body, .. } => self.exchanges.push(Exchange {
                number: exchange,
                method,
                url,
                body,
                status: None,
                headers: Vec::new(),
                pieces: Vec::new(),
                failure: None,
                is_played: false,
            }),
            Line::Response { exchange, status, headers } => {
                if let Some(exchange) = self.exchange(exchange) {
                    exchange.status = Some(status);
                    exchange.headers = headers;
                }
            }
            Line::Bytes { exchange, body } => {
                if let Some(exchange) = self.exchange(exchange) {
                    exchange.pieces.push(body.bytes());
                }
            }
            Line::End { exchange, failure } => {
                if let Some(exchange) = self.exchange(exchange) {
                    exchange.failure = failure;
                }
            }
            Line::Inspection { tool, input, targets, containment } => {
                let mut seen = Inspection::default();
                (seen.targets, seen.containment) = (targets, containment);
                self.sights.push(Sight { tool, input, seen });
            }
            Line::Call { agents, call: id, tool, input, outcome } => {
                self.calls.push(Call { agents, id, tool, input, outcome, is_played: false });
            }
            Line::Approval { call: id, asked, decision } => {
                self.approvals.push(Approval { id, asked, decision });
            }
            Line::Question { question, answer } => self.questions.push((question, answer)),
            Line::Begin { .. } | Line::Definitions { .. } => {}
        }
    }

    fn exchange(&mut self, number: u64) -> Option<&mut Exchange> {
        self.exchanges.iter_mut().rev().find(|exchange| exchange.number == number)
    }
}
