//! Messages to a run while it works.

use windlass_loop::{Command, DeliverAt, Entry, Event, Input, Machine, Outcome};
use windlass_protocol::ResultStatus;

use crate::driven::{Driven, call, check_paired, config, entries};

fn say(run: &mut Driven, text: &str, when: DeliverAt) {
    run.step(Input::Say { id: None, text: text.into(), parts: Vec::new(), when });
}

fn said(run: &Driven) -> Vec<String> {
    let messages = run.machine.transcript().messages();
    let said = messages.iter().filter(|message| message.role == windlass_protocol::Role::User);
    said.skip(1).map(windlass_protocol::Message::text).collect()
}

#[test]
fn messages_sent_while_calls_run_follow_their_results() {
    let mut run = Driven::start(config());
    run.answer([call("a", "look", "{}")]);
    run.decide_all();
    say(&mut run, "be brief", DeliverAt::NextTurn);
    say(&mut run, "and quick", DeliverAt::NextTurn);
    assert!(said(&run).is_empty());
    run.result("a", ResultStatus::Ok);
    assert!(run.is_sent());
    assert_eq!(said(&run), ["be brief", "and quick"]);
    assert!(run.events().contains(&&Event::Said { text: "be brief".into() }));
    check_paired(run.machine.transcript().messages());
}

#[test]
fn a_completed_task_continues_with_messages_received_meanwhile() {
    let mut run = Driven::start(config());
    run.answer([call("a", "done", r#"{"result":"first"}"#)]);
    say(&mut run, "then the changelog", DeliverAt::AfterTask);
    say(&mut run, "wait, not that", DeliverAt::NextTurn);
    run.decide_all();
    run.result("a", ResultStatus::Ok);
    assert!(
        run.events()
            .iter()
            .any(|event| matches!(event, Event::TaskCompleted { text, .. } if text == "first"))
    );
    assert_eq!(run.outcome(), None);
    assert_eq!(said(&run), ["wait, not that"], "first what was meant for now");
    run.answer([call("b", "done", r#"{"result":"second"}"#)]);
    run.decide_all();
    run.result("b", ResultStatus::Ok);
    assert_eq!(said(&run).last().unwrap(), "then the changelog");
    run.answer([call("c", "done", r#"{"result":"third"}"#)]);
    run.decide_all();
    run.result("c", ResultStatus::Ok);
    assert_eq!(run.outcome(), Some(&Outcome::Completed { text: "third".into() }));
}

// R5: a queued message is recorded before it is delivered, and is delivered once.
#[test]
fn messages_survive_a_crash_and_are_delivered_once() {
    let mut run = Driven::start(config());
    let mut record = entries(&run.effects);
    run.answer([call("a", "look", "{}")]);
    run.decide_all();
    say(&mut run, "be brief", DeliverAt::NextTurn);
    record.extend(entries(&run.effects));
    assert!(matches!(record.last(), Some(entry @ Entry::Queued { .. }) if entry.is_critical()));
    let resume = |record: &[Entry]| {
        let (machine, effects) = Machine::resume(config(), record.to_vec(), 0).unwrap();
        Driven { machine, effects, now: 0 }
    };
    let mut run = resume(&record);
    run.decide_all();
    run.result("a", ResultStatus::Ok);
    assert_eq!(said(&run), ["be brief"]);
    record.extend(entries(&run.effects));
    let mut run = resume(&record);
    run.answer([call("b", "look", r#"{"n":1}"#)]);
    run.decide_all();
    run.result("b", ResultStatus::Ok);
    assert_eq!(said(&run), ["be brief"]);
}

#[test]
fn undeliverable_messages_are_refused_with_an_event() {
    #[track_caller]
    fn check(run: &mut Driven, text: &str) {
        run.effects.clear();
        say(run, text, DeliverAt::NextTurn);
        assert!(
            matches!(run.effects[..], [Command::Show(Event::MessageRefused { .. })]),
            "{:?}",
            run.effects
        );
    }
    let mut run = Driven::start(config());
    check(&mut run, " \n ");
    for _ in 0..100 {
        say(&mut run, "more", DeliverAt::NextTurn);
    }
    check(&mut run, "too much");
    run.step(Input::Cancel);
    check(&mut run, "too late");
}

fn say_as(run: &mut Driven, id: &str, text: &str) {
    run.step(Input::Say {
        id: Some(id.into()),
        text: text.into(),
        parts: Vec::new(),
        when: DeliverAt::NextTurn,
    });
}

// The crash point between the record and the sender that removes its stored message (R5).
#[test]
fn a_message_repeated_under_one_id_is_delivered_once() {
    let repeated = || Command::Show(Event::MessageRepeated { id: "m1".into() });
    let mut run = Driven::start(config());
    let mut record = entries(&run.effects);
    run.answer([call("a", "look", "{}")]);
    run.decide_all();
    say_as(&mut run, "m1", "be brief");
    record.extend(entries(&run.effects));
    let resume = |record: &[Entry]| {
        let (machine, effects) = Machine::resume(config(), record.to_vec(), 0).unwrap();
        Driven { machine, effects, now: 0 }
    };
    // The process is killed here, and the sender still has the message.
    let mut run = resume(&record);
    assert_eq!(
        run.machine.step(
            Input::Say {
                id: Some("m1".into()),
                text: "be brief".into(),
                parts: Vec::new(),
                when: DeliverAt::NextTurn
            },
            0
        ),
        [repeated()]
    );
    say_as(&mut run, "m2", "be brief");
    run.decide_all();
    run.result("a", ResultStatus::Ok);
    assert_eq!(said(&run), ["be brief", "be brief"], "the same words under another id are another message");
    record.extend(entries(&run.effects));
    // A message that was delivered before the crash arrives once more.
    let mut run = resume(&record);
    run.effects.clear();
    say_as(&mut run, "m1", "be brief");
    assert_eq!(run.effects, [repeated()]);
    assert_eq!(said(&run), ["be brief", "be brief"]);
}

// Messages of version 6 have no id, and are never taken for one another.
#[test]
fn a_message_without_an_id_is_always_another_one() {
    let old = r#"{"entry":"queued","text":"be brief","when":"next_turn"}"#;
    let entry: Entry = serde_json::from_str(old).unwrap();
    assert_eq!(serde_json::to_string(&entry).unwrap(), old);
    let mut run = Driven::start(config());
    run.answer([call("a", "look", "{}")]);
    run.decide_all();
    let mut record = entries(&Driven::start(config()).effects);
    record.extend(entries(&run.effects));
    record.push(entry);
    let (machine, effects) = Machine::resume(config(), record, 0).unwrap();
    let mut run = Driven { machine, effects, now: 0 };
    say(&mut run, "be brief", DeliverAt::NextTurn);
    run.decide_all();
    run.result("a", ResultStatus::Ok);
    assert_eq!(said(&run), ["be brief", "be brief"]);
}
