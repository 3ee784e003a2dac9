//! The completion call, with which the model reports that the task is done (RULES L1).

use windlass_protocol::{Control, Part, ToolCall};

use crate::{Config, Transcript};

/// Returns the text of a completion: the `result` argument, empty if the call has none, or all arguments of an answer.
pub(crate) fn completion_text(control: Control, call: &ToolCall) -> String {
    if control == Control::Answer {
        return call.arguments().map(|arguments| arguments.as_str().to_owned()).unwrap_or_default();
    }
    let text = call.arguments().and_then(|arguments| arguments.get("result"));
    text.and_then(|text| text.as_str()).unwrap_or_default().to_owned()
}

/// Returns the text of the completion if the last call of the conversation is an accepted completion.
pub(crate) fn find_completion(config: &Config, transcript: &Transcript) -> Option<String> {
    let mut newest = transcript.messages().iter().rev();
    let (results, answer) = (newest.next()?, newest.next()?);
    let call = answer.calls().last()?;
    let control = config.hints(call.name.as_str()).control;
    let is_accepted = results
        .parts
        .iter()
        .any(|part| matches!(part, Part::Result(result) if result.call == call.id && result.status.is_ok()));
    (control.is_completion() && is_accepted).then(|| completion_text(control, call))
}
