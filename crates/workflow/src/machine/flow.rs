//! Scheduling: which steps start, which are skipped, and how each kind starts.

use serde_json::{Value, json};

use super::{Attempts, EndedStep, Machine, Open, State};
use crate::StepStatus;
use crate::condition::Condition;
use crate::plan::{DependencyKind, Kind, Node};

/// The decision about a waiting step.
enum Turn {
    Begin,
    Skip,
}

impl Machine {
    /// Visits every step once. Returns true if any state changed.
    pub(super) fn turn(&mut self) -> bool {
        let mut changed = false;
        let mut at = 0;
        // One count is enough: a step that starts a call here cannot end during this pass.
        self.running = self.count_running();
        // Groups can add steps during this loop, so the length is read every time.
        while at < self.steps.len() {
            changed |= match self.steps.get(at).map(|step| &step.state) {
                Some(State::Waiting) => self.try_to_begin(at),
                Some(State::Open(_)) => self.turn_group(at),
                _ => false,
            };
            at = at.saturating_add(1);
        }
        changed
    }

    fn count_running(&self) -> usize {
        self.steps.iter().filter(|step| matches!(step.state, State::Running(_))).count()
    }

    fn try_to_begin(&mut self, at: usize) -> bool {
        let Some(step) = self.steps.get(at) else { return false };
        let (node, scope) = (step.node.clone(), step.scope);
        if self.is_stopping(scope) {
            self.end(at, StepStatus::Skipped, Value::Null, None);
            return true;
        }
        match self.turn_of(&node, scope) {
            None => false,
            Some(Turn::Skip) => {
                self.end(at, StepStatus::Skipped, Value::Null, None);
                true
            }
            Some(Turn::Begin) => self.has_room(&node, scope) && self.begin(at, &node, scope),
        }
    }

    fn turn_of(&self, node: &Node, scope: usize) -> Option<Turn> {
        let beside = |name: &str| match self.find_sibling(scope, name).map(|step| &step.state) {
            Some(State::Ended(ended)) => Some(ended),
            _ => None,
        };
        let mut is_open = node.gates.is_empty();
        for gate in &node.gates {
            is_open |= beside(gate)?.opens.contains(&node.name);
        }
        let (mut waits, mut passed, mut lacks) = (false, false, false);
        for need in &node.needs {
            let ended = beside(&need.step)?;
            // This step also runs if the earlier step failed and its `goto` names this step.
            let goes_on = ended.passes || ended.opens.contains(&node.name);
            waits |= need.why != DependencyKind::Status;
            passed |= need.why != DependencyKind::Status && goes_on;
            lacks |= need.why == DependencyKind::Data && !goes_on;
        }
        let is_left = waits && !passed && node.gates.is_empty();
        Some(if !is_open || lacks || is_left { Turn::Skip } else { Turn::Begin })
    }

    /// Returns true if the concurrency limits of the workflow and of the enclosing `parallel` allow another
    /// step.
    fn has_room(&self, node: &Node, scope: usize) -> bool {
        if matches!(node.kind, Kind::Call { .. }) && self.running >= self.plan.at_once {
            return false;
        }
        let Some(scope) = self.scopes.get(scope) else { return false };
        let Some(Kind::Group(group)) = self.steps.get(scope.owner).map(|owner| &owner.node.kind) else {
            return true;
        };
        if group.over.is_some() {
            return true;
        }
        let works = |at: &&usize| {
            let state = self.steps.get(**at).map(|step| &step.state);
            matches!(state, Some(State::Running(_) | State::Suspended(_) | State::Open(_)))
        };
        group.at_once.is_none_or(|most| scope.names.values().filter(works).count() < most)
    }

    fn begin(&mut self, at: usize, node: &Node, scope: usize) -> bool {
        match &node.kind {
            Kind::Call { .. } => self.call(at, Attempts { attempt: 1, failures: 0 }, 0),
            Kind::Condition { condition, then, otherwise } => {
                self.choose(at, node, (scope, condition), (then, otherwise));
            }
            Kind::Group(group) => match self.items(scope, group) {
                Ok(items) => self.set(at, State::Open(Open { items, scopes: Vec::new(), stopped_by: None })),
                Err(problem) => self.fail(at, problem, Value::Null, &node.on_failure),
            },
        }
        true
    }

    fn choose(
        &mut self,
        at: usize,
        node: &Node,
        (scope, condition): (usize, &Condition),
        (then, otherwise): (&[String], &[String]),
    ) {
        match condition.holds(&|path| self.look(scope, path)) {
            Ok(holds) => {
                let opens = if holds { then } else { otherwise };
                let ended = EndedStep {
                    status: StepStatus::Ok,
                    output: json!(holds),
                    error: None,
                    opens: opens.to_vec(),
                    passes: true,
                };
                self.close(at, ended);
            }
            Err(error) => self.fail(at, error.to_string(), Value::Null, &node.on_failure),
        }
    }
}
