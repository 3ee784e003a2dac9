//! Conversations that become too long.

use windlass_loop::{
    Command, CompactionMode, Config, ContextLimits, ContextPressure, Entry, Event, Input, Machine, Outcome,
    StreamFailure, Transcript,
};
use windlass_protocol::{
    CallId, Content, Message, Part, Request, ResultStatus, Role, StopReason, ToolChoice, ToolResult, Usage,
};
use windlass_stream::Chunk;

use crate::driven::{Driven, call, check_paired, config, entries};

/// A window of a thousand tokens; the turns below take about two hundred each.
fn limits() -> ContextLimits {
    ContextLimits { window: 1_000, keep_answers: 2, keep_result_bytes: 100, ..ContextLimits::default() }
}

fn with(limits: ContextLimits) -> Config {
    config().with_context(limits)
}

/// One turn with a call whose result has this many bytes.
fn turn(run: &mut Driven, number: usize, bytes: usize) {
    let id = format!("c{number}");
    run.answer([call(&id, "look", &format!(r#"{{"n":{number}}}"#))]);
    run.decide_all();
    let text = "x".repeat(bytes);
    run.step(Input::Result(ToolResult::text(CallId::new(id).unwrap(), ResultStatus::Ok, text)));
}

fn sent(run: &Driven) -> &Request {
    run.effects
        .iter()
        .rev()
        .find_map(|want| if let Command::Send { request, .. } = want { Some(&**request) } else { None })
        .unwrap()
}

fn words(run: &Driven) -> String {
    run.machine.transcript().messages().iter().map(Message::text).collect()
}

fn summary(run: &mut Driven, text: &str) {
    run.effects.clear();
    run.step(Input::Chunk(Chunk::text(text)));
    run.step(Input::Chunk(crate::driven::finish(StopReason::End)));
    run.step(Input::StreamEnd(Ok(())));
}

// R4: old results are removed first; the task and the newest answers stay. Nothing is removed before the window is
// almost full.
#[test]
fn old_results_are_left_out_before_the_window_is_full() {
    let mut run = Driven::start(with(ContextLimits { window: 2_000, ..limits() }));
    let mut compacted = None;
    for number in 0..20 {
        let before = run.machine.transcript().messages().clone();
        turn(&mut run, number, 600);
        let messages = run.machine.transcript().messages();
        if let Some(Event::ContextCompacted { before, after, results, messages, .. }) =
            run.events().into_iter().find(|event| matches!(event, Event::ContextCompacted { .. }))
        {
            assert!(*before >= 1_800 && *after <= 1_000, "{before} {after}");
            assert_eq!(*messages, 0, "no turn had to go");
            compacted = Some((number, *results));
            break;
        }
        assert!(messages.starts_with(&before), "nothing is touched before it has to be");
    }
    let (number, results) = compacted.unwrap();
    assert_eq!(results, number + 1 - 2, "all but the newest two");
    check_paired(run.machine.transcript().messages());
    assert!(run.texts_of_results().contains("600 bytes of this result were left out"));
    assert_eq!(run.machine.transcript().messages().first().unwrap().text(), "the task");
}

#[test]
fn events_report_the_fill_of_the_window_once_for_each_step() {
    let mut run = Driven::start(with(limits()));
    let mut told = Vec::new();
    for number in 0..6 {
        turn(&mut run, number, 600);
        for event in run.events() {
            if let Event::ContextFilling { pressure, .. } = event {
                told.push(*pressure);
            }
        }
    }
    assert_eq!(told[..2], [ContextPressure::Warn, ContextPressure::Alert]);
}

/// A run whose results are too short to be left out, so that whole turns have to be removed.
fn full(limits: ContextLimits) -> (Driven, Vec<Entry>) {
    let mut run = Driven::start(with(limits));
    let mut record = entries(&run.effects);
    for number in 0..100 {
        turn(&mut run, number, 90);
        record.extend(entries(&run.effects));
        let is_full = run
            .events()
            .into_iter()
            .any(|event| matches!(event, Event::ContextCondensing | Event::ContextCompacted { .. }));
        if is_full {
            return (run, record);
        }
    }
    panic!("the window was never full");
}

#[test]
fn removed_turns_are_summarized_by_the_model() {
    let (mut run, mut record) = full(limits());
    let request = sent(&run);
    assert_eq!(request.options.tool_choice, ToolChoice::None);
    assert!(!request.tools.is_empty(), "the request begins as the others do, for the provider's cache");
    assert!(request.messages.last().unwrap().text().contains("Summarize what happened"));
    summary(&mut run, "It looked at many things.");
    record.extend(entries(&run.effects));
    let request = sent(&run);
    check_paired(&request.messages);
    let texts: Vec<String> = request.messages.iter().take(2).map(Message::text).collect();
    assert_eq!(texts[0], "the task");
    assert!(texts[1].ends_with("A summary of them:\n\nIt looked at many things."), "{texts:?}");
    let answers = request.messages.iter().filter(|message| message.role == Role::Assistant).count();
    assert_eq!(answers, 2, "the newest two");
    assert!(!words(&run).contains("Summarize what happened"), "the question is not kept");

    // The same conversation is restored from the record in any process.
    let (machine, _) = Machine::resume(with(limits()), record, 0).unwrap();
    assert_eq!(machine.transcript().messages(), run.machine.transcript().messages());
    assert_eq!(machine.usage(), run.machine.usage());
}

#[test]
fn turns_are_removed_even_without_a_summary() {
    #[track_caller]
    fn check(end: impl Fn(&mut Driven)) {
        let (mut run, _) = full(limits());
        run.effects.clear();
        end(&mut run);
        assert_eq!(sent(&run).options.tool_choice, ToolChoice::None, "it is asked for once more");
        run.effects.clear();
        end(&mut run);
        assert!(run.is_sent());
        check_paired(&sent(&run).messages);
        assert!(words(&run).contains("Earlier turns were left out here"));
        assert!(!words(&run).contains("A summary of them"));
    }
    check(|run| {
        run.step(Input::StreamEnd(Err(StreamFailure::new("it broke", true))));
    });
    check(|run| {
        run.step(Input::StreamEnd(Ok(())));
    });
    check(|run| summary(run, " \n"));
    check(summary_with_a_call);
}

fn summary_with_a_call(run: &mut Driven) {
    run.step(Input::Chunk(call("s1", "change", "{}")));
    run.step(Input::Chunk(crate::driven::finish(StopReason::Calls)));
    run.step(Input::StreamEnd(Ok(())));
    assert!(run.to_decide().is_empty(), "what a summary calls is not run");
}

#[test]
fn no_summary_is_requested_if_none_is_configured() {
    let (run, _) = full(ContextLimits { condense: CompactionMode::LeaveOut, ..limits() });
    assert!(words(&run).contains("Repeat the calls whose results you still need"));
    assert_ne!(sent(&run).options.tool_choice, ToolChoice::None);
    check_paired(&sent(&run).messages);
}

#[test]
fn a_run_that_is_cancelled_while_it_sums_up_ends() {
    let (mut run, _) = full(limits());
    run.step(Input::Cancel);
    assert!(matches!(run.outcome(), Some(Outcome::Stopped { .. })));
    check_paired(run.machine.transcript().messages());
}

fn too_long(run: &mut Driven) {
    run.effects.clear();
    let failure = StreamFailure::new("prompt is too long", false).mark_length();
    run.step(Input::StreamEnd(Err(failure)));
}

// F23: after the refusal a shorter conversation is sent once, and no call is separated from its result.
#[test]
fn a_context_length_refusal_is_retried_once_with_a_shorter_history() {
    let mut run = Driven::start(config());
    for number in 0..8 {
        turn(&mut run, number, 600);
    }
    let before = sent(&run).messages.len();
    too_long(&mut run);
    assert!(run.is_sent());
    assert!(sent(&run).messages.len() < before);
    check_paired(&sent(&run).messages);
    assert_eq!(sent(&run).messages.first().unwrap().text(), "the task");
    too_long(&mut run);
    assert!(matches!(run.outcome(), Some(Outcome::Failed { .. })), "once");
}

#[test]
fn one_result_that_is_too_long_alone_is_left_out() {
    let mut run = Driven::start(config());
    turn(&mut run, 0, 1_000_000);
    too_long(&mut run);
    assert!(run.is_sent());
    assert!(run.texts_of_results().contains("1000000 bytes of this result were left out"));
    let mut run = Driven::start(config());
    too_long(&mut run);
    assert!(matches!(run.outcome(), Some(Outcome::Failed { .. })), "nothing can go");
}

// A refusal is remembered, so that the request is not refused again.
#[test]
fn a_context_length_refusal_sets_the_known_window() {
    let mut run = Driven::start(config());
    for number in 0..8 {
        turn(&mut run, number, 600);
    }
    too_long(&mut run);
    let mut is_full = false;
    for number in 8..40 {
        turn(&mut run, number, 600);
        is_full |= run.events().into_iter().any(|event| matches!(event, Event::ContextFilling { .. }));
    }
    assert!(is_full);
}

// The provider's own count replaces the estimate.
#[test]
fn the_providers_count_sets_the_scale() {
    let mut run = Driven::start(with(ContextLimits { window: 100_000, ..limits() }));
    let estimated = run.machine.context_tokens();
    let usage = Usage { input_tokens: estimated * 3, output_tokens: 1, ..Usage::default() };
    run.answer([Chunk::Usage { usage }, call("a", "look", "{}")]);
    run.decide_all();
    run.result("a", ResultStatus::Ok);
    let counted = run.machine.context_tokens();
    assert!(counted >= estimated * 3, "{counted} of {estimated}");
}

// The number of images is limited even in an empty window, because providers accept a limited number.
#[test]
fn of_too_many_images_the_newest_half_stays() {
    let mut run = Driven::start(with(ContextLimits { most_images: 4, ..ContextLimits::default() }));
    let mut left_out = Vec::new();
    for number in 0..8 {
        let id = format!("c{number}");
        run.answer([call(&id, "look", &format!(r#"{{"n":{number}}}"#))]);
        run.decide_all();
        let image = windlass_protocol::Image::base64("image/png", "cG5n");
        let result = ToolResult::new(CallId::new(id).unwrap(), ResultStatus::Ok, vec![Content::Image(image)]);
        run.step(Input::Result(result));
        left_out.push(run.texts_of_results().matches("images of this result were left out").count());
    }
    assert_eq!(left_out, [0, 0, 0, 0, 3, 3, 3, 6], "not with every one more");
}

#[test]
fn images_of_old_results_are_left_out_too() {
    let mut run = Driven::start(with(ContextLimits { keep_answers: 1, window: 6_000, ..limits() }));
    for number in 0..5 {
        let id = format!("c{number}");
        run.answer([call(&id, "look", &format!(r#"{{"n":{number}}}"#))]);
        run.decide_all();
        let image = windlass_protocol::Image::base64("image/png", "cG5n");
        let result = ToolResult::new(CallId::new(id).unwrap(), ResultStatus::Ok, vec![Content::Image(image)]);
        run.step(Input::Result(result));
    }
    assert!(run.texts_of_results().contains("0 bytes and 1 images of this result were left out"));
}

// correctness (suspicion): the size of a value and of a document counts like that of a text.
#[test]
fn the_size_of_an_omitted_result_counts_all_content_kinds() {
    let mut run = Driven::start(with(ContextLimits { keep_answers: 1, window: 6_000, ..limits() }));
    for number in 0..5 {
        let id = format!("c{number}");
        run.answer([call(&id, "look", &format!(r#"{{"n":{number}}}"#))]);
        run.decide_all();
        let value = serde_json::json!({"text": "x".repeat(3_989)});
        let resource = Content::Resource { uri: "a://b".into(), media_type: None, text: "y".repeat(1_000) };
        let content = vec![Content::Structured { value }, resource];
        run.step(Input::Result(ToolResult::new(CallId::new(id).unwrap(), ResultStatus::Ok, content)));
    }
    assert!(run.texts_of_results().contains("[5000 bytes of this result were left out"));
}

/// A conversation from elsewhere that begins with a call of the model.
fn imported() -> Transcript {
    let call = |id: &str| {
        let arguments = windlass_protocol::Arguments::default();
        let name = windlass_protocol::ToolName::new("look").unwrap();
        Part::Call(windlass_protocol::ToolCall::function(CallId::new(id).unwrap(), name, arguments))
    };
    let result = |id: &str| ToolResult::text(CallId::new(id).unwrap(), ResultStatus::Ok, "seen elsewhere");
    let messages = [
        Message::assistant(vec![call("e1")]),
        Message::results([result("e1")]),
        Message::user("an earlier task"),
        Message::assistant(vec![call("e2")]),
        Message::results([result("e2")]),
    ];
    Transcript::import(messages).transcript
}

/// A run that continues from that point, with its record.
fn started_after_import(config: Config) -> (Driven, Vec<Entry>) {
    let mut machine = Machine::new(config).with_history(imported());
    let effects = machine.step(Input::Start { task: "the task".into() }, 0);
    let run = Driven { machine, effects, now: 0 };
    let record = entries(&run.effects);
    (run, record)
}

#[test]
fn a_requested_compaction_needs_no_full_window() {
    let limits = ContextLimits { compact_first: true, ..ContextLimits::default() };
    let (mut run, mut record) = started_after_import(with(limits));
    assert!(sent(&run).messages.last().unwrap().text().contains("Summarize what happened"));
    summary(&mut run, "They looked twice.");
    record.extend(entries(&run.effects));
    check_paired(&sent(&run).messages);
    assert!(words(&run).contains("They looked twice.") && words(&run).contains("the task"));
    let answers = sent(&run).messages.iter().filter(|message| message.role == Role::Assistant).count();
    assert_eq!(answers, 1, "the newest one");
    run.effects.clear();
    turn(&mut run, 1, 90);
    record.extend(entries(&run.effects));
    assert_ne!(sent(&run).options.tool_choice, ToolChoice::None, "the conversation is compacted once");
    let (machine, _) = Machine::resume(with(limits), record, 0).unwrap();
    assert_eq!(machine.transcript(), run.machine.transcript());
}

// Correctness 7: the task is kept, and no imported call loses its result.
#[test]
fn compaction_keeps_the_task_and_drops_an_imported_conversation() {
    for condense in [CompactionMode::LeaveOut, CompactionMode::SumUp] {
        let config = with(ContextLimits { condense, ..limits() });
        let (mut run, mut record) = started_after_import(config.clone());
        for number in 0..40 {
            turn(&mut run, number, 90);
            if matches!(run.effects.last(), Some(Command::Send { request, .. }) if request.options.tool_choice == ToolChoice::None)
            {
                let before = std::mem::take(&mut run.effects);
                summary(&mut run, "It looked.");
                run.effects.splice(0..0, before);
            }
            record.extend(entries(&run.effects));
            check_paired(&sent(&run).messages);
            assert!(words(&run).contains("the task"), "turn {number}");
        }
        assert!(words(&run).contains("Earlier turns were left out here"));
        assert!(!words(&run).contains("an earlier task"), "the import goes like other turns");
        let (machine, _) = Machine::resume(config, record, 0).unwrap();
        assert_eq!(machine.transcript(), run.machine.transcript());
    }
}

#[test]
fn a_refused_length_keeps_the_task_after_a_conversation_from_elsewhere() {
    let (mut run, mut record) = started_after_import(config());
    for number in 0..6 {
        run.effects.clear();
        run.step(Input::StreamEnd(Err(StreamFailure::new("too long", false).mark_length())));
        record.extend(entries(&run.effects));
        assert!(words(&run).contains("the task"));
        check_paired(&sent(&run).messages);
        turn(&mut run, number, 90);
        record.extend(entries(&run.effects));
    }
    let (machine, _) = Machine::resume(config(), record, 0).unwrap();
    assert_eq!(machine.transcript(), run.machine.transcript());
}

// Correctness 8: an incomplete summary or a refusal does not count as a summary.
#[test]
fn only_a_whole_summary_counts() {
    #[track_caller]
    fn check(stop: Option<&StopReason>) {
        let (mut run, _) = full(limits());
        let half = |run: &mut Driven| {
            run.effects.clear();
            run.step(Input::Chunk(Chunk::text("I cannot help with th")));
            if let Some(stop) = stop {
                run.step(Input::Chunk(crate::driven::finish(stop.clone())));
            }
            run.step(Input::StreamEnd(Ok(())));
        };
        half(&mut run);
        assert_eq!(sent(&run).options.tool_choice, ToolChoice::None, "it is asked for once more");
        let mut other = Driven { effects: run.effects.clone(), ..run };
        half(&mut other);
        assert!(words(&other).contains("Repeat the calls whose results you still need"), "{stop:?}");
        assert!(!words(&other).contains("I cannot help"), "{stop:?}");
        check_paired(&sent(&other).messages);
    }
    check(None);
    for stop in [StopReason::Length, StopReason::Refusal, StopReason::ContentFilter, StopReason::Error] {
        check(Some(&stop));
    }
    check(Some(&StopReason::Unknown("abort".into())));
}

#[test]
fn a_second_summary_that_is_whole_counts() {
    let (mut run, mut record) = full(limits());
    run.step(Input::StreamEnd(Err(StreamFailure::new("it broke", true))));
    assert!(
        run.effects.iter().any(|want| matches!(want, Command::Send { delay_ms, .. } if *delay_ms >= 200))
    );
    record.truncate(0);
    summary(&mut run, "It looked at many things.");
    assert!(words(&run).contains("A summary of them:\n\nIt looked at many things."));
}

// Correctness 9: the note with the summary of the oldest turns outlives a length that is refused.
#[test]
fn a_refused_length_keeps_an_earlier_summary() {
    let (mut run, _) = full(limits());
    summary(&mut run, "The door code is 4711.");
    for number in 200..203 {
        turn(&mut run, number, 90);
    }
    for number in 300..302 {
        run.effects.clear();
        run.step(Input::StreamEnd(Err(StreamFailure::new("too long", false).mark_length())));
        turn(&mut run, number, 90);
    }
    assert!(words(&run).contains("The door code is 4711."), "{}", words(&run));
    assert!(words(&run).contains("without a summary"));
    assert_eq!(words(&run).matches("without a summary").count(), 1, "it is said once");
}
