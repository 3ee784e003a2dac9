//! Resuming from a record that was cut anywhere (R5, R6).

use windlass_loop::{Command, Entry, Machine, Outcome, ResumeError};
use windlass_protocol::ResultStatus;

use crate::driven::{Driven, call, check_paired, config, entries, finish};
use windlass_loop::Input;
use windlass_protocol::StopReason;

/// The record of a run with a read, a write that was approved, and a malformed call.
fn record() -> Vec<Entry> {
    let mut run = Driven::start(config());
    let mut record = entries(&run.effects);
    run.answer([call("c1", "look", "{}"), call("c2", "change", "{}"), call("c3", "look", "[1]")]);
    run.decide_all();
    run.approve("c2");
    run.result("c2", ResultStatus::Ok);
    run.result("c1", ResultStatus::Ok);
    record.extend(entries(&run.effects));
    run.answer([call("c4", "done", r#"{"result":"r"}"#)]);
    run.decide_all();
    run.result("c4", ResultStatus::Ok);
    record.extend(entries(&run.effects));
    assert!(matches!(record.last(), Some(Entry::Finished { .. })));
    record
}

#[test]
fn a_record_cut_anywhere_resumes_and_never_reruns_a_finished_call() {
    let record = record();
    for cut in 1..record.len() {
        let (machine, effects) = Machine::resume(config(), record[..cut].to_vec(), 0).unwrap();
        check_paired(machine.transcript().messages());
        let finished: Vec<_> = record[..cut]
            .iter()
            .filter_map(|entry| match entry {
                Entry::Result { result } => Some(result.call.clone()),
                _ => None,
            })
            .collect();
        let begun = |id: &str| {
            record[..cut].iter().any(|entry| matches!(entry, Entry::Intent { call } if call.as_str() == id))
        };
        assert!(!effects.is_empty(), "cut {cut} goes on");
        for effect in &effects {
            if let Command::Decide(call) = effect {
                assert!(!finished.contains(&call.id), "cut {cut}: {} has its result", call.id);
                assert!(call.id.as_str() != "c3", "cut {cut}: a malformed call never becomes runnable");
                assert!(!(call.id.as_str() == "c2" && begun("c2")), "cut {cut}: a write that had begun");
            }
        }
    }
}

#[test]
fn a_started_write_without_a_result_has_unknown_effects() {
    let record = record();
    let at = record.iter().position(|entry| matches!(entry, Entry::Intent { call } if call.as_str() == "c2"));
    let (_, effects) = Machine::resume(config(), record[..=at.unwrap()].to_vec(), 0).unwrap();
    let unknown = entries(&effects).into_iter().any(|entry| {
        matches!(entry, Entry::Result { result } if result.call.as_str() == "c2"
            && result.status == ResultStatus::EffectsUnknown)
    });
    assert!(unknown);
}

#[test]
fn a_record_survives_json() {
    for entry in record() {
        let text = serde_json::to_string(&entry).unwrap();
        assert_eq!(serde_json::from_str::<Entry>(&text).unwrap(), entry);
    }
}

#[test]
fn completed_or_invalid_records_are_not_resumed() {
    assert!(matches!(Machine::resume(config(), record(), 0), Err(ResumeError::Completed)));
    assert!(matches!(Machine::resume(config(), Vec::new(), 0), Err(ResumeError::NotStarted)));
    assert!(matches!(Machine::resume(config(), record()[1..].to_vec(), 0), Err(ResumeError::NotStarted)));
    let doubled: Vec<_> = record().into_iter().flat_map(|entry| [entry.clone(), entry]).collect();
    assert!(Machine::resume(config(), doubled, 0).is_err());
}

#[test]
fn a_resumed_run_completes() {
    let record = record();
    let at = record.iter().position(|entry| matches!(entry, Entry::Result { .. })).unwrap();
    let (machine, effects) = Machine::resume(config(), record[..=at].to_vec(), 0).unwrap();
    let mut run = Driven { machine, effects, now: 0 };
    for _ in 0..8 {
        if run.is_sent() {
            break;
        }
        run.decide_all();
        run.approve("c2");
        for id in run.ran() {
            run.result(&id, ResultStatus::Ok);
        }
    }
    run.effects.clear();
    run.step(Input::Chunk(call("c9", "done", r#"{"result":"r"}"#)));
    run.step(Input::Chunk(finish(StopReason::Calls)));
    run.step(Input::StreamEnd(Ok(())));
    run.decide_all();
    run.result("c9", ResultStatus::Ok);
    assert_eq!(run.outcome(), Some(&Outcome::Completed { text: "r".into() }));
    check_paired(run.machine.transcript().messages());
}

// Correctness 30: a record that contradicts itself is an error, whatever its content.
#[test]
fn a_task_that_is_not_a_human_message_is_an_error() {
    let mut record = record();
    if let Entry::Started { task, .. } = &mut record[0] {
        task.parts.clear();
    }
    let error = Machine::resume(config(), record.clone(), 0).unwrap_err();
    assert!(matches!(error, ResumeError::Contradiction { position: 0, .. }), "{error}");
    if let Entry::Started { task, .. } = &mut record[0] {
        *task = windlass_protocol::Message::assistant(vec![windlass_protocol::Part::text("a task")]);
    }
    assert!(Machine::resume(config(), record, 0).is_err());
}
