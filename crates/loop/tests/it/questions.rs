//! The questions of one turn come in the order of its calls, in whatever order the calls are decided.

use windlass_loop::{CallDecision, Command, Event, Input, SpeculativeOutcome};
use windlass_protocol::{CallId, ResultStatus, ToolResult};

use crate::driven::{Driven, call, check_paired, config, early, entries};

/// The calls that the human is asked about so far, in order.
fn asked(run: &Driven) -> Vec<&str> {
    let mut asked = Vec::new();
    for want in &run.effects {
        if let Command::Ask(request) = want {
            asked.push(request.call.id.as_str());
        }
    }
    asked
}

/// Three changes, and a call that reads before the last of them.
fn four() -> Driven {
    let mut run = Driven::start(config());
    run.answer([
        call("a", "change", r#"{"n":1}"#),
        call("b", "change", r#"{"n":2}"#),
        call("r", "look", "{}"),
        call("c", "change", r#"{"n":3}"#),
    ]);
    run
}

#[test]
fn calls_decided_in_reverse_are_asked_about_in_order() {
    let mut run = four();
    let calls = run.to_decide();
    for call in calls.iter().rev() {
        assert_eq!(asked(&run), [""; 0], "the first call may still ask");
        run.decide_call(call);
    }
    assert_eq!(asked(&run), ["a", "b", "c"]);
    assert_eq!(run.ran(), ["r"]);
    for id in ["c", "a", "b"] {
        run.approve(id);
    }
    assert_eq!(run.ran(), ["r", "c", "a", "b"], "answers count in any order");
}

// L5: an undecided call delays the questions of later calls; calls without a question run.
#[test]
fn a_call_that_is_not_decided_yet_holds_back_questions_and_nothing_else() {
    let mut run = four();
    let calls = run.to_decide();
    run.decide_call(&calls[1]);
    run.decide_call(&calls[2]);
    assert_eq!((asked(&run), run.ran()), (vec![], vec!["r".to_owned()]));
    run.result("r", ResultStatus::Ok);
    run.decide_call(&calls[0]);
    assert_eq!(asked(&run), ["a", "b"], "the last call is not decided, and holds back no question before it");
    run.decide_call(&calls[3]);
    assert_eq!(asked(&run), ["a", "b", "c"]);
}

#[test]
fn a_refused_call_releases_the_questions_of_later_calls() {
    let mut run = four();
    let calls = run.to_decide();
    run.decide_call(&calls[1]);
    let id = CallId::new("a").unwrap();
    let result = ToolResult::text(id.clone(), ResultStatus::InvalidArguments, "wrong");
    run.step(Input::Decided { call: id, decision: Box::new(CallDecision::Refused(result)) });
    assert_eq!(asked(&run), ["b"]);
}

// L7: a delayed question is not asked after a stop.
#[test]
fn a_question_that_is_held_back_ends_with_the_run() {
    let mut run = four();
    let calls = run.to_decide();
    run.decide_call(&calls[1]);
    run.step(Input::Cancel);
    assert_eq!(asked(&run), [""; 0]);
    let cancelled = ["a", "b", "r", "c"].map(|id| (id.to_owned(), ResultStatus::Cancelled));
    assert_eq!(run.statuses(), cancelled);
    check_paired(run.machine.transcript().messages());
}

// The time for an answer begins when the human is asked.
#[test]
fn the_timeout_of_a_question_starts_when_it_is_asked() {
    let mut run = four();
    let calls = run.to_decide();
    run.decide_call(&calls[1]);
    assert_eq!(run.machine.next_deadline(), None);
    run.now = 1_000_000;
    run.decide_call(&calls[0]);
    assert_eq!(run.machine.next_deadline(), Some(1_000_000 + windlass_hitl::DEFAULT_TIMEOUT_MS));
}

// L6: a call that was started while the answer streamed can still need a question until it runs.
#[test]
fn a_speculative_call_delays_questions_only_while_it_is_undecided() {
    for runs in [false, true] {
        for before_the_end in [false, true] {
            let mut run = Driven::start(early());
            run.effects.clear();
            run.step(Input::Chunk(call("r", "look", "{}")));
            let reading = run.ahead().remove(0);
            if runs && before_the_end {
                run.step(Input::Started(reading.id.clone()));
            }
            run.step(Input::Chunk(call("a", "change", "{}")));
            run.step(Input::Chunk(crate::driven::finish(windlass_protocol::StopReason::Calls)));
            run.step(Input::StreamEnd(Ok(())));
            run.decide_all();
            if runs && !before_the_end {
                assert_eq!(asked(&run), [""; 0]);
                run.step(Input::Started(reading.id.clone()));
            }
            assert_eq!(asked(&run).len(), usize::from(runs));
            let outcome = Box::new(SpeculativeOutcome::NotBegun);
            run.step(Input::Speculative { answer: 1, call: reading.id, outcome });
            if !runs {
                let again = run.to_decide().pop().unwrap();
                assert_eq!(asked(&run), [""; 0], "it is decided once more");
                run.decide_call(&again);
            }
            assert_eq!(asked(&run), ["a"]);
        }
    }
}

// The record has the questions in the order in which they were asked.
#[test]
fn questions_are_recorded_in_call_order() {
    let mut run = four();
    let calls = run.to_decide();
    for call in calls.iter().rev() {
        run.decide_call(call);
    }
    let recorded: Vec<_> = entries(&run.effects)
        .into_iter()
        .filter_map(|entry| match entry {
            windlass_loop::Entry::Asked { request } => Some(request.call.id.to_string()),
            _ => None,
        })
        .collect();
    assert_eq!(recorded, ["a", "b", "c"]);
    let shown: Vec<_> = run
        .events()
        .into_iter()
        .filter_map(|event| match event {
            Event::ToolApprovalRequest { request, .. } => Some(request.call.id.to_string()),
            _ => None,
        })
        .collect();
    assert_eq!(shown, recorded);
}
