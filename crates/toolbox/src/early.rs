//! What is checked of a call while its arguments still stream.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Map, Value};
use windlass_protocol::{Arguments, Effect, ResultStatus, ToolName};
use windlass_schema::{Violation, coerce};
use windlass_tool::EarlyArguments;

use crate::check::{invalid, refused};
use crate::entry::Entry;
use crate::fence;
use crate::toolbox::Toolbox;

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
    /// What says no.
    pub cause: RefusalCause,
}

/// What says no to a call that still streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "what the call is, or where it is made")]
pub enum RefusalCause {
    /// The call itself: no such tool, or an argument that it does not take.
    Call,
    /// The mode. Another call before it in the same answer may change that.
    Mode,
}

pub(crate) fn foresee(
    toolbox: &Toolbox,
    name: &str,
    complete: &EarlyArguments,
    latest: &str,
) -> Result<Foreseen, Refusal> {
    let Some(entry) = toolbox.entry(name).filter(|entry| toolbox.standing_of(entry).is_offered()) else {
        let (status, text) = refused(toolbox, name);
        let cause = if status == ResultStatus::Denied { RefusalCause::Mode } else { RefusalCause::Call };
        return Err(Refusal { status, text, cause });
    };
    if let Some(value) = complete.get(latest)
        && let Err(violations) = check_argument(entry, latest, value)
    {
        let (status, cause) = (ResultStatus::InvalidArguments, RefusalCause::Call);
        return Err(Refusal { status, text: invalid(&entry.shown, &violations), cause });
    }
    // A tool that panics here has said nothing; the check of the whole call will tell (RULES L8).
    let effects = catch_unwind(AssertUnwindSafe(|| entry.tool.early_effects(complete))).unwrap_or_default();
    toolbox.fenced(|mode| fence::early_effects(mode, entry, &effects)).map_err(|problem| Refusal {
        status: ResultStatus::Denied,
        text: fence::told(&problem),
        cause: RefusalCause::Mode,
    })?;
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
