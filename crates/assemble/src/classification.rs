//! The decision whether an ended call can run.

use windlass_partial_json::{ErrorKind, Repair, RepairKind, RepairedText, Status, repair};
use windlass_protocol::{Arguments, ArgumentsError, ToolName};

use crate::growing::{Framing, GrowingCall};
use crate::{ArgumentForm, AssembleLimits, AssembleOptions, Ending, MalformedReason, Notes, Repairs};

/// The event that ends a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The provider's end mark of this call. The answer may still turn out to be truncated.
    Mark,
    /// The end of the answer.
    Answer(AnswerEnd),
}

/// The end of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerEnd {
    /// The provider or the end of the stream determined the ending.
    Known(Ending),
    /// The provider's finish reason is unknown: `abort` of vLLM interrupts an answer, while other values can
    /// be a regular end. Only calls whose arguments are complete JSON are accepted (S10).
    Unproven,
}

/// The position of a call relative to other calls of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallPosition {
    Last,
    Earlier,
}

/// The state of a call at its end.
#[derive(Debug)]
pub(crate) enum Classification {
    Finished(ToolName, Arguments, Notes),
    Malformed(MalformedReason),
    /// Undecided until the end of the answer is known.
    Wait,
}

pub(crate) fn classify(
    call: &GrowingCall,
    end: End,
    rank: CallPosition,
    options: &AssembleOptions,
) -> Classification {
    let limits = &options.limits;
    let name = match ToolName::new(call.name.as_str()) {
        Ok(name) => name,
        Err(error) => return nameless(call, end, error.to_string()),
    };
    if call.overflowed {
        return Classification::Malformed(MalformedReason::TooLong { limit: limits.argument_bytes });
    }
    match end {
        // Anthropic also marks the end of a call that the token limit truncated, so only complete JSON is
        // accepted (S10).
        End::Mark if call.is_complete_json() => classify_finished(call, name, options),
        End::Mark => Classification::Wait,
        End::Answer(AnswerEnd::Unproven) if call.is_complete_json() && !is_absent(call) => {
            classify_finished(call, name, options)
        }
        End::Answer(AnswerEnd::Unproven) => Classification::Malformed(cut(call, Ending::Dropped, limits)),
        End::Answer(AnswerEnd::Known(Ending::Complete)) if is_absent(call) && call.marks == Framing::Open => {
            // A provider that marks ends did not mark the end of this call, so the call is incomplete.
            Classification::Malformed(MalformedReason::Truncated { ending: Ending::Dropped })
        }
        End::Answer(AnswerEnd::Known(Ending::Complete)) => classify_finished(call, name, options),
        // The token limit truncates only the last call. Earlier calls are complete if they are valid JSON.
        End::Answer(AnswerEnd::Known(Ending::Length))
            if rank == CallPosition::Earlier && call.is_complete_json() =>
        {
            classify_finished(call, name, options)
        }
        End::Answer(AnswerEnd::Known(ending)) => Classification::Malformed(cut(call, ending, limits)),
    }
}

fn nameless(call: &GrowingCall, end: End, what: String) -> Classification {
    let ending = match end {
        End::Mark => return Classification::Wait,
        End::Answer(AnswerEnd::Known(ending)) => ending,
        End::Answer(AnswerEnd::Unproven) => Ending::Dropped,
    };
    match ending {
        Ending::Complete if call.name.as_str().is_empty() => {
            Classification::Malformed(MalformedReason::NoName)
        }
        Ending::Complete => Classification::Malformed(MalformedReason::BadName { what }),
        ending => Classification::Malformed(MalformedReason::Truncated { ending }),
    }
}

fn is_absent(call: &GrowingCall) -> bool {
    matches!(call.text.trim(), "" | "null" | "\"\"")
}

/// Reports invalid JSON as invalid, because more tokens would not have helped; other text is reported as
/// truncated.
fn cut(call: &GrowingCall, ending: Ending, limits: &AssembleLimits) -> MalformedReason {
    match call.parser.status() {
        Status::Malformed { .. } => invalid(call, None, limits),
        Status::Incomplete | Status::Complete => MalformedReason::Truncated { ending },
    }
}

fn classify_finished(call: &GrowingCall, name: ToolName, options: &AssembleOptions) -> Classification {
    let duplicate_keys = call.parser.duplicates();
    let notes = |form, repairs| Notes { form, repairs, duplicate_keys };
    if is_absent(call) {
        return Classification::Finished(name, Arguments::default(), notes(ArgumentForm::Absent, Vec::new()));
    }
    if let Some((arguments, repairs)) = repair_arguments(call, options) {
        return Classification::Finished(name, arguments, notes(ArgumentForm::Repaired, repairs));
    }
    // The parser has its own depth limit, so its check comes before serde.
    if let Err(error) = call.parser.check() {
        return Classification::Malformed(reason(error, &options.limits));
    }
    match Arguments::parse(call.text.as_str()) {
        Ok(arguments) => Classification::Finished(name, arguments, notes(ArgumentForm::Plain, Vec::new())),
        Err(error) => Classification::Malformed(invalid(call, Some(error), &options.limits)),
    }
}

/// Returns the arguments after the repairs that the options allow, or `None` if no repair is needed or
/// possible (S6, J8).
fn repair_arguments(call: &GrowingCall, options: &AssembleOptions) -> Option<(Arguments, Vec<Repair>)> {
    let is_string = call.text.trim_start().starts_with('"');
    if !is_string && (options.repairs == Repairs::Encoding || call.parser.check().is_ok()) {
        return None;
    }
    let RepairedText { text, repairs, .. } = repair(&call.text, options.limits.json()).ok()?;
    let is_allowed =
        |repair: &Repair| options.repairs == Repairs::All || repair.kind == RepairKind::DoubleEncoding;
    if repairs.is_empty() || !repairs.iter().all(is_allowed) {
        return None;
    }
    Some((Arguments::parse(text).ok()?, repairs))
}

fn invalid(call: &GrowingCall, error: Option<ArgumentsError>, limits: &AssembleLimits) -> MalformedReason {
    match (call.parser.check(), error) {
        (Err(error), _) => reason(error, limits),
        (Ok(()), Some(ArgumentsError::NotAnObject { met })) => {
            MalformedReason::NotAnObject { met: met.to_owned() }
        }
        (Ok(()), Some(ArgumentsError::TooManyValues { limit })) => MalformedReason::TooManyValues { limit },
        (Ok(()), Some(error)) => MalformedReason::InvalidJson { at: 0, what: error.to_string() },
        (Ok(()), None) => MalformedReason::NotAnObject { met: "not an object".to_owned() },
    }
}

fn reason(error: windlass_partial_json::Error, limits: &AssembleLimits) -> MalformedReason {
    match error.kind() {
        ErrorKind::TooDeep => MalformedReason::TooDeep { limit: limits.depth },
        ErrorKind::TooLong => MalformedReason::TooLong { limit: limits.argument_bytes },
        kind => MalformedReason::InvalidJson { at: error.offset(), what: kind.to_string() },
    }
}
