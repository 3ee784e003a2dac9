//! Conformance of approvers.

use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{Either, join, select};
use windlass_hitl::{ApprovalDecision, ApprovalRequest};
use windlass_protocol::kit::RuleViolation;

use super::ApproverRule;
use super::question::question;
use crate::Approver;

type RuleResult<T = ()> = Result<T, RuleViolation<ApproverRule>>;

/// The time for which an approver must not decide without an answer.
const PATIENCE: Duration = Duration::from_millis(200);
/// The longest time between an answer and its decision.
const LONGEST: Duration = Duration::from_secs(20);

/// Checks an approver that asks a person or another program.
///
/// `answer` is the person: it gets a request that the approver has received, and answers with yes (`true`) or no. It may
/// wait until the request has arrived. The kit requires tokio with time.
///
/// ```
/// use std::collections::BTreeMap;
/// use std::sync::Mutex;
/// use tokio::sync::Notify;
/// use windlass_agent::kit::check_approver;
/// use windlass_agent::{Approver, ApproverFuture};
/// use windlass_hitl::{ApprovalDecision, ApprovalRequest};
///
/// /// The answers of a form, by the id of their question.
/// #[derive(Default)]
/// struct Form {
///     answers: Mutex<BTreeMap<String, bool>>,
///     changed: Notify,
/// }
///
/// impl Approver for Form {
///     fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
///         Box::pin(async move {
///             loop {
///                 let changed = self.changed.notified();
///                 let answer = self.answers.lock().unwrap().remove(&request.request_id);
///                 match answer {
///                     Some(true) => return Some(ApprovalDecision::approve(&request.request_id)),
///                     Some(false) => return Some(ApprovalDecision::deny(&request.request_id, None)),
///                     None => changed.await,
///                 }
///             }
///         })
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let form = Form::default();
/// check_approver(&form, async |request, yes| {
///     form.answers.lock().unwrap().insert(request.request_id.clone(), yes);
///     form.changed.notify_waiters();
/// })
/// .await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Returns the first rule that the approver does not follow.
pub async fn check_approver(
    approver: &dyn Approver,
    answer: impl AsyncFn(&ApprovalRequest, bool),
) -> RuleResult {
    check_patience(approver, &answer).await?;
    for yes in [true, false] {
        let id = format!("kit-answer-{yes}");
        let decision = ask(approver, &question(&id)?, ApproverRule::Decides, &answer, yes).await?;
        check_decision(decision.as_ref(), &id, Some(yes), ApproverRule::ReturnsTheAnswer)?;
    }
    check_two(approver, &answer).await?;
    check_withdrawal(approver, &answer).await
}

/// Checks an approver that decides without a person, for example by a rule or with a model.
///
/// # Errors
/// Returns the first rule that the approver does not follow. The rules about a person's answer are not checked.
pub async fn check_automatic_approver(approver: &dyn Approver) -> RuleResult {
    let (one, other) = (question("kit-auto-1")?, question("kit-auto-2")?);
    let both = join(approver.decide(&one), approver.decide(&other));
    let (first, second) = in_time(both, ApproverRule::KeepsQuestionsApart).await?;
    check_decision(first.as_ref(), "kit-auto-1", None, ApproverRule::KeepsQuestionsApart)?;
    check_decision(second.as_ref(), "kit-auto-2", None, ApproverRule::KeepsQuestionsApart)?;
    let _ = approver.decide(&one).now_or_never();
    let again = in_time(approver.decide(&one), ApproverRule::SurvivesWithdrawals).await?;
    check_decision(again.as_ref(), "kit-auto-1", None, ApproverRule::SurvivesWithdrawals)
}

/// Asks a question and does not answer it.
async fn check_patience(
    approver: &dyn Approver,
    answer: &impl AsyncFn(&ApprovalRequest, bool),
) -> RuleResult {
    let request = question("kit-patience")?;
    let mut decide = approver.decide(&request);
    let sleep = Box::pin(tokio::time::sleep(PATIENCE));
    if let Either::Left((decision, _)) = select(&mut decide, sleep).await {
        let words = match decision {
            Some(ApprovalDecision { approved: true, .. }) => "an approval",
            Some(_) => "a denial",
            None => "no decision",
        };
        let found = format!("the approver returned {words} before an answer");
        return Err(RuleViolation::new(ApproverRule::WaitsForTheAnswer, found));
    }
    let (decision, ()) = in_time(join(decide, answer(&request, true)), ApproverRule::Decides).await?;
    check_decision(decision.as_ref(), &request.request_id, Some(true), ApproverRule::ReturnsTheAnswer)
}

async fn ask(
    approver: &dyn Approver,
    request: &ApprovalRequest,
    rule: ApproverRule,
    answer: &impl AsyncFn(&ApprovalRequest, bool),
    yes: bool,
) -> RuleResult<Option<ApprovalDecision>> {
    Ok(in_time(join(approver.decide(request), answer(request, yes)), rule).await?.0)
}

/// Asks two questions, and answers the second one first.
async fn check_two(approver: &dyn Approver, answer: &impl AsyncFn(&ApprovalRequest, bool)) -> RuleResult {
    let rule = ApproverRule::KeepsQuestionsApart;
    let (one, other) = (question("kit-first")?, question("kit-second")?);
    let answers = async {
        answer(&other, false).await;
        answer(&one, true).await;
    };
    let decide = join(approver.decide(&one), approver.decide(&other));
    let ((first, second), ()) = in_time(join(decide, answers), rule).await?;
    check_decision(first.as_ref(), "kit-first", Some(true), rule)?;
    check_decision(second.as_ref(), "kit-second", Some(false), rule)
}

/// Drops an open question, and asks it again.
async fn check_withdrawal(
    approver: &dyn Approver,
    answer: &impl AsyncFn(&ApprovalRequest, bool),
) -> RuleResult {
    let rule = ApproverRule::SurvivesWithdrawals;
    let (withdrawn, other) = (question("kit-withdrawn")?, question("kit-other")?);
    drop(select(approver.decide(&withdrawn), Box::pin(tokio::time::sleep(PATIENCE))).await);
    for (request, yes) in [(&other, true), (&withdrawn, false)] {
        let decision = ask(approver, request, rule, answer, yes).await?;
        check_decision(decision.as_ref(), &request.request_id, Some(yes), rule)?;
    }
    Ok(())
}

/// Checks a decision about one question. A wrong answer violates `rule`.
fn check_decision(
    decision: Option<&ApprovalDecision>,
    id: &str,
    expected: Option<bool>,
    rule: ApproverRule,
) -> RuleResult {
    let Some(decision) = decision else {
        let rule = if rule == ApproverRule::ReturnsTheAnswer { ApproverRule::Decides } else { rule };
        return Err(RuleViolation::new(rule, format!("the question {id:?} got no decision")));
    };
    if decision.request_id != id {
        let rule = if rule == ApproverRule::ReturnsTheAnswer { ApproverRule::NamesItsQuestion } else { rule };
        let found = format!("the decision about {id:?} has the id {:?}", decision.request_id);
        return Err(RuleViolation::new(rule, found));
    }
    match expected {
        Some(yes) if yes != decision.approved => {
            let found = format!("the answer to {id:?} was {yes}, and the decision is {}", decision.approved);
            Err(RuleViolation::new(rule, found))
        }
        _ => Ok(()),
    }
}

async fn in_time<T>(work: impl Future<Output = T>, rule: ApproverRule) -> RuleResult<T> {
    let late = |_| RuleViolation::new(rule, format!("no decision arrived within {LONGEST:?}"));
    tokio::time::timeout(LONGEST, work).await.map_err(late)
}
