//! The state machine of a run, without IO: it takes the results of calls and returns the next calls to make.
//! It is deterministic: equal results lead to equal states, whatever their order.

mod ending;
mod flow;
mod group;
mod look;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_agent::Wait;

use crate::check::MAX_BACKOFF_MS;
use crate::plan::{Kind, Node, Plan};
use crate::work::Work;
use crate::{FailurePolicy, StepKey, StepStatus, WorkflowOutcome};

/// The result of a call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum End {
    Done(Value),
    Failed(Failure),
    Suspended(Vec<Wait>),
}

/// The failure of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Failure {
    pub(crate) message: String,
    /// The output that the failed call returned, or null.
    pub(crate) output: Value,
    pub(crate) again: RetryRule,
}

/// The rule for repeating a failed call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RetryRule {
    /// It may be retried: the call is repeatable, or it did not start.
    May,
    MayNot,
    /// It was interrupted and is repeatable: it is repeated, which does not count as a failure.
    Anew,
    /// It was interrupted, its effects are unknown, and it must not be repeated.
    Unknown,
}

/// An output of the machine for its driver.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Effect {
    Run { key: StepKey, attempt: u32, delay_ms: u64, timeout_ms: Option<u64>, work: Work },
    Ended { key: StepKey, status: StepStatus, error: Option<String> },
    Done(WorkflowOutcome),
}

#[derive(Debug)]
pub(crate) struct Machine {
    plan: Arc<Plan>,
    input: Value,
    scopes: Vec<Scope>,
    steps: Vec<Instance>,
    by_key: BTreeMap<StepKey, usize>,
    effects: Vec<Effect>,
    /// The failed step that stops the whole workflow: the first one of the top level in declaration order.
    stopped_by: Option<usize>,
    is_over: bool,
    /// Number of running steps, recounted at the start of each pass.
    running: usize,
}

/// One instance of the steps of a level; a `map` has one for each element.
#[derive(Debug)]
struct Scope {
    /// The index of the step that contains this level, or `usize::MAX` for the top level.
    owner: usize,
    item: Option<(usize, Value)>,
    names: BTreeMap<String, usize>,
}

#[derive(Debug)]
struct Instance {
    key: StepKey,
    node: Arc<Node>,
    scope: usize,
    state: State,
}

#[derive(Debug)]
enum State {
    Waiting,
    Running(Attempts),
    Suspended(Vec<Wait>),
    Open(Open),
    Ended(EndedStep),
}

/// The attempts of a call so far.
#[derive(Clone, Copy, Debug)]
struct Attempts {
    attempt: u32,
    failures: u32,
}

/// A running group: a step that contains steps.
#[derive(Debug)]
struct Open {
    /// The elements of the list; a single `None` for a `parallel`.
    items: Vec<Option<Value>>,
    scopes: Vec<usize>,
    /// The failed step that stops this group: the first one in declaration order.
    stopped_by: Option<usize>,
}

#[derive(Debug)]
struct EndedStep {
    status: StepStatus,
    output: Value,
    error: Option<String>,
    /// The steps that it opens.
    opens: Vec<String>,
    /// True if the steps that depend on it may run.
    passes: bool,
}

impl Machine {
    pub(crate) fn new(plan: Arc<Plan>, input: Map<String, Value>) -> Self {
        Self {
            plan,
            input: Value::Object(input),
            scopes: Vec::new(),
            steps: Vec::new(),
            by_key: BTreeMap::new(),
            effects: Vec::new(),
            stopped_by: None,
            is_over: false,
            running: 0,
        }
    }

    /// Starts the run.
    pub(crate) fn start(&mut self) -> Vec<Effect> {
        if self.scopes.is_empty() {
            let nodes = self.plan.nodes.clone();
            // The top level has no owner.
            self.add_scope(usize::MAX, None, &nodes, |name| StepKey::root().child(name));
            self.advance();
        }
        std::mem::take(&mut self.effects)
    }

    /// Processes the result of a call. Ignores a result that does not match a running attempt.
    pub(crate) fn end_call(&mut self, key: &StepKey, attempt: u32, end: End) -> Vec<Effect> {
        if let Some(at) = self.by_key.get(key).copied()
            && let Some(State::Running(tried)) = self.steps.get(at).map(|step| &step.state)
            && tried.attempt == attempt
            && !self.is_over
        {
            let tried = *tried;
            self.take(at, tried, end);
            self.advance();
        }
        std::mem::take(&mut self.effects)
    }

    /// Returns the views of all ended steps.
    #[cfg(test)]
    pub(crate) fn state(&self) -> Value {
        let ended = self.steps.iter().filter(|step| matches!(step.state, State::Ended(_)));
        let all: Map<String, Value> = ended.map(|step| (step.key.to_string(), step.view())).collect();
        Value::Object(all)
    }

