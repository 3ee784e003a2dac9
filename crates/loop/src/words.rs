//! Texts for the model and the human: each states the problem and the next step.

mod compaction;
mod earlier;
mod results;

use windlass_protocol::{Content, StopReason, ToolResult};

pub(crate) use self::compaction::describe_compaction;
pub(crate) use self::earlier::to_present_wording;
pub(crate) use self::results::{
    APPROVAL_TIMED_OUT, CANCELLED, CANCELLED_ELSEWHERE, COMPLETION_NOT_LAST, COMPLETION_SIBLING_FAILED,
    DONE_BEFORE, EDIT_WITHOUT_ARGUMENTS, EFFECTS_UNKNOWN, NO_APPROVER, NO_RESULT_ON_RECORD, ResultText,
    TOO_MANY_EDITS, budget_text, cut_off, denial_text, denial_with_answer_text, early_refusal_text,
    in_circles, text_after_last, text_for_malformed, text_for_repeat,
};

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

pub(crate) fn ask_for_more(who: &str, what: &str) -> String {
    format!("{who} used {what} since the last question. Continue? (yes, no, or a message for the model)")
}

pub(crate) fn mistakes(count: u32) -> String {
    format!("The model made only mistakes in {count} turns in a row. What should it do?")
}

pub(crate) fn nudge_text(count: u32) -> String {
    format!("The model answered without using a tool {count} times in a row. What should it do?")
}

pub(crate) const GO_ON: &str = "The run was interrupted here and is now resumed. Continue with the task.";

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
