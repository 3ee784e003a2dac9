//! Replay of a cassette.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::fs;
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use windlass_agent::Approver;
use windlass_client::Transport;
use windlass_hitl::ApprovalDecision;
use windlass_protocol::CallId;
use windlass_tool::{Human, Inspection, Output, Tool};

use crate::line::{AskedApproval, Body, Failure, Outcome};
use crate::replay::{ReplayApprover, ReplayHuman, ReplayTool, ReplayTransport};
use crate::{CassetteError, Difference, Line};

/// Replays a cassette. An agent with the player's transport, tools, approver and human runs without network,
/// side effects and interaction.
///
/// A run that differs from the recorded one fails, and [`Player::differences`] returns where. Requests are
/// matched by content, calls by agent, id, tool and input, and approvals by their digest, so parallel
/// sub-agents may run in another order than recorded.
#[derive(Clone)]
pub struct Player {
    played: Arc<ReplayState>,
}

/// Call at which a replay leaves its cassette, and the new result of that call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Fork {
    /// Id of the call.
    pub call: CallId,
    /// Result that replaces the recorded one.
    pub answer: Output,
}

/// Content of a cassette, with the state of its replay.
pub(crate) struct ReplayState {
    settings: Value,
    /// The definitions of tools from outside, by source.
    definitions: BTreeMap<String, Value>,
    is_forked: bool,
    state: Mutex<State>,
    followers: Mutex<Vec<Follower>>,
    /// Held while followers apply changes, so that concurrent agents cannot apply two changes in the wrong order.
    applying: futures_util::lock::Mutex<()>,
}

/// Completion of the application of changed definitions.
pub type DefinitionsFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A source of definitions whose changes a replay applies.
#[derive(Clone)]
struct Follower {
    source: String,
    apply: Arc<dyn Fn(Value) -> DefinitionsFuture + Send + Sync>,
}

/// Recorded change of definitions.
#[derive(Debug)]
pub(crate) struct DefinitionsChange {
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

impl Fork {
    /// Returns a fork at a call with another result.
    pub fn new(call: CallId, answer: Output) -> Self {
        Self { call, answer }
    }
}

impl Player {
    /// Reads a cassette from a file.
    ///
    /// # Errors
    /// If the file cannot be read or is not a valid cassette.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, CassetteError> {
        Self::parse(&read(path.as_ref())?)
    }

    /// Parses a cassette. Ignores a last line that a crash has cut off.
    ///
    /// # Errors
    /// If the text is not a cassette, is damaged, or was written by a later version.
    pub fn parse(text: &str) -> Result<Self, CassetteError> {
        let (begin, lines) = lines(text)?;
        Ok(Self::new(begin, lines, None))
    }

    /// Reads a cassette and forks it at a call. The replay is as recorded up to that call; the call returns
    /// another result; from the next request on, the run is live. Other recorded calls of the same answer
    /// keep their recorded results.
    ///
    /// # Errors
    /// As for `parse`, and if the cassette does not contain the call.
    pub fn fork(path: impl AsRef<Path>, fork: Fork) -> Result<Self, CassetteError> {
        let (begin, lines) = lines(&read(path.as_ref())?)?;
        let is_call = |line: &Line| matches!(line, Line::Call { call, .. } if *call == fork.call);
        let Some(at) = lines.iter().position(is_call) else {
            let known = lines.iter().filter_map(|line| match line {
                Line::Call { call, tool, .. } => Some(format!("{call} ({tool})")),
                _ => None,
            });
            return Err(CassetteError::UnknownCall { call: fork.call.to_string(), known: known.collect() });
        };
        let is_request = |line: &Line| matches!(line, Line::Request { .. });
        let next = lines.iter().skip(at).position(is_request).map(|more| at.saturating_add(more));
        let kept = lines.into_iter().take(next.unwrap_or(usize::MAX)).collect();
        Ok(Self::new(begin, kept, Some(fork)))
    }

    fn new(begin: Begin, lines: Vec<Line>, fork: Option<Fork>) -> Self {
        let has_old_digests = begin.version < Line::DIGEST_VERSION;
        let mut state = State { has_old_digests, ..State::default() };
        let mut definitions = BTreeMap::new();
        for line in lines {
            match line {
                // A change before the first request applies to the whole run.
                Line::Definitions { source, definitions: recorded } if state.exchanges.is_empty() => {
                    definitions.insert(source, recorded);
                }
                Line::Definitions { source, definitions } => {
                    let (exchanges, calls) = (state.exchanges.len(), state.calls.len());
                    state.changes.push_back(DefinitionsChange { source, definitions, exchanges, calls });
                }
                line => state.take(line),
            }
        }
        let is_forked = fork.is_some();
        if let Some(fork) = fork
            && let Some(call) = state.calls.iter_mut().find(|call| call.id == fork.call)
        {
            call.outcome = Outcome::Output { status: fork.answer.status, content: fork.answer.content };
        }
        let (settings, state) = (begin.settings, Mutex::new(state));
        let (followers, applying) = (Mutex::default(), futures_util::lock::Mutex::default());
        let played = ReplayState { settings, definitions, is_forked, state, followers, applying };
        Self { played: Arc::new(played) }
    }

