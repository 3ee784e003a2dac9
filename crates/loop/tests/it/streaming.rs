//! Answers while they arrive: they are kept, requested again, or followed by a nudge.

use windlass_loop::{
    Budget, Command, Entry, Event, Input, Machine, Outcome, Prices, StopCause, StreamFailure,
};
use windlass_protocol::{Opaque, ResultStatus, StopReason, Usage};
use windlass_stream::{CallChunk, CallKey, Chunk, StreamError, StreamErrorKind};

use crate::driven::{Driven, call, check_paired, config, entries, finish, limits};

#[test]
fn text_completes_a_run_without_a_completion_tool() {
    let mut run = Driven::start(windlass_loop::Config::new("model", vec![]));
    run.answer([Chunk::text("he"), Chunk::text("llo")]);
    assert_eq!(run.outcome(), Some(&Outcome::Completed { text: "hello".into() }));
}

// L3
#[test]
fn text_only_answers_are_nudged_a_limited_number_of_times() {
    let mut run = Driven::start(limits(|limits| limits.nudges = 2));
    for _ in 0..2 {
        run.answer([Chunk::text("I think")]);
        assert!(run.is_sent());
        assert!(
            run.events().iter().any(|event| matches!(event, Event::Nudged { text } if text.contains("done")))
        );
    }
    run.answer([Chunk::text("I think")]);
    assert!(run.effects.iter().any(|effect| matches!(effect, Command::Interrupt { .. })));
    run.guide(None);
    assert_eq!(run.outcome(), Some(&Outcome::Stopped { cause: StopCause::MistakeLimit }));
}

#[test]
fn the_guidance_of_the_human_continues_the_run() {
    let mut run = Driven::start(limits(|limits| limits.nudges = 1));
    run.answer([Chunk::text("I think")]);
    run.answer([Chunk::text("I think")]);
    assert!(!run.is_sent());
    run.guide(Some("look into src"));
    assert!(run.is_sent());
    assert_eq!(run.machine.transcript().messages().last().unwrap().text(), "look into src");
}

