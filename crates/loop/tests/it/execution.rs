//! Calls that are decided, approved, run and stopped.

use windlass_hitl::{ApprovalDecision, ApprovalOutcome};
use windlass_loop::{CallDecision, Command, Config, Entry, Event, Input, Machine, Outcome, StopCause};
use windlass_protocol::{CallId, ResultStatus, ToolResult};

use crate::driven::{Driven, call, check_paired, config, entries, limits};

#[test]
fn an_allowed_call_runs_and_its_result_goes_back() {
    let mut run = Driven::start(config());
    run.answer([call("c1", "look", r#"{"a":1}"#)]);
    run.decide_all();
    assert_eq!(run.ran(), ["c1"]);
    run.effects.clear();
    run.result("c1", ResultStatus::Ok);
    assert!(run.is_sent());
    check_paired(run.machine.transcript().messages());
}

// R6: the intent is on record before the call runs.
#[test]
fn the_intent_is_recorded_right_before_the_call_runs() {
    let mut run = Driven::start(config());
    run.answer([call("c1", "look", "{}")]);
    run.decide_all();
    let at = run.effects.iter().position(|effect| matches!(effect, Command::Run(_))).unwrap();
    assert!(matches!(&run.effects[at - 1], Command::Record(Entry::Intent { call }) if call.as_str() == "c1"));
}

// R1: results are in call order, whatever the order in which they come.
#[test]
fn results_are_in_call_order() {
    let mut run = Driven::start(config());
    run.answer([
        call("c1", "look", r#"{"a":1}"#),
        call("c2", "look", r#"{"a":2}"#),
        call("c3", "look", "{}"),
    ]);
    run.decide_all();
    for id in ["c3", "c1", "c2"] {
        run.result(id, ResultStatus::Ok);
    }
    let ids: Vec<_> = run.statuses().into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, ["c1", "c2", "c3"]);
}

// L5: a question that waits does not delay other calls.
#[test]
fn a_pending_approval_does_not_stall_other_calls() {
    let mut run = Driven::start(config());
    run.answer([call("c1", "change", "{}"), call("c2", "look", "{}")]);
    run.decide_all();
    assert_eq!(run.ran(), ["c2"]);
    run.approve("c1");
    assert_eq!(run.ran(), ["c2", "c1"]);
}

// R2, H12
#[test]
fn the_humans_comment_is_in_the_calls_own_result() {
    let mut run = Driven::start(config());
    run.answer([call("c1", "change", "{}")]);
    run.decide_all();
    let no = ApprovalDecision::deny("ask-c1", Some("use b.txt".into()));
    run.step(Input::Approval(ApprovalOutcome::Answered(no)));
    assert_eq!(run.statuses(), [("c1".into(), ResultStatus::Denied)]);
    assert!(run.texts_of_results().contains("use b.txt"));
}

// H12: a timeout and a missing approver have different results.
#[test]
fn a_timeout_and_a_missing_approver_have_different_texts() {
    let mut late = Driven::start(limits(|limits| limits.approval_timeout_ms = 1_000));
    late.answer([call("c1", "change", "{}")]);
    late.decide_all();
    assert_eq!(late.machine.next_deadline(), Some(1_000));
    late.now = 999;
    late.step(Input::Tick);
    assert!(late.machine.next_deadline().is_some());
    late.now = 1_000;
    late.step(Input::Tick);
    assert_eq!(late.statuses(), [("c1".into(), ResultStatus::TimedOut)]);

    let mut alone = Driven::start(config());
    alone.answer([call("c1", "change", "{}")]);
    alone.decide_all();
    alone.step(Input::Approval(ApprovalOutcome::NoApprover { request_id: "ask-c1".into() }));
    assert_eq!(alone.statuses(), [("c1".into(), ResultStatus::Denied)]);
    assert_ne!(alone.texts_of_results(), late.texts_of_results());
}

// H4
#[test]
fn late_repeated_and_unknown_answers_are_refused_loudly() {
    let mut run = Driven::start(config());
    run.answer([call("c1", "change", "{}")]);
    run.decide_all();
    run.effects.clear();
    run.step(Input::Approval(ApprovalOutcome::Answered(ApprovalDecision::approve("ask-other"))));
    assert!(run.ran().is_empty());
    run.approve("c1");
    run.approve("c1");
    assert_eq!(run.ran(), ["c1"], "a second answer runs nothing");
    let refused =
        run.events().into_iter().filter(|event| matches!(event, Event::AnswerRefused { .. })).count();
    assert_eq!(refused, 2);
}

#[test]
fn a_refused_call_gets_the_result_of_the_check() {
    let mut run = Driven::start(config());
    run.answer([call("c1", "fly", "{}")]);
    let result = ToolResult::text(CallId::new("c1").unwrap(), ResultStatus::UnknownTool, "no such tool");
    let decision = Box::new(CallDecision::Refused(result));
    run.step(Input::Decided { call: CallId::new("c1").unwrap(), decision });
    assert_eq!(run.statuses(), [("c1".into(), ResultStatus::UnknownTool)]);
}

// L4
#[test]
fn repeated_equal_calls_are_refused_after_the_limit_in_any_key_order() {
    let mut run = Driven::start(config());
    for (turn, arguments) in
        [r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#, r#"{ "a": 1, "b": 2 }"#].iter().enumerate()
    {
        let id = format!("c{turn}");
        run.answer([call(&id, "look", arguments)]);
        run.decide_all();
        assert_eq!(run.ran(), [id.as_str()]);
        run.result(&id, ResultStatus::Ok);
    }
    run.answer([call("c9", "look", r#"{"a":1,"b":2}"#)]);
    assert!(run.to_decide().is_empty());
    assert_eq!(run.statuses(), [("c9".into(), ResultStatus::Error)]);
    run.answer([call("c10", "look", r#"{"a":2}"#)]);
    assert_eq!(run.to_decide().len(), 1, "another call is progress");
}

// L4
#[test]
fn repeated_failing_turns_end_with_a_question() {
    let mut run = Driven::start(config());
    for turn in 0..3 {
        let id = format!("c{turn}");
        run.answer([call(&id, "look", &format!(r#"{{"a":{turn}}}"#))]);
        run.decide_all();
        run.result(&id, ResultStatus::Error);
    }
    assert!(run.effects.iter().any(|effect| matches!(effect, Command::Interrupt { .. })));
    assert!(!run.is_sent());
}

#[test]
fn a_mistake_limit_of_zero_is_off() {
    let mut run = Driven::start(limits(|limits| limits.mistakes = 0));
    for turn in 0..10 {
        let id = format!("c{turn}");
        run.answer([call(&id, "look", &format!(r#"{{"a":{turn}}}"#))]);
        run.decide_all();
        run.result(&id, ResultStatus::Error);
        assert!(run.is_sent());
    }
}

// L7, H16
#[test]
fn cancelling_gives_every_call_a_result_and_keeps_those_that_finish() {
    let mut run = Driven::start(config());
    run.answer([call("c1", "look", r#"{"a":1}"#), call("c2", "change", "{}"), call("c3", "look", "{}")]);
    let calls = run.to_decide();
    run.decide_call(&calls[0]);
    run.decide_call(&calls[1]);
    run.effects.clear();
    run.step(Input::Cancel);
    assert!(run.effects.contains(&Command::Abort));
    assert_eq!(run.outcome(), None, "what runs comes back first");
    run.result("c1", ResultStatus::Ok);
    assert_eq!(run.outcome(), Some(&Outcome::Stopped { cause: StopCause::Cancelled }));
    assert_eq!(
        run.statuses(),
        [
            ("c1".into(), ResultStatus::Ok),
            ("c2".into(), ResultStatus::Cancelled),
            ("c3".into(), ResultStatus::Cancelled),
        ]
    );
    check_paired(run.machine.transcript().messages());
}

#[test]
fn cancelling_while_the_answer_streams_keeps_its_text() {
    let mut run = Driven::start(config());
    run.effects.clear();
    run.step(Input::Chunk(windlass_stream::Chunk::text("so far")));
    run.step(Input::Chunk(call("c1", "look", "{}")));
    run.step(Input::Cancel);
    assert!(run.effects.contains(&Command::CloseStream));
    assert_eq!(run.machine.transcript().messages().last().unwrap().text(), "so far");
    check_paired(run.machine.transcript().messages());
    assert!(!entries(&run.effects).is_empty());
}

#[test]
fn a_fatal_tool_ends_the_run_with_all_results() {
    let mut run = Driven::start(config());
    run.answer([call("c1", "look", r#"{"a":1}"#), call("c2", "change", "{}")]);
    run.decide_all();
    run.step(Input::Fatal { call: CallId::new("c1").unwrap(), message: "the disk is gone".into() });
    assert_eq!(run.outcome(), Some(&Outcome::Failed { message: "the disk is gone".into() }));
    check_paired(run.machine.transcript().messages());
}

// F39: a repeated round of calls is stopped if its results are the same each time; with other results it continues.
#[test]
fn repeated_rounds_of_calls_are_stopped() {
    #[track_caller]
    fn check(period: usize, same: bool) {
        let mut run = Driven::start(config());
        let mut ran = 0_usize;
        for number in 0..40_usize {
            let id = format!("c{number}");
            let arguments = format!(r#"{{"n":{}}}"#, number % period);
            run.answer([call(&id, "look", &arguments)]);
            run.decide_all();
            if run.ran().is_empty() {
                break;
            }
            ran += 1;
            let text = if same { "the same".to_owned() } else { format!("now it is {number}") };
            run.step(Input::Result(ToolResult::text(CallId::new(id).unwrap(), ResultStatus::Ok, text)));
        }
        let expected = if same { period * 3 } else { 40 };
        assert_eq!(ran, expected, "a round of {period}");
        if same {
            assert!(run.texts_of_results().contains("each time with the same results"));
        }
    }
    for period in 2..=4 {
        check(period, true);
        check(period, false);
    }
    // Longer rounds are not detected.
    check(5, false);
}

/// Makes the same call this many times; each result is the text that `answer` returns for its number. Returns
/// the calls that ran.
fn poll(tool: &str, times: usize, answer: impl Fn(usize) -> String) -> (usize, Vec<Entry>) {
    poll_with(config(), tool, times, answer)
}

/// Like `poll`, with another configuration.
fn poll_with(
    config: Config,
    tool: &str,
    times: usize,
    answer: impl Fn(usize) -> String,
) -> (usize, Vec<Entry>) {
    let mut run = Driven::start(config);
    let mut record = entries(&run.effects);
    let mut ran = 0;
    for number in 0..times {
        let id = format!("c{number}");
        run.answer([call(&id, tool, "{}")]);
        run.decide_all();
        if tool == "change" && !run.to_decide().is_empty() {
            run.approve(&id);
        }
        if run.ran().is_empty() {
            record.extend(entries(&run.effects));
            return (ran, record);
        }
        ran += 1;
        let result = ToolResult::text(CallId::new(id).unwrap(), ResultStatus::Ok, answer(number));
        run.step(Input::Result(result));
        record.extend(entries(&run.effects));
    }
    (ran, record)
}

// Library B5: polling is progress as long as the answer changes. A call with an effect is not repeated
// without limit.
#[test]
fn polling_continues_while_its_result_changes() {
    assert_eq!(poll("look", 12, |number| format!("{number} percent")).0, 12);
    assert_eq!(
        poll("look", 12, |number| format!("{} percent", number.min(5))).0,
        8,
        "three with the same answer"
    );
    assert_eq!(poll("look", 12, |_| "still working".into()).0, 3);
    assert_eq!(poll("change", 12, |number| format!("{number} lines")).0, 3);
}

/// The configuration with a tool `look` that states that it polls.
fn polling() -> Config {
    let mut config = config();
    for tool in config.tools.iter_mut().filter(|tool| tool.spec.name().as_str() == "look") {
        tool.hints.polls = true;
    }
    config
}

// Library B5: a tool that polls may return the same state as often as the limit of turns allows.
#[test]
fn a_tool_that_polls_is_not_refused_as_a_repeat() {
    let (ran, record) = poll_with(polling(), "look", 12, |_| "still working".into());
    assert_eq!(ran, 12);
    let (machine, effects) = Machine::resume(polling(), record, 0).unwrap();
    let mut run = Driven { machine, effects, now: 0 };
    run.answer([call("next", "look", "{}")]);
    assert_eq!(run.to_decide().len(), 1, "a resumed run does not refuse it either");
}

// The hint does not hide that another call is repeated between the polls.
#[test]
fn a_call_that_alternates_with_polls_is_refused_as_a_round() {
    let mut run = Driven::start(polling());
    let mut changes = 0;
    for number in 0..40 {
        let (id, tool) = (format!("c{number}"), if number % 2 == 0 { "change" } else { "look" });
        run.answer([call(&id, tool, "{}")]);
        run.decide_all();
        if !run.to_decide().is_empty() && tool == "change" {
            run.approve(&id);
        }
        if run.ran().is_empty() {
            assert_eq!(tool, "change");
            break;
        }
        changes += usize::from(tool == "change");
        run.result(&id, ResultStatus::Ok);
    }
    assert_eq!(changes, 3);
}

#[test]
fn a_resumed_run_counts_polling_as_a_live_one_does() {
    for (times, runs) in [(7, true), (8, false)] {
        let (_, record) = poll("look", times, |number| format!("{} percent", number.min(5)));
        let (machine, effects) = Machine::resume(config(), record, 0).unwrap();
        let mut run = Driven { machine, effects, now: 0 };
        run.answer([call("next", "look", "{}")]);
        assert_eq!(!run.to_decide().is_empty(), runs, "after {times} calls");
    }
}

// Correctness 25: zero turns the limit off.
#[test]
fn an_approval_without_a_limit_waits() {
    let mut run = Driven::start(limits(|limits| limits.approval_timeout_ms = 0));
    run.answer([call("b", "change", "{}")]);
    run.decide_all();
    assert_eq!(run.machine.next_deadline(), None);
    run.now = 100_000_000;
    run.step(Input::Tick);
    assert!(!run.events().iter().any(|event| matches!(event, Event::ApprovalEnded { .. })));
    run.approve("b");
    assert_eq!(run.ran(), ["b"]);
}

// A refuted suspicion: the assembler renames calls with equal ids first, so a malformed call does not invalidate
// another one.
#[test]
fn of_two_calls_with_one_id_only_the_malformed_one_is_refused() {
    for (first, second) in [("{}", "[1]"), ("[1]", "{}")] {
        let mut run = Driven::start(config());
        run.answer([call("a", "look", first), call("a", "look", second)]);
        assert_eq!(run.to_decide().len(), 1);
        run.decide_all();
        let id = run.ran().remove(0);
        run.result(&id, ResultStatus::Ok);
        let statuses: Vec<_> = run.statuses().into_iter().map(|(_, status)| status).collect();
        let ok_first = [ResultStatus::Ok, ResultStatus::InvalidArguments];
        let expected: Vec<_> =
            if first == "{}" { ok_first.to_vec() } else { ok_first.into_iter().rev().collect() };
        assert_eq!(statuses, expected);
    }
}
