//! Events for readers: the ids of calls, and the ends of texts.

use windlass_loop::{Event, Input};
use windlass_protocol::ResultStatus;
use windlass_stream::{CallChunk, Chunk};

use crate::driven::{Driven, call, config};

fn fragment(index: u64, id: Option<&str>, name: Option<&str>, arguments: &str) -> Chunk {
    Chunk::Call(CallChunk::Partial {
        index: Some(index),
        position: index,
        id: id.map(str::to_owned),
        name: name.map(str::to_owned),
        arguments: Some(arguments.to_owned()),
        opaque: None,
    })
}

/// Returns the name of each event of a call with the id that it has.
fn ids_of(run: &Driven) -> Vec<(&'static str, String)> {
    let id_of = |event: &Event| match event {
        Event::CallStarted { call, .. } => Some(("started", call.to_string())),
        Event::CallArguments { call, .. } => Some(("arguments", call.to_string())),
        Event::CallFinished { call } => Some(("finished", call.id.to_string())),
        Event::CallEnded { result } => Some(("ended", result.call.to_string())),
        _ => None,
    };
    run.events().into_iter().filter_map(id_of).collect()
}

#[test]
fn every_event_of_a_call_has_the_id_with_which_it_started() {
    let mut run = Driven::start(config());
    // The first call's id never arrives, and the id of the second arrives after its name.
    run.answer([
        fragment(0, None, Some("look"), r#"{"a":1}"#),
        fragment(1, None, Some("look"), r#"{"a":"#),
        fragment(1, Some("late"), None, "2}"),
    ]);
    let started: Vec<_> = ids_of(&run).into_iter().filter(|(name, _)| *name == "started").collect();
    let ids: Vec<_> = started.into_iter().map(|(_, id)| id).collect();
    assert_eq!(ids.len(), 2);
    assert_ne!(ids[0], ids[1]);
    for (name, id) in ids_of(&run) {
        assert!(ids.contains(&id), "{name} has the id {id}, the calls have {ids:?}");
    }
    let decided: Vec<_> = run.to_decide().iter().map(|call| call.id.to_string()).collect();
    assert_eq!(decided, ids);
    let kept = run.machine.transcript().open_answer().unwrap();
    assert_eq!(kept.calls().map(|call| call.id.to_string()).collect::<Vec<_>>(), ids);
}

#[test]
fn an_id_of_an_earlier_answer_is_replaced_from_the_first_event_on() {
    let mut run = Driven::start(config());
    run.answer([call("c1", "look", "{}")]);
    run.decide_all();
    run.result("c1", ResultStatus::Ok);
    run.answer([fragment(0, Some("c1"), Some("look"), r#"{"a":1}"#)]);
    let ids: Vec<_> = ids_of(&run).into_iter().map(|(_, id)| id).collect();
    assert!(ids.len() >= 3 && ids.iter().all(|id| id == "call_2_0"), "{ids:?}");
}

#[test]
fn text_and_reasoning_end_before_another_event_starts() {
    let names = |run: &Driven| -> Vec<&'static str> {
        let name = |event: &Event| match event {
            Event::Text { .. } => Some("text"),
            Event::TextEnded => Some("text ended"),
            Event::Reasoning { .. } => Some("reasoning"),
            Event::ReasoningEnded => Some("reasoning ended"),
            Event::CallStarted { .. } => Some("call"),
            Event::AnswerEnded { .. } => Some("answer ended"),
            Event::AttemptDiscarded { .. } => Some("discarded"),
            _ => None,
        };
        run.events().into_iter().filter_map(name).collect()
    };
    let mut run = Driven::start(config());
    run.answer([
        Chunk::reasoning("a"),
        Chunk::reasoning("b"),
        Chunk::text("c"),
        Chunk::TextEnd { opaque: None },
        Chunk::text("d"),
        call("c1", "look", "{}"),
        Chunk::text("e"),
    ]);
    let expected = "reasoning reasoning reasoning_ended text text_ended text text_ended call text text_ended \
        answer_ended";
    let expected: Vec<_> = expected.split_whitespace().map(|name| name.replace('_', " ")).collect();
    assert_eq!(names(&run), expected);

    let mut run = Driven::start(config());
    run.effects.clear();
    run.step(Input::Chunk(Chunk::text("half")));
    run.step(Input::StreamEnd(Ok(())));
    assert_eq!(names(&run), ["text", "text ended", "discarded"]);

    let mut run = Driven::start(config());
    run.effects.clear();
    run.step(Input::Chunk(Chunk::reasoning("half")));
    run.step(Input::Cancel);
    assert_eq!(names(&run), ["reasoning", "reasoning ended"]);
}