// R7, L3
#[test]
fn an_empty_answer_is_discarded_and_requested_again_before_the_nudge() {
    let mut run = Driven::start(config());
    // A signature without text, as Gemini sends it, is not an answer either.
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
fn a_dropped_stream_runs_no_call_and_is_requested_again() {
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
fn retry_delays_double_and_retries_are_limited() {
    let mut run = Driven::start(limits(|limits| limits.stream_retries = 3));
    let mut waits = Vec::new();
    for _ in 0..3 {
        run.effects.clear();
        run.step(Input::StreamEnd(Err(StreamFailure::new("broke", true))));
        waits.extend(run.effects.iter().filter_map(|effect| match effect {
            Command::Send { delay_ms, .. } => Some(*delay_ms),
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
    assert!(run.effects.iter().any(|effect| matches!(effect, Command::Send { delay_ms: 5_000, .. })));
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
fn an_id_repeated_in_a_later_turn_is_made_unique() {
    let mut run = Driven::start(config());
    for _ in 0..3 {
        run.answer([call("c1", "look", "{}")]);
        run.decide_all();
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
    run.decide_all();
    run.result("c1", ResultStatus::Ok);
    assert_eq!(run.outcome(), Some(&Outcome::Stopped { cause: StopCause::TurnLimit }));
}

// P1
#[test]
fn a_generated_id_differs_from_the_ids_of_the_answer() {
    let mut run = Driven::start(config());
    run.answer([call("c1", "look", "{}")]);
    run.decide_all();
    run.result("c1", ResultStatus::Ok);
    // The id of the first call is already used, and the id that would be generated for it is that of the second call.
    run.answer([call("c1", "look", r#"{"a":1}"#), call("call_2_0", "look", r#"{"a":2}"#)]);
    let ids: Vec<_> = run.to_decide().iter().map(|call| call.id.to_string()).collect();
    assert_eq!(ids, ["call_2_0", "call_2_1"]);
}

// H10: on reaching a limit the run asks, and does not fail.
#[test]
fn an_exhausted_budget_asks_whether_to_continue() {
    let budget = Budget { requests: 2, ..Budget::default() };
    for (answer, goes_on) in
        [(Some("yes"), true), (Some("be brief"), true), (Some("no"), false), (None, false)]
    {
        let mut run = Driven::start(config().with_budget(budget.clone()));
        let asks =
            |run: &Driven| run.effects.iter().any(|effect| matches!(effect, Command::Interrupt { .. }));
        run.answer([Chunk::text("I think")]);
        assert!(run.is_sent() && !asks(&run), "one request is left");
        run.answer([Chunk::text("I think")]);
        assert!(!run.is_sent() && asks(&run), "two requests are used");
        run.guide(answer);
        assert_eq!(run.is_sent(), goes_on, "{answer:?}");
        if !goes_on {
            assert_eq!(run.outcome(), Some(&Outcome::Stopped { cause: StopCause::Budget }));
        }
    }
}

#[test]
fn cost_is_counted_in_millionths_and_never_too_low() {
    let prices = Prices {
        input: 3_000_000,
        output: 15_000_000,
        cache_read: 300_000,
        cache_write: 3_750_000,
        long: None,
    };
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

/// Feeds these chunks and the end of the stream, and returns the waits of the requests that follow.
fn fed(run: &mut Driven, chunks: impl IntoIterator<Item = Chunk>) -> Vec<u64> {
    run.effects.clear();
    for chunk in chunks {
        run.step(Input::Chunk(chunk));
    }
    run.step(Input::StreamEnd(Ok(())));
    let wait = |effect: &Command| match effect {
        Command::Send { delay_ms, .. } => Some(*delay_ms),
        _ => None,
    };
    run.effects.iter().filter_map(wait).collect()
}

// S12: for example `MALFORMED_FUNCTION_CALL` of Gemini, `error` of OpenRouter and `abort` of vLLM end such an answer.
#[test]
fn text_of_a_failed_answer_is_not_the_result() {
    for reason in [StopReason::Error, StopReason::Unknown("abort".into())] {
        for config in [windlass_loop::Config::new("model", vec![]), config()] {
            let mut run = Driven::start(config);
            for _ in 0..5 {
                let waits = fed(&mut run, [Chunk::text("I will now edit the fi"), finish(reason.clone())]);
                assert_eq!(waits.len(), 1, "{reason:?} is asked for again");
                assert_eq!(run.machine.transcript().messages().len(), 1, "the half answer is void");
            }
            fed(&mut run, [Chunk::text("I will now edit the fi"), finish(reason.clone())]);
            let Some(Outcome::Failed { message }) = run.outcome() else { unreachable!("{reason:?}") };
            assert!(message.contains("raw"), "the provider's own word is told: {message}");
        }
    }
}

// S12: if an answer of DeepSeek or OpenRouter fails after complete calls, none of its calls runs.
#[test]
fn calls_of_an_answer_that_failed_do_not_run() {
    let mut run = Driven::start(config());
    let waits = fed(&mut run, [call("c1", "change", "{}"), finish(StopReason::Error)]);
    assert_eq!(waits.len(), 1);
    assert!(run.to_decide().is_empty());
}

// L9: Gemini sends a `RetryInfo` inside the stream, OpenAI the text "try again in 11 s".
#[test]
fn retry_after_in_the_stream_sets_the_wait() {
    let mut run = Driven::start(config());
    let error = StreamError::new(StreamErrorKind::RateLimit, None, "slow down")
        .with_retry_after(Some(std::time::Duration::from_secs(48)));
    assert_eq!(fed(&mut run, [Chunk::Error { error }]), [48_000]);
}

// R4: OpenAI's Responses API reports a context that is too long in the stream, OpenRouter after a status of 200.
#[test]
fn a_context_length_error_in_the_stream_shortens_the_history() {
    let mut run = Driven::start(config());
    for turn in 0..6 {
        let id = format!("c{turn}");
        run.answer([call(&id, "look", &format!(r#"{{"turn":{turn}}}"#))]);
        run.decide_all();
        run.result(&id, ResultStatus::Ok);
    }
    let before = run.machine.transcript().messages().len();
    let error = StreamError::new(StreamErrorKind::ContextLength, None, "too long");
    assert_eq!(fed(&mut run, [Chunk::Error { error }]), [0]);
    assert_eq!(run.outcome(), None);
    assert!(run.machine.transcript().messages().len() < before);
    check_paired(run.machine.transcript().messages());
}

// P5
#[test]
fn a_protocol_refused_in_the_stream_is_replaced_by_the_next() {
    use windlass_protocol::ToolProtocol;
    let protocols = [ToolProtocol::Native, ToolProtocol::Text];
    let mut run = Driven::start(config().with_protocols(protocols));
    let error = StreamError::new(StreamErrorKind::Unsupported, None, "no tools here");
    assert_eq!(fed(&mut run, [Chunk::Error { error }]), [0]);
    let sent = run.effects.iter().find_map(|effect| match effect {
        Command::Send { protocol, .. } => Some(*protocol),
        _ => None,
    });
    assert_eq!(sent, Some(ToolProtocol::Text));
}

// H10: the provider charges for the tokens of an answer that broke off.
#[test]
fn tokens_of_answers_that_broke_off_are_counted() {
    let usage = Usage { input_tokens: 1_000, output_tokens: 10, ..Usage::default() };
    let mut run = Driven::start(config());
    for _ in 0..3 {
        fed(&mut run, [Chunk::Usage { usage }, Chunk::text("half")]);
    }
    run.effects.clear();
    run.step(Input::Chunk(Chunk::Usage { usage }));
    run.step(Input::Chunk(Chunk::text("half")));
    run.step(Input::Cancel);
    let total = run.events().iter().find_map(|event| match event {
        Event::Finished { total, .. } => Some(*total),
        _ => None,
    });
    assert_eq!(total.map(|total| total.input_tokens), Some(4_000));
}

// R4: Anthropic ends such an answer with `model_context_window_exceeded`, Mistral with `model_length`.
#[test]
fn an_answer_that_filled_the_window_makes_room_once() {
    let mut run = Driven::start(config());
    for turn in 0..6 {
        let id = format!("c{turn}");
        run.answer([call(&id, "look", &format!(r#"{{"turn":{turn}}}"#))]);
        run.decide_all();
        run.result(&id, ResultStatus::Ok);
    }
    let before = run.machine.transcript().messages().len();
    let cut = || [Chunk::text("half"), finish(StopReason::ContextWindow)];
    assert_eq!(fed(&mut run, cut()), [0]);
    assert!(run.machine.transcript().messages().len() < before);
    // Compaction frees no more space: the answer counts as one that was cut.
    fed(&mut run, cut());
    assert!(run.machine.transcript().messages().iter().any(|message| message.text() == "half"));
    check_paired(run.machine.transcript().messages());
}

// The attempt that filled the window is on record with its tokens, so a resumed run has used the same.
#[test]
fn an_answer_that_filled_the_window_is_recorded_as_a_discarded_attempt() {
    let usage = Usage { input_tokens: 1_000, output_tokens: 10, ..Usage::default() };
    let mut run = Driven::start(config());
    let mut record = entries(&run.effects);
    for turn in 0..6 {
        let id = format!("c{turn}");
        run.answer([call(&id, "look", &format!(r#"{{"turn":{turn}}}"#))]);
        run.decide_all();
        run.result(&id, ResultStatus::Ok);
        record.extend(entries(&run.effects));
    }
    fed(&mut run, [Chunk::Usage { usage }, Chunk::text("half"), finish(StopReason::ContextWindow)]);
    record.extend(entries(&run.effects));
    assert!(record.contains(&Entry::Discarded { usage: Some(usage), prices: None }), "{record:?}");
    run.answer([Chunk::text("short")]);
    record.extend(entries(&run.effects));
    let (resumed, _) = Machine::resume(config(), record, 0).unwrap();
    assert_eq!(resumed.used(), run.machine.used());
}

// H10: each attempt is a request, for the run itself as for the runs that share its budget.
#[test]
fn every_attempt_counts_once_in_the_budget_of_requests() {
    let budget = Budget { requests: 3, ..Budget::default() };
    let asks = |run: &Driven| run.effects.iter().any(|effect| matches!(effect, Command::Interrupt { .. }));
    for configured in [config().with_budget(budget.clone()), config().with_shared_budget(budget.clone())] {
        let mut run = Driven::start(configured.clone());
        let mut record = entries(&run.effects);
        for _ in 0..2 {
            assert_eq!(fed(&mut run, [Chunk::text("half")]).len(), 1, "the attempt is repeated");
            record.extend(entries(&run.effects));
        }
        run.answer([Chunk::text("I think")]);
        record.extend(entries(&run.effects));
        assert_eq!(run.machine.used().requests, 3);
        assert!(asks(&run) && !run.is_sent(), "three requests are used");
        let (machine, effects) = Machine::resume(configured, record, 0).unwrap();
        let resumed = Driven { machine, effects, now: 0 };
        assert_eq!(resumed.machine.used(), run.machine.used());
        assert!(asks(&resumed), "the same is known after a resume");
    }
}

// S15: a provider that does not report tokens has used some, so events omit the count instead of stating zero.
#[test]
fn events_of_an_answer_without_reported_tokens_have_no_tokens() {
    let mut run = Driven::start(windlass_loop::Config::new("model", vec![]));
    run.answer([Chunk::text("hello")]);
    let json: Vec<_> = run.events().iter().map(|event| serde_json::to_value(event).unwrap()).collect();
    for name in ["answer_ended", "finished"] {
        let event = json.iter().find(|event| event["event"] == name).unwrap();
        assert!(event.get("usage").is_none() && event.get("total").is_none(), "{event}");
        assert!(serde_json::from_value::<Event>(event.clone()).is_ok(), "{event}");
    }
}
