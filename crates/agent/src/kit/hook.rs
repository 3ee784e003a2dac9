//! Conformance of hooks.

use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt as _;
use windlass_loop::{HookPoint, Outcome};
use windlass_protocol::kit::RuleViolation;
use windlass_protocol::{CallId, Message, Part, Request};

use super::HookRule;
use crate::{AnswerText, EndedCall, Hook, HookContext, HookFuture, HookVerdict, HookedCall, RequestEnd};

type RuleResult<T = ()> = Result<T, RuleViolation<HookRule>>;

/// The time of a guard if a program sets none.
const LONGEST: Duration = Duration::from_secs(30);
/// Texts that a hook should survive.
const TEXTS: [&str; 4] = ["", "Mend the test.", "a\u{0}b\u{202e}c", "é, 日本語 and 👩‍👩‍👧‍👦"];

/// The calls with which a hook is checked. Give at least one that the hook acts on.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct HookExamples {
    /// Calls with their decisions.
    pub calls: Vec<HookedCall>,
    /// Calls that ran.
    pub results: Vec<EndedCall>,
    /// Texts of answers.
    pub answers: Vec<String>,
    /// Messages of the user.
    pub messages: Vec<Message>,
}

/// Checks a hook at the points that it names, with the examples and with odd texts.
///
/// ```
/// use windlass_agent::kit::{HookExamples, check_hook};
/// # use windlass_agent::{AnswerText, Hook, HookContext, HookFuture, HookPoint, HookVerdict};
/// # struct NoCodename;
/// # impl Hook for NoCodename {
/// #     fn name(&self) -> &str {
/// #         "no-codename"
/// #     }
/// #     fn points(&self) -> &[HookPoint] {
/// #         &[HookPoint::Answer]
/// #     }
/// #     fn check_answer<'a>(&'a self, _: &'a HookContext, answer: &'a AnswerText) -> HookFuture<'a, HookVerdict<String>> {
/// #         let veto = answer.text.contains("Bluebird").then(|| HookVerdict::Veto("do not name the project".into()));
/// #         Box::pin(async { veto.unwrap_or(HookVerdict::Continue) })
/// #     }
/// # }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut examples = HookExamples::default();
/// examples.answers.push("Bluebird is ready.".to_owned());
/// check_hook(&NoCodename, &examples).await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Returns the first rule that the hook does not follow.
pub async fn check_hook(hook: &dyn Hook, examples: &HookExamples) -> RuleResult {
    let (name, points) = (hook.name().to_owned(), hook.points().to_vec());
    if name.trim().is_empty() {
        return Err(RuleViolation::new(HookRule::HasAName, format!("the name is {name:?}")));
    }
    let distinct: BTreeSet<String> = points.iter().map(|point| format!("{point:?}")).collect();
    if points.is_empty() || distinct.len() != points.len() {
        return Err(RuleViolation::new(HookRule::NamesItsPoints, format!("the points are {points:?}")));
    }
    let ctx = HookContext::new("kit-run", vec!["kit-agent".to_owned()]);
    for point in &points {
        check_point(hook, &ctx, *point, examples).await?;
    }
    if hook.name() != name || hook.points() != points {
        let found = format!("{name:?} at {points:?} became {:?} at {:?}", hook.name(), hook.points());
        return Err(RuleViolation::new(HookRule::StaysTheSame, found));
    }
    Ok(())
}

