//! The refusal of a call that still streams, which saves the remaining tokens (DESIGN "Early decision").

use std::collections::BTreeMap;

use serde_json::Value;
use windlass_assemble::CallEvent;
use windlass_protocol::{ResultStatus, ToolName};
use windlass_stream::CallKey;

use crate::machine::{Machine, Phase};
use crate::{CallRepairs, EarlyRefusal, Effect, Event, words};

/// Number of arguments of one call that are checked early. The other arguments are only checked with the
/// complete call.
const MOST_ARGUMENTS: usize = 64;

/// The calls of an answer that still stream, the early refusals, and the repairs.
#[derive(Debug, Default)]
pub(crate) struct Early {
    /// The number of the answer.
    pub(crate) answer: u64,
    open: BTreeMap<CallKey, Open>,
    refused: BTreeMap<CallKey, Refusal>,
    /// The repairs of complete calls.
    pub(crate) repaired: Vec<CallRepairs>,
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
    pub(crate) text: String,
}

impl Early {
    pub(crate) fn of(answer: u64) -> Self {
        Self { answer, ..Self::default() }
    }

    /// Updates the open calls from an event, and returns the check of an argument that is complete.
    pub(crate) fn follow(&mut self, event: &CallEvent) -> Option<Effect> {
        match event {
            CallEvent::Started { key, name, .. } => {
                self.open.insert(*key, Open { tool: name.clone(), arguments: 0 });
                None
            }
            CallEvent::ArgumentComplete { key, path, value } => self.argument(*key, path, value),
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

    fn argument(&mut self, key: CallKey, path: &str, value: &Value) -> Option<Effect> {
        if self.refused.contains_key(&key) {
            return None;
        }
        let open = self.open.get_mut(&key).filter(|open| open.arguments < MOST_ARGUMENTS)?;
        open.arguments = open.arguments.saturating_add(1);
        let argument = path.strip_prefix('/')?.replace("~1", "/").replace("~0", "~");
        let (answer, tool) = (self.answer, open.tool.clone());
        Some(Effect::CheckEarly { answer, key, tool, argument, value: value.clone() })
    }

    /// Returns true if an earlier call of the answer is incomplete.
    pub(crate) fn streams_before(&self, key: CallKey) -> bool {
        self.open.range(..key).next().is_some()
    }

    /// Returns the early refusal of a call that was never completed.
    pub(crate) fn refusal(&self, key: CallKey) -> Option<&Refusal> {
        self.refused.get(&key)
    }

    /// Returns true if every call that still streams is refused.
    fn is_hopeless(&self) -> bool {
        !self.open.is_empty() && self.open.keys().all(|key| self.refused.contains_key(key))
    }
}

impl Machine {
    /// Refuses a call that still streams. If every call that streams is refused, the answer is stopped, and
    /// its complete calls run.
    pub(crate) fn refused_early(&mut self, answer: u64, key: CallKey, refusal: EarlyRefusal) {
        let Phase::Streaming(streaming) = &mut self.phase else { return };
        let early = &mut streaming.early;
        if early.answer != answer || !early.open.contains_key(&key) || early.refused.contains_key(&key) {
            return;
        }
        let (status, problem) = match refusal {
            EarlyRefusal::Refused { status, text } => (status, text),
            EarlyRefusal::Denied(reason) => {
                (ResultStatus::Denied, words::denied(&reason.rule_id, &reason.text))
            }
        };
        early.refused.insert(key, Refusal { status, text: words::refused_early(&problem) });
        let is_hopeless = early.is_hopeless();
        self.show(Event::CallRefusedEarly { key, problem });
        if is_hopeless {
            self.want(Effect::CloseStream);
            self.stopped_early();
        }
    }
}
