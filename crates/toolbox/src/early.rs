//! Validation of a call while its arguments still stream.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Map, Value};
use windlass_protocol::{Arguments, Effect, ResultStatus, ToolName};
use windlass_schema::{Violation, coerce};
use windlass_tool::EarlyArguments;

use crate::check::refuse_arguments;
use crate::entry::Entry;
use crate::fence;
use crate::refusal::CallRefusal;
use crate::toolbox::Toolbox;

/// The facts that are certain about a call before it is complete.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PartialCheck {
    /// The tool's name in the registry; the call may use an alias.
    pub name: ToolName,
    /// The effects that the complete call will have at least.
    pub effects: Vec<Effect>,
}

/// The reason why a call cannot run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PartialRefusal {
    /// The status of the result.
    pub status: ResultStatus,
    /// The text of the result.
    pub text: String,
    /// The next step for the model.
    pub advice: Option<String>,
    /// The cause of the refusal.
    pub cause: RefusalCause,
}

/// The cause of the refusal of a call that still streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "what the call is, or where it is made")]
pub enum RefusalCause {
    /// The call itself: the tool does not exist or does not accept an argument.
    Call,
    /// The mode. An earlier call in the same answer may still change the mode.
    Mode,
}

pub(crate) fn check_partial(
    toolbox: &Toolbox,
    name: &str,
    complete: &EarlyArguments,
    latest: &str,
) -> Result<PartialCheck, PartialRefusal> {
    let Some(entry) = toolbox.entry(name).filter(|entry| toolbox.availability_of(entry).is_offered()) else {
        let CallRefusal { status, text, advice } = toolbox.explain_refusal(name);
        let cause = if status == ResultStatus::Denied { RefusalCause::Mode } else { RefusalCause::Call };
        return Err(PartialRefusal { status, text, advice, cause });
    };
    if let Some(value) = complete.get(latest)
        && let Err(violations) = check_argument(entry, latest, value)
    {
        let CallRefusal { status, text, advice } = refuse_arguments(&entry.shown, &violations);
        let cause = RefusalCause::Call;
        return Err(PartialRefusal { status, text, advice, cause });
    }
    // A panic here only loses the early effects; the check of the complete call reports it (RULES L8).
    let effects = catch_unwind(AssertUnwindSafe(|| entry.tool.early_effects(complete))).unwrap_or_default();
    toolbox.check_modes(|mode| fence::early_effects(mode, entry, &effects)).map_err(|problem| {
        let CallRefusal { status, text, advice } = fence::refuse(&problem);
        PartialRefusal { status, text, advice, cause: RefusalCause::Mode }
    })?;
    Ok(PartialCheck { name: entry.name.clone(), effects })
}

/// Validates one argument in its original and its coerced form, because the complete call would be coerced,
/// too.
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
