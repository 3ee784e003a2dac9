//! The calls of a run that work now, so that a program can stop one of them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use windlass_protocol::CallId;
use windlass_tool::CancellationToken;

/// The calls of a run that work now. Clones share them.
///
/// A program passes them with [`RunOptions::with_running_calls`](crate::RunOptions::with_running_calls), and stops one
/// call while the run continues: the call gets its result, for example that it was cancelled, and the model receives
/// the results of all calls. The calls of a sub-agent belong to the run of the sub-agent; stopping the call that started
/// the sub-agent stops all of them.
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
    tokens: Arc<Mutex<BTreeMap<CallId, CancellationToken>>>,
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
        let token = self.lock().get(call).cloned();
        token.inspect(CancellationToken::cancel).is_some()
    }

    /// Stops all calls that work, and returns their number.
    pub fn stop_all(&self) -> usize {
        let tokens: Vec<CancellationToken> = self.lock().values().cloned().collect();
        for token in &tokens {
            token.cancel();
        }
        tokens.len()
    }

    /// Adds a call until the returned value is dropped.
    pub(crate) fn add(&self, id: CallId, token: CancellationToken) -> RunningCall {
        self.lock().insert(id.clone(), token);
        RunningCall { calls: self.clone(), id }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<CallId, CancellationToken>> {
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        self.calls.lock().remove(&self.id);
    }
}
