//! Each grader accepts a right answer, and refuses others with a reason.

use serde::Deserialize;
use serde_json::json;
use windlass_evals::{
    Case, Grade, GradeFuture, Grader, TrialStatus, calls, code, contains, equals_json, equals_typed, exact,
    json_schema, judge, matches, never_calls, number,
};
use windlass_mock::MockModel;

use crate::scene::{agent, run_one, sum};

/// Runs a case whose answer is `answer` and checks the end and the reason.
async fn check(grader: impl Grader + 'static, answer: &str, passed: bool, reason: &str) {
    let record = run_one(Case::new("case", "task").expect(grader), MockModel::new().text(answer)).await;
    let expected = if passed { TrialStatus::Passed } else { TrialStatus::Failed };
    assert_eq!(record.status, expected, "{answer}: {}", record.reason());
    assert!(record.reason().contains(reason), "{answer}: {}", record.reason());
    assert_eq!(record.answer, answer);
}

#[tokio::test]
async fn texts_are_compared_as_described() {
    check(exact("four"), "four\n", true, "").await;
    check(exact("four"), "Four", false, r#"is "four": the answer is "Four""#).await;
    check(contains("our"), "It is four.", true, "").await;
    check(contains("five"), "It is four.", false, r#"contains "five""#).await;
    check(matches(r"^\d+$").unwrap(), "42", true, "").await;
    check(matches(r"^\d+$").unwrap(), "42 apples", false, r"matches /^\d+$/").await;
    let error = matches("(").unwrap_err();
    assert_eq!(error.to_string(), "the pattern ( is not a regular expression");
}

#[tokio::test]
async fn json_is_compared_as_a_value() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct City {
        name: String,
    }
    let kyoto = || City { name: "Kyoto".to_owned() };
    check(equals_json(json!({"a": 1, "b": [2]})), "```json\n{\"b\": [2], \"a\": 1}\n```", true, "").await;
    check(equals_json(json!({"a": 1})), r#"{"a": 2}"#, false, r#"the answer is {"a":2}"#).await;
    check(equals_json(json!({"a": 1})), "a is 1", false, "the answer does not read").await;
    check(equals_typed(kyoto()), r#"{"name": "Kyoto", "people": 1460000}"#, true, "").await;
    check(equals_typed(kyoto()), r#"{"name": "Osaka"}"#, false, "Osaka").await;
    let schema =
        json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer", "minimum": 3}}});
    check(json_schema(schema.clone()).unwrap(), r#"{"n": 3}"#, true, "").await;
    check(json_schema(schema).unwrap(), r#"{"n": 2}"#, false, "fits the schema").await;
    assert!(json_schema(json!({"type": 7})).is_err());
}

#[tokio::test]
async fn numbers_have_a_tolerance() {
    check(number(2.5, 0.01), "about 2.5049", true, "").await;
    check(number(2.5, 0.001), "about 2.5049", false, "the last number is 2.5049").await;
    check(number(1_234.0, 0.0), "1 + 1,233 = 1,234", true, "").await;
    check(number(1.0, f64::INFINITY), "no idea", false, "has no number").await;
    check(number(f64::NAN, 1.0), "1", false, "").await;
}

#[tokio::test]
async fn calls_are_seen_with_their_results() {
    let model = || MockModel::new().call("add", sum(1, 2)).text("3");
    let case = Case::new("case", "1 + 2?").expect(calls("add")).expect(never_calls("remove"));
    let case = case.expect(code("adds the operands", |attempt| async move {
        let calls = attempt.calls();
        assert_eq!(calls.len(), 1);
        assert_eq!((calls[0].arguments.as_str(), calls[0].result.as_str()), (r#"{"left":1,"right":2}"#, "3"));
        assert_eq!((attempt.task(), attempt.answer()), ("1 + 2?", "3"));
        assert_eq!(attempt.report().transcript.messages().len(), 4);
    }));
    let record = run_one(case, model()).await;
    assert_eq!(record.status, TrialStatus::Passed, "{}", record.reason());
    assert_eq!((record.grades.len(), record.requests), (3, 2));

    let record = run_one(Case::new("case", "task").expect(never_calls("add")), model()).await;
    assert_eq!(
        (record.status, record.reason().as_str()),
        (TrialStatus::Failed, "never calls add: the run called add (ok)")
    );
    // A call of a tool that does not exist is not a success.
    let unknown = MockModel::new().call("remove", json!({})).text("done");
    let record = run_one(Case::new("case", "task").expect(calls("remove")), unknown).await;
    assert_eq!(record.reason(), "calls remove: the run called remove (unknown_tool)");
}

#[tokio::test]
async fn code_returns_a_verdict_in_any_form() {
    check(code("a bool", |attempt| async move { attempt.answer() == "yes" }), "yes", true, "").await;
    check(code("a bool", |attempt| async move { attempt.answer() == "yes" }), "no", false, "a bool").await;
    check(code("a result", |_| async { Err::<(), _>("too long") }), "x", false, "a result: too long").await;
    check(code("a grade", |_| async { Grade::new(false, "why not") }), "x", false, "a grade: why not").await;
    let assertion =
        code("an assertion", |attempt| async move { assert!(attempt.answer().len() > 9, "too short") });
    check(assertion, "x", false, "an assertion: too short").await;
}

#[tokio::test]
async fn a_judge_returns_a_typed_verdict_and_its_usage_is_separate() {
    let verdict = MockModel::new().text(r#"{"reason": "It is rude.", "passed": false}"#).usage(100, 20);
    let case = Case::new("case", "Greet me.").expect(judge("The answer is polite.", agent(verdict.clone())));
    let record = run_one(case, MockModel::new().text("Go away.").usage(10, 5)).await;
    assert_eq!(record.status, TrialStatus::Failed);
    assert_eq!(record.reason(), "judged: The answer is polite.: It is rude.");
    assert_eq!((record.input_tokens, record.output_tokens, record.cost), (10, 5, 15));
    assert_eq!((record.judge.requests, record.judge.tokens, record.judge.cost), (1, 120, 120));
    let request = verdict.request(0);
    request.assert_user_said("The answer is polite.").assert_user_said(r#""answer":"Go away.""#);
    request.assert_user_said(r#""task":"Greet me.""#);
}

#[tokio::test]
async fn a_judge_that_does_not_answer_is_an_error_and_not_a_failure() {
    let broken = MockModel::new().fault(windlass_mock::Fault::refuse(401));
    let case = Case::new("case", "task").expect(judge("It is good.", agent(broken)));
    let record = run_one(case, MockModel::new().text("x")).await;
    assert_eq!(record.status, TrialStatus::Error);
    assert!(record.reason().contains("401"), "{}", record.reason());
}

/// Expects a run without a final text.
struct Unfinished;
impl Grader for Unfinished {
    fn describe(&self) -> String {
        "does not end".to_owned()
    }

    fn grade<'a>(&'a self, attempt: &'a windlass_evals::Attempt) -> GradeFuture<'a> {
        let passed = attempt.report().text().is_none();
        Box::pin(async move { Ok(passed.into()) })
    }
}

#[tokio::test]
async fn a_run_that_fails_or_does_not_end_has_not_passed() {
    let record =
        run_one(Case::new("case", "task"), MockModel::new().fault(windlass_mock::Fault::refuse(422))).await;
    assert_eq!(record.status, TrialStatus::Error);
    assert!(record.reason().contains("422"), "{}", record.reason());

    // Ten times the same call, which the limits of the agent stop.
    let looping = || (0..40).fold(MockModel::new(), |model, _| model.call("add", sum(1, 1)));
    let record = run_one(Case::new("case", "task").expect(Unfinished), looping()).await;
    assert_eq!(record.status, TrialStatus::Failed);
    assert!(record.reason().contains("stopped"), "{}", record.reason());
    let record = run_one(Case::new("case", "task").expect(Unfinished).accept_unfinished(), looping()).await;
    assert_eq!(record.status, TrialStatus::Passed, "{}", record.reason());
}
