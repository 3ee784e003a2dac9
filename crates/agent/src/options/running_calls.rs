//! The calls of a run that work now, so that a program can stop one of them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use windlass_protocol::CallId;
use windlass_tool::CancellationToken;

/// The calls of a run that work now. Clones share them.
///
/// A program passes them with [`RunOptions::with_running_calls`](crate::RunOptions::with_running_calls), and stops one
/// call while the run continues: the call gets its result, for example that it was cancelled, and the model receives
/// the results of all calls. The calls of a sub-agent belong to the run of the sub-agent, which continues when
/// [`stop_in`](Self::stop_in) stops one of them; stopping the call that started the sub-agent stops all of them.
///
/// ```
/// use windlass_agent::{RunOptions, RunningCalls};
/// use windlass_protocol::CallId;
///
/// let calls = RunningCalls::default();
/// let options = RunOptions::default().with_running_calls(calls.clone());
/// # drop(options);
/// assert!(!calls.stop(&CallId::new("call_1")?), "the call does not work");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct RunningCalls {
    working: Arc<Mutex<BTreeMap<CallId, Working>>>,
}

/// A call that works.
#[derive(Debug)]
struct Working {
    token: CancellationToken,
    /// The sub-agents that the call started and follows: the number, the name and the calls of each.
    agents: Vec<(u64, String, RunningCalls)>,
    next_agent: u64,
}

/// Removes a sub-agent from its call when it is dropped.
#[derive(Debug)]
pub(crate) struct RunningAgent {
    calls: RunningCalls,
    call: CallId,
    number: u64,
}

/// Removes a call from the running ones when it is dropped.
#[derive(Debug)]
pub(crate) struct RunningCall {
    calls: RunningCalls,
    id: CallId,
}

impl RunningCalls {
    /// Returns the ids of the calls that work.
    pub fn ids(&self) -> Vec<CallId> {
        self.lock().keys().cloned().collect()
    }

    /// Stops a call. Returns false if it does not work.
    pub fn stop(&self, call: &CallId) -> bool {
        // Cancel outside of the lock: the callbacks of a token may run here.
        let token = self.lock().get(call).map(|working| working.token.clone());
        token.inspect(CancellationToken::cancel).is_some()
    }

    /// Stops a call of a sub-agent, whose run continues. `root` is the call of this run that started the first of
    /// `agents`, which are the names from [`Event::AgentEvent`](crate::Event::AgentEvent). Returns false if the call
    /// does not work.
    ///
    /// Two sub-agents with the same path, which one call started, are not distinguished: the call is stopped in each.
    pub fn stop_in(&self, root: &CallId, agents: &[String], call: &CallId) -> bool {
        let Some((first, deeper)) = agents.split_first() else { return self.stop(call) };
        let mut runs = self.agents_of(Some(root), first);
        for name in deeper {
            runs = runs.iter().flat_map(|run| run.agents_of(None, name)).collect();
        }
        // `any` would end at the first run that has the call.
        runs.iter().filter(|run| run.stop(call)).count() > 0
    }

    /// Returns the calls of the sub-agents with a name that a call started, or any call.
    fn agents_of(&self, call: Option<&CallId>, name: &str) -> Vec<Self> {
        let working = self.lock();
        let calls = working.iter().filter(|(id, _)| call.is_none_or(|call| call == *id));
        let agents = calls.flat_map(|(_, working)| &working.agents);
        agents.filter(|(_, known, _)| known == name).map(|(.., calls)| calls.clone()).collect()
    }

    /// Stops all calls that work, and returns their number.
    pub fn stop_all(&self) -> usize {
        let tokens: Vec<CancellationToken> =
            self.lock().values().map(|working| working.token.clone()).collect();
        for token in &tokens {
            token.cancel();
        }
        tokens.len()
    }

    /// Adds a call until the returned value is dropped.
    pub(crate) fn add(&self, id: CallId, token: CancellationToken) -> RunningCall {
        self.lock().insert(id.clone(), Working { token, agents: Vec::new(), next_agent: 0 });
        RunningCall { calls: self.clone(), id }
    }

    /// Adds a sub-agent to the call that follows it until the returned value is dropped. Returns `None` if the call
    /// does not work.
    pub(crate) fn add_agent(&self, call: &CallId, name: &str, calls: Self) -> Option<RunningAgent> {
        let mut all = self.lock();
        let working = all.get_mut(call)?;
        let number = working.next_agent;
        working.next_agent = number.saturating_add(1);
        working.agents.push((number, name.to_owned(), calls));
        Some(RunningAgent { calls: self.clone(), call: call.clone(), number })
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<CallId, Working>> {
        self.working.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        self.calls.lock().remove(&self.id);
    }
}

impl Drop for RunningAgent {
    fn drop(&mut self) {
        if let Some(working) = self.calls.lock().get_mut(&self.call) {
            working.agents.retain(|(number, ..)| *number != self.number);
        }
    }
}
