//! Tests of the completions that end a run (L1, L2).

use windlass_loop::Outcome;
use windlass_protocol::ResultStatus;

use crate::driven::{Driven, call, check_paired, config};

#[test]
fn a_completion_alone_ends_the_run_and_is_on_record() {
    let mut run = Driven::start(config());
    run.answer([call("c1", "done", r#"{"result":"all good"}"#)]);
    run.decide_all();
    run.result("c1", ResultStatus::Ok);
    assert_eq!(run.outcome(), Some(&Outcome::Completed { text: "all good".into() }));
    assert_eq!(run.statuses(), [("c1".into(), ResultStatus::Ok)]);
}

#[test]
fn a_completion_waits_for_its_siblings() {
    let mut run = Driven::start(config());
    run.answer([call("c1", "look", "{}"), call("c2", "done", r#"{"result":"r"}"#)]);
    assert_eq!(run.to_decide().len(), 1);
    run.decide_all();
    run.effects.clear();
    run.result("c1", ResultStatus::Ok);
    assert_eq!(run.to_decide().len(), 1, "now it is its turn");
    run.decide_all();
    run.result("c2", ResultStatus::Ok);
    assert_eq!(run.outcome(), Some(&Outcome::Completed { text: "r".into() }));
}

#[test]
fn a_completion_after_a_failed_sibling_is_refused() {
    let mut run = Driven::start(config());
    run.answer([call("c1", "look", "{}"), call("c2", "done", r#"{"result":"r"}"#)]);
    run.decide_all();
    run.result("c1", ResultStatus::Error);
    assert_eq!(run.outcome(), None);
    assert_eq!(run.statuses(), [("c1".into(), ResultStatus::Error), ("c2".into(), ResultStatus::Error)]);
    assert!(run.is_sent());
}

#[test]
fn a_completion_that_is_not_the_last_call_is_refused() {
    let mut run = Driven::start(config());
    run.answer([call("c1", "done", r#"{"result":"r"}"#), call("c2", "look", "{}")]);
    run.decide_all();
    run.result("c2", ResultStatus::Ok);
    assert_eq!(run.outcome(), None);
    assert_eq!(run.statuses(), [("c1".into(), ResultStatus::Error), ("c2".into(), ResultStatus::Ok)]);
}

#[test]
fn two_completions_in_one_answer_are_both_errors() {
    let mut run = Driven::start(config());
    run.answer([call("c1", "done", r#"{"result":"a"}"#), call("c2", "done", r#"{"result":"b"}"#)]);
    assert_eq!(run.outcome(), None);
    assert_eq!(run.statuses(), [("c1".into(), ResultStatus::Error), ("c2".into(), ResultStatus::Error)]);
}

// L1: the human's feedback is the result of the rejected call.
#[test]
fn a_run_continues_if_the_human_rejects_its_completion() {
    let mut run = Driven::start(config());
    run.answer([call("c1", "done", r#"{"result":"r"}"#)]);
    run.decide_all();
    run.result("c1", ResultStatus::Denied);
    assert_eq!(run.outcome(), None);
    assert!(run.is_sent());
    check_paired(run.machine.transcript().messages());
}
