//! Tests of the machine alone: the start of steps, and the independence of the order of answers.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{Effect, End, Failure, Machine, RetryRule};
use crate::{Definition, StepDefinition, Workflow, WorkflowOutcome};

/// Runs to the end. `answer` decides the result of a call, and `choose` which of the running calls ends next.
fn run(
    workflow: &Workflow,
    input: Value,
    mut answer: impl FnMut(&str, u32, &Map<String, Value>) -> End,
    mut choose: impl FnMut(usize) -> usize,
) -> (Machine, WorkflowOutcome, Vec<String>) {
    let Value::Object(input) = input else { panic!("the input is an object") };
    let mut machine = Machine::new(workflow.plan.clone(), input);
    let (mut effects, mut running, mut begun) = (machine.start(), Vec::new(), Vec::new());
    loop {
        for effect in effects.drain(..) {
            match effect {
                Effect::Run { key, attempt, work, .. } => {
                    begun.push(format!("{key}#{attempt}"));
                    running.push((key, attempt, work.arguments));
                }
                Effect::Ended { .. } => {}
                Effect::Done(outcome) => return (machine, outcome, begun),
            }
        }
        assert!(!running.is_empty(), "nothing runs, and it is not over: {machine:?}");
        let at = choose(running.len()) % running.len();
        let (key, attempt, arguments) = running.remove(at);
        let end = answer(key.as_str(), attempt, &arguments);
        effects = machine.end_call(&key, attempt, end);
    }
}

fn workflow(steps: &str) -> Workflow {
    Workflow::from_toml(&format!("name = \"test\"\n[input.list]\ndefault = [1, 2, 3]\n{steps}")).unwrap()
}

fn failed(again: RetryRule) -> End {
    End::Failed(Failure { message: "broken".into(), output: json!("half"), again })
}

/// Runs with calls that give their arguments back, but for those whose key is in `fails`.
fn echo(steps: &str, fails: &[&str]) -> (Value, WorkflowOutcome, Vec<String>) {
    let answer = |key: &str, _: u32, arguments: &Map<String, Value>| {
        if fails.contains(&key) {
            failed(RetryRule::MayNot)
        } else {
            End::Done(Value::Object(arguments.clone()))
        }
    };
    let (machine, outcome, begun) = run(&workflow(steps), json!({"list": [1, 2, 3]}), answer, |_| 0);
    (machine.state(), outcome, begun)
}

#[track_caller]
fn check_order(steps: &str, fails: &[&str], expected: &[&str]) {
    let (_, _, begun) = echo(steps, fails);
    assert_eq!(begun, expected);
}

#[test]
fn a_step_runs_after_its_inputs_and_after_list() {
    let steps = r#"
        [[step]]
        name = "c"
        tool = "t"
        after = ["b"]
        [[step]]
        name = "b"
        tool = "t"
        arguments = { x = "{{ steps.a.output }}" }
        [[step]]
        name = "a"
        tool = "t"
    "#;
    check_order(steps, &[], &["a#1", "b#1", "c#1"]);
}

const BRANCH: &str = r#"
    [[step]]
    name = "look"
    tool = "t"
    arguments = { n = "{{ input.list.0 }}" }
    [[step]]
    name = "which"
    condition = { greater = ["{{ steps.look.output.n }}", 5] }
    then = ["large"]
    else = ["small"]
    [[step]]
    name = "large"
    tool = "t"
    [[step]]
    name = "behind_large"
    tool = "t"
    after = ["large"]
    [[step]]
    name = "small"
    tool = "t"
    [[step]]
    name = "both"
    tool = "t"
    after = ["large", "small"]
"#;

#[test]
fn a_condition_opens_one_side_and_what_only_follows_the_other_is_left_out() {
    check_order(BRANCH, &[], &["look#1", "small#1", "both#1"]);
    let (state, _, _) = echo(BRANCH, &[]);
    assert_eq!(state["large"]["status"], "skipped");
    assert_eq!(state["behind_large"]["status"], "skipped");
}

fn policy(policy: &str) -> String {
    format!(
        r#"
        [[step]]
        name = "a"
        tool = "t"
        on_failure = {policy}
        [[step]]
        name = "reads"
        tool = "t"
        arguments = {{ x = "{{{{ steps.a.output }}}}" }}
        [[step]]
        name = "mend"
        tool = "t"
        arguments = {{ was = "{{{{ steps.a.error }}}}" }}
        "#
    )
}

