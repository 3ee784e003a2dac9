//! Whether a call that has come to its end can be run.

use windlass_partial_json::{ErrorKind, Status};
use windlass_protocol::{Arguments, ArgumentsError, ToolName};

use crate::growing::{GrowingCall, Marks};
use crate::{ArgumentForm, Ending, Limits, MalformedReason, Notes};

/// What ends a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The provider's mark of this call's end. The answer may still turn out to be cut.
    Mark,
    /// The end of the answer.
    Answer(Ending),
}

/// Whether other calls began after this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rank {
    Last,
    Earlier,
}

/// What a call is at its end.
#[derive(Debug)]
pub(crate) enum Judgement {
    Finished(ToolName, Arguments, Notes),
    Malformed(MalformedReason),
    /// Not to be said before the answer's end is known.
    Wait,
}

pub(crate) fn judge(call: &GrowingCall, end: End, rank: Rank, limits: &Limits) -> Judgement {
    let name = match ToolName::new(call.name.as_str()) {
        Ok(name) => name,
        Err(error) => return nameless(call, end, error.to_string()),
    };
    if call.overflowed {
        return Judgement::Malformed(MalformedReason::TooLong { limit: limits.argument_bytes });
    }
    match end {
        // Anthropic marks the end of a call that the token limit has cut too, so only arguments that are
        // whole by themselves are believed (S10).
        End::Mark if call.is_complete_json() => finished(call, name, limits),
        End::Mark => Judgement::Wait,
        End::Answer(Ending::Complete) if is_absent(call) && call.marks == Marks::Open => {
            // A provider that marks ends has not marked this one: the call was left standing.
            Judgement::Malformed(MalformedReason::Truncated { ending: Ending::Dropped })
        }
        End::Answer(Ending::Complete) => finished(call, name, limits),
        // The limit of tokens cuts what is written last; what stands before it is whole if it is JSON.
        End::Answer(Ending::Length) if rank == Rank::Earlier && call.is_complete_json() => {
            finished(call, name, limits)
        }
        End::Answer(ending) => Judgement::Malformed(cut(call, ending, limits)),
    }
}

fn nameless(call: &GrowingCall, end: End, what: String) -> Judgement {
    match end {
        End::Mark => Judgement::Wait,
        End::Answer(Ending::Complete) if call.name.as_str().is_empty() => {
            Judgement::Malformed(MalformedReason::NoName)
        }
        End::Answer(Ending::Complete) => Judgement::Malformed(MalformedReason::BadName { what }),
        End::Answer(ending) => Judgement::Malformed(MalformedReason::Truncated { ending }),
    }
}

fn is_absent(call: &GrowingCall) -> bool {
    let text = call.text.trim();
    text.is_empty() || text == "null"
}

/// A text that was wrong before it was cut is told as wrong: more tokens would not have helped.
fn cut(call: &GrowingCall, ending: Ending, limits: &Limits) -> MalformedReason {
    match call.parser.status() {
        Status::Malformed { .. } => invalid(call, None, limits),
        Status::Incomplete | Status::Complete => MalformedReason::Truncated { ending },
    }
}

fn finished(call: &GrowingCall, name: ToolName, limits: &Limits) -> Judgement {
    let mut notes = Notes { form: ArgumentForm::Plain, duplicate_keys: call.parser.duplicates() };
    if is_absent(call) {
        notes.form = ArgumentForm::Absent;
        return Judgement::Finished(name, Arguments::default(), notes);
    }
    if call.text.trim_start().starts_with('"')
        && let Ok(inner) = serde_json::from_str::<String>(&call.text)
        && let Some(arguments) = double_encoded(&inner, limits)
    {
        notes.form = ArgumentForm::DoubleEncoded;
        return Judgement::Finished(name, arguments, notes);
    }
    // The parser has a limit of depth of its own, so it is asked before serde.
    if let Err(error) = call.parser.check() {
        return Judgement::Malformed(reason(error, limits));
    }
    match Arguments::parse(call.text.as_str()) {
        Ok(arguments) => Judgement::Finished(name, arguments, notes),
        Err(error) => Judgement::Malformed(invalid(call, Some(error), limits)),
    }
}

/// The object inside a string, whose own text is what the model wrote (S6).
fn double_encoded(inner: &str, limits: &Limits) -> Option<Arguments> {
    if inner.trim().is_empty() {
        return Some(Arguments::default());
    }
    let json = windlass_partial_json::Limits::default().with_depth(limits.depth);
    let mut parser = windlass_partial_json::Parser::with_limits(json);
    parser.push(inner).ok()?;
    parser.check().ok()?;
    Arguments::parse(inner).ok()
}

fn invalid(call: &GrowingCall, error: Option<ArgumentsError>, limits: &Limits) -> MalformedReason {
    match (call.parser.check(), error) {
        (Err(error), _) => reason(error, limits),
        (Ok(()), Some(ArgumentsError::NotAnObject { met })) => {
            MalformedReason::NotAnObject { met: met.to_owned() }
        }
        (Ok(()), Some(error)) => MalformedReason::InvalidJson { at: 0, what: error.to_string() },
        (Ok(()), None) => MalformedReason::NotAnObject { met: "not an object".to_owned() },
    }
}

fn reason(error: windlass_partial_json::Error, limits: &Limits) -> MalformedReason {
    match error.kind() {
        ErrorKind::TooDeep => MalformedReason::TooDeep { limit: limits.depth },
        ErrorKind::TooLong => MalformedReason::TooLong { limit: limits.argument_bytes },
        kind => MalformedReason::InvalidJson { at: error.offset(), what: kind.to_string() },
    }
}
