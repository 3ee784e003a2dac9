//! Calls that are refused while they still stream (DESIGN "Early decision").

use windlass_assemble::CallIndex;
use windlass_hitl::{Reason, Source};
use windlass_loop::{Command, EarlyRefusal, Event, Input, RepairKind, Repairs};
use windlass_protocol::{ResultStatus, StopReason};
use windlass_stream::{CallChunk, CallKey, Chunk};

use crate::driven::{Driven, call, check_paired, config, entries, finish};

fn start(key: u64, name: &str) -> Chunk {
    let id = Some(format!("c{key}"));
    Chunk::Call(CallChunk::Start { key: CallKey(key), id, name: name.into(), opaque: None })
}

fn delta(key: u64, arguments: &str) -> Chunk {
    Chunk::Call(CallChunk::Delta { key: CallKey(key), arguments: arguments.into() })
}

fn denial() -> EarlyRefusal {
    EarlyRefusal::Denied(Reason::new("f.outside_write", Source::Builtin, "outside of the workspace"))
}

/// Returns the last early arguments that the machine wants decided.
fn wanted(run: &Driven) -> Option<(u64, CallIndex, String, String)> {
    run.effects.iter().rev().find_map(|effect| match effect {
        Command::CheckEarly { answer, key, tool, argument, value } => {
            Some((*answer, *key, format!("{tool}.{argument}"), value.to_string()))
        }
        _ => None,
    })
}

fn refuse(run: &mut Driven, key: u64) {
    let (answer, ..) = wanted(run).unwrap();
    run.step(Input::RefusedEarly { answer, key: CallIndex(key), refusal: denial() });
}

fn is_stopped(run: &Driven) -> bool {
    run.effects.contains(&Command::CloseStream)
}

#[test]
fn a_refused_call_stops_the_answer_and_saves_the_rest_of_it() {
    let content = "a line of the file\\n";
    let mut script = vec![start(0, "change"), delta(0, r#"{"path":"../../etc/passwd","content":""#)];
    script.extend((0..500).map(|_| delta(0, content)));
    script.extend([delta(0, "\"}"), finish(StopReason::Calls)]);
    let mut run = Driven::start(config());
    run.effects.clear();
    let (mut read, all) = (0, script.len());
    for chunk in script {
        read += 1;
        run.step(Input::Chunk(chunk));
        if let Some((_, key, argument, value)) = wanted(&run) {
            assert_eq!((key, argument.as_str()), (CallIndex(0), "change.path"), "{value}");
            refuse(&mut run, 0);
            break;
        }
    }
    assert!(is_stopped(&run));
    assert_eq!((read, all), (2, 504), "502 of 504 chunks are saved");
    // The call is answered, nothing runs, and the model is asked again.
    assert!(run.ran().is_empty() && run.to_decide().is_empty() && run.is_sent());
    assert_eq!(run.statuses(), [("c0".to_owned(), ResultStatus::Denied)]);
    let text = run.texts_of_results();
    assert!(text.contains("f.outside_write") && text.contains("stopped at this point"), "{text}");
    check_paired(run.machine.transcript().messages());
    assert!(run.events().iter().any(|event| matches!(event, Event::CallRefusedEarly { .. })));
    assert!(!run.events().iter().any(|event| matches!(event, Event::CallMalformed { .. })));
}

#[test]
fn an_answer_continues_while_one_of_its_calls_is_not_refused() {
    let mut run = Driven::start(config());
    run.effects.clear();
    for chunk in [start(0, "change"), start(1, "look"), delta(0, r#"{"path":"/x","#)] {
        run.step(Input::Chunk(chunk));
    }
    refuse(&mut run, 0);
    assert!(!is_stopped(&run));
    run.step(Input::Chunk(delta(1, r#"{"path":"/y","#)));
    refuse(&mut run, 1);
    assert!(is_stopped(&run));
    let denied = |id: &str| (id.to_owned(), ResultStatus::Denied);
    assert_eq!(run.statuses(), [denied("c0"), denied("c1")]);
}

#[test]
fn calls_complete_before_the_cut_still_run() {
    let mut run = Driven::start(config());
    run.effects.clear();
    run.step(Input::Chunk(Chunk::text("I look first.")));
    run.step(Input::Chunk(call("c9", "look", "{}")));
    run.step(Input::Chunk(start(1, "change")));
    run.step(Input::Chunk(delta(1, r#"{"path":"/x","#)));
    refuse(&mut run, 1);
    assert!(is_stopped(&run));
    run.decide_all();
    assert_eq!(run.ran(), ["c9"]);
    run.result("c9", ResultStatus::Ok);
    assert_eq!(
        run.statuses(),
        [("c9".to_owned(), ResultStatus::Ok), ("c1".to_owned(), ResultStatus::Denied)]
    );
    check_paired(run.machine.transcript().messages());
}

#[test]
fn a_late_refusal_changes_nothing() {
    let mut run = Driven::start(config());
    run.effects.clear();
    run.step(Input::Chunk(start(0, "change")));
    run.step(Input::Chunk(delta(0, r#"{"path":"/x"}"#)));
    let (answer, ..) = wanted(&run).unwrap();
    // The call has ended: it is decided like any other.
    run.step(Input::Chunk(Chunk::Call(CallChunk::End { key: CallKey(0), arguments: None })));
    refuse(&mut run, 0);
    assert!(!is_stopped(&run));
    run.step(Input::Chunk(finish(StopReason::Calls)));
    run.step(Input::StreamEnd(Ok(())));
    assert_eq!(run.to_decide().len(), 1);
    // A refusal that arrives while the next answer streams belongs to the previous answer.
    let mut run = Driven::start(config());
    run.step(Input::StreamEnd(Err(windlass_loop::StreamFailure::new("broke", true))));
    run.effects.clear();
    run.step(Input::Chunk(start(0, "change")));
    run.step(Input::RefusedEarly { answer, key: CallIndex(0), refusal: denial() });
    assert!(!is_stopped(&run));
}

// J8
#[test]
fn repairs_are_shown_and_written_down() {
    let mut run = Driven::start(config().with_repairs(Repairs::All));
    run.answer([call("c1", "look", r#"{"path":"a",}"#)]);
    let repairs = run.events().into_iter().find_map(|event| match event {
        Event::CallRepaired { call, repairs } if call.as_str() == "c1" => Some(repairs.clone()),
        _ => None,
    });
    let repairs = repairs.unwrap();
    assert_eq!(repairs.iter().map(|repair| repair.kind).collect::<Vec<_>>(), [RepairKind::TrailingComma]);
    let written = entries(&run.effects).into_iter().find_map(|entry| match entry {
        windlass_loop::Entry::Answered { repaired, .. } => Some(repaired),
        _ => None,
    });
    assert_eq!(written.unwrap().first().map(|repaired| repaired.repairs.clone()), Some(repairs));
    assert_eq!(run.to_decide().first().unwrap().payload.text(), r#"{"path":"a"}"#);
}