#[test]
fn a_failure_stops_continues_or_jumps() {
    let (_, outcome, begun) = echo(&policy(r#""stop""#), &["a"]);
    assert_eq!(begun, ["a#1"]);
    assert!(
        matches!(outcome, WorkflowOutcome::Failed { step, message } if step.as_str() == "a" && message == "broken")
    );

    let (state, outcome, begun) = echo(&policy(r#""continue""#), &["a"]);
    assert_eq!(begun, ["a#1", "reads#1", "mend#1"]);
    assert_eq!(state["reads"]["output"]["x"], "half", "what there was of an output");
    assert!(matches!(outcome, WorkflowOutcome::Completed { .. }));

    let (state, outcome, begun) = echo(&policy(r#"{ goto = "mend" }"#), &["a"]);
    assert_eq!(begun, ["a#1", "mend#1"]);
    assert_eq!(state["mend"]["output"]["was"], "broken");
    assert_eq!(state["reads"]["status"], "skipped");
    assert!(matches!(outcome, WorkflowOutcome::Completed { .. }));

    let (state, _, begun) = echo(&policy(r#"{ goto = "mend" }"#), &[]);
    assert_eq!(begun, ["a#1", "reads#1"], "where it does not fail its target is left out");
    assert_eq!(state["mend"]["status"], "skipped");
}

const MAP: &str = r#"
    output = "{{ steps.each.output }}"
    [[step]]
    name = "each"
    map = "{{ input.list }}"
    [[step.do]]
    name = "one"
    tool = "t"
    arguments = { n = "{{ item }}", at = "{{ index }}" }
    [[step.do]]
    name = "two"
    tool = "t"
    arguments = { was = "{{ steps.one.output.n }}" }
"#;

#[test]
fn a_map_runs_its_list_in_order_and_keeps_the_order_in_the_result() {
    let top = MAP.replace("output = \"{{ steps.each.output }}\"", "");
    let expected = [
        "each[0].one#1",
        "each[0].two#1",
        "each[1].one#1",
        "each[1].two#1",
        "each[2].one#1",
        "each[2].two#1",
    ];
    check_order(&top, &[], &expected);
    let (state, _, _) = echo(&top, &[]);
    assert_eq!(state["each"]["output"][2], json!({"one": {"n": 3, "at": 2}, "two": {"was": 3}}));
    let (_, outcome, begun) = echo(&top, &["each[1].one"]);
    assert_eq!(begun, expected[..3], "a failure stops those behind it");
    assert!(matches!(outcome, WorkflowOutcome::Failed { message, .. } if message == "each[1].one: broken"));
}

#[test]
fn calls_are_made_again_only_where_they_may_be() {
    let steps = "[[step]]\nname = \"a\"\ntool = \"t\"\nretries = 2\nbackoff_ms = 10";
    let begun = |again: RetryRule| run(&workflow(steps), json!({}), |_, _, _| failed(again), |_| 0).2;
    assert_eq!(begun(RetryRule::May), ["a#1", "a#2", "a#3"]);
    assert_eq!(begun(RetryRule::MayNot), ["a#1"]);
    assert_eq!(begun(RetryRule::Unknown), ["a#1"]);
    assert_eq!(begun(RetryRule::Anew).len(), 20, "a crash counts as no failure, and there is an end to it");
}

// A suspicion of correctness-2: the maximum wait bounded the first wait only, and not the doubled ones.
#[test]
fn waits_double_up_to_the_longest_one() {
    let mut machine = Machine::new(
        workflow("[[step]]\nname = \"a\"\ntool = \"t\"\nretries = 20\nbackoff_ms = 100000").plan.clone(),
        Map::new(),
    );
    let (mut effects, mut waits) = (machine.start(), Vec::new());
    while let Some(Effect::Run { key, attempt, delay_ms, .. }) = effects.pop() {
        waits.push(delay_ms);
        effects = machine.end_call(&key, attempt, failed(RetryRule::May));
        effects.retain(|effect| matches!(effect, Effect::Run { .. }));
    }
    assert_eq!((waits.len(), &waits[..5]), (21, &[0, 100_000, 200_000, 400_000, 600_000][..]));
    assert!(waits[5..].iter().all(|wait| *wait == 600_000), "{waits:?}");
}

#[test]
fn a_wait_before_a_retry_doubles_up_to_its_limit() {
    let delays = |backoff_ms: u64| {
        let retried = workflow(&format!(
            "[[step]]\nname = \"a\"\ntool = \"t\"\nretries = 10\nbackoff_ms = {backoff_ms}"
        ));
        let mut machine = Machine::new(retried.plan.clone(), Map::new());
        let (mut effects, mut delays) = (machine.start(), Vec::new());
        while let Some(Effect::Run { key, attempt, delay_ms, .. }) = effects.pop() {
            delays.push(delay_ms);
            effects = machine.end_call(&key, attempt, failed(RetryRule::May));
        }
        delays
    };
    assert_eq!(delays(10)[..5], [0, 10, 20, 40, 80]);
    assert_eq!(
        delays(u64::MAX >> 1)[..3],
        [0, 600_000, 600_000],
        "a file cannot ask for more than ten minutes"
    );
    assert_eq!(delays(500_000)[..3], [0, 500_000, 600_000], "neither does doubling exceed ten minutes");
}

#[test]
fn waiting_steps_suspend_only_if_no_other_step_can_run() {
    let steps = r#"
        [[step]]
        name = "ask"
        approval = "Go on?"
        [[step]]
        name = "beside"
        tool = "t"
        [[step]]
        name = "behind"
        tool = "t"
        after = ["ask"]
    "#;
    let answer = |key: &str, _: u32, _: &Map<String, Value>| match key {
        "ask" => End::Suspended(vec![windlass_agent::Wait::InterruptReply {
            id: windlass_agent::InterruptId::default(),
            question: "?".into(),
        }]),
        _ => End::Done(json!(1)),
    };
    let (_, outcome, begun) = run(&workflow(steps), json!({}), answer, |_| 0);
    assert_eq!(begun, ["ask#1", "beside#1"]);
    assert!(matches!(outcome, WorkflowOutcome::Suspended { waits } if waits[0].step.as_str() == "ask"));
}

/// A graph: for each step its kind, the earlier steps that it reads, and whether the workflow continues when
/// it fails.
fn graphs() -> impl Strategy<Value = Definition> {
    let step = (0..4_u8, any::<u64>(), any::<bool>(), 0..3_usize);
    (prop::collection::vec(step, 1..9), 1..5_usize).prop_map(|(steps, at_once)| {
        let mut definition = Definition::new("graph", "");
        definition.at_once = Some(at_once);
        for (at, (kind, seed, is_goto, count)) in steps.iter().enumerate() {
            let name = format!("s{at}");
            let before = at.checked_sub(1).map(|last| format!("s{}", seed % (last as u64 + 1)));
            let status = before
                .as_ref()
                .map_or_else(|| "{{ input }}".to_owned(), |step| format!("{{{{ steps.{step}.status }}}}"));
            let policy = if *is_goto && *kind != 2 {
                crate::FailurePolicy::Goto(format!("{name}x"))
            } else {
                crate::FailurePolicy::Continue
            };
            let call = |name: &str| StepDefinition::tool(name, "t").with_argument("was", status.clone());
            let step = match kind {
                0 => call(&name).with_after(before.filter(|_| seed % 3 == 0)),
                1 => StepDefinition::map(&name, json!(vec![seed; *count]), [call("in"), call("and")])
                    .with_at_once(2),
                2 => {
                    let condition = crate::ConditionDefinition::Equals(json!(status), json!("ok"));
                    StepDefinition::condition(&name, condition, [format!("{name}x")], [])
                }
                _ => StepDefinition::parallel(&name, [call("in"), call("and")]),
            };
            let step = if *kind == 2 { step } else { step.with_on_failure(policy) };
            definition = definition.with_step(step);
            if *kind == 2 || *is_goto {
                definition = definition.with_step(StepDefinition::tool(format!("{name}x"), "t"));
            }
        }
        definition
    })
}

/// Returns the same answer to equal calls at any time.
fn answer(key: &str, attempt: u32, arguments: &Map<String, Value>) -> End {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut digest = DefaultHasher::new();
    (key, attempt, Value::Object(arguments.clone()).to_string()).hash(&mut digest);
    match digest.finish() % 5 {
        0 if !key.contains('.') => failed(RetryRule::MayNot),
        rest => End::Done(json!(rest)),
    }
}

proptest! {
    // DESIGN's third decision: the state does not depend on the order in which calls end.
    #[test]
    fn every_order_of_answers_gives_the_same_state(
        definition in graphs(),
        orders in prop::collection::vec(any::<prop::sample::Index>(), 200),
    ) {
        let workflow = Workflow::new(definition).unwrap();
        let (first, outcome, mut begun) = run(&workflow, json!({}), answer, |_| 0);
        let mut orders = orders.iter().cycle();
        let (second, other, mut begun_too) =
            run(&workflow, json!({}), answer, |len| orders.next().map_or(0, |at| at.index(len)));
        prop_assert_eq!(first.state(), second.state());
        prop_assert_eq!(outcome, other);
        begun.sort();
        begun_too.sort();
        prop_assert_eq!(begun, begun_too);
    }
}

/// A workflow with a long list.
fn large(steps: &str) -> Workflow {
    Workflow::from_toml(&format!("name = \"test\"\n{steps}\n[input.list]\n")).unwrap()
}

// correctness "Performance cliffs": a map of n elements at once took n^3.
#[test]
fn work_grows_with_the_square_of_a_map_at_most() {
    let time = |elements: usize| {
        let steps = r#"
            at_once = 1000
            [[step]]
            name = "each"
            map = "{{ input.list }}"
            most = 1000
            at_once = 1000
            [[step.do]]
            name = "one"
            tool = "echo"
        "#;
        let list: Vec<usize> = (0..elements).collect();
        let began = std::time::Instant::now();
        let (_, outcome, opened) =
            run(&large(steps), json!({ "list": list }), |_, _, _| End::Done(json!(1)), |_| 0);
        assert!(matches!(outcome, WorkflowOutcome::Completed { .. }), "{outcome:?}");
        assert_eq!(opened.len(), elements);
        began.elapsed().as_secs_f64()
    };
    // Four times as many may take 16 times as long, and more on a busy machine; a cube takes 64 times as long.
    let ratio = (0..5).map(|_| time(800) / time(200)).fold(f64::INFINITY, f64::min);
    assert!(ratio < 40.0, "{ratio}");
}
