//! Runs of small workflows: decisions about calls, replay of records, and limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Map, Value, json};
use windlass_agent::{Event, Wait};
use windlass_hitl::{Action, Policy, Rule, RuleFile, Source};
use windlass_protocol::{Hints, ResultStatus, ToolName};
use windlass_redact::Redactor;
use windlass_tool::{CancellationToken, Human, Output, Question, ToolError};
use windlass_workflow::{RunError, StepStatus, Workflow, WorkflowEvent, WorkflowOptions, WorkflowOutcome};

use crate::scene::{Fake, Store, hands, run, runner};

fn workflow(steps: &str) -> Workflow {
    Workflow::from_toml(&format!("name = \"test\"\n{steps}")).unwrap()
}

const TWO: &str = r#"
    [[step]]
    name = "first"
    tool = "echo"
    arguments = { n = 1 }
    output = "json"
    [[step]]
    name = "second"
    tool = "echo"
    arguments = { was = "{{ steps.first.output.n }}" }
    output = "json"
"#;

#[track_caller]
fn completed(outcome: Result<WorkflowOutcome, RunError>) -> Value {
    match outcome.unwrap() {
        WorkflowOutcome::Completed { output } => output,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn failed(outcome: Result<WorkflowOutcome, RunError>) -> (String, String) {
    match outcome.unwrap() {
        WorkflowOutcome::Failed { step, message } => (step.to_string(), message),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn outputs_become_arguments_and_the_result() {
    let echo = Fake::echo("echo", Hints::read_only());
    let runner = runner(hands(vec![echo]), Store::default());
    let output = completed(run(&runner, &workflow(TWO), &WorkflowOptions::default()).await);
    assert_eq!(output, json!({"first": {"n": 1}, "second": {"was": 1}}));
}

// H1: a policy that denies a tool denies it to a step.
#[tokio::test]
async fn a_step_that_policy_denies_fails_and_nothing_runs() {
    let echo = Fake::echo("echo", Hints::read_only());
    let mut file = RuleFile::default();
    file.rules.push(Rule::new("no-echo", Action::Deny).with_tool(ToolName::new("echo").unwrap()));
    let policy = Policy::default().with_file(Source::User, file).unwrap();
    let runner = runner(hands(vec![echo.clone()]).policy(policy), Store::default());
    let (step, message) = failed(run(&runner, &workflow(TWO), &WorkflowOptions::default()).await);
    assert_eq!(step, "first");
    assert!(message.starts_with("[denied]") && message.contains("no-echo"), "{message}");
    assert_eq!(echo.calls(), 0);
}

#[tokio::test]
async fn missing_tools_and_agents_fail_the_step() {
    for kind in ["tool = \"nobody\"", "agent = \"nobody\"\ntask = \"t\""] {
        let runner = runner(hands(Vec::new()), Store::default());
        let workflow = workflow(&format!("[[step]]\nname = \"a\"\n{kind}"));
        let (step, message) = failed(run(&runner, &workflow, &WorkflowOptions::default()).await);
        assert_eq!(step, "a");
        assert!(message.starts_with("[unknown_tool]"), "{message}");
    }
}

// DESIGN "Where it runs": a replay checks that the recorded step equals the requested one.
#[tokio::test]
async fn a_step_that_differs_from_the_record_is_an_error() {
    let (echo, store) = (Fake::echo("echo", Hints::read_only()), Store::default());
    let hands = || hands(vec![echo.clone()]);
    let cut =
        run(&runner(hands(), store.failing_at(Some(15))), &workflow(TWO), &WorkflowOptions::default()).await;
    assert!(matches!(cut, Err(RunError::Journal(_) | RunError::Step { .. })));
    let changed = workflow(&TWO.replace("n = 1", "n = 2"));
    let error =
        run(&runner(hands(), store.clone()), &changed, &WorkflowOptions::default()).await.unwrap_err();
    assert!(matches!(&error, RunError::Changed { step } if step.as_str() == "first"), "{error}");
    let other = Workflow::from_toml(&format!("name = \"other\"\n{TWO}")).unwrap();
    let error = run(&runner(hands(), store), &other, &WorkflowOptions::default()).await.unwrap_err();
    assert!(matches!(error, RunError::OtherWorkflow { .. }));
}

/// Returns a tool that fails a number of times and then returns its arguments.
fn flaky(hints: Hints, times: usize) -> Arc<Fake> {
    let left = AtomicUsize::new(times);
    Fake::new("echo", hints, move |_| {
        if left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok() {
            return Err(ToolError::model("not now"));
        }
        Ok(Output::text("fine"))
    })
}

// R6, L9: a call that is not idempotent is never repeated.
#[tokio::test(start_paused = true)]
async fn failed_calls_are_made_again_only_where_they_may_be() {
    let step =
        |more: &str| workflow(&format!("[[step]]\nname = \"a\"\ntool = \"echo\"\nretries = 2\n{more}"));
    for (hints, more, calls) in [
        (Hints::read_only(), "", 3),
        (Hints { idempotent: true, ..Hints::default() }, "", 3),
        (Hints::default(), "repeatable = true", 3),
        (Hints::default(), "", 1),
    ] {
        let tool = flaky(hints, 2);
        let runner = runner(hands(vec![tool.clone()]), Store::default());
        let outcome = run(&runner, &step(more), &WorkflowOptions::default()).await.unwrap();
        assert_eq!(tool.calls(), calls, "{hints:?} {more}");
        assert_eq!(matches!(outcome, WorkflowOutcome::Completed { .. }), calls == 3);
    }
}

// The paused clock advances only while no task is ready, so a busy machine counts the same.
#[tokio::test(start_paused = true)]
async fn map_runs_at_most_at_once_items() {
    for (at_once, expected) in [(1, 1), (3, 3)] {
        let echo = Fake::echo("echo", Hints::read_only());
        let runner = runner(hands(vec![echo.clone()]), Store::default());
        let steps = format!(
            "[[step]]\nname = \"each\"\nmap = [1, 2, 3, 4, 5, 6]\nat_once = {at_once}\n[[step.do]]\nname = \"one\"\n\
             tool = \"echo\"\noutput = \"json\"\narguments = {{ n = \"{{{{ item }}}}\" }}"
        );
        let output = completed(run(&runner, &workflow(&steps), &WorkflowOptions::default()).await);
        let numbers: Vec<_> = output["each"].as_array().unwrap().iter().map(|one| one["n"].clone()).collect();
        assert_eq!(json!(numbers), json!([1, 2, 3, 4, 5, 6]), "in the order of the list");
        assert_eq!(echo.most_running.load(Ordering::SeqCst), expected);
    }
}

/// A human who answers every question with a text.
struct Words(&'static str);

impl Human for Words {
    fn answer<'a>(&'a self, _: &'a Question) -> windlass_tool::AnswerFuture<'a> {
        Box::pin(async { Ok(self.0.to_owned()) })
    }
}

const ASK: &str = r#"
    [[step]]
    name = "which"
    ask = "Which one?"
    suggestions = ["a", "b"]
"#;

#[tokio::test]
async fn a_question_is_answered_by_a_human_or_waits_for_an_answer_from_elsewhere() {
    let there = runner(hands(Vec::new()).human(Words("the first")), Store::default());
    let output = completed(run(&there, &workflow(ASK), &WorkflowOptions::default()).await);
    assert_eq!(output["which"], "the first");

    let store = Store::default();
    let outcome =
        run(&runner(hands(Vec::new()), store.clone()), &workflow(ASK), &WorkflowOptions::default()).await;
    let WorkflowOutcome::Suspended { waits } = outcome.unwrap() else { panic!("it waits") };
    assert!(matches!(waits[0].wait, Wait::Result { .. }));
    let options = WorkflowOptions::default().with_answer("which", "the second");
    let output = completed(run(&runner(hands(Vec::new()), store), &workflow(ASK), &options).await);
    assert_eq!(output["which"], "the second");

    let at_once = runner(hands(Vec::new()), Store::default());
    let output = completed(run(&at_once, &workflow(ASK), &options).await);
    assert_eq!(output["which"], "the second", "also where it was known before it was asked");
}

#[tokio::test]
async fn a_cancelled_run_can_be_resumed() {
    let (echo, store) = (Fake::echo("echo", Hints::read_only()), Store::default());
    let token = CancellationToken::new();
    let stop = token.clone();
    let options = WorkflowOptions::default().with_cancellation(token).with_listener(move |event| {
        if matches!(event, WorkflowEvent::StepEnded { status: StepStatus::Ok, .. }) {
            stop.cancel();
        }
    });
    let outcome = run(&runner(hands(vec![echo.clone()]), store.clone()), &workflow(TWO), &options).await;
    assert_eq!(outcome.unwrap(), WorkflowOutcome::Stopped);
    assert_eq!(echo.calls(), 1);
    let output = completed(
        run(&runner(hands(vec![echo.clone()]), store), &workflow(TWO), &WorkflowOptions::default()).await,
    );
    assert_eq!(output["second"]["was"], 1);
    assert_eq!(echo.calls(), 2);
}

// An agent that is cancelled in the middle resumes from its own record, so a cancellation does not spoil its
// step.
#[tokio::test]
async fn a_resumable_or_reading_call_continues_after_a_stop() {
    let resumable = Hints { resumable: true, ..Hints::default() };
    for (hints, goes_on) in [(resumable, true), (Hints::read_only(), true), (Hints::default(), false)] {
        let (slow, store) = (Arc::new(crate::scene::Waiting::once(hints)), Store::default());
        let token = CancellationToken::new();
        let stopping = token.clone();
        let options = WorkflowOptions::default().with_cancellation(token).with_listener(move |event| {
            if matches!(event, WorkflowEvent::Call { event, .. } if matches!(**event, Event::CallRunning { .. })) {
                stopping.cancel();
            }
        });
        let waits = workflow("[[step]]\nname = \"a\"\ntool = \"wait\"");
        let outcome = run(&runner(hands(vec![slow.clone()]), store.clone()), &waits, &options).await;
        assert_eq!(outcome.unwrap(), WorkflowOutcome::Stopped);
        let outcome =
            run(&runner(hands(vec![slow]), store), &waits, &WorkflowOptions::default()).await.unwrap();
        assert_eq!(matches!(outcome, WorkflowOutcome::Completed { .. }), goes_on, "{hints:?}: {outcome:?}");
    }
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_given_up() {
    let wait = Arc::new(crate::scene::Waiting::for_ever());
    let runner = runner(hands(vec![wait]), Store::default());
    let step = workflow("[[step]]\nname = \"a\"\ntool = \"wait\"\ntimeout_ms = 20");
    let (step, message) = failed(run(&runner, &step, &WorkflowOptions::default()).await);
    assert_eq!(step, "a");
    assert!(message.contains("20 ms"), "{message}");
}

#[tokio::test]
async fn inputs_are_checked_against_their_declaration() {
    let text = "name = \"test\"\n[input.folder]\ndescription = \"Which.\"\n[input.deep]\ndefault = true\n\
        [[step]]\nname = \"a\"\ntool = \"echo\"\noutput = \"json\"\n\
        arguments = { folder = \"{{ input.folder }}\", deep = \"{{ input.deep }}\" }";
    let workflow = Workflow::from_toml(text).unwrap();
    let runner = runner(hands(vec![Fake::echo("echo", Hints::read_only())]), Store::default());
    let options = WorkflowOptions::default();
    let with = |key: &'static str, value: Value| {
        let (runner, workflow, options) = (&runner, &workflow, &options);
        let input: Map<_, _> = [(key.to_owned(), value)].into_iter().collect();
        async move { runner.run(key, workflow, input, options).await }
    };
    let output = completed(with("folder", json!("src")).await);
    assert_eq!(output["a"], json!({"folder": "src", "deep": true}));
    let error = with("other", json!(1)).await.unwrap_err().to_string();
    assert_eq!(error, "the workflow test has no input other; it has: deep, folder");
    let error = with("deep", json!(1)).await.unwrap_err().to_string();
    assert_eq!(error, "the workflow test needs the input folder: Which.");
}

#[tokio::test]
async fn a_listener_receives_steps_and_their_calls() {
    let told = Arc::new(std::sync::Mutex::new(Vec::new()));
    let list = told.clone();
    let options = WorkflowOptions::default().with_listener(move |event| {
        list.lock().unwrap().push(match event {
            WorkflowEvent::StepStarted { step, attempt, tool } => format!("{step} {attempt} {tool}"),
            WorkflowEvent::Call { step, event } => match &**event {
                Event::CallEnded { result } => format!("{step} {}", result.status.as_str()),
                _ => return,
            },
            WorkflowEvent::StepEnded { step, status, .. } => format!("{step} {status:?}"),
            _ => "end".to_owned(),
        });
    });
    let runner = runner(hands(vec![Fake::echo("echo", Hints::read_only())]), Store::default());
    completed(run(&runner, &workflow(TWO), &options).await);
    let ok = ResultStatus::Ok.as_str();
    let expected = ["first 1 echo", "first ok", "first Ok", "second 1 echo", "second ok", "second Ok", "end"];
    assert_eq!(*told.lock().unwrap(), expected);
    assert_eq!(ok, "ok");
}

// I6: a registered secret is not in the record.
#[tokio::test]
async fn secrets_are_not_recorded() {
    let store = Store::default();
    let redactor = Redactor::new(["hunter2hunter2".into()]);
    let hands = hands(vec![Fake::echo("echo", Hints::read_only())]).redactor(redactor.clone());
    let text = "name = \"test\"\n[input.word]\n[[step]]\nname = \"a\"\ntool = \"echo\"\n\
        arguments = { word = \"{{ input.word }}\" }";
    let workflow = Workflow::from_toml(text).unwrap();
    let options = WorkflowOptions::default().with_redactor(redactor);
    let input: Map<_, _> = [("word".to_owned(), json!("it is hunter2hunter2"))].into_iter().collect();
    let outcome = runner(hands, store.clone()).run("run", &workflow, input, &options).await.unwrap();
    assert!(!format!("{outcome:?}").contains("hunter2"), "{outcome:?}");
    let records = [store.of("run"), store.of("run/a.1")].concat();
    assert!(!records.is_empty());
    assert!(records.iter().all(|record| !record.body.as_str().contains("hunter2")));
}

// The paused clock advances only while no task is ready, so a busy machine counts the same.
#[tokio::test(start_paused = true)]
async fn parallel_steps_respect_the_limit() {
    for (at_once, expected) in [(2, 2), (9, 4)] {
        let echo = Fake::echo("echo", Hints::read_only());
        let runner = runner(hands(vec![echo.clone()]), Store::default());
        let step = |name: char| {
            format!(
                "[[step.parallel]]\nname = \"{name}\"\ntool = \"echo\"\narguments = {{ x = \"{name}\" }}\n"
            )
        };
        let steps: String = ['a', 'b', 'c', 'd'].map(step).concat();
        let workflow = workflow(&format!("[[step]]\nname = \"all\"\nat_once = {at_once}\n{steps}"));
        completed(run(&runner, &workflow, &WorkflowOptions::default()).await);
        assert_eq!(echo.most_running.load(Ordering::SeqCst), expected);
    }
}
