//! The completion call, with which the model reports that the task is done (RULES L1).

use windlass_protocol::{Control, Part, ToolCall};

use crate::{Config, Transcript};

/// Returns the `result` argument of a completion; empty if the call has none.
pub(crate) fn completion_text(call: &ToolCall) -> String {
    let text = call.arguments().and_then(|arguments| arguments.get("result"));
    text.and_then(|text| text.as_str()).unwrap_or_default().to_owned()
}

/// Returns the text of the completion if the last call of the conversation is an accepted completion.
pub(crate) fn accepted_completion(config: &Config, transcript: &Transcript) -> Option<String> {
    let mut newest = transcript.messages().iter().rev();
    let (results, answer) = (newest.next()?, newest.next()?);
    let call = answer.calls().last()?;
    let is_completion = config.hints(call.name.as_str()).control == Control::Completion;
    let is_accepted = results
        .parts
        .iter()
        .any(|part| matches!(part, Part::Result(result) if result.call == call.id && result.status.is_ok()));
    (is_completion && is_accepted).then(|| completion_text(call))
}
