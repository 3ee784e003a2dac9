//! Texts for the model and the human: each states the problem and the next step.

use windlass_protocol::{Content, ReconcileOutcome, StopReason, ToolResult};

/// The reason that an answer without a call does not end the task (RULES L3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoCall {
    TextOnly,
    Cut,
    Empty,
}

impl NoCall {
    pub(crate) fn of(has_words: bool, stop: Option<&StopReason>) -> Self {
        match (has_words, stop) {
            (_, Some(StopReason::Length | StopReason::ContextWindow)) => Self::Cut,
            (true, _) => Self::TextOnly,
            (false, _) => Self::Empty,
        }
    }

    pub(crate) fn nudge(self, completion_tool: &str) -> String {
        match self {
            Self::TextOnly => format!(
                "Your answer has no tool call. If the task is done, call {completion_tool} with the result; \
                 if you need something from the human, use a tool to ask; else go on with the next tool."
            ),
            Self::Cut => format!(
                "Your answer was cut at the limit of tokens before any tool call. Go on in smaller steps: \
                 one tool call an answer, or {completion_tool} if the task is done."
            ),
            Self::Empty => format!(
                "Your answer was empty. Go on with the next tool, or call {completion_tool} if the task is done."
            ),
        }
    }
}

/// The placeholder name in the conversation for a call without a name.
pub(crate) const NAMELESS: &str = "unnamed_call";

/// Returns the result of a call that cannot run. It contains the end of the received arguments, so that the
/// model can continue from there.
pub(crate) fn malformed(problem: &str, text: &str) -> String {
    const SHOWN: usize = 200;
    let tail = &text[text.ceil_char_boundary(text.len().saturating_sub(SHOWN))..];
    let received = if text.is_empty() {
        "No arguments were received.".to_owned()
    } else {
        format!("{} bytes of arguments were received; they end with: {tail}", text.len())
    };
    format!(
        "The call was not run: {problem}. {received}\nMake the call again, in smaller pieces if it was long."
    )
}

pub(crate) fn repeated(name: &str, times: u32) -> String {
    format!(
        "{name} was not run: this is the same call with the same arguments for the {times}th time in a row, and \
         it will not give another result. Try something else, or ask the human."
    )
}

pub(crate) fn in_circles(name: &str, calls: usize, times: u32) -> String {
    format!(
        "{name} was not run: the last {calls} calls were made {times} times one after the other, each time with the same \
         results, and this call would begin them again. Try something else, or ask the human."
    )
}

pub(crate) fn mistakes(count: u32) -> String {
    format!("The model made nothing but mistakes in {count} turns in a row. What should it do?")
}

pub(crate) fn nudged(count: u32) -> String {
    format!("The model answered without using a tool {count} times in a row. What should it do?")
}

pub(crate) const COMPLETION_NOT_LAST: &str = "The completion was not accepted: it has to be the last call of an \
    answer. Look at the results of the other calls first, then complete.";

pub(crate) const COMPLETION_SIBLING_FAILED: &str = "The completion was not accepted: another call of the same \
    answer did not succeed. Look at its result, mend it, then complete.";

pub(crate) fn after_last(name: &str) -> String {
    format!(
        "The call was not run: {name} is the last call of its answer, and this one came after it. Look at what \
         {name} brought first, then make the call again if it is still needed."
    )
}

pub(crate) const GO_ON: &str = "The run was interrupted here and goes on now. Go on with the task.";

pub(crate) const CANCELLED: &str = "cancelled before it began";

pub(crate) const CANCELLED_ELSEWHERE: &str = "The run was stopped while this call went on elsewhere. Whether it was \
    done there, nobody has said.";

pub(crate) const EFFECTS_UNKNOWN: &str = "The program ended while this call ran, and nobody knows what it did. \
    Look at the present state before you go on; do not assume that it worked or that it did not.";

/// The result of an imported call that has no result.
pub(crate) const NO_RESULT_ON_RECORD: &str = "The result of this call is not on record, and nobody knows what it did. \
    Look at the present state before you go on.";

pub(crate) const DONE_BEFORE: &str = "The change was made. The program ended before it could say so, and the files are as \
    this call was to leave them.";

