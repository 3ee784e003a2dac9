//! Plays a cassette: what a run asks is answered as it was recorded.

use std::fmt;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use windlass_agent::Approver;
use windlass_client::Transport;
use windlass_hitl::ApprovalDecision;
use windlass_protocol::CallId;
use windlass_tool::{Human, Inspection, Output, Tool};

use crate::line::{Asked, Body, Failure, Outcome};
use crate::replay::{ReplayApprover, ReplayHuman, ReplayTool, ReplayTransport};
use crate::{CassetteError, Difference, Line};

/// Plays a cassette: give an agent what this gives, and it runs without a network, without tools and without a human.
///
/// A run that asks anything else than the recorded one fails, and [`Player::differences`] says where it went another
/// way. Requests are found by what they ask, calls by agent, id, tool and input, and approvals by the digest that they
/// are bound to, so that sub-agents which run beside each other may come in another order.
#[derive(Clone)]
pub struct Player {
    played: Arc<Played>,
}

/// Where a run leaves its cassette, and with which answer.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Fork {
    /// The call whose answer is another one.
    pub call: CallId,
    /// What it gives back instead.
    pub answer: Output,
}

/// What is recorded, and what of it was played.
pub(crate) struct Played {
    settings: Value,
    is_forked: bool,
    state: Mutex<State>,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) exchanges: Vec<Exchange>,
    /// What tools saw, in the order in which they looked, each given back once.
    pub(crate) sights: Vec<Sight>,
    pub(crate) calls: Vec<Call>,
    pub(crate) approvals: Vec<Approval>,
    pub(crate) questions: Vec<(String, Option<String>)>,
    pub(crate) differences: Vec<Difference>,
}

/// What a tool saw of what a call would meet.
#[derive(Debug)]
pub(crate) struct Sight {
    pub(crate) tool: String,
    pub(crate) input: String,
    pub(crate) seen: Inspection,
}

/// One recorded exchange.
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

/// One recorded call, given back once. Its id alone does not name it: where the provider gives no ids, a sub-agent's
/// call has the same made id as its parent's.
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

/// One recorded answer of an approver, given back once.
#[derive(Debug)]
pub(crate) struct Approval {
    pub(crate) id: CallId,
    /// Absent in recordings of earlier versions.
    pub(crate) asked: Option<Asked>,
    pub(crate) decision: Option<ApprovalDecision>,
}

impl Fork {
    /// Another answer of a call.
    pub fn new(call: CallId, answer: Output) -> Self {
        Self { call, answer }
    }
}

impl Player {
    /// Reads a cassette from a file.
    ///
    /// # Errors
    /// If it cannot be read, or is no cassette.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, CassetteError> {
        Self::parse(&read(path.as_ref())?)
    }

    /// Reads a cassette. A last line that was cut by a crash is left out.
    ///
    /// # Errors
    /// If it is no cassette, of a later version, or damaged.
    pub fn parse(text: &str) -> Result<Self, CassetteError> {
        let (settings, lines) = lines(text)?;
        Ok(Self::of(settings, lines, None))
    }

    /// Reads a cassette to leave it at a call: up to there everything is as it was recorded, the call gives another
    /// answer, and from the next request on the run is live. Calls of the same answer that are recorded stay as they
    /// are.
    ///
    /// # Errors
    /// As for `parse`, and if no such call is recorded.
    pub fn fork(path: impl AsRef<Path>, fork: Fork) -> Result<Self, CassetteError> {
        let (settings, lines) = lines(&read(path.as_ref())?)?;
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
        Ok(Self::of(settings, kept, Some(fork)))
    }

    fn of(settings: Value, lines: Vec<Line>, fork: Option<Fork>) -> Self {
        let mut state = State::default();
        for line in lines {
            state.take(line);
        }
        let is_forked = fork.is_some();
        if let Some(fork) = fork
            && let Some(call) = state.calls.iter_mut().find(|call| call.id == fork.call)
        {
            call.outcome = Outcome::Output { status: fork.answer.status, content: fork.answer.content };
        }
        Self { played: Arc::new(Played { settings, is_forked, state: Mutex::new(state) }) }
    }

    /// What the recorded run was started with.
    pub fn settings(&self) -> &Value {
        &self.played.settings
    }

    /// A transport that answers as recorded. After a fork it hands on to the live one.
    pub fn transport(&self, live: Option<Arc<dyn Transport>>) -> Arc<dyn Transport> {
        Arc::new(ReplayTransport { played: self.played.clone(), live: self.live(live) })
    }

    /// A tool that looks like the inner one and gives back what was recorded. Only after a fork the inner one runs.
    pub fn tool(&self, inner: Arc<dyn Tool>) -> Arc<dyn Tool> {
        Arc::new(ReplayTool { played: self.played.clone(), is_live: self.played.is_forked, inner })
    }

    /// An approver who says what was said. After a fork the live one is asked.
    pub fn approver(&self, live: Option<Arc<dyn Approver>>) -> Arc<dyn Approver> {
        Arc::new(ReplayApprover { played: self.played.clone(), live: self.live(live) })
    }

    /// A human who answers what was answered. After a fork the live one is asked.
    pub fn human(&self, live: Option<Arc<dyn Human>>) -> Arc<dyn Human> {
        Arc::new(ReplayHuman { played: self.played.clone(), live: self.live(live) })
    }

    fn live<T>(&self, live: Option<T>) -> Option<T> {
        live.filter(|_| self.played.is_forked)
    }

    /// Where the run went another way so far; at its end also what was recorded and never asked for. A replay is
    /// good only if this is empty.
    pub fn differences(&self) -> Vec<Difference> {
        let state = self.played.state();
        let mut differences = state.differences.clone();
        // Where the run has gone another way, that it did not come to the rest is no news.
        if differences.is_empty() {
            let unasked = state.exchanges.iter().filter(|exchange| !exchange.is_played);
            differences.extend(
                unasked
                    .map(|exchange| Difference::new(format!("request {} was never asked", exchange.number))),
            );
            let unmade = state.calls.iter().filter(|call| !call.is_played);
            differences.extend(unmade.map(|call| {
                Difference::new(format!("the call {} of {} was never made", call.id, call.tool))
            }));
        }
        differences
    }
}

impl Played {
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
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
            Line::Begin { .. } => {}
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

/// What the run was started with, and all further lines.
fn lines(text: &str) -> Result<(Value, Vec<Line>), CassetteError> {
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
        Line::Begin { version, settings } if version <= Line::VERSION => Ok((settings, lines)),
        Line::Begin { version, .. } => Err(CassetteError::Version { version }),
        _ => Err(CassetteError::NotCassette),
    }
}

impl fmt::Debug for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Player").field("is_forked", &self.played.is_forked).finish_non_exhaustive()
    }
}
