//! A task with its expectations.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use windlass_protocol::Message;

use crate::Grader;
use crate::trial::hash;

/// A task with its expectations. A trial passes if all of its graders pass.
///
/// ```
/// use windlass_evals::{Case, contains, never_calls};
///
/// let case = Case::new("refund", "Refund order 7.").expect(contains("order 7")).expect(never_calls("delete_order"));
/// assert_eq!(case.id(), "refund");
/// ```
#[derive(Clone)]
pub struct Case {
    id: String,
    task: Message,
    graders: Vec<Arc<dyn Grader>>,
    time_limit: Option<Duration>,
    budget: Option<u64>,
    accepts_unfinished: bool,
}

impl Case {
    /// Creates a case from an id, which is unique in its suite, and a task.
    pub fn new(id: impl Into<String>, task: impl Into<Message>) -> Self {
        Self {
            id: id.into(),
            task: task.into(),
            graders: Vec::new(),
            time_limit: None,
            budget: None,
            accepts_unfinished: false,
        }
    }

    /// Adds an expectation.
    pub fn expect(mut self, grader: impl Grader + 'static) -> Self {
        self.graders.push(Arc::new(grader));
        self
    }

    /// Sets the time in which a run must end, instead of the suite's.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = Some(limit);
        self
    }

    /// Sets the cost above which a run is stopped, instead of the suite's, in millionths of the currency of the agent's
    /// prices.
    pub fn budget(mut self, cost: u64) -> Self {
        self.budget = Some(cost);
        self
    }

    /// Accepts a run that stops or waits, for example for an approval, if the graders do. By default a run without a final
    /// answer has failed.
    pub fn accept_unfinished(mut self) -> Self {
        self.accepts_unfinished = true;
        self
    }

    /// Returns the id.
    pub fn id(&self) -> &str {
        &self.id
    }

    pub(crate) fn task(&self) -> &Message {
        &self.task
    }

    pub(crate) fn graders(&self) -> &[Arc<dyn Grader>] {
        &self.graders
    }

    pub(crate) fn own_time_limit(&self) -> Option<Duration> {
        self.time_limit
    }

    pub(crate) fn own_budget(&self) -> Option<u64> {
        self.budget
    }

    pub(crate) fn accepts_unfinished(&self) -> bool {
        self.accepts_unfinished
    }

    /// Returns a hash of the task and the expectations. A result of a case that has changed since is not used again.
    pub(crate) fn fingerprint(&self) -> String {
        let task = serde_json::to_vec(&self.task).unwrap_or_default();
        let expectations: Vec<String> = self.graders.iter().map(|grader| grader.describe()).collect();
        let unfinished: &[u8] = if self.accepts_unfinished { b"unfinished" } else { b"finished" };
        let mut texts: Vec<&[u8]> = vec![&task, unfinished];
        texts.extend(expectations.iter().map(String::as_bytes));
        format!("{:016x}", hash(&texts))
    }
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expectations: Vec<String> = self.graders.iter().map(|grader| grader.describe()).collect();
        f.debug_struct("Case")
            .field("id", &self.id)
            .field("expectations", &expectations)
            .finish_non_exhaustive()
    }
}
