//! The ids and names of the calls of an answer. The ids are chosen when the calls start.

use std::collections::{BTreeMap, HashMap, HashSet};

use windlass_assemble::{Answer, CallIndex};
use windlass_protocol::{Arguments, CallId, Part, ToolCall, ToolName};

use crate::core::Core;
use crate::words;

/// The ids of the calls of one answer, unique in the run (RULES P1).
///
/// A provider can send an id late, never, or twice. Readers of the events need the id from the first event of
/// the call, so it is chosen then and stays: the provider's id if it has arrived and is free, else a new one.
#[derive(Debug, Default)]
pub(super) struct CallIds {
    chosen: BTreeMap<CallIndex, CallId>,
    used: HashSet<CallId>,
    /// The chosen id of each call whose id from the assembler is another one.
    renamed: HashMap<CallId, CallId>,
}

impl CallIds {
    /// Returns the id of a call, and chooses it at the first event of the call. `proposed` is the id from the
    /// assembler, if it is known.
    pub(super) fn choose(&mut self, core: &Core, key: CallIndex, proposed: Option<&CallId>) -> CallId {
        if let Some(id) = self.chosen.get(&key) {
            return id.clone();
        }
        let is_free = |id: &CallId| !core.has_call(id) && !self.used.contains(id);
        let id = proposed.filter(|id| is_free(id)).cloned().unwrap_or_else(|| {
            let position = usize::try_from(key.0).unwrap_or(usize::MAX);
            core.free_call_id(position, |id| self.used.contains(id))
        });
        self.used.insert(id.clone());
        self.chosen.insert(key, id.clone());
        id
    }

    /// Returns the id of a call that has ended with an id from the assembler.
    pub(super) fn settle(&mut self, core: &Core, key: CallIndex, assembled: &CallId) -> CallId {
        let id = self.choose(core, key, Some(assembled));
        if id != *assembled {
            self.renamed.insert(assembled.clone(), id.clone());
        }
        id
    }

    /// Returns the chosen id of a call of the complete answer.
    pub(super) fn find<'a>(&'a self, assembled: &'a CallId) -> &'a CallId {
        self.renamed.get(assembled).unwrap_or(assembled)
    }
}

/// Replaces the calls among the parts by the same calls with unique ids.
pub(super) fn replace_calls(parts: Vec<Part>, calls: &[ToolCall]) -> Vec<Part> {
    let mut calls = calls.iter();
    parts
        .into_iter()
        .map(|part| match part {
            Part::Call(call) => Part::Call(calls.next().cloned().unwrap_or(call)),
            other => other,
        })
        .collect()
}

/// Names each call whose name never arrived, so that its error result belongs to a call of the conversation (RULES S11).
pub(super) fn name_the_nameless(answer: &mut Answer) {
    let nameless: Vec<_> =
        answer.iter_malformed().filter(|call| call.name.is_none()).map(|call| call.id.clone()).collect();
    for id in nameless {
        let name = ToolName::new(words::NAMELESS).expect("the name is a constant");
        answer.parts.push(Part::Call(ToolCall::function(id, name, Arguments::default())));
    }
}
