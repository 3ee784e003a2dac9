//! Texts for the model and the human: each states the problem and the next step.

mod compaction;
mod earlier;

use windlass_hitl::ApprovalDecision;
use windlass_protocol::{Content, ReconcileOutcome, StopReason, ToolResult};

pub(crate) use self::compaction::describe_compaction;
pub(crate) use self::earlier::to_present_wording;

/// The reason that an answer without a call does not end the task (RULES L3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoCall {
    TextOnly,
    Cut,
    Empty,
}

impl NoCall {
    pub(crate) fn from_answer(has_words: bool, stop: Option<&StopReason>) -> Self {
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
                 if you need something from the human, use a tool to ask; otherwise continue with the next \
                 tool."
            ),
            Self::Cut => format!(
                "Your answer was cut at the limit of tokens before any tool call. Continue in smaller steps: \
                 one tool call an answer, or {completion_tool} if the task is done."
            ),
            Self::Empty => format!(
                "Your answer was empty. Continue with the next tool, or call {completion_tool} if the task \
                 is done."
            ),
        }
    }
}

/// The placeholder name in the conversation for a call without a name.
pub(crate) const NAMELESS: &str = "unnamed_call";

/// Returns the result of a call that cannot run. It contains the end of the received arguments, so that the
/// model can continue from there.
pub(crate) fn text_for_malformed(problem: &str, text: &str) -> String {
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

pub(crate) fn text_for_repeat(name: &str, times: u32) -> String {
    format!(
        "{name} was not run: this is the same call with the same arguments for the {times}th time in a row, and \
         it will not give another result. Try something else, or ask the human."
    )
}

pub(crate) fn in_circles(name: &str, calls: usize, times: u32) -> String {
    format!(
        "{name} was not run: the last {calls} calls were made {times} times one after the other, each time with the same \
         results, and this call would repeat them. Try something else, or ask the human."
    )
}

pub(crate) fn ask_for_more(who: &str, what: &str) -> String {
    format!("{who} used {what} since the last question. Continue? (yes, no, or a message for the model)")
}

pub(crate) fn mistakes(count: u32) -> String {
    format!("The model made only mistakes in {count} turns in a row. What should it do?")
}

pub(crate) fn nudge_text(count: u32) -> String {
    format!("The model answered without using a tool {count} times in a row. What should it do?")
}

pub(crate) const COMPLETION_NOT_LAST: &str = "The completion was not accepted: it has to be the last call of an \
    answer. Check the results of the other calls first, then complete.";

pub(crate) const COMPLETION_SIBLING_FAILED: &str = "The completion was not accepted: another call of the same \
    answer did not succeed. Check its result, fix the problem, then complete.";

pub(crate) fn text_after_last(name: &str) -> String {
    format!(
        "The call was not run: {name} is the last call of its answer, and this one came after it. Check the \
         result of {name} first, then repeat the call if it is still needed."
    )
}

pub(crate) const GO_ON: &str = "The run was interrupted here and is now resumed. Continue with the task.";

pub(crate) const CANCELLED: &str = "cancelled before it started";

pub(crate) const CANCELLED_ELSEWHERE: &str = "The run was stopped while this call ran elsewhere. Its \
                                              outcome was not reported.";

pub(crate) const EFFECTS_UNKNOWN: &str = "The program ended while this call ran, and its effects are not \
                                          known. Check the current state before you continue; do not assume \
                                          that it worked or that it did not.";

/// The result of an imported call that has no result.
pub(crate) const NO_RESULT_ON_RECORD: &str = "The result of this call is not recorded, and its effects are \
                                              not known. Check the current state before you continue.";

pub(crate) const DONE_BEFORE: &str = "The change was made. The program ended before it could report this, \
                                      and the files have the content that this call was to write.";

/// Returns the result of an interrupted call that does not run again, from the comparison of the files with
/// its plan.
pub(crate) fn cut_off(outcome: &ReconcileOutcome) -> String {
    match outcome {
        ReconcileOutcome::Partly { done, open } => format!(
            "The program ended while this call ran. It had changed {} and not yet {}. Read them, and make a \
             new call for the rest.",
            done.join(", "),
            open.join(", ")
        ),
        ReconcileOutcome::Changed { paths } => format!(
            "The program ended while this call ran, and another program has changed {} since. Read it again \
             before you continue; do not assume that the call worked or that it did not.",
            paths.join(", ")
        ),
        _ => EFFECTS_UNKNOWN.to_owned(),
    }
}

pub(crate) fn ask_about_unknown(calls: &[String]) -> String {
    format!(
        "The program ended while these calls ran, and their effects are not known: {}. What should the \
         model know before it continues? (nothing, or a message for the model)",
        calls.join(", ")
    )
}

/// The request for a summary of the turns that will be removed.
pub(crate) const SUM_UP: &str = "The context window cannot hold all of this conversation. Summarize what \
                                 happened since the task: the findings, which files were changed and how, \
                                 what the human said, what is left to do, and what is needed to continue. \
                                 Write only the summary, in plain words, and call no tool. The first task \
                                 and the newest \
    answers stay as they are.";

/// Returns the note that replaces removed turns.
pub(crate) fn left_out(summary: Option<&str>) -> String {
    match summary {
        Some(summary) => {
            format!(
                "Earlier turns were left out here, because the context window was full. A summary of \
                 them:\n\n{summary}"
            )
        }
        None => "Earlier turns were left out here, because the context window was full. Repeat the calls \
                 whose results you still need."
            .to_owned(),
    }
}

/// Returns the note that replaces turns without a summary. It includes an earlier note, because the same cut
/// removes that note.
pub(crate) fn left_out_without_summary(earlier: Option<String>) -> String {
    const MORE: &str = "Turns after that were left out too, without a summary. Repeat the calls whose results you still \
         need.";
    let is_note = |text: &str| text == left_out(None) || text.ends_with(MORE);
    match earlier {
        Some(earlier) if is_note(&to_present_wording(&earlier)) => earlier,
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

pub(crate) fn budget_text(name: &str, limit: u32) -> String {
    format!(
        "{name} was not run: this run may call it {limit} times before the human is asked, and the limit is \
         reached. The human is asked now; repeat the call if it is still needed."
    )
}

pub(crate) fn denial_text(rule_id: &str, text: &str) -> String {
    format!(
        "The call was not allowed: {text} (rule {rule_id}). Do not try to achieve the same effect in \
         another way."
    )
}

pub(crate) fn answered_denial_text(decision: &ApprovalDecision) -> String {
    match &decision.review {
        Some(review) if review.decided => {
            format!("The model {} reviewed this call and did not allow it: {}", review.model, review.reason)
        }
        _ => human_denial_text(decision.reason.as_deref()),
    }
}

fn human_denial_text(comment: Option<&str>) -> String {
    match comment {
        Some(comment) => format!("The human did not allow this call and says: {comment}"),
        None => "The human did not allow this call. Ask what to do instead, or continue without \
                 it."
        .to_owned(),
    }
}

/// Returns the message to the model after a hook refused its answer.
pub(crate) fn refuse_answer(reason: &str) -> String {
    format!("Your answer was not accepted and is not part of the conversation: {reason}\nAnswer again.")
}

/// Returns the beginning of the result of a call that a hook changed.
pub(crate) fn rewrite_note(hook: &str, arguments: &str) -> String {
    format!(
        "The rule {hook} changed the arguments of this call to {}\nThe result of the changed call:",
        excerpt(arguments)
    )
}

/// Returns the beginning of a text.
fn excerpt(text: &str) -> String {
    const SHOWN: usize = 4_000;
    let shown = &text[..text.floor_char_boundary(SHOWN)];
    if shown.len() < text.len() { format!("{shown}…") } else { shown.to_owned() }
}

/// Returns the beginning of the result of a call that the human changed. `None` hides arguments that may
/// contain a secret.
pub(crate) fn edit_note(arguments: Option<&str>) -> String {
    match arguments {
        Some(text) => format!(
            "The human changed the arguments of this call to {}\nThe result of the changed call:",
            excerpt(text)
        ),
        None => "The human changed the arguments of this call. The result of the changed call:".to_owned(),
    }
}

pub(crate) const TOO_MANY_EDITS: &str =
    "The call was not run: its arguments were changed too often. Make a new call.";

pub(crate) const EDIT_WITHOUT_ARGUMENTS: &str = "The call was not run: the human changed its arguments, but the \
    call takes text. Ask the human for the text.";

pub(crate) const APPROVAL_TIMED_OUT: &str =
    "The approval of this call was not answered in time, so it did not run.";

pub(crate) const NO_APPROVER: &str = "This call needs the approval of a human, and no approver is \
                                      available. Continue without it, or report what you need.";

/// Returns the result of a call that was refused before it was complete: the reason, and the place at which
/// the answer stopped.
pub(crate) fn early_refusal_text(reason: &str) -> String {
    format!("{reason}\nThe answer was stopped at this point, and the rest of it was not read.")
}
