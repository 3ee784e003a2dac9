//! A budget that several runs share, and calls that keep a record of their own.

use std::collections::BTreeMap;

use windlass_loop::{
    Budget, BudgetUsage, Command, Config, Entry, Input, Machine, OfferedTool, Outcome, Prices, RunLimits,
    StepClass, StopCause,
};
use windlass_protocol::{CallId, Hints, ResultStatus, ToolName, ToolSpec, Usage};
use windlass_stream::Chunk;

use crate::driven::{Driven, call, config, entries};

fn of(requests: u64, tokens: u64, cost: u64) -> BudgetUsage {
    BudgetUsage { requests, tokens, cost }
}

fn others(used: &[(&str, BudgetUsage)], grants: u64) -> Input {
    Input::Shared { used: used.iter().map(|(run, used)| ((*run).to_owned(), *used)).collect(), grants }
}

fn question(run: &Driven) -> Option<&str> {
    run.effects.iter().find_map(|want| {
        if let Command::Interrupt { question, .. } = want { Some(question.as_str()) } else { None }
    })
}

/// A turn of one call that reads.
fn turn(run: &mut Driven, id: &str, before_result: Option<Input>) {
    run.answer([call(id, "look", "{}")]);
    run.decide_all();
    if let Some(input) = before_result {
        run.step(input);
    }
    run.result(id, ResultStatus::Ok);
}

// H10: the usage of a child counts for its caller.
#[test]
fn usage_of_other_runs_counts_for_the_shared_budget() {
    #[track_caller]
    fn check(budget: Budget, used: BudgetUsage, says: Option<&str>) {
        let mut run = Driven::start(config().with_shared_budget(budget));
        turn(&mut run, "a", Some(others(&[("child", used)], 0)));
        assert_eq!(question(&run).is_some(), says.is_some(), "{:?}", question(&run));
        assert!(question(&run).unwrap_or_default().contains(says.unwrap_or_default()));
    }
    let budget = || Budget { requests: 5, tokens: 1_000, cost: 1_000_000, ..Budget::default() };
    check(budget(), of(3, 900, 900_000), None);
    check(budget(), of(4, 0, 0), Some("The run and its agents have used 5 requests"));
    check(budget(), of(1, 1_000, 0), Some("1000 tokens"));
    check(budget(), of(1, 0, 1_500_000), Some("1.500000 of the budget's currency"));
}

#[test]
fn other_runs_do_not_use_a_runs_own_budget() {
    let budget = Budget { requests: 3, ..Budget::default() };
    let mut run = Driven::start(config().with_budget(budget));
    turn(&mut run, "a", Some(others(&[("child", of(50, 0, 0))], 0)));
    assert!(run.is_sent());
}

// H10: one approval to exceed a shared budget is valid for all runs that share it.
#[test]
fn a_budget_answer_of_another_run_lets_this_run_continue() {
    let budget = || Budget { requests: 3, ..Budget::default() };
    let mut run = Driven::start(config().with_shared_budget(budget()));
    let mut record = entries(&run.effects);
    turn(&mut run, "a", Some(others(&[("child", of(2, 0, 0))], 0)));
    assert!(question(&run).is_some() && !run.is_sent());
    record.extend(entries(&run.effects));
    run.effects.clear();
    run.step(others(&[("child", of(2, 0, 0))], 1));
    assert!(run.is_sent(), "the question is answered");
    record.extend(entries(&run.effects));
    turn(&mut run, "b", Some(others(&[("child", of(3, 0, 0))], 1)));
    assert!(run.is_sent(), "what was used before the yes counts no more");
    turn(&mut run, "c", Some(others(&[("child", of(4, 0, 0))], 1)));
    assert!(question(&run).is_some(), "two of its own and two of the child's since then");
    // Another process knows the same usage from the record.
    let (machine, effects) = Machine::resume(config().with_shared_budget(budget()), record, 0).unwrap();
    let known: BTreeMap<String, BudgetUsage> = [("child".to_owned(), of(2, 0, 0))].into();
    assert_eq!(machine.used_by_others(), &known);
    assert!(effects.iter().any(|want| matches!(want, Command::Send { .. })));
}

#[test]
fn total_usage_of_a_run_is_equal_in_another_process() {
    let prices = Prices { input: 1_000_000, output: 2_000_000, ..Prices::default() };
    let set_up = || config().with_budget(Budget { prices, ..Budget::default() });
    let mut run = Driven::start(set_up());
    let mut record = entries(&run.effects);
    let usage = Usage { input_tokens: 70, output_tokens: 30, ..Usage::default() };
    run.answer([call("a", "look", "{}"), Chunk::Usage { usage }]);
    run.decide_all();
    run.result("a", ResultStatus::Ok);
    record.extend(entries(&run.effects));
    assert_eq!(run.machine.used(), of(1, 100, 130));
    let (machine, _) = Machine::resume(set_up(), record, 0).unwrap();
    assert_eq!(machine.used(), of(1, 100, 130));
}

/// `child` keeps a record of its own.
fn with_child() -> Config {
    let spec = ToolSpec::function(
        ToolName::new("child").unwrap(),
        "A tool.",
        r#"{"type":"object"}"#.parse().unwrap(),
    );
    let mut config = config().with_unanswered(windlass_loop::UnansweredPolicy::Suspend).with_run("run-1");
    config.tools.push(OfferedTool::new(spec, Hints { resumable: true, ..Hints::default() }));
    config
}

