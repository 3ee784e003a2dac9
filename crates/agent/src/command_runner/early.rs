//! Checks of calls whose arguments still stream, by the toolbox and the policy.

use std::collections::HashMap;

use serde_json::Value;
use windlass_hitl::deny_early;
use windlass_loop::{CallIndex, EarlyRefusal};
use windlass_protocol::{Control, ToolName};
use windlass_tool::EarlyArguments;
use windlass_toolbox::{PartialRefusal, RefusalCause};

use crate::agent_inner::AgentInner;
use crate::tools::Tools;

/// The complete arguments of the streaming calls of one answer.
#[derive(Default)]
pub(crate) struct EarlyChecks {
    answer: u64,
    /// The first call of the answer that switches the mode and is valid so far.
    switch: Option<CallIndex>,
    arguments: HashMap<CallIndex, EarlyArguments>,
}

impl EarlyChecks {
    /// Checks a complete argument. Returns the refusal if the call cannot run, whatever the remaining
    /// arguments are.
    pub(crate) fn check(
        &mut self,
        (parts, tools): (&AgentInner, &Tools),
        (answer, key): (u64, CallIndex),
        tool: &ToolName,
        argument: &str,
        value: Value,
    ) -> Option<EarlyRefusal> {
        if self.answer != answer {
            self.arguments.clear();
            self.switch = None;
            self.answer = answer;
        }
        let arguments = self.arguments.entry(key).or_default();
        arguments.insert(argument, value);
        let toolbox = tools.current()?;
        let foreseen = match toolbox.check_partial(tool.as_str(), arguments, argument) {
            Ok(foreseen) => foreseen,
            // Calls after a mode switch are decided in the new mode (RULES L11), which is not known yet.
            Err(refusal)
                if refusal.cause == RefusalCause::Mode && self.switch.is_some_and(|switch| switch != key) =>
            {
                return None;
            }
            Err(refusal) => {
                let PartialRefusal { status, text, advice, .. } = refusal;
                return Some(EarlyRefusal::Refused { status, text, advice });
            }
        };
        if toolbox.find(tool.as_str()).is_some_and(|tool| tool.hints().control == Control::ModeSwitch) {
            self.switch.get_or_insert(key);
        }
        deny_early(&parts.policy, &foreseen.name, &foreseen.effects).map(EarlyRefusal::Denied)
    }
}
