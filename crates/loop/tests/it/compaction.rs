//! Conversations that a person compacts.

use windlass_loop::{
    ContextLimits, DeliverAt, Entry, Event, Input, Machine, Outcome, StreamFailure, Transcript,
};
use windlass_protocol::{CallId, Image, Message, Part, ResultStatus, StopReason, ToolResult};
use windlass_stream::Chunk;

use crate::driven::{Driven, call, check_paired, config, entries, finish};

/// A run of eight turns, whose results have 600 bytes each.
fn eight_turns() -> Driven {
    let mut run = Driven::start(config());
    for number in 0..8 {
        let id = format!("c{number}");
        run.answer([call(&id, "look", &format!(r#"{{"n":{number}}}"#))]);
        run.decide_all();
        let result = ToolResult::text(CallId::new(id).unwrap(), ResultStatus::Ok, "x".repeat(600));
        run.step(Input::Result(result));
    }
    run
}

fn conversation() -> Transcript {
    eight_turns().machine.transcript().clone()
}

fn resume(record: Vec<Entry>) -> Driven {
    let (machine, effects) = Machine::resume(config(), record, 0).unwrap();
    Driven { machine, effects, now: 0 }
}

fn compact(history: Transcript) -> Driven {
    let mut machine = Machine::new(config()).with_history(history);
    let effects = machine.step(Input::Compact, 0);
    Driven { machine, effects, now: 0 }
}

fn summarize(run: &mut Driven, text: &str) {
    run.step(Input::Chunk(Chunk::text(text)));
    run.step(Input::Chunk(finish(StopReason::End)));
    run.step(Input::StreamEnd(Ok(())));
}

fn words(run: &Driven) -> String {
    run.machine.transcript().messages().iter().map(Message::text).collect()
}

#[test]
fn a_machine_without_a_task_compacts_and_ends() {
    let history = conversation();
    let count = history.messages().len();
    let mut run = compact(history);
    assert!(run.is_sent() && run.events().contains(&&Event::ContextCondensing));
    let mut record = entries(&run.effects);
    assert!(matches!(record.first(), Some(Entry::Started { only_compacts: true, .. })));
    run.effects.clear();
    summarize(&mut run, "Eight files were read.");
    record.extend(entries(&run.effects));
    let sizes = |entry: &Entry| match entry {
        Entry::Compacted { before, after, .. } => Some((*before, *after)),
        _ => None,
    };
    let (first, last) =
        (record.iter().find_map(sizes).unwrap(), record.iter().rev().find_map(sizes).unwrap());
    let text = format!("The conversation was compacted: about {} tokens instead of {}.", last.1, first.0);
    assert!(last.1 > 0 && last.1 < first.0 / 2, "{first:?} {last:?}");
    assert_eq!(run.outcome(), Some(&Outcome::Completed { text }));
    assert!(words(&run).contains("Eight files were read.") && words(&run).starts_with("the task"));
    assert!(!words(&run).contains("Compact the conversation"), "the model does not see the run's own task");
    let messages = run.machine.transcript().messages();
    assert!(messages.len() < count);
    check_paired(messages);

    // The conversation is restored from the record, for the next run of the session.
    record.retain(|entry| !matches!(entry, Entry::Finished { .. }));
    let (restored, effects) = Machine::resume(config(), record, 0).unwrap();
    assert_eq!(restored.transcript().messages(), run.machine.transcript().messages());
    let resumed = Driven { machine: restored, effects, now: 0 };
    assert!(matches!(resumed.outcome(), Some(Outcome::Completed { .. })), "{:?}", resumed.effects);
}

#[test]
fn a_compaction_that_was_killed_is_repeated() {
    let mut in_words = eight_turns();
    in_words.answer([Chunk::text("All is read.")]);
    let mut by_call = eight_turns();
    by_call.answer([call("d", "done", r#"{"result":"ok"}"#)]);
    by_call.decide_all();
    by_call.result("d", ResultStatus::Ok);
    for history in [eight_turns(), in_words, by_call].map(|run| run.machine.transcript().clone()) {
        let killed = compact(history);
        assert!(killed.is_sent());
        let mut record = entries(&killed.effects);
        let mut run = resume(record.clone());
        assert!(run.is_sent(), "the end of the conversation is not the end of this run");
        record.extend(entries(&run.effects));
        run.effects.clear();
        summarize(&mut run, "Again.");
        let Some(Outcome::Completed { text }) = run.outcome() else { panic!("{:?}", run.effects) };
        assert!(text.starts_with("The conversation was compacted"), "{text}");
        assert!(!words(&run).contains("interrupted"), "{}", words(&run));
        record.extend(entries(&run.effects));
        record.retain(|entry| !matches!(entry, Entry::Finished { .. }));
        let restored = resume(record);
        assert_eq!(restored.machine.transcript().messages(), run.machine.transcript().messages());
    }
}

#[test]
fn a_compaction_without_a_summary_fails_and_keeps_the_turns() {
    let history = conversation();
    let count = history.messages().len();
    let mut run = compact(history);
    for _ in 0..2 {
        run.step(Input::StreamEnd(Err(StreamFailure::new("overloaded", true))));
    }
    assert_eq!(run.outcome(), Some(&Outcome::Failed { message: "overloaded".into() }));
    assert_eq!(run.machine.transcript().messages().len(), count);
}

#[test]
fn a_short_conversation_is_not_compacted() {
    let mut run = Driven::start(config());
    run.answer([Chunk::text("hello")]);
    let history = run.machine.transcript().clone();
    let count = history.messages().len();
    let run = compact(history);
    let Some(Outcome::Completed { text }) = run.outcome() else { panic!("{:?}", run.effects) };
    assert!(text.contains("nothing in it can be removed"), "{text}");
    assert_eq!(run.machine.transcript().messages().len(), count);
}

#[test]
fn a_working_run_compacts_before_its_next_request() {
    let limits = ContextLimits { keep_result_bytes: 100_000, ..ContextLimits::default() };
    let mut run = Driven::start(config().with_context(limits));
    for number in 0..4 {
        let id = format!("c{number}");
        run.answer([call(&id, "look", &format!(r#"{{"n":{number}}}"#))]);
        run.decide_all();
        if number == 3 {
            run.step(Input::Compact);
            assert!(!run.events().contains(&&Event::ContextCondensing), "the call still runs");
        }
        run.result(&id, ResultStatus::Ok);
    }
    assert!(run.events().contains(&&Event::ContextCondensing));
    run.effects.clear();
    summarize(&mut run, "Three files were read.");
    assert!(run.outcome().is_none() && run.is_sent(), "the task continues");
    assert!(words(&run).contains("Three files were read."));
    run.answer([call("d", "done", r#"{"result":"ok"}"#)]);
    run.decide_all();
    run.result("d", ResultStatus::Ok);
    assert!(matches!(run.outcome(), Some(Outcome::Completed { text }) if text == "ok"));
    run.effects.clear();
    run.step(Input::Compact);
    assert!(run.effects.is_empty(), "the run is over");
}

#[test]
fn a_message_during_a_compaction_becomes_a_task() {
    let mut run = compact(conversation());
    let say =
        |text: &str| Input::Say { id: None, text: text.into(), parts: Vec::new(), when: DeliverAt::NextTurn };
    run.step(say("now the tests"));
    run.effects.clear();
    summarize(&mut run, "Eight files were read.");
    assert!(run.is_sent() && run.outcome().is_none());
    assert!(words(&run).ends_with("now the tests"));
    let mut record = entries(&run.effects);
    run.answer([Chunk::text("fine")]);
    record.extend(entries(&run.effects));
    assert!(record.iter().any(|entry| matches!(entry, Entry::Answered { .. })));
}

#[test]
fn a_message_has_pictures_which_survive_a_restart() {
    let picture = Part::Image(Image::base64("image/png", "AAAA"));
    let mut run = Driven::start(config());
    let mut record = entries(&run.effects);
    run.answer([call("a", "look", "{}")]);
    run.decide_all();
    let parts = vec![picture.clone()];
    let say =
        Input::Say { id: Some("m1".into()), text: "like this".into(), parts, when: DeliverAt::NextTurn };
    run.step(say);
    record.extend(entries(&run.effects));
    let text = serde_json::to_string(&record).unwrap();
    let record: Vec<Entry> = serde_json::from_str(&text).unwrap();
    // The process is killed while the message waits.
    let (machine, effects) = Machine::resume(config(), record.clone(), 0).unwrap();
    let mut resumed = Driven { machine, effects, now: 0 };
    resumed.decide_all();
    for (run, mut record) in [(&mut run, record.clone()), (&mut resumed, record)] {
        run.effects.clear();
        run.result("a", ResultStatus::Ok);
        let last = run.machine.transcript().messages().last().unwrap().clone();
        assert_eq!(last.parts, [Part::text("like this"), picture.clone()]);
        assert!(run.events().contains(&&Event::Said { text: "like this".into() }));
        // The message is not sent a second time.
        record.extend(entries(&run.effects));
        record.retain(|entry| !matches!(entry, Entry::Resumed { .. }));
        let (machine, _) = Machine::resume(config(), record, 0).unwrap();
        assert_eq!(machine.transcript().messages().last(), Some(&last));
        assert_eq!(machine.transcript().messages().iter().filter(|message| **message == last).count(), 1);
    }
}
