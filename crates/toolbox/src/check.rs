//! What is checked before anybody is asked: is there such a tool, and does it take these arguments?

use std::panic::{AssertUnwindSafe, catch_unwind};

use windlass_hitl::Facts;
use windlass_protocol::{Arguments, Payload, ResultStatus, ToolCall, ToolName, ToolResult, ToolSpec};
use windlass_schema::{Coercion, Violation, coerce};

use crate::toolbox::{Checked, Entry, Toolbox};

pub(crate) fn check(toolbox: &Toolbox, call: &ToolCall) -> Result<Checked, Box<ToolResult>> {
    // A tool that is not offered is not there: the check is made here too, not only when offering.
    let Some(entry) = toolbox.entry(call.name.as_str()).filter(|entry| entry.offered) else {
        return Err(refuse(call, ResultStatus::UnknownTool, unknown(toolbox, call.name.as_str())));
    };
    let spec = entry.tool.spec();
    let mut call = call.clone();
    let mut coerced = Vec::new();
    match (&mut call.payload, spec) {
        (Payload::Function { arguments } | Payload::Mcp { arguments, .. }, ToolSpec::Function { .. }) => {
            // The last of two equal keys wins (RULES J7), but who reads the first has approved something else.
            if !entry.tool.hints().read_only && has_equal_keys(arguments) {
                let text =
                    format!("{} was not run: its arguments have a key twice; give each once", entry.shown);
                return Err(refuse(&call, ResultStatus::InvalidArguments, text));
            }
            match fitting(entry, arguments) {
                Ok(None) => {}
                Ok(Some((fitting, changes))) => (*arguments, coerced) = (fitting, changes),
                Err(violations) => {
                    let text = invalid(&entry.shown, &violations);
                    return Err(refuse(&call, ResultStatus::InvalidArguments, text));
                }
            }
        }
        (Payload::Custom { .. }, ToolSpec::Freeform { .. }) | (Payload::LocalShell { .. }, _) => {}
        // Where only functions are known, free text comes as an argument.
        (Payload::Function { arguments }, ToolSpec::Freeform { .. }) => {
            let Some(text) = only_text(arguments) else {
                let text = format!("{} takes free text, in one argument `input`", entry.shown);
                return Err(refuse(&call, ResultStatus::InvalidArguments, text));
            };
            call.payload = Payload::Custom { input: text };
        }
        (Payload::Custom { .. }, _) => {
            let text = format!("{} takes JSON arguments, not free text", entry.shown);
            return Err(refuse(&call, ResultStatus::InvalidArguments, text));
        }
        _ => {
            let text = format!("{} takes free text, not JSON arguments", entry.shown);
            return Err(refuse(&call, ResultStatus::InvalidArguments, text));
        }
    }
    // A panic fails this call (RULES L8): what cannot be judged does not run.
    let Ok(effects) = catch_unwind(AssertUnwindSafe(|| entry.tool.effects(&call.payload))) else {
        let text = format!("{} was not run: it failed with an internal error (it panicked)", entry.shown);
        return Err(refuse(&call, ResultStatus::Error, text));
    };
    let name = entry.name.clone();
    let facts = Facts::new(name.clone(), entry.tool.hints(), &call, effects);
    Ok(Checked {
        name,
        spec: spec.clone(),
        facts,
        call,
        coerced,
        changes: Vec::new(),
        tool: entry.tool.clone(),
    })
}

/// Whether an object in the arguments has a key twice, at any depth.
fn has_equal_keys(arguments: &Arguments) -> bool {
    let mut parser = windlass_partial_json::Parser::default();
    parser.push(arguments.as_str()).is_ok() && parser.duplicates() > 0
}

/// The free text among arguments: the argument that stands for it, or the only one there is, whatever its name.
fn only_text(arguments: &Arguments) -> Option<String> {
    if let Some(Payload::Custom { input }) = Payload::from_arguments(arguments) {
        return Some(input);
    }
    let mut fields = arguments.as_object().iter();
    match (fields.next(), fields.next()) {
        (Some((_, value)), None) => value.as_str().map(str::to_owned),
        _ => None,
    }
}

/// What the call meets, into its facts.
pub(crate) fn inspect(mut checked: Checked) -> Result<Checked, Box<ToolResult>> {
    let Ok(seen) = catch_unwind(AssertUnwindSafe(|| checked.tool.inspect(&checked.call.payload))) else {
        let text = format!("{} was not run: it failed with an internal error (it panicked)", checked.name);
        return Err(refuse(&checked.call, ResultStatus::Error, text));
    };
    checked.facts = checked.facts.with_sight(seen.targets, seen.containment);
    checked.changes = seen.changes;
    Ok(checked)
}

/// Arguments that fit, if those that came do not and coercion helps; they are checked again on the tool's own
/// schema (RULES J9, J10).
fn fitting(
    entry: &Entry,
    arguments: &Arguments,
) -> Result<Option<(Arguments, Vec<Coercion>)>, Vec<Violation>> {
    let Err(violations) = entry.check(arguments) else { return Ok(None) };
    let (fitting, changes) = coerce(&entry.schema, arguments);
    if changes.is_empty() {
        return Err(violations);
    }
    entry.check(&fitting)?;
    Ok(Some((fitting, changes)))
}

fn refuse(call: &ToolCall, status: ResultStatus, text: String) -> Box<ToolResult> {
    Box::new(ToolResult::text(call.id.clone(), status, text))
}

pub(crate) fn unknown(toolbox: &Toolbox, name: &str) -> String {
    let names: Vec<_> = toolbox.offered_entries().map(|entry| entry.shown.as_str()).collect();
    format!("there is no tool {name}. The tools are: {}", names.join(", "))
}

pub(crate) fn invalid(name: &ToolName, violations: &[Violation]) -> String {
    let mut text = format!("{name} was not run, its arguments are wrong:");
    for violation in violations {
        text.push_str("\n- ");
        text.push_str(&violation.to_string());
    }
    text.push_str("\nCall it again with arguments that fit its schema.");
    text
}
