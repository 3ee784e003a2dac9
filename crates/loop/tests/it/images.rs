//! Pictures that the provider refuses (correctness-3, 1).

use windlass_loop::{
    Command, Config, ContextLimits, Entry, Event, Input, Machine, Outcome, StreamFailure, Transcript,
};
use windlass_protocol::{
    CallId, Content, Image, Message, Part, Request, ResultStatus, Role, ToolChoice, ToolResult,
};
use windlass_stream::{Chunk, StreamError, StreamErrorKind};

use crate::driven::{Driven, call, check_paired, config, entries};

const REASON: &str = "status 400: Could not process image";

fn picture() -> Image {
    Image::base64("image/png", "cG5n")
}

/// One turn with a call that returns a picture.
fn look(run: &mut Driven, number: usize) {
    let id = format!("c{number}");
    run.answer([call(&id, "look", &format!(r#"{{"n":{number}}}"#))]);
    run.decide_all();
    let content = vec![Content::text("seen"), Content::Image(picture())];
    run.step(Input::Result(ToolResult::new(CallId::new(id).unwrap(), ResultStatus::Ok, content)));
}

/// The provider refuses a picture of the present request.
fn refuse(run: &mut Driven) {
    run.effects.clear();
    run.step(Input::StreamEnd(Err(StreamFailure::new(REASON, false).mark_image())));
}

fn last_request(run: &Driven) -> Option<&Request> {
    run.effects.iter().rev().find_map(|want| match want {
        Command::Send { request, .. } => Some(&**request),
        _ => None,
    })
}

/// Counts the pictures of the conversation.
fn pictures(run: &Driven) -> usize {
    let parts = run.machine.transcript().messages().iter().flat_map(|message| &message.parts);
    let images = |part: &Part| match part {
        Part::Image(_) => 1,
        Part::Result(result) => result.images().count(),
        _ => 0,
    };
    parts.map(images).sum()
}

fn removals(run: &Driven) -> Vec<usize> {
    let events = run.events().into_iter();
    let count = |event: &Event| match event {
        Event::ImagesRemoved { images, reason } => {
            assert_eq!(reason, REASON);
            Some(*images)
        }
        _ => None,
    };
    events.filter_map(count).collect()
}

fn has_failed(run: &Driven) -> bool {
    matches!(run.outcome(), Some(Outcome::Failed { message }) if message.contains("Could not process image"))
}

fn unlimited() -> Config {
    config().with_context(ContextLimits { most_images: 0, ..ContextLimits::default() })
}

#[test]
fn a_refused_picture_is_replaced_by_text_also_in_the_record() {
    let mut run = Driven::start(config());
    let mut record = entries(&run.effects);
    look(&mut run, 0);
    record.extend(entries(&run.effects));
    refuse(&mut run);
    record.extend(entries(&run.effects));
    assert_eq!(removals(&run), [1]);
    let request = last_request(&run).unwrap();
    check_paired(&request.messages);
    assert_eq!((pictures(&run), run.outcome()), (0, None));
    let texts = run.texts_of_results();
    assert!(texts.contains(&format!("[a picture was here; the provider refused it: {REASON}]")), "{texts}");
    assert!(texts.contains("seen"), "the rest of the result stays");

    let (machine, effects) = Machine::resume(config(), record, 0).unwrap();
    let resumed = Driven { machine, effects, now: 0 };
    assert_eq!(resumed.machine.transcript(), run.machine.transcript());
    assert!(last_request(&resumed).is_some());
}

#[test]
fn without_a_picture_or_when_none_is_left_the_run_fails() {
    let mut run = Driven::start(config());
    refuse(&mut run);
    assert!(has_failed(&run) && last_request(&run).is_none());
    let mut run = Driven::start(config());
    look(&mut run, 0);
    refuse(&mut run);
    assert!(last_request(&run).is_some());
    refuse(&mut run);
    assert!(has_failed(&run) && removals(&run).is_empty());
}

// A failure that is not about a picture does not remove a picture.
#[test]
fn an_unrelated_refusal_keeps_images() {
    let mut run = Driven::start(config());
    look(&mut run, 0);
    run.effects.clear();
    run.step(Input::StreamEnd(Err(StreamFailure::new("status 400: temperature", false))));
    assert!(matches!(run.outcome(), Some(Outcome::Failed { .. })));
    assert_eq!(pictures(&run), 1);
}

#[test]
fn answered_images_are_kept_while_newer_ones_can_be_removed() {
    let mut run = Driven::start(config());
    for number in 0..3 {
        look(&mut run, number);
    }
    refuse(&mut run);
    assert_eq!((removals(&run), pictures(&run)), (vec![1], 2));
    // The next answer shows that the provider accepts the remaining pictures, so the next refusal removes the newest
    // one first again.
    look(&mut run, 3);
    refuse(&mut run);
    assert_eq!((removals(&run), pictures(&run)), (vec![1], 2));
}

#[test]
fn without_a_new_image_the_newest_message_with_images_loses_them() {
    let mut run = Driven::start(config());
    for number in 0..3 {
        look(&mut run, number);
    }
    run.answer([call("r", "look", r#"{"n":9}"#)]);
    run.decide_all();
    run.result("r", ResultStatus::Ok);
    refuse(&mut run);
    assert_eq!((removals(&run), pictures(&run)), (vec![1], 2));
    assert!(last_request(&run).is_some());
}

// After a change to a model without vision all pictures have to be removed, which takes few requests.
#[test]
fn refusals_converge_when_all_images_must_be_removed() {
    let mut run = Driven::start(unlimited());
    let mut record = entries(&run.effects);
    for number in 0..60 {
        look(&mut run, number);
        record.extend(entries(&run.effects));
    }
    let mut steps = Vec::new();
    while pictures(&run) > 0 {
        refuse(&mut run);
        assert!(last_request(&run).is_some());
        steps.extend(removals(&run));
        record.extend(entries(&run.effects));
    }
    assert_eq!(steps, [1, 2, 4, 8, 16, 29]);
    let (machine, _) = Machine::resume(unlimited(), record, 0).unwrap();
    assert_eq!(machine.transcript(), run.machine.transcript());
    refuse(&mut run);
    assert!(has_failed(&run));
}

#[test]
fn refused_pictures_of_the_human_are_replaced_too() {
    let said = Message::new(Role::User, vec![Part::text("look at this"), Part::Image(picture())]);
    let history = Transcript::import([said]).transcript;
    let mut machine = Machine::new(config()).with_history(history);
    let effects = machine.step(Input::Start { task: "the task".into() }, 0);
    let mut run = Driven { machine, effects, now: 0 };
    let mut record = entries(&run.effects);
    refuse(&mut run);
    record.extend(entries(&run.effects));
    assert_eq!((removals(&run), pictures(&run)), (vec![1], 0));
    assert!(last_request(&run).unwrap().messages.first().unwrap().text().contains("a picture was here"));
    let (machine, _) = Machine::resume(config(), record, 0).unwrap();
    assert_eq!(machine.transcript(), run.machine.transcript());
}

// S12: a provider can refuse an image inside a stream that began with a status of success.
#[test]
fn a_stream_error_is_an_image_refusal_by_message_or_parameter() {
    #[track_caller]
    fn check(error: StreamError, expected: usize) {
        let mut run = Driven::start(config());
        look(&mut run, 0);
        run.effects.clear();
        run.step(Input::Chunk(Chunk::Error { error }));
        run.step(Input::StreamEnd(Ok(())));
        assert_eq!(pictures(&run), expected);
    }
    check(StreamError::new(StreamErrorKind::Request, None, "Could not process image"), 0);
    check(StreamError::new(StreamErrorKind::Request, Some("image_parse_error".into()), "bad request"), 0);
    let named = StreamError::new(StreamErrorKind::Request, None, "bad request");
    check(named.with_parameter(Some("messages[2].content[0].image_url".into())), 0);
    check(StreamError::new(StreamErrorKind::Request, None, "bad temperature"), 1);
    check(StreamError::new(StreamErrorKind::Quota, None, "no image for you"), 1);
}

// The summary's request has the same pictures.
#[test]
fn a_picture_refused_during_a_summary_is_replaced_and_the_summary_is_requested_again() {
    let limits = ContextLimits { window: 9_000, keep_answers: 4, most_images: 0, ..ContextLimits::default() };
    let mut run = Driven::start(config().with_context(limits));
    let mut number = 0;
    while !run.events().iter().any(|event| matches!(event, Event::ContextCondensing)) {
        look(&mut run, number);
        number += 1;
        assert!(number < 50, "the window was never full");
    }
    let before = pictures(&run);
    refuse(&mut run);
    assert!(pictures(&run) < before);
    let request = last_request(&run).unwrap();
    assert_eq!(request.options.tool_choice, ToolChoice::None, "it is the summary that is asked for");
    assert!(request.messages.last().unwrap().text().contains("Summarize what happened"));
}

// Some providers repeat the request in their error.
#[test]
fn long_provider_messages_are_truncated() {
    let mut run = Driven::start(config());
    look(&mut run, 0);
    run.effects.clear();
    let message = format!("bad image:\n {}", "é".repeat(10_000));
    run.step(Input::StreamEnd(Err(StreamFailure::new(message, false).mark_image())));
    let texts = run.texts_of_results();
    assert!(texts.len() < 500 && texts.contains("bad image: é") && texts.contains("…]"), "{texts}");
    let recorded = entries(&run.effects);
    assert!(
        recorded
            .iter()
            .any(|entry| matches!(entry, Entry::ImagesRemoved { messages, .. } if *messages == [2]))
    );
}
