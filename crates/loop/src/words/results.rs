//! The results that the machine gives to calls that it does not run: the problem for everyone, and the next step for the
//! model.

use std::borrow::Cow;

use windlass_hitl::{ApprovalDecision, Reason};
use windlass_protocol::{CallId, ReconcileOutcome, ResultStatus, ToolResult};

/// The text of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResultText {
    /// The problem, for the person and the model.
    pub(crate) problem: Cow<'static, str>,
    /// The next step, for the model only.
    pub(crate) advice: Option<Cow<'static, str>>,
}

impl ResultText {
    const fn new(problem: &'static str) -> Self {
        Self { problem: Cow::Borrowed(problem), advice: None }
    }

    const fn with_advice(problem: &'static str, advice: &'static str) -> Self {
        Self { problem: Cow::Borrowed(problem), advice: Some(Cow::Borrowed(advice)) }
    }

    fn from_problem(problem: String, advice: &'static str) -> Self {
        Self { problem: Cow::Owned(problem), advice: Some(Cow::Borrowed(advice)) }
    }

    /// Creates the result of a call.
    pub(crate) fn to_result(&self, call: CallId, status: ResultStatus) -> ToolResult {
        let advice = self.advice.as_deref().map(str::to_owned);
        ToolResult::text(call, status, self.problem.as_ref()).with_advice(advice)
    }
}

pub(crate) const CANCELLED: ResultText = ResultText::new("cancelled before it started");

pub(crate) const CANCELLED_ELSEWHERE: ResultText =
    ResultText::new("The run was stopped while this call ran elsewhere. Its outcome was not reported.");

pub(crate) const COMPLETION_NOT_LAST: ResultText = ResultText::with_advice(
    "The completion was not accepted: it has to be the last call of an answer.",
    "Check the results of the other calls first, then complete.",
);

pub(crate) const COMPLETION_SIBLING_FAILED: ResultText = ResultText::with_advice(
    "The completion was not accepted: another call of the same answer did not succeed.",
    "Check its result, fix the problem, then complete.",
);

pub(crate) const EFFECTS_UNKNOWN: ResultText = ResultText::with_advice(
    "The program ended while this call ran, and its effects are not known.",
    "Check the current state before you continue; do not assume that it worked or that it did not.",
);

/// The result of an imported call that has no result.
pub(crate) const NO_RESULT_ON_RECORD: ResultText = ResultText::with_advice(
    "The result of this call is not recorded, and its effects are not known.",
    "Check the current state before you continue.",
);

pub(crate) const DONE_BEFORE: ResultText = ResultText::new(
    "The change was made. The program ended before it could report this, and the files have the content that this \
     call was to write.",
);

pub(crate) const TOO_MANY_EDITS: ResultText = ResultText::with_advice(
    "The call was not run: its arguments were changed too often.",
    "Make a new call.",
);

pub(crate) const EDIT_WITHOUT_ARGUMENTS: ResultText = ResultText::with_advice(
    "The call was not run: the human changed its arguments, but the call takes text.",
    "Ask the human for the text.",
);

pub(crate) const APPROVAL_TIMED_OUT: ResultText =
    ResultText::new("The approval of this call was not answered in time, so it did not run.");

pub(crate) const NO_APPROVER: ResultText = ResultText::with_advice(
    "This call needs the approval of a human, and no approver is available.",
    "Continue without it, or report what you need.",
);

/// Returns the result of a call that cannot run. It contains the end of the received arguments, so that the
/// model can continue from there.
pub(crate) fn text_for_malformed(problem: &str, text: &str) -> ResultText {
    const SHOWN: usize = 200;
    let tail = &text[text.ceil_char_boundary(text.len().saturating_sub(SHOWN))..];
    let received = if text.is_empty() {
        "No arguments were received.".to_owned()
    } else {
        format!("{} bytes of arguments were received; they end with: {tail}", text.len())
    };
    ResultText::from_problem(
        format!("The call was not run: {problem}. {received}"),
        "Make the call again, in smaller pieces if it was long.",
    )
}

pub(crate) fn text_for_repeat(name: &str, times: u32) -> ResultText {
    ResultText::from_problem(
        format!(
            "{name} was not run: this is the same call with the same arguments for the {times}th time in a row, and \
             it will not give another result."
        ),
        "Try something else, or ask the human.",
    )
}

pub(crate) fn in_circles(name: &str, calls: usize, times: u32) -> ResultText {
    ResultText::from_problem(
        format!(
            "{name} was not run: the last {calls} calls were made {times} times one after the other, each time with \
             the same results, and this call would repeat them."
        ),
        "Try something else, or ask the human.",
    )
}

pub(crate) fn text_after_last(name: &str) -> ResultText {
    ResultText {
        problem: format!(
            "The call was not run: {name} is the last call of its answer, and this one came after it."
        )
        .into(),
        advice: Some(
            format!("Check the result of {name} first, then repeat the call if it is still needed.").into(),
        ),
    }
}

/// Returns the result of an interrupted call that does not run again, from the comparison of the files with
/// its plan.
pub(crate) fn cut_off(outcome: &ReconcileOutcome) -> ResultText {
    match outcome {
        ReconcileOutcome::Partly { done, open } => ResultText::from_problem(
            format!(
                "The program ended while this call ran. It had changed {} and not yet {}.",
                done.join(", "),
                open.join(", ")
            ),
            "Read them, and make a new call for the rest.",
        ),
        ReconcileOutcome::Changed { paths } => ResultText::from_problem(
            format!(
                "The program ended while this call ran, and another program has changed {} since.",
                paths.join(", ")
            ),
            "Read it again before you continue; do not assume that the call worked or that it did not.",
        ),
        _ => EFFECTS_UNKNOWN,
    }
}

pub(crate) fn budget_text(name: &str, limit: u32) -> ResultText {
    ResultText::from_problem(
        format!(
            "{name} was not run: this run may call it {limit} times before the human is asked, and the limit is \
             reached."
        ),
        "The human is asked now; repeat the call if it is still needed.",
    )
}

pub(crate) fn denial_text(reason: &Reason) -> ResultText {
    let Reason { rule_id, text, .. } = reason;
    ResultText::from_problem(format!("The call was not allowed: {text} (rule {rule_id})."), reason.advice())
}

pub(crate) fn denial_with_answer_text(decision: &ApprovalDecision) -> ResultText {
    match (&decision.review, &decision.reason) {
        (Some(review), _) if review.decided => ResultText {
            problem: format!(
                "The model {} reviewed this call and did not allow it: {}",
                review.model, review.reason
            )
            .into(),
            advice: None,
        },
        (_, Some(comment)) => ResultText {
            problem: format!("The human did not allow this call and says: {comment}").into(),
            advice: None,
        },
        (_, None) => ResultText::with_advice(
            "The human did not allow this call.",
            "Ask what to do instead, or continue without it.",
        ),
    }
}

/// Returns the result of a call that was refused before it was complete: the reason, and the place at which
/// the answer stopped.
pub(crate) fn early_refusal_text(reason: &ResultText) -> ResultText {
    const STOPPED: &str = "The answer was stopped at this point, and the rest of it was not read.";
    ResultText { problem: format!("{}\n{STOPPED}", reason.problem).into(), advice: reason.advice.clone() }
}
