//! Replay of a cassette.

mod file;
mod state;

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use windlass_agent::Approver;
use windlass_client::Transport;
use windlass_protocol::CallId;
use windlass_tool::{Human, Output, Tool};

use self::file::{Begin, lines, read};
pub use self::state::DefinitionsFuture;
use self::state::Follower;
pub(crate) use self::state::{Approval, Call, Exchange, ReplayState, Sight, State};
use crate::line::Outcome;
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
        let (mut state, definitions) = State::read(begin.version, lines);
        let is_forked = fork.is_some();
        if let Some(fork) = fork
            && let Some(call) = state.calls.iter_mut().find(|call| call.id == fork.call)
        {
            call.outcome = Outcome::Output {
                status: fork.answer.status,
                content: fork.answer.content,
                advice: fork.answer.advice,
            };
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

    /// Returns the differences so far, without the recorded requests and calls that were not replayed.
    pub(crate) fn deviations(&self) -> Vec<Difference> {
        self.played.state().differences.clone()
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

impl fmt::Debug for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Player").field("is_forked", &self.played.is_forked).finish_non_exhaustive()
    }
}
