//! What is checked of a call while its arguments still stream.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Map, Value};
use windlass_protocol::{Arguments, Effect, ResultStatus, ToolName};
use windlass_schema::{Violation, coerce};
use windlass_tool::EarlyArguments;

use crate::check::{invalid, unknown};
use crate::toolbox::{Entry, Toolbox};

/// What is sure about a call although it is not whole yet.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Foreseen {
    /// The tool's name in the registry; the call may use an alias.
    pub name: ToolName,
    /// What the whole call will do at least.
    pub effects: Vec<Effect>,
}

/// Why a call cannot run, in words for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refusal {
    /// The status of the result.
    pub status: ResultStatus,
    /// Its text.
    pub text: String,
}

pub(crate) fn foresee(
    toolbox: &Toolbox,
    name: &str,
    complete: &EarlyArguments,
    latest: &str,
) -> Result<Foreseen, Refusal> {
    let Some(entry) = toolbox.entry(name).filter(|entry| entry.offered) else {
        return Err(Refusal { status: ResultStatus::UnknownTool, text: unknown(toolbox, name) });
    };
    if let Some(value) = complete.get(latest)
        && let Err(violations) = check_argument(entry, latest, value)
    {
        return Err(Refusal {
            status: ResultStatus::InvalidArguments,
            text: invalid(&entry.shown, &violations),
        });
    }
    // A tool that panics here has said nothing; the check of the whole call will tell (RULES L8).
    let effects = catch_unwind(AssertUnwindSafe(|| entry.tool.early_effects(complete))).unwrap_or_default();
    Ok(Foreseen { name: entry.name.clone(), effects })
}

/// Checks one argument, and what coercion would make of it: the whole call would be coerced too.
fn check_argument(entry: &Entry, name: &str, value: &Value) -> Result<(), Vec<Violation>> {
    let Err(violations) = entry.check_argument(name, value) else { return Ok(()) };
    let alone = Value::Object(Map::from_iter([(name.to_owned(), value.clone())]));
    let Ok(arguments) = Arguments::parse(alone.to_string()) else { return Err(violations) };
    let (coerced, changes) = coerce(&entry.schema, &arguments);
    if changes.is_empty() {
        return Err(violations);
    }
    coerced.get(name).map_or(Ok(()), |value| entry.check_argument(name, value))
}
