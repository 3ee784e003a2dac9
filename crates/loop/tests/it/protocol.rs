//! The protocol of calls is chosen once, recorded, and restored (P5).

use windlass_loop::{Command, Config, Entry, Event, Input, Machine, Outcome, StreamFailure};
use windlass_protocol::{
    Message, ToolProtocol,
    ToolProtocol::{Native, Structured, Text},
};

use crate::driven::{Driven, call, config, entries};

const ORDER: [ToolProtocol; 3] = [Native, Structured, Text];

fn start(order: &[ToolProtocol]) -> Driven {
    Driven::start(config().with_protocols(order.iter().copied()))
}

fn refuse(run: &mut Driven) {
    run.effects.clear();
    let failure = StreamFailure::new("this model has no tools", false).mark_protocol();
    run.step(Input::StreamEnd(Err(failure)));
}

/// The protocols of the requests that are to be sent.
fn sent(run: &Driven) -> Vec<ToolProtocol> {
    let sent = run.effects.iter().filter_map(|effect| match effect {
        Command::Send { protocol, .. } => Some(*protocol),
        _ => None,
    });
    sent.collect()
}

fn resumed(config: Config, record: &[Entry]) -> Machine {
    Machine::resume(config, record.to_vec(), 0).unwrap().0
}

#[test]
fn a_run_uses_the_first_protocol_or_native_calls() {
    assert_eq!(sent(&start(&[])), [Native]);
    assert_eq!(sent(&start(&[Text, Native])), [Text]);
}

#[test]
fn a_tool_protocol_refused_before_the_first_answer_is_replaced() {
    let mut run = start(&ORDER);
    for next in [Structured, Text] {
        refuse(&mut run);
        assert_eq!(sent(&run), [next]);
        assert!(entries(&run.effects).contains(&Entry::Protocol { protocol: next }));
        let told = |effect: &Command| matches!(effect, Command::Show(Event::ProtocolChanged { protocol, .. }) if *protocol == next);
        assert!(run.effects.iter().any(told));
    }
    refuse(&mut run);
    assert!(
        matches!(run.effects.last(), Some(Command::Done(Outcome::Failed { message })) if message.contains("no tools"))
    );
}

#[test]
fn an_answer_locks_the_run() {
    let mut run = start(&ORDER);
    refuse(&mut run);
    run.answer([call("c1", "look", "{}")]);
    run.decide_all();
    run.result("c1", windlass_protocol::ResultStatus::Ok);
    assert_eq!(sent(&run), [Structured]);
    refuse(&mut run);
    assert!(matches!(run.effects.last(), Some(Command::Done(Outcome::Failed { .. }))));
}

#[test]
fn a_resumed_run_keeps_its_recorded_protocol() {
    let mut run = start(&ORDER);
    let mut record = entries(&run.effects);
    refuse(&mut run);
    record.extend(entries(&run.effects));
    // A machine with another configuration resumes the run.
    assert_eq!(resumed(config(), &record).protocol(), Structured);
    assert_eq!(resumed(config().with_protocols([Text]), &record).protocol(), Structured);
    assert_eq!(resumed(config().with_protocols([Text]), &record[..1]).protocol(), Native);
}

#[test]
fn a_resumed_run_without_an_answer_may_still_give_way() {
    let run = start(&ORDER);
    let record = entries(&run.effects);
    let (machine, effects) = Machine::resume(config().with_protocols(ORDER), record, 0).unwrap();
    let mut run = Driven { machine, effects, now: 0 };
    refuse(&mut run);
    assert_eq!(sent(&run), [Structured]);
}

#[test]
fn a_record_of_version_1_is_native() {
    let task = serde_json::to_value(Message::user("go")).unwrap();
    let entry = serde_json::json!({"entry": "started", "version": 1, "task": task});
    let entry: Entry = serde_json::from_value(entry).unwrap();
    assert_eq!(resumed(config().with_protocols([Text]), &[entry]).protocol(), Native);
}