/// Returns the result of an interrupted call that does not run again, from the comparison of the files with
/// its plan.
pub(crate) fn cut_off(outcome: &ReconcileOutcome) -> String {
    match outcome {
        ReconcileOutcome::Partly { done, open } => format!(
            "The program ended while this call ran. It had changed {} and not yet {}. Read them, and make a new call for \
             what is left.",
            done.join(", "),
            open.join(", ")
        ),
        ReconcileOutcome::Changed { paths } => format!(
            "The program ended while this call ran, and somebody else has changed {} since. Read it again before you go \
             on; do not assume that the call worked or that it did not.",
            paths.join(", ")
        ),
        _ => EFFECTS_UNKNOWN.to_owned(),
    }
}

pub(crate) fn ask_about_unknown(calls: &[String]) -> String {
    format!(
        "The program ended while these calls ran, and nobody knows what they did: {}. What should the model know before \
         it goes on? (nothing, or words for the model)",
        calls.join(", ")
    )
}

/// The request for a summary of the turns that will be removed.
pub(crate) const SUM_UP: &str = "There is no room left for all of this conversation. Sum up what was said and done since \
    the task: what was found out, which files were changed and how, what the human said, what is left to do, and what \
    has to be known to go on. Write only the summary, in plain words, and call no tool. The first task and the newest \
    answers stay as they are.";

/// Returns the note that replaces removed turns.
pub(crate) fn left_out(summary: Option<&str>) -> String {
    match summary {
        Some(summary) => {
            format!("Earlier turns were left out here, because there was no more room. A summary of them:\n\n{summary}")
        }
        None => "Earlier turns were left out here, because there was no more room. Look again at what you need of them."
            .to_owned(),
    }
}

/// Returns the note that replaces turns without a summary. It includes an earlier note, because the same cut
/// removes that note.
pub(crate) fn left_out_without_summary(earlier: Option<String>) -> String {
    const MORE: &str =
        "Turns after that were left out too, without a summary. Look again at what you need of them.";
    match earlier {
        Some(earlier) if earlier == left_out(None) || earlier.ends_with(MORE) => earlier,
        Some(earlier) => format!("{earlier}\n\n{MORE}"),
        None => left_out(None),
    }
}

/// The text that replaces a picture that the provider refused.
pub(crate) fn image_refused(reason: &str) -> String {
    format!("[a picture was here; the provider refused it: {reason}]")
}

/// Returns a provider's message in one line of at most 300 bytes, because some messages repeat the whole
/// request.
pub(crate) fn short_reason(message: &str) -> String {
    const SHOWN: usize = 300;
    let mut line = message.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.len() > SHOWN {
        line.truncate(line.floor_char_boundary(SHOWN));
        line.push('…');
    }
    line
}

/// Returns the text that replaces a removed result.
pub(crate) fn result_left_out(result: &ToolResult) -> String {
    let bytes_of = |content: &Content| match content {
        Content::Text { text } | Content::Resource { text, .. } => text.len(),
        Content::Structured { value } => value.to_string().len(),
        _ => 0,
    };
    let bytes = result.content.iter().map(bytes_of).fold(0, usize::saturating_add);
    let images = result.content.iter().filter(|content| matches!(content, Content::Image(_))).count();
    let images = if images > 0 { format!(" and {images} images") } else { String::new() };
    format!(
        "[{bytes} bytes{images} of this result were left out to make room; make the call again if you need them]"
    )
}

pub(crate) fn over_budget(name: &str, limit: u32) -> String {
    format!(
        "{name} was not run: this run may call it {limit} times before the human is asked, and that is used. The human \
         is asked now; make the call again if it is still needed."
    )
}

pub(crate) fn denied(rule_id: &str, text: &str) -> String {
    format!("The call was not allowed: {text} (rule {rule_id}). Do not try to get the same in another way.")
}

pub(crate) fn denied_by_human(comment: Option<&str>) -> String {
    match comment {
        Some(comment) => format!("The human did not allow this call and says: {comment}"),
        None => "The human did not allow this call. Ask what to do instead, or go on without it.".to_owned(),
    }
}

pub(crate) const APPROVAL_TIMED_OUT: &str =
    "Nobody answered in time whether this call may run, so it did not run.";

pub(crate) const NO_APPROVER: &str = "This call needs a human's yes, and nobody is there to give it. Go on \
    without it, or say what you would need.";

/// Returns the result of a call that was refused before it was complete: the reason, and the place at which
/// the answer stopped.
pub(crate) fn refused_early(reason: &str) -> String {
    format!("{reason}\nThe answer was stopped at this point, and nothing that came after it was read.")
}
