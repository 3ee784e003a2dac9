//! Answers as they arrive: kept, asked for again, or nudged.

use windlass_loop::{Budget, Effect, Event, Input, Outcome, Prices, StopCause, StreamFailure};
use windlass_protocol::{Opaque, ResultStatus, StopReason, Usage};
use windlass_stream::{CallChunk, CallKey, Chunk, StreamError, StreamErrorKind};

use crate::driven::{Driven, call, check_paired, config, finish, limits};

#[test]
fn words_are_the_end_where_no_tool_completes() {
    let mut run = Driven::start(windlass_loop::Config::new("model", vec![]));
    run.answer([Chunk::text("he"), Chunk::text("llo")]);
    assert_eq!(run.outcome(), Some(&Outcome::Completed { text: "hello".into() }));
}

// L3
#[test]
fn words_alone_are_nudged_a_limited_number_of_times() {
    let mut run = Driven::start(limits(|limits| limits.nudges = 2));
    for _ in 0..2 {
        run.answer([Chunk::text("I think")]);
        assert!(run.is_sent());
        assert!(
            run.events().iter().any(|event| matches!(event, Event::Nudged { text } if text.contains("done")))
        );
    }
    run.answer([Chunk::text("I think")]);
    assert!(run.effects.iter().any(|effect| matches!(effect, Effect::Consult { .. })));
    run.step(Input::Guidance(None));
    assert_eq!(run.outcome(), Some(&Outcome::Stopped { cause: StopCause::MistakeLimit }));
}

#[test]
fn the_humans_guidance_goes_on_with_the_run() {
    let mut run = Driven::start(limits(|limits| limits.nudges = 1));
    run.answer([Chunk::text("I think")]);
    run.answer([Chunk::text("I think")]);
    run.effects.clear();
    run.step(Input::Guidance(Some("look into src".into())));
    assert!(run.is_sent());
    assert_eq!(run.machine.transcript().messages().last().unwrap().text(), "look into src");
}

// R7, L3
#[test]
fn an_empty_answer_is_not_kept_and_asked_for_again_before_the_nudge() {
    let mut run = Driven::start(config());
    // A signature without words, as Gemini sends it, is no answer either.
    let signature = Chunk::TextEnd { opaque: Some(Opaque::new("gemini", "c2ln".into())) };
    for attempt in [vec![], vec![signature]] {
        run.answer(attempt.clone());
        assert!(run.is_sent(), "attempt {attempt:?}");
        assert_eq!(run.machine.transcript().messages().len(), 1);
    }
    run.answer([]);
    assert!(run.machine.transcript().messages().last().unwrap().text().contains("empty"));
    check_paired(run.machine.transcript().messages());
}

