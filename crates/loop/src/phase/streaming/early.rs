//! The refusal of a call that still streams, which saves the remaining tokens (DESIGN "Early decision").

use std::collections::BTreeMap;

use serde_json::Value;
use windlass_assemble::{CallEvent, CallIndex};
use windlass_protocol::{ResultStatus, ToolName};

use crate::words::ResultText;
use crate::{CallRepairs, Command, EarlyRefusal, words};

/// Number of arguments of one call that are checked early. The other arguments are only checked with the
/// complete call.
const MOST_ARGUMENTS: usize = 64;

/// The calls of an answer that still stream, the early refusals, and the repairs.
#[derive(Debug, Default)]
pub(crate) struct EarlyChecks {
    /// The number of the answer.
    answer: u64,
    open: BTreeMap<CallIndex, Open>,
    refused: BTreeMap<CallIndex, Refusal>,
    /// The repairs of complete calls.
    repaired: Vec<CallRepairs>,
}

#[derive(Debug)]
struct Open {
    tool: ToolName,
    arguments: usize,
}

/// The result of a call that was refused early.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) status: ResultStatus,
    pub(crate) text: ResultText,
}

impl EarlyChecks {
    pub(crate) fn new(answer: u64) -> Self {
        Self { answer, ..Self::default() }
    }

    /// Updates the open calls from an event, and returns the check of an argument that is complete.
    pub(crate) fn follow(&mut self, event: &CallEvent) -> Option<Command> {
        match event {
            CallEvent::Started { key, name, .. } => {
                self.open.insert(*key, Open { tool: name.clone(), arguments: 0 });
                None
            }
            CallEvent::ArgumentComplete { key, path, value } => self.check_argument(*key, path, value),
            CallEvent::Finished { key, notes, .. } => {
                self.open.remove(key);
                if !notes.repairs.is_empty() {
                    self.repaired.push(CallRepairs { key: *key, repairs: notes.repairs.clone() });
                }
                None
            }
            CallEvent::Malformed(call) => {
                self.open.remove(&call.key);
                None
            }
            _ => None,
        }
    }

    fn check_argument(&mut self, key: CallIndex, path: &str, value: &Value) -> Option<Command> {
        if self.refused.contains_key(&key) {
            return None;
        }
        let open = self.open.get_mut(&key).filter(|open| open.arguments < MOST_ARGUMENTS)?;
        open.arguments = open.arguments.saturating_add(1);
        let argument = path.strip_prefix('/')?.replace("~1", "/").replace("~0", "~");
        let (answer, tool) = (self.answer, open.tool.clone());
        Some(Command::CheckEarly { answer, key, tool, argument, value: value.clone() })
    }

    /// Returns true if an earlier call of the answer is incomplete.
    pub(crate) fn streams_before(&self, key: CallIndex) -> bool {
        self.open.range(..key).next().is_some()
    }

    /// Returns the early refusal of a call that was never completed.
    pub(crate) fn refusal(&self, key: CallIndex) -> Option<&Refusal> {
        self.refused.get(&key)
    }

    /// Refuses a call that still streams, and returns the reason. `None` if the answer has ended, or the call
    /// has ended or is refused already.
    pub(crate) fn refuse(&mut self, answer: u64, key: CallIndex, refusal: EarlyRefusal) -> Option<String> {
        if self.answer != answer || !self.open.contains_key(&key) || self.refused.contains_key(&key) {
            return None;
        }
        let (status, problem) = match refusal {
            EarlyRefusal::Refused { status, text, advice } => {
                (status, ResultText { problem: text.into(), advice: advice.map(Into::into) })
            }
            EarlyRefusal::Denied(reason) => (ResultStatus::Denied, words::denial_text(&reason)),
        };
        let text = words::early_refusal_text(&problem);
        self.refused.insert(key, Refusal { status, text });
        Some(problem.problem.into_owned())
    }

    /// Returns the repairs of the complete calls.
    pub(crate) fn into_repaired(self) -> Vec<CallRepairs> {
        self.repaired
    }

    /// Returns true if every call that still streams is refused.
    pub(crate) fn is_hopeless(&self) -> bool {
        !self.open.is_empty() && self.open.keys().all(|key| self.refused.contains_key(key))
    }
}
