//! What toolbox and policy say of calls that still stream.

use std::collections::HashMap;

use serde_json::Value;
use windlass_hitl::deny_early;
use windlass_loop::EarlyRefusal;
use windlass_protocol::ToolName;
use windlass_stream::CallKey;
use windlass_tool::EarlyArguments;

use crate::agent::Parts;

/// The complete arguments of the calls that still stream.
#[derive(Default)]
pub(crate) struct EarlyChecks {
    answer: u64,
    arguments: HashMap<CallKey, EarlyArguments>,
}

impl EarlyChecks {
    /// Takes an argument that is complete now, and says why its call is sure to be refused, if it is.
    pub(crate) fn check(
        &mut self,
        parts: &Parts,
        (answer, key): (u64, CallKey),
        tool: &ToolName,
        argument: &str,
        value: Value,
    ) -> Option<EarlyRefusal> {
        if self.answer != answer {
            self.arguments.clear();
            self.answer = answer;
        }
        let arguments = self.arguments.entry(key).or_default();
        arguments.insert(argument, value);
        let foreseen = match parts.toolbox.as_ref()?.foresee(tool.as_str(), arguments, argument) {
            Ok(foreseen) => foreseen,
            Err(refusal) => {
                return Some(EarlyRefusal::Refused { status: refusal.status, text: refusal.text });
            }
        };
        deny_early(&parts.policy, &foreseen.name, &foreseen.effects).map(EarlyRefusal::Denied)
    }
}
