//! A call that is the last of its answer (L12).

use windlass_loop::Machine;
use windlass_protocol::ResultStatus::{Error, NotStarted, Ok};

use crate::driven::{Driven, call, check_paired, entries, with_hand};

#[test]
fn calls_after_a_final_call_are_not_started_and_report_it() {
    let mut run = Driven::start(with_hand());
    run.answer([call("c1", "hand", "{}"), call("c2", "look", "{}"), call("c3", "hand", "{}")]);
    assert_eq!(run.to_decide().len(), 1);
    run.decide_all();
    assert_eq!(run.ran(), ["c1"]);
    run.result("c1", Ok);
    assert_eq!(run.statuses(), [("c1".into(), Ok), ("c2".into(), NotStarted), ("c3".into(), NotStarted)]);
    assert!(
        run.texts_of_results().contains("hand is the last call of its answer, and this one came after it")
    );
    assert!(run.is_sent());
    check_paired(run.machine.transcript().messages());
}

#[test]
fn a_last_call_waits_for_earlier_calls_with_any_status() {
    for status in [Ok, Error] {
        let mut run = Driven::start(with_hand());
        run.answer([call("c1", "look", "{}"), call("c2", "hand", "{}")]);
        assert_eq!(run.to_decide().len(), 1);
        run.decide_all();
        run.effects.clear();
        run.result("c1", status);
        assert_eq!(run.to_decide().len(), 1, "now it is its turn");
        run.decide_all();
        run.result("c2", Ok);
        assert_eq!(run.statuses(), [("c1".into(), status), ("c2".into(), Ok)]);
    }
}

#[test]
fn a_completion_next_to_a_last_call_does_not_count() {
    let mut run = Driven::start(with_hand());
    run.answer([call("c1", "hand", "{}"), call("c2", "done", r#"{"result":"r"}"#)]);
    run.decide_all();
    run.result("c1", Ok);
    assert_eq!(run.outcome(), None);
    assert_eq!(run.statuses(), [("c1".into(), Ok), ("c2".into(), NotStarted)]);
    let mut run = Driven::start(with_hand());
    run.answer([call("c1", "done", r#"{"result":"r"}"#), call("c2", "hand", "{}")]);
    run.decide_all();
    run.result("c2", Ok);
    assert_eq!(run.outcome(), None);
    assert_eq!(run.statuses(), [("c1".into(), Error), ("c2".into(), Ok)]);
}

#[test]
fn a_call_that_cannot_run_does_not_delay_other_calls() {
    let mut run = Driven::start(with_hand());
    run.answer([call("c1", "hand", "[1]"), call("c2", "look", "{}")]);
    run.decide_all();
    assert_eq!(run.ran(), ["c2"]);
}

#[test]
fn calls_keep_waiting_in_order_after_a_resume() {
    let mut run = Driven::start(with_hand());
    let mut record = entries(&run.effects);
    run.answer([call("c1", "hand", "{}"), call("c2", "change", "{}")]);
    record.extend(entries(&run.effects));
    for cut in 2..=record.len() {
        let (machine, effects) = Machine::resume(with_hand(), record[..cut].to_vec(), 0).unwrap();
        let mut again = Driven { machine, effects, now: 0 };
        assert_eq!(again.to_decide().len(), 1, "cut {cut}");
        again.decide_all();
        assert_eq!(again.ran(), ["c1"]);
        again.result("c1", Ok);
        assert_eq!(again.statuses(), [("c1".into(), Ok), ("c2".into(), NotStarted)]);
    }
}
