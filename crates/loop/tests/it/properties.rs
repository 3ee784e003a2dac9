//! Whatever comes in, whatever the order: no panic, and every request that goes out is valid.

use proptest::prelude::*;
use windlass_hitl::{ApprovalDecision, ApprovalOutcome};
use windlass_loop::{Effect, Input, Machine, StreamFailure};
use windlass_protocol::{CallId, ResultStatus, StopReason};
use windlass_stream::{CallChunk, CallKey, Chunk};

use crate::driven::{Driven, call, check_paired, config, entries, finish};

#[derive(Clone, Debug)]
enum Step {
    Feed(Chunk),
    End(bool),
    JudgeFirst,
    Approve(bool),
    Finish(ResultStatus),
    Cancel,
    Guide(bool),
    Wait(u64),
}

fn chunk() -> impl Strategy<Value = Chunk> {
    let id = prop::sample::select(vec!["c1", "c2", "c3"]);
    let name = prop::sample::select(vec!["look", "change", "done", "fly"]);
    let arguments =
        prop::sample::select(vec!["{}", r#"{"a":1}"#, r#"{"result":"r"}"#, r#"{"a":"#, "[1]", ""]);
    prop_oneof![
        Just(Chunk::text("words")),
        Just(Chunk::text("")),
        (id, name, arguments.clone()).prop_map(|(id, name, arguments)| call(id, name, arguments)),
        arguments.prop_map(|text| Chunk::Call(CallChunk::Delta { key: CallKey(0), arguments: text.into() })),
        (0_u64..3).prop_map(|key| Chunk::Call(CallChunk::Start {
            key: CallKey(key),
            id: None,
            name: "look".into(),
            opaque: None
        })),
        prop::sample::select(vec![
            StopReason::End,
            StopReason::Calls,
            StopReason::Length,
            StopReason::Refusal,
            StopReason::Pause
        ])
        .prop_map(finish),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => chunk().prop_map(Step::Feed),
        4 => any::<bool>().prop_map(Step::End),
        6 => Just(Step::JudgeFirst),
        3 => any::<bool>().prop_map(Step::Approve),
        6 => prop::sample::select(vec![ResultStatus::Ok, ResultStatus::Error, ResultStatus::Cancelled])
            .prop_map(Step::Finish),
        1 => Just(Step::Cancel),
        1 => any::<bool>().prop_map(Step::Guide),
        1 => (0_u64..400_000).prop_map(Step::Wait),
    ]
}

/// Does one step, answering only what the machine asked for where an answer needs a question.
fn apply(run: &mut Driven, step: Step) {
    let running: Vec<String> = run.ran();
    let input = match step {
        Step::Feed(chunk) => Input::Chunk(chunk),
        Step::End(true) => Input::StreamEnd(Ok(())),
        Step::End(false) => Input::StreamEnd(Err(StreamFailure::new("broke", true))),
        Step::JudgeFirst => {
            for call in run.to_decide() {
                run.judge(&call);
            }
            return;
        }
        Step::Approve(yes) => {
            let asked = run.effects.iter().rev().find_map(|effect| match effect {
                Effect::Ask(request) => Some(request.request_id.clone()),
                _ => None,
            });
            let id = asked.unwrap_or_else(|| "ask-nothing".into());
            let decision = if yes { ApprovalDecision::approve(id) } else { ApprovalDecision::deny(id, None) };
            Input::Approval(ApprovalOutcome::Answered(decision))
        }
        Step::Finish(status) => {
            for id in running {
                run.result(&id, status);
            }
            return;
        }
        Step::Cancel => Input::Cancel,
        Step::Guide(yes) => Input::Guidance(yes.then(|| "do this".into())),
        Step::Wait(ms) => {
            run.now += ms;
            Input::Tick
        }
    };
    run.step(input);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_request_is_paired_and_every_record_resumes(steps in prop::collection::vec(step(), 1..80)) {
        let mut run = Driven::start(config());
        for step in steps {
            apply(&mut run, step);
            for effect in &run.effects {
                if let Effect::Send { request, .. } = effect {
                    check_paired(&request.messages);
                }
            }
            // Each call runs once.
            let mut ran = run.ran();
            ran.sort();
            let all = ran.len();
            ran.dedup();
            prop_assert_eq!(all, ran.len());
        }
        let record = entries(&run.effects);
        match Machine::resume(config(), record, 0) {
            Ok((machine, _)) => check_paired(machine.transcript().messages()),
            Err(error) => prop_assert!(matches!(error, windlass_loop::ResumeError::Completed), "{error}"),
        }
    }

    #[test]
    fn inputs_that_nobody_asked_for_change_nothing(id in "[a-z]{1,8}") {
        let mut run = Driven::start(config());
        let before = run.machine.transcript().clone();
        run.result(&id, ResultStatus::Ok);
        run.step(Input::Fatal { call: CallId::new(id.clone()).unwrap(), message: "x".into() });
        run.step(Input::Guidance(Some("y".into())));
        run.step(Input::Start { task: "again".into() });
        prop_assert_eq!(run.machine.transcript(), &before);
        prop_assert!(run.outcome().is_none());
    }
}
