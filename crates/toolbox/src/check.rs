//! Validation of a call before approval: the tool must be offered and accept the arguments.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use windlass_hitl::PolicyInput;
use windlass_protocol::{Arguments, Payload, ResultStatus, ToolCall, ToolName, ToolResult};
use windlass_schema::{Coercion, Violation, coerce_at};

use crate::checked::CheckedCall;
use crate::entry::Entry;
use crate::fence;
use crate::refusal::CallRefusal;
use crate::route::{Route, route};
use crate::toolbox::Toolbox;

impl Toolbox {
    /// Resolves a call and validates its arguments, before policy or a human sees it (RULES J10).
    ///
    /// # Errors
    /// Returns the result for the model if the tool is unknown or hidden, the tool does not accept the
    /// arguments, or the mode does not grant the files.
    pub fn check(&self, call: &ToolCall) -> Result<CheckedCall, Box<ToolResult>> {
        let entry = self.find_offered(call)?;
        let spec = entry.tool.spec();
        let is_exact = self.names().is_exact(call.name.as_str());
        let mut call = call.clone();
        call.payload = match route(entry, is_exact, &call.payload) {
            Route::Fits(payload) => payload,
            Route::Model(text) => return Err(refuse(&call, ResultStatus::InvalidArguments, text)),
            Route::Program(misrouted) => {
                let refusal = CallRefusal::new(ResultStatus::Error, misrouted.to_string());
                return Err(refusal.with_advice("Do not call it again.").into_result(&call));
            }
        };
        let mut coerced = Vec::new();
        if let Payload::Function { arguments } | Payload::Mcp { arguments, .. } = &mut call.payload {
            // The last of two equal keys wins (RULES J7), but a reader who sees only the first would approve
            // another call.
            if !entry.tool.hints().read_only && has_equal_keys(arguments) {
                let text = format!("{} was not run: its arguments have a key twice.", entry.shown);
                let refusal = CallRefusal::new(ResultStatus::InvalidArguments, text);
                return Err(refusal.with_advice("Give each key once.").into_result(&call));
            }
            match coerce_arguments(entry, arguments) {
                Ok(None) => {}
                Ok(Some((fitting, changes))) => (*arguments, coerced) = (fitting, changes),
                Err(violations) => {
                    return Err(refuse_arguments(&entry.shown, &violations).into_result(&call));
                }
            }
        }
        // A panic fails this call (RULES L8): a call without known effects must not run.
        let Ok(effects) = catch_unwind(AssertUnwindSafe(|| entry.tool.effects(&call.payload))) else {
            let text = format!("{} was not run: it failed with an internal error (it panicked)", entry.shown);
            return Err(refuse(&call, ResultStatus::Error, text));
        };
        self.check_modes(|mode| fence::effects(mode, entry, &effects))
            .map_err(|problem| fence::refuse(&problem).into_result(&call))?;
        let name = entry.name.clone();
        let facts = PolicyInput::new(name.clone(), entry.tool.hints(), &call, effects);
        let entry = Arc::clone(entry);
        Ok(CheckedCall { name, spec: spec.clone(), facts, call, coerced, changes: Vec::new(), entry })
    }

    /// Returns the tool of a call if it is offered; validation repeats the filters of the offer. A hidden name
    /// still resolves, so that the result can explain why the tool is hidden and where it is available
    /// (RULES N1).
    fn find_offered(&self, call: &ToolCall) -> Result<&Arc<Entry>, Box<ToolResult>> {
        let name = call.name.as_str();
        self.entry(name)
            .filter(|entry| self.availability_of(entry).is_offered())
            .ok_or_else(|| self.explain_refusal(name).into_result(call))
    }

    /// Inspects the state that a checked call would run on and adds it to the call's facts. Reads the file
    /// system and can block the thread.
    ///
    /// # Errors
    /// Returns the result for the model if the tool's inspection panics or a symbolic link leads to a file
    /// that the mode does not grant. A call that cannot be inspected does not run.
    pub fn inspect(&self, mut checked: CheckedCall) -> Result<CheckedCall, Box<ToolResult>> {
        let entry = &checked.entry;
        let Ok(seen) = catch_unwind(AssertUnwindSafe(|| entry.tool.inspect(&checked.call.payload))) else {
            let text =
                format!("{} was not run: it failed with an internal error (it panicked)", checked.name);
            return Err(refuse(&checked.call, ResultStatus::Error, text));
        };
        self.check_modes(|mode| fence::targets(mode, entry, &checked.facts.effects, &seen.targets))
            .map_err(|problem| fence::refuse(&problem).into_result(&checked.call))?;
        let facts = checked.facts.with_sight(seen.targets, seen.containment).with_planned(seen.planned);
        checked.facts = facts.with_call_kind(seen.call_kind).with_minimum_risk(seen.minimum_risk);
        checked.changes = seen.changes;
        Ok(checked)
    }
}

pub(crate) fn refuse_arguments(name: &ToolName, violations: &[Violation]) -> CallRefusal {
    let mut text = format!("{name} was not run, its arguments are wrong:");
    for violation in violations {
        text.push_str("\n- ");
        text.push_str(&violation.to_string());
    }
    CallRefusal::new(ResultStatus::InvalidArguments, text)
        .with_advice("Call it again with arguments that fit its schema.")
}

/// Returns whether any object in the arguments repeats a key, at any depth.
fn has_equal_keys(arguments: &Arguments) -> bool {
    let mut parser = windlass_partial_json::Parser::default();
    parser.push(arguments.as_str()).is_ok() && parser.duplicates() > 0
}

/// Returns an error if the call may no longer run: the mode may have changed or the tool may have been
/// removed since the check.
pub(crate) fn permits(toolbox: &Toolbox, checked: &CheckedCall) -> Result<(), Box<ToolResult>> {
    let (entry, facts) = (&checked.entry, &checked.facts);
    let availability = toolbox.availability_of(entry);
    if !availability.is_offered() {
        let refusal = toolbox.explain_hidden(entry, &availability);
        return Err(CallRefusal { status: ResultStatus::Denied, ..refusal }.into_result(&checked.call));
    }
    toolbox
        .check_modes(|mode| {
            fence::effects(mode, entry, &facts.effects)?;
            fence::targets(mode, entry, &facts.effects, &facts.targets)
        })
        .map_err(|problem| fence::refuse(&problem).into_result(&checked.call))
}

/// Coerces arguments that violate the schema, and validates the result against the tool's own schema
/// (RULES J9, J10). Returns `None` if the original arguments are valid.
fn coerce_arguments(
    entry: &Entry,
    arguments: &Arguments,
) -> Result<Option<(Arguments, Vec<Coercion>)>, Vec<Violation>> {
    let Err(violations) = entry.check(arguments) else { return Ok(None) };
    let paths = entry.wrong_paths(arguments);
    let (fitting, changes) = coerce_at(&entry.schema, arguments, &paths);
    if changes.is_empty() {
        return Err(violations);
    }
    entry.check(&fitting)?;
    Ok(Some((fitting, changes)))
}

fn refuse(call: &ToolCall, status: ResultStatus, text: String) -> Box<ToolResult> {
    CallRefusal::new(status, text).into_result(call)
}
