//! Groups: steps that contain steps, run concurrently or for each element of a list.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::{Instance, Machine, Scope, State};
use crate::plan::{Group, Kind, Node};
use crate::{StepKey, StepStatus};

impl Machine {
    /// Returns the elements of a group: those of the list, or a single `None` for a `parallel`.
    pub(super) fn items(&self, scope: usize, group: &Group) -> Result<Vec<Option<Value>>, String> {
        let Some(over) = &group.over else { return Ok(vec![None]) };
        let list = over.fill(&|path| self.look(scope, path)).map_err(|error| error.to_string())?;
        let Value::Array(list) = list else {
            return Err("the value to iterate over is not a \
                                                         list"
                .to_owned());
        };
        if list.len() > group.most {
            return Err(format!("the list has {} elements, at most {} are allowed", list.len(), group.most));
        }
        Ok(list.into_iter().map(Some).collect())
    }

    pub(super) fn add_scope(
        &mut self,
        owner: usize,
        item: Option<(usize, Value)>,
        nodes: &[Arc<Node>],
        key: impl Fn(&str) -> StepKey,
    ) -> usize {
        let scope = self.scopes.len();
        let mut names = BTreeMap::new();
        for node in nodes {
            let (key, at) = (key(&node.name), self.steps.len());
            names.insert(node.name.clone(), at);
            self.by_key.insert(key.clone(), at);
            self.steps.push(Instance { key, node: node.clone(), scope, state: State::Waiting });
        }
        self.scopes.push(Scope { owner, item, names });
        scope
    }

    /// Advances a group: starts its next elements, or ends it. Returns true if the state changed.
    pub(super) fn turn_group(&mut self, at: usize) -> bool {
        let Some(step) = self.steps.get(at) else { return false };
        let (node, key) = (step.node.clone(), step.key.clone());
        let (Kind::Group(group), State::Open(open)) = (&node.kind, &step.state) else { return false };
        let is_stopping = open.stopped_by.is_some() || self.is_stopping(step.scope);
        let begun = open.scopes.len();
        let works = open.scopes.iter().filter(|scope| !self.is_done(**scope)).count();
        let room = if is_stopping { 0 } else { group.at_once.unwrap_or(usize::MAX).saturating_sub(works) };
        let next: Vec<_> = open.items.iter().skip(begun).take(room).cloned().collect();
        if !next.is_empty() {
            for (more, item) in next.into_iter().enumerate() {
                self.open_element(at, begun.saturating_add(more), item, group, &key);
            }
            return true;
        }
        if works > 0 || (begun < open.items.len() && !is_stopping) {
            return false;
        }
        match open.stopped_by {
            Some(by) => {
                let message = self.describe_outcome(by);
                self.fail(at, message, Value::Null, &node.on_failure);
            }
            None if is_stopping && begun < open.items.len() => {
                self.end(at, StepStatus::Skipped, Value::Null, None);
            }
            None => {
                let output = self.output_of(at, group);
                self.end(at, StepStatus::Ok, output, None);
            }
        }
        true
    }

    fn open_element(
        &mut self,
        at: usize,
        position: usize,
        item: Option<Value>,
        group: &Group,
        key: &StepKey,
    ) {
        let is_list = group.over.is_some();
        let is_one = is_list && group.nodes.len() == 1;
        let item = item.map(|item| (position, item));
        let child = |name: &str| match (is_list, is_one) {
            (true, true) => key.element(position),
            (true, false) => key.element(position).child(name),
            (false, _) => key.child(name),
        };
        let scope = self.add_scope(at, item, &group.nodes, child);
        if let Some(State::Open(open)) = self.steps.get_mut(at).map(|step| &mut step.state) {
            open.scopes.push(scope);
        }
    }

    fn describe_outcome(&self, by: usize) -> String {
        let Some(step) = self.steps.get(by) else { return String::new() };
        let error = match &step.state {
            State::Ended(ended) => ended.error.as_deref().unwrap_or_default(),
            _ => "",
        };
        // The error of an inner group already contains the key of its failed step.
        if matches!(step.node.kind, Kind::Group(_)) {
            error.to_owned()
        } else {
            format!("{}: {error}", step.key)
        }
    }

    fn output_of(&self, at: usize, group: &Group) -> Value {
        let Some(State::Open(open)) = self.steps.get(at).map(|step| &step.state) else { return Value::Null };
        let scopes = open.scopes.iter().filter_map(|scope| self.scopes.get(*scope));
        let mut outputs: Vec<Value> = scopes.map(|scope| self.outputs(scope)).collect();
        if group.over.is_none() {
            return outputs.pop().unwrap_or_default();
        }
        if let [only] = group.nodes.as_slice() {
            for output in &mut outputs {
                let inner = output.get_mut(&only.name).map(Value::take);
                *output = inner.unwrap_or_default();
            }
        }
        Value::Array(outputs)
    }

    /// Returns the outputs of the steps of one level that succeeded or continued, by name.
    pub(super) fn outputs(&self, scope: &Scope) -> Value {
        let output = |(name, at): (&String, &usize)| match &self.steps.get(*at)?.state {
            State::Ended(ended) if ended.passes => Some((name.clone(), ended.output.clone())),
            _ => None,
        };
        Value::Object(scope.names.iter().filter_map(output).collect::<Map<_, _>>())
    }

    fn is_done(&self, scope: usize) -> bool {
        self.scopes.get(scope).is_none_or(|scope| self.has_ended(scope))
    }

    pub(super) fn has_ended(&self, scope: &Scope) -> bool {
        let ended = |at: &usize| self.steps.get(*at).is_none_or(|step| matches!(step.state, State::Ended(_)));
        scope.names.values().all(ended)
    }

    /// Records that this failure stops the steps of its level that have not started. Of several failures the
    /// first in declaration order is reported, whichever happened first.
    pub(super) fn stop_around(&mut self, at: usize) {
        let Some(scope) = self.steps.get(at).and_then(|step| self.scopes.get(step.scope)) else { return };
        let stopped_by = match self.steps.get_mut(scope.owner).map(|step| &mut step.state) {
            Some(State::Open(open)) => &mut open.stopped_by,
            Some(_) => return,
            None => &mut self.stopped_by,
        };
        *stopped_by = Some(stopped_by.map_or(at, |other| other.min(at)));
    }

    /// Returns true if no further step of this level may start, because a step in it or around it failed.
    pub(super) fn is_stopping(&self, scope: usize) -> bool {
        let is_stopped = |scope: usize| {
            let owner = self.scopes.get(scope).and_then(|scope| self.steps.get(scope.owner));
            matches!(owner.map(|owner| &owner.state), Some(State::Open(open)) if open.stopped_by.is_some())
        };
        self.stopped_by.is_some() || self.iter_levels(scope).any(is_stopped)
    }
}