async fn check_point(
    hook: &dyn Hook,
    ctx: &HookContext,
    point: HookPoint,
    examples: &HookExamples,
) -> RuleResult {
    let requests = requests(examples);
    match point {
        HookPoint::Input => {
            for message in messages(examples) {
                guard(|| hook.check_input(ctx, &message)).await?;
            }
        }
        HookPoint::Request => {
            for request in &requests {
                let verdict = guard(|| hook.check_request(ctx, request)).await?;
                check_pairs(request, &verdict)?;
            }
        }
        HookPoint::Response => {
            let failed =
                RequestEnd { error: Some("the provider is overloaded".to_owned()), ..RequestEnd::default() };
            for end in [RequestEnd::default(), failed] {
                watch(|| hook.observe_response(ctx, &end)).await?;
            }
        }
        HookPoint::Answer => {
            let own = examples.answers.iter().map(String::as_str);
            for (number, text) in own.chain(TEXTS).enumerate() {
                let answer = AnswerText::new(text, number.is_multiple_of(2));
                guard(|| hook.check_answer(ctx, &answer)).await?;
            }
        }
        HookPoint::Call => {
            for call in &examples.calls {
                guard(|| hook.check_call(ctx, call)).await?;
            }
        }
        HookPoint::Result => {
            for ended in &examples.results {
                let verdict = guard(|| hook.check_result(ctx, ended)).await?;
                if let HookVerdict::Rewrite(result) = &verdict
                    && result.call != ended.result.call
                {
                    let found = format!("the result of {} became one of {}", ended.result.call, result.call);
                    return Err(RuleViolation::new(HookRule::KeepsTheCall, found));
                }
            }
        }
        HookPoint::Compaction => {
            for request in &requests {
                watch(|| hook.observe_compaction(ctx, request)).await?;
            }
        }
        HookPoint::End => {
            let outcome = Outcome::Completed { text: "done".to_owned() };
            watch(|| hook.observe_end(ctx, &outcome)).await?;
        }
        _ => {}
    }
    Ok(())
}

/// Returns the verdict of a guard that was called and dropped once before.
async fn guard<'a, T>(call: impl Fn() -> HookFuture<'a, HookVerdict<T>>) -> RuleResult<HookVerdict<T>> {
    let verdict = watch(call).await?;
    if let HookVerdict::Veto(reason) | HookVerdict::Ask(reason) = &verdict
        && reason.trim().is_empty()
    {
        return Err(RuleViolation::new(
            HookRule::GivesReasons,
            "a veto or a question has no reason".to_owned(),
        ));
    }
    Ok(verdict)
}

/// Calls a method, drops its future after one poll, and calls it again until its end.
async fn watch<'a, T>(call: impl Fn() -> HookFuture<'a, T>) -> RuleResult<T> {
    let panics = || RuleViolation::new(HookRule::NeverPanics, "a method caused a panic".to_owned());
    let begin = || std::panic::catch_unwind(AssertUnwindSafe(&call)).map_err(|_| panics());
    let has_ended = AssertUnwindSafe(begin()?).catch_unwind().now_or_never().is_some();
    match tokio::time::timeout(LONGEST, AssertUnwindSafe(begin()?).catch_unwind()).await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(_)) => Err(panics()),
        // A first call that ended at its first poll was not dropped.
        Err(_) => {
            let rule = if has_ended { HookRule::SurvivesRepetition } else { HookRule::Ends };
            Err(RuleViolation::new(rule, format!("a method did not end within {LONGEST:?}")))
        }
    }
}

fn messages(examples: &HookExamples) -> Vec<Message> {
    examples.messages.iter().cloned().chain(TEXTS.map(Message::user)).collect()
}

/// Returns a request with the examples' calls and results, and one with a message only.
fn requests(examples: &HookExamples) -> Vec<Request> {
    let mut whole = Request::new("kit-1", messages(examples)).with_system("Be brief.");
    for ended in &examples.results {
        whole.messages.push(Message::assistant(vec![Part::Call(ended.call.clone())]));
        whole.messages.push(Message::results([ended.result.clone()]));
    }
    vec![whole, Request::new("kit-1", vec![Message::user("hello")])]
}

/// Checks that a rewritten request has a result for each call, and a call for each result.
fn check_pairs(original: &Request, verdict: &HookVerdict<Request>) -> RuleResult {
    let HookVerdict::Rewrite(request) = verdict else { return Ok(()) };
    let (calls, results) = ids(request);
    if calls == results || ids(original).0 != ids(original).1 {
        return Ok(());
    }
    let found = format!("a rewritten request has the calls {calls:?} and the results {results:?}");
    Err(RuleViolation::new(HookRule::KeepsPairs, found))
}

fn ids(request: &Request) -> (Vec<&CallId>, Vec<&CallId>) {
    let calls = request.messages.iter().flat_map(Message::calls).map(|call| &call.id).collect();
    let parts = request.messages.iter().flat_map(|message| &message.parts);
    let results = parts.filter_map(|part| match part {
        Part::Result(result) => Some(&result.call),
        _ => None,
    });
    (calls, results.collect())
}