    /// Returns the settings of the recorded run.
    pub fn settings(&self) -> &Value {
        &self.played.settings
    }

    /// Returns the recorded definitions of tools from outside at the first request, as
    /// [`Recorder::record_definitions`](crate::Recorder::record_definitions) got them without secrets. Returns
    /// `None` for a recording without definitions of this source, such as one of version 1.
    pub fn definitions(&self, source: &str) -> Option<&Value> {
        self.played.definitions.get(source)
    }

    /// Calls `apply` with each recorded change of the definitions of a source. The change is applied after the requests
    /// and calls before it were replayed, and before the last of them returns, so the next turn offers the changed
    /// tools. While agents run concurrently, an agent can get a change one turn earlier than in the recorded run;
    /// its request then differs.
    pub fn follow_definitions(
        &self,
        source: impl Into<String>,
        apply: impl Fn(Value) -> DefinitionsFuture + Send + Sync + 'static,
    ) {
        let follower = Follower { source: source.into(), apply: Arc::new(apply) };
        self.played.followers.lock().unwrap_or_else(PoisonError::into_inner).push(follower);
    }

    /// Returns a transport that replays recorded exchanges. After a fork it forwards further requests to
    /// `live`.
    pub fn transport(&self, live: Option<Arc<dyn Transport>>) -> Arc<dyn Transport> {
        Arc::new(ReplayTransport { played: self.played.clone(), live: self.live(live) })
    }

    /// Returns a tool with the interface of `inner` that replays recorded calls. `inner` runs only after a
    /// fork.
    pub fn tool(&self, inner: Arc<dyn Tool>) -> Arc<dyn Tool> {
        Arc::new(ReplayTool { played: self.played.clone(), is_live: self.played.is_forked, inner })
    }

    /// Returns an approver that replays recorded decisions. After a fork it forwards further requests to
    /// `live`.
    pub fn approver(&self, live: Option<Arc<dyn Approver>>) -> Arc<dyn Approver> {
        Arc::new(ReplayApprover { played: self.played.clone(), live: self.live(live) })
    }

    /// Returns a human that replays recorded answers. After a fork it forwards further questions to `live`.
    pub fn human(&self, live: Option<Arc<dyn Human>>) -> Arc<dyn Human> {
        Arc::new(ReplayHuman { played: self.played.clone(), live: self.live(live) })
    }

    fn live<T>(&self, live: Option<T>) -> Option<T> {
        live.filter(|_| self.played.is_forked)
    }

    /// Returns the differences so far or, if there are not any, the recorded requests and calls that were not
    /// replayed. A replay that has ended succeeded only if the list is empty.
    pub fn differences(&self) -> Vec<Difference> {
        let state = self.played.state();
        let mut differences = state.differences.clone();
        // After a difference, it is expected that the rest of the cassette is not replayed.
        if differences.is_empty() {
            let unasked = state.exchanges.iter().filter(|exchange| !exchange.is_played);
            differences.extend(
                unasked
                    .map(|exchange| Difference::new(format!("request {} was never sent", exchange.number))),
            );
            let unmade = state.calls.iter().filter(|call| !call.is_played);
            differences.extend(unmade.map(|call| {
                Difference::new(format!("the call {} of {} was never made", call.id, call.tool))
            }));
        }
        differences
    }
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

fn read(path: &Path) -> Result<String, CassetteError> {
    fs::read_to_string(path).map_err(|source| CassetteError::File {
        path: path.to_owned(),
        verb: "read",
        source,
    })
}

/// The content of the first line.
struct Begin {
    version: u32,
    settings: Value,
}

/// Parses the first line and all further lines.
fn lines(text: &str) -> Result<(Begin, Vec<Line>), CassetteError> {
    let mut lines = Vec::new();
    let mut texts = text.split_inclusive('\n').enumerate().peekable();
    while let Some((at, line)) = texts.next() {
        let is_torn = texts.peek().is_none() && !line.ends_with('\n');
        match serde_json::from_str(line) {
            Ok(line) => lines.push(line),
            Err(_) if is_torn && at > 0 => break,
            Err(source) if at > 0 => {
                return Err(CassetteError::Line { number: at.saturating_add(1), source });
            }
            Err(_) => return Err(CassetteError::NotCassette),
        }
    }
    if lines.is_empty() {
        return Err(CassetteError::NotCassette);
    }
    match lines.remove(0) {
        Line::Begin { version, settings } if version <= Line::VERSION => {
            Ok((Begin { version, settings }, lines))
        }
        Line::Begin { version, .. } => Err(CassetteError::Version { version }),
        _ => Err(CassetteError::NotCassette),
    }
}

impl fmt::Debug for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Player").field("is_forked", &self.played.is_forked).finish_non_exhaustive()
    }
}