// S8, S10
#[test]
fn a_dropped_stream_runs_nothing_and_is_asked_for_again() {
    let mut run = Driven::start(config());
    run.effects.clear();
    run.step(Input::Chunk(Chunk::Call(CallChunk::Start {
        key: CallKey(0),
        id: Some("c1".into()),
        name: "look".into(),
        opaque: None,
    })));
    run.step(Input::Chunk(Chunk::Call(CallChunk::Delta { key: CallKey(0), arguments: r#"{"a":1}"#.into() })));
    run.step(Input::StreamEnd(Ok(())));
    assert!(run.to_decide().is_empty());
    assert!(run.is_sent());
    assert!(run.events().iter().any(|event| matches!(event, Event::AttemptDiscarded { .. })));
    assert_eq!(run.machine.transcript().messages().len(), 1);
}

// L9
#[test]
fn asking_again_waits_longer_each_time_and_ends() {
    let mut run = Driven::start(limits(|limits| limits.stream_retries = 3));
    let mut waits = Vec::new();
    for _ in 0..3 {
        run.effects.clear();
        run.step(Input::StreamEnd(Err(StreamFailure::new("broke", true))));
        waits.extend(run.effects.iter().filter_map(|effect| match effect {
            Effect::Send { delay_ms, .. } => Some(*delay_ms),
            _ => None,
        }));
    }
    assert_eq!(waits, [200, 400, 800]);
    run.step(Input::StreamEnd(Err(StreamFailure::new("broke", true))));
    assert_eq!(run.outcome(), Some(&Outcome::Failed { message: "broke".into() }));
}

#[test]
fn the_providers_wait_wins_over_a_shorter_one() {
    let mut run = Driven::start(config());
    run.effects.clear();
    run.step(Input::StreamEnd(Err(StreamFailure::new("busy", true).with_retry_after_ms(Some(5_000)))));
    assert!(run.effects.iter().any(|effect| matches!(effect, Effect::Send { delay_ms: 5_000, .. })));
}

#[test]
fn a_request_that_is_wrong_is_not_sent_again() {
    let mut run = Driven::start(config());
    run.effects.clear();
    run.step(Input::StreamEnd(Err(StreamFailure::new("no such model", false))));
    assert!(!run.is_sent());
    assert_eq!(run.outcome(), Some(&Outcome::Failed { message: "no such model".into() }));
}

// S12
#[test]
fn an_error_inside_the_stream_is_a_failure() {
    let mut run = Driven::start(config());
    run.effects.clear();
    let error = StreamError::new(StreamErrorKind::Overloaded, None, "overloaded");
    run.step(Input::Chunk(Chunk::text("half")));
    run.step(Input::Chunk(Chunk::Error { error }));
    run.step(Input::StreamEnd(Ok(())));
    assert!(run.is_sent());
    assert_eq!(run.machine.transcript().messages().len(), 1, "the half answer is void");
}

// S10, R1
#[test]
fn a_call_that_was_cut_gets_a_result_and_never_runs() {
    let mut run = Driven::start(config());
    run.effects.clear();
    run.step(Input::Chunk(Chunk::Call(CallChunk::Start {
        key: CallKey(0),
        id: Some("c1".into()),
        name: "change".into(),
        opaque: None,
    })));
    run.step(Input::Chunk(Chunk::Call(CallChunk::Delta {
        key: CallKey(0),
        arguments: r#"{"a":"lo"#.into(),
    })));
    run.step(Input::Chunk(finish(StopReason::Length)));
    run.step(Input::StreamEnd(Ok(())));
    assert!(run.to_decide().is_empty());
    assert_eq!(run.statuses(), [("c1".into(), ResultStatus::TruncatedArguments)]);
    assert!(run.is_sent());
    check_paired(run.machine.transcript().messages());
}

// S11
#[test]
fn a_call_without_a_name_gets_an_error_result() {
    let mut run = Driven::start(config());
    run.answer([Chunk::Call(CallChunk::Partial {
        index: Some(0),
        position: 0,
        id: Some("c1".into()),
        name: None,
        arguments: Some("{}".into()),
        opaque: None,
    })]);
    assert_eq!(run.statuses(), [("c1".into(), ResultStatus::UnknownTool)]);
    check_paired(run.machine.transcript().messages());
}

// P1
#[test]
fn an_id_that_comes_again_in_a_later_turn_is_made_unique() {
    let mut run = Driven::start(config());
    for _ in 0..3 {
        run.answer([call("c1", "look", "{}")]);
        run.judge_all();
        let id = run.ran().pop().unwrap_or_else(|| run.statuses()[0].0.clone());
        run.result(&id, ResultStatus::Ok);
    }
    check_paired(run.machine.transcript().messages());
}

// S9
#[test]
fn a_stop_with_calls_is_still_calls() {
    let mut run = Driven::start(config());
    run.effects.clear();
    run.step(Input::Chunk(call("c1", "look", "{}")));
    run.step(Input::Chunk(finish(StopReason::End)));
    run.step(Input::StreamEnd(Ok(())));
    assert_eq!(run.to_decide().len(), 1);
}

#[test]
fn a_refusal_stops_the_run() {
    let mut run = Driven::start(config());
    run.effects.clear();
    run.step(Input::Chunk(Chunk::text("I will not.")));
    run.step(Input::Chunk(finish(StopReason::Refusal)));
    run.step(Input::StreamEnd(Ok(())));
    assert_eq!(run.outcome(), Some(&Outcome::Stopped { cause: StopCause::Refused }));
}

#[test]
fn the_most_turns_end_the_run() {
    let mut run = Driven::start(limits(|limits| limits.turns = 1));
    run.answer([call("c1", "look", "{}")]);
    run.judge_all();
    run.result("c1", ResultStatus::Ok);
    assert_eq!(run.outcome(), Some(&Outcome::Stopped { cause: StopCause::TurnLimit }));
}

// P1
#[test]
fn a_made_id_is_none_that_another_call_of_the_answer_brings_along() {
    let mut run = Driven::start(config());
    run.answer([call("c1", "look", "{}")]);
    run.judge_all();
    run.result("c1", ResultStatus::Ok);
    // The first call's id is taken, and the one that would be made for it is the second call's.
    run.answer([call("c1", "look", r#"{"a":1}"#), call("call_2_0", "look", r#"{"a":2}"#)]);
    let ids: Vec<_> = run.to_decide().iter().map(|call| call.id.to_string()).collect();
    assert_eq!(ids.len(), 2);
    assert_eq!(ids.last().map(String::as_str), Some("call_2_0"));
    assert!(!ids.contains(&"c1".to_owned()));
}

// H10: on reaching a limit the run asks, and does not fail.
#[test]
fn a_used_budget_asks_whether_to_go_on() {
    let budget = Budget { requests: 2, ..Budget::default() };
    for (answer, goes_on) in
        [(Some("yes"), true), (Some("be brief"), true), (Some("no"), false), (None, false)]
    {
        let mut run = Driven::start(config().with_budget(budget.clone()));
        let asks = |run: &Driven| run.effects.iter().any(|effect| matches!(effect, Effect::Consult { .. }));
        run.answer([Chunk::text("I think")]);
        assert!(run.is_sent() && !asks(&run), "one request is left");
        run.answer([Chunk::text("I think")]);
        assert!(!run.is_sent() && asks(&run), "two requests are used");
        run.effects.clear();
        run.step(Input::Guidance(answer.map(str::to_owned)));
        assert_eq!(run.is_sent(), goes_on, "{answer:?}");
        if !goes_on {
            assert_eq!(run.outcome(), Some(&Outcome::Stopped { cause: StopCause::Budget }));
        }
    }
}

#[test]
fn cost_is_counted_in_millionths_and_never_too_low() {
    let prices = Prices { input: 3_000_000, output: 15_000_000, cache_read: 300_000, cache_write: 3_750_000 };
    let cost = |input_tokens, output_tokens, cache_read_tokens, cache_write_tokens| {
        let usage =
            Usage { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, ..Usage::default() };
        prices.cost(&usage)
    };
    assert_eq!(cost(1_000_000, 0, 0, 0), 3_000_000);
    assert_eq!(cost(1_000_000, 1_000_000, 1_000_000, 0), 15_300_000);
    assert_eq!(cost(1, 0, 1, 0), 1, "a part of a millionth is one");
    assert_eq!(cost(0, 0, 0, 0), 0);
    assert_eq!(cost(u64::MAX, u64::MAX, 0, 0), u64::MAX);
}