    fn take(&mut self, at: usize, tried: Attempts, end: End) {
        match end {
            End::Done(output) => self.end(at, StepStatus::Ok, output, None),
            End::Suspended(waits) => self.set(at, State::Suspended(waits)),
            End::Failed(failure) => self.fail_call(at, tried, failure),
        }
    }

    /// Retries the call if that is allowed, or ends the step.
    fn fail_call(&mut self, at: usize, tried: Attempts, failure: Failure) {
        let Some(node) = self.steps.get(at).map(|step| step.node.clone()) else { return };
        let allowed = node.tries;
        let (may, counts) = match failure.again {
            RetryRule::May => (tried.failures < allowed.retries, 1),
            // Bounds the attempts of a call that crashes the process every time.
            RetryRule::Anew => (tried.attempt < MOST_ATTEMPTS, 0),
            RetryRule::Unknown | RetryRule::MayNot => (false, 0),
        };
        if may {
            let failures = tried.failures.saturating_add(counts);
            let doublings = failures.saturating_sub(1).min(10);
            let wait = allowed.backoff_ms.saturating_mul(1 << doublings).min(MAX_BACKOFF_MS);
            let delay = if counts == 0 { 0 } else { wait };
            let tried = Attempts { attempt: tried.attempt.saturating_add(1), failures };
            return self.call(at, tried, delay);
        }
        let is_unknown = matches!(failure.again, RetryRule::Unknown | RetryRule::Anew);
        let policy = if is_unknown { &node.on_unknown } else { &node.on_failure };
        self.fail(at, failure.message, failure.output, policy);
    }

    fn fail(&mut self, at: usize, message: String, output: Value, policy: &FailurePolicy) {
        let opens = match policy {
            FailurePolicy::Goto(step) => vec![step.clone()],
            FailurePolicy::Stop | FailurePolicy::Continue => Vec::new(),
        };
        let passes = *policy == FailurePolicy::Continue;
        if *policy == FailurePolicy::Stop {
            self.stop_around(at);
        }
        self.close(at, EndedStep { status: StepStatus::Failed, output, error: Some(message), opens, passes });
    }

    fn end(&mut self, at: usize, status: StepStatus, output: Value, error: Option<String>) {
        let passes = status == StepStatus::Ok;
        self.close(at, EndedStep { status, output, error, opens: Vec::new(), passes });
    }

    fn close(&mut self, at: usize, ended: EndedStep) {
        let (status, error) = (ended.status, ended.error.clone());
        self.set(at, State::Ended(ended));
        if let Some(step) = self.steps.get(at) {
            self.effects.push(Effect::Ended { key: step.key.clone(), status, error });
        }
    }

    fn set(&mut self, at: usize, state: State) {
        if let Some(step) = self.steps.get_mut(at) {
            step.state = state;
        }
    }

    /// Starts every step that can start, and emits the outcome once no call is running.
    fn advance(&mut self) {
        while self.turn() {}
        if self.is_over {
            return;
        }
        let whole = self.scopes.first().is_some_and(|scope| self.has_ended(scope));
        let runs = self.steps.iter().any(|step| matches!(step.state, State::Running(_)));
        let outcome = match self.stopped_by {
            _ if runs => return,
            Some(step) => self.failure_of(step),
            None if whole => self.output(),
            None => WorkflowOutcome::Suspended { waits: self.waits() },
        };
        self.is_over = true;
        self.effects.push(Effect::Done(outcome));
    }

    fn call(&mut self, at: usize, tried: Attempts, delay_ms: u64) {
        let Some(step) = self.steps.get(at) else { return };
        let node = step.node.clone();
        let Kind::Call { tool, arguments, reading } = &node.kind else { return };
        let (key, scope) = (step.key.clone(), step.scope);
        let filled = arguments.fill(&|path| self.look(scope, path));
        match filled {
            Ok(Value::Object(arguments)) => {
                self.set(at, State::Running(tried));
                self.running = self.running.saturating_add(1);
                let work = Work::new(tool.clone(), arguments, *reading, node.tries.repeatable);
                let timeout_ms = node.tries.timeout_ms;
                let attempt = tried.attempt;
                self.effects.push(Effect::Run { key, attempt, delay_ms, timeout_ms, work });
            }
            Ok(_) => {
                self.fail(at, "its arguments are not an object".to_owned(), Value::Null, &node.on_failure);
            }
            Err(error) => self.fail(at, error.to_string(), Value::Null, &node.on_failure),
        }
    }
}

/// Maximum number of attempts of a call that is interrupted repeatedly.
const MOST_ATTEMPTS: u32 = 20;

#[cfg(test)]
mod tests;