// R6: a child with its own record resumes from it: the call is made again, decided again, and never has
// unknown effects.
#[test]
fn a_call_that_keeps_its_own_record_is_made_again_after_a_crash_and_after_a_wait() {
    for waits in [false, true] {
        let mut run = Driven::start(with_child());
        let mut record = entries(&run.effects);
        run.answer([call("a", "child", "{}")]);
        run.decide_all();
        let steps: Vec<_> = run.effects.iter().filter_map(|want| run.machine.step_of(want)).collect();
        assert!(steps.iter().any(|step| step.key == "tool-a" && step.class == StepClass::Idempotent));
        if waits {
            run.step(Input::Deferred(CallId::new("a").unwrap()));
            assert!(run.outcome().is_some(), "nothing else is left to do");
        }
        record.extend(entries(&run.effects));
        let (machine, effects) = Machine::resume(with_child(), record, 0).unwrap();
        assert_eq!(machine.run_id(), "run-1");
        let mut run = Driven { machine, effects, now: 0 };
        assert_eq!(entries(&run.effects)[0], Entry::Resumed { generation: 1 });
        run.decide_all();
        assert_eq!(run.ran(), ["a"], "waits: {waits}");
        run.result("a", ResultStatus::Ok);
        assert_eq!(run.statuses(), [("a".to_owned(), ResultStatus::Ok)]);
        assert!(run.is_sent());
    }
}

// DESIGN "Where it runs": names are readable, and the same in every process; the generation is not.
#[test]
fn steps_have_the_same_names_in_every_process() {
    let mut run = Driven::start(config());
    let mut record = entries(&run.effects);
    run.answer([call("a", "look", "{}"), call("b", "change", "{}")]);
    run.decide_all();
    let keys = |run: &Driven| -> Vec<(String, StepClass, u32)> {
        let steps = run.effects.iter().filter_map(|want| run.machine.step_of(want));
        steps.map(|step| (step.key, step.class, step.generation)).collect()
    };
    let named = |generation: u32| {
        let step = |key: &str, class| (key.to_owned(), class, generation);
        vec![
            step("judge-a", StepClass::Pure),
            step("judge-b", StepClass::Pure),
            step("tool-a", StepClass::Pure),
            step("approval-b", StepClass::Idempotent),
        ]
    };
    assert_eq!(keys(&run), named(0));
    let (timer, at_ms) = run.machine.timer().unwrap();
    assert_eq!(timer.key, format!("timer-{at_ms}"));
    record.extend(entries(&run.effects));
    let (machine, effects) = Machine::resume(config(), record, 0).unwrap();
    let mut run = Driven { machine, effects, now: 0 };
    run.decide_all();
    assert_eq!(keys(&run), named(1));
    run.approve("b");
    let step = run.effects.iter().filter_map(|want| run.machine.step_of(want)).next_back().unwrap();
    assert_eq!((step.key.as_str(), step.class), ("tool-b", StepClass::Once));
}

const DEAR: Prices = Prices { input: 3_000_000, output: 0, cache_read: 0, cache_write: 0, long: None };
const CHEAP: Prices = Prices { input: 1_000_000, ..DEAR };

/// Runs two turns: another model with cheap tokens answers the first one. Returns the usage in this process, and after a
/// resume.
fn answered_by_another(own: Prices) -> [BudgetUsage; 2] {
    let set_up = || config().with_budget(Budget { prices: own, ..Budget::default() });
    let mut run = Driven::start(set_up());
    let mut record = entries(&run.effects);
    let usage = || Chunk::Usage { usage: Usage { input_tokens: 1_000_000, ..Usage::default() } };
    let model = "cheap-1".to_owned();
    let named = Chunk::AnsweredBy { model, prices: Some(CHEAP), first_prices: Some(DEAR) };
    run.answer([named, call("a", "look", "{}"), usage()]);
    run.decide_all();
    run.result("a", ResultStatus::Ok);
    record.extend(entries(&run.effects));
    run.answer([call("b", "look", "{}"), usage()]);
    record.extend(entries(&run.effects));
    let (machine, _) = Machine::resume(set_up(), record, 0).unwrap();
    [run.machine.used(), machine.used()]
}

#[test]
fn the_answer_of_another_model_costs_its_prices_also_after_a_resume() {
    assert_eq!(answered_by_another(DEAR), [of(2, 2_000_000, 4_000_000); 2]);
    // The prices that a program sets apply to all models.
    let own = Prices { input: 7_000_000, ..DEAR };
    assert_eq!(answered_by_another(own), [of(2, 2_000_000, 14_000_000); 2]);
}

#[test]
fn a_limit_on_cost_stops_the_run_and_counts_the_runs_that_share_the_budget() {
    let start = |limit: u64| {
        let prices = Prices { input: 1_000_000, ..Prices::default() };
        let limits = RunLimits { cost: limit, ..RunLimits::default() };
        let budget = Budget { prices, ..Budget::default() };
        Driven::start(config().with_budget(budget).with_limits(limits))
    };
    // Two answers of 0.6, with a child between them.
    let spend = |run: &mut Driven, child: u64| {
        for id in ["a", "b"].into_iter().take(if child > 0 { 1 } else { 2 }) {
            let usage = Usage { input_tokens: 600_000, ..Usage::default() };
            run.answer([call(id, "look", "{}"), Chunk::Usage { usage }]);
            run.decide_all();
            if child > 0 {
                run.step(others(&[("child", of(1, 0, child))], 0));
            }
            run.result(id, ResultStatus::Ok);
        }
    };
    let stopped = Outcome::Stopped { cause: StopCause::Budget };
    for (limit, child, is_stopped) in [
        (1_200_000, 0, true),
        (1_200_001, 0, false),
        (0, 0, false),
        (1_000_000, 400_000, true),
        (1_000_000, 300_000, false),
    ] {
        let mut run = start(limit);
        spend(&mut run, child);
        assert_eq!(run.outcome() == Some(&stopped), is_stopped, "{limit} {child}");
        assert_eq!(run.is_sent(), !is_stopped, "{limit} {child}");
    }
}
