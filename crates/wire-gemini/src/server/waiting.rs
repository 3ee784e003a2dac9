//! The calls of a conversation that wait for their results.

use std::collections::{HashMap, VecDeque};

use windlass_protocol::CallId;

/// The calls that wait for results, in the order of their arrival, with lookup by id, by name or by order in
/// constant time.
#[derive(Default)]
pub(crate) struct WaitingCalls {
    /// `None` once the call is answered.
    calls: Vec<Option<CallId>>,
    by_given: HashMap<String, VecDeque<usize>>,
    by_name: HashMap<String, VecDeque<usize>>,
    /// The first call that can still wait; all before it are answered.
    next: usize,
}

impl WaitingCalls {
    /// Appends a call, with the id that its client gave it.
    pub(crate) fn push(&mut self, name: &str, given: Option<String>, id: CallId) {
        let at = self.calls.len();
        self.by_name.entry(name.to_owned()).or_default().push_back(at);
        if let Some(given) = given {
            self.by_given.entry(given).or_default().push_back(at);
        }
        self.calls.push(Some(id));
    }

    /// Removes the call that a result answers: the first of its id, else the first of its name, else the first.
    pub(crate) fn take(&mut self, given: Option<&str>, name: Option<&str>) -> Option<CallId> {
        let by_given = given.and_then(|given| self.by_given.get_mut(given));
        if let Some(call) = by_given.and_then(|queue| first(&mut self.calls, queue)) {
            return Some(call);
        }
        let by_name = name.and_then(|name| self.by_name.get_mut(name));
        if let Some(call) = by_name.and_then(|queue| first(&mut self.calls, queue)) {
            return Some(call);
        }
        while let Some(call) = self.calls.get_mut(self.next) {
            self.next = self.next.saturating_add(1);
            if let Some(call) = call.take() {
                return Some(call);
            }
        }
        None
    }
}

/// Removes the first call of a queue that still waits. Each entry is visited once.
fn first(calls: &mut [Option<CallId>], queue: &mut VecDeque<usize>) -> Option<CallId> {
    while let Some(at) = queue.pop_front() {
        if let Some(call) = calls.get_mut(at).and_then(Option::take) {
            return Some(call);
        }
    }
    None
}
