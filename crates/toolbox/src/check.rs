//! What is checked before anybody is asked: is there such a tool, and does it take these arguments?

use std::panic::{AssertUnwindSafe, catch_unwind};

use windlass_hitl::Facts;
use windlass_protocol::{Payload, ResultStatus, ToolCall, ToolResult, ToolSpec};
use windlass_schema::Violation;

use crate::toolbox::{Checked, Toolbox};

pub(crate) fn check(toolbox: &Toolbox, call: &ToolCall) -> Result<Checked, ToolResult> {
    // A tool that is not offered is not there: the check is made here too, not only when offering.
    let Some(entry) = toolbox.entry(call.name.as_str()).filter(|entry| entry.offered) else {
        return Err(refuse(call, ResultStatus::UnknownTool, unknown(toolbox, call.name.as_str())));
    };
    let spec = entry.tool.spec();
    match (&call.payload, spec) {
        (Payload::Function { arguments } | Payload::Mcp { arguments, .. }, ToolSpec::Function { .. }) => {
            if let Err(violations) = entry.checker.check(arguments) {
                return Err(refuse(call, ResultStatus::InvalidArguments, invalid(spec, &violations)));
            }
        }
        (Payload::Custom { .. }, ToolSpec::Freeform { .. }) | (Payload::LocalShell { .. }, _) => {}
        (Payload::Custom { .. }, _) => {
            let text = format!("{} takes JSON arguments, not free text", spec.name());
            return Err(refuse(call, ResultStatus::InvalidArguments, text));
        }
        _ => {
            let text = format!("{} takes free text, not JSON arguments", spec.name());
            return Err(refuse(call, ResultStatus::InvalidArguments, text));
        }
    }
    // A panic fails this call (RULES L8): what cannot be judged does not run.
    let Ok(effects) = catch_unwind(AssertUnwindSafe(|| entry.tool.effects(&call.payload))) else {
        let text = format!("{} was not run: it failed with an internal error (it panicked)", spec.name());
        return Err(refuse(call, ResultStatus::Error, text));
    };
    let facts = Facts::new(spec.name().clone(), entry.tool.hints(), call, effects);
    Ok(Checked {
        name: spec.name().clone(),
        spec: spec.clone(),
        facts,
        tool: entry.tool.clone(),
        call: call.clone(),
    })
}

fn refuse(call: &ToolCall, status: ResultStatus, text: String) -> ToolResult {
    ToolResult::text(call.id.clone(), status, text)
}

pub(crate) fn unknown(toolbox: &Toolbox, name: &str) -> String {
    let names: Vec<_> = toolbox.offered_tools().map(|tool| tool.spec().name().as_str()).collect();
    format!("there is no tool {name}. The tools are: {}", names.join(", "))
}

pub(crate) fn invalid(spec: &ToolSpec, violations: &[Violation]) -> String {
    let mut text = format!("{} was not run, its arguments are wrong:", spec.name());
    for violation in violations {
        text.push_str("\n- ");
        text.push_str(&violation.to_string());
    }
    text.push_str("\nCall it again with arguments that fit its schema.");
    text
}
