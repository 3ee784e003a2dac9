//! Tests of a run's state with simulated workers.

use windlass_hitl::{ApprovalHistory, ApprovalRequest, Binding, Grants, Policy, PolicyInput, decide};
use windlass_loop::{
    CallDecision, Config, Entry, Input, Offer, OfferedTool, Outcome, StepClass, UnansweredPolicy,
};
use windlass_protocol::{Effect, Hints, ResultStatus, ToolCall, ToolName, ToolResult, ToolSpec};
use windlass_testkit::durable::{ASK, Job, KEEP, LOOK, MARK};

use super::{RunState, ScheduledStep, StepEnd, Work};
use crate::data::{CallDone, Letter, RunInput, SendOutput};
use crate::version::{Definition, tools_digest};
use crate::{ContentHash, RunSettings};

fn spec(name: &str) -> ToolSpec {
    let schema = r#"{"type":"object"}"#.parse().unwrap();
    ToolSpec::function(ToolName::new(name).unwrap(), "A tool.", schema)
}

fn definition() -> Definition {
    let keep = Hints { resumable: true, idempotent: true, ..Hints::default() };
    let tools = [(LOOK, Hints::read_only()), (KEEP, keep), (MARK, Hints::default()), (ASK, Hints::default())];
    let tools = tools.map(|(name, hints)| OfferedTool::new(spec(name), hints)).to_vec();
    Definition::new(Config::new("model", tools).with_unanswered(UnansweredPolicy::Suspend))
}

fn begin(turns_per_history: u32) -> RunState {
    let settings = RunSettings::new("queue").with_turns_per_history(turns_per_history);
    let input = RunInput { task: "the job".into(), settings, carried: None };
    let mut state = RunState::new("run".into(), input);
    state.begin(definition(), 0);
    state
}

fn decide_call(call: &ToolCall) -> Input {
    let effect = match call.name.as_str() {
        ASK => Effect::Write { path: "a.txt".into(), bytes: None },
        _ => Effect::Internal,
    };
    let facts = PolicyInput::new(call.name.clone(), Hints::default(), call, vec![effect]);
    let decision = decide(&Policy::default(), &Grants::default(), &ApprovalHistory::default(), &facts);
    let spec = spec(call.name.as_str());
    let digest = Binding { facts: &facts, call, spec: &spec, root: "/", epoch: "" }.digest();
    let request = ApprovalRequest::new(format!("ask-{}", call.id), call.clone(), &facts, &decision, digest);
    let decision =
        CallDecision::Decided { facts: Box::new(facts), decision, request: Some(Box::new(request)) };
    Input::Decided { call: call.id.clone(), decision: Box::new(decision) }
}

fn called(input: Input) -> StepEnd {
    StepEnd::Called(Box::new(CallDone { input, offer: None, is_tainted: false }))
}

/// Returns the end of a step that a worker executes without a problem.
fn execute(job: &Job, step: &ScheduledStep, stored: &mut Vec<windlass_protocol::Message>) -> StepEnd {
    match &step.work {
        Work::Send { step, .. } => {
            if step.base.is_none() {
                stored.clear();
            }
            stored.extend(step.messages.iter().cloned());
            let mut request = (*step.request).clone();
            for message in stored.iter() {
                request.messages.push(message.clone());
            }
            let mut inputs: Vec<Input> = job.answer(&request).into_iter().map(Input::Chunk).collect();
            inputs.push(Input::StreamEnd(Ok(())));
            let stored = ContentHash::compute(format!("{stored:?}").as_bytes());
            StepEnd::Sent(Box::new(SendOutput { inputs, stored }))
        }
        Work::Decide(step) => called(decide_call(&step.call)),
        Work::Run(step) => {
            called(Input::Result(ToolResult::text(step.call.id.clone(), ResultStatus::Ok, "fine")))
        }
        Work::Reconcile(_) => unreachable!("no call has planned files"),
    }
}

/// Executes steps until none is left. `change` can replace the end of a step.
fn drive(
    state: &mut RunState,
    job: &Job,
    mut change: impl FnMut(&ScheduledStep, StepEnd) -> StepEnd,
) -> Vec<ScheduledStep> {
    let (mut all, mut stored) = (Vec::new(), Vec::new());
    loop {
        let steps = state.take_steps();
        if steps.is_empty() && state.needs_resume() {
            state.resume(0).unwrap();
            continue;
        }
        if steps.is_empty() {
            return all;
        }
        for step in steps {
            let end = change(&step, execute(job, &step, &mut stored));
            state.end_step(&step, end, 0);
            all.push(step);
        }
    }
}

fn statuses(state: &RunState) -> Vec<(String, ResultStatus)> {
    let results = state.record.iter().filter_map(|entry| match entry {
        Entry::Result { result } => Some((result.call.to_string(), result.status)),
        _ => None,
    });
    results.collect()
}

#[test]
fn a_request_contains_only_the_messages_that_the_request_before_did_not_have() {
    let (mut state, job) = (begin(0), Job::with_each_class());
    let steps = drive(&mut state, &job, |_, end| end);
    let sends: Vec<(bool, usize)> = steps
        .iter()
        .filter_map(|step| match &step.work {
            Work::Send { step, .. } => Some((step.base.is_some(), step.messages.len())),
            _ => None,
        })
        .collect();
    // Each turn adds the answer and the message with its results.
    assert_eq!(sends, [(false, 1), (true, 2), (true, 2), (true, 2)]);
    assert_eq!(state.report().unwrap().outcome, Outcome::Completed { text: job.text() });
}

#[test]
fn a_call_whose_worker_ends_is_repeated_only_if_its_class_permits() {
    let (mut state, job) = (begin(0), Job::with_each_class());
    let mut lost = false;
    drive(&mut state, &job, |step, end| match &step.work {
        Work::Run(run) if run.call.id.as_str() == "mark-2" && !lost => {
            assert_eq!(step.class, StepClass::Once);
            lost = true;
            StepEnd::Lost("heartbeat timeout".into())
        }
        _ => end,
    });
    let unknown: Vec<_> =
        statuses(&state).into_iter().filter(|(_, status)| *status != ResultStatus::Ok).collect();
    assert_eq!(unknown, [("mark-2".to_owned(), ResultStatus::EffectsUnknown)]);
    assert_eq!(statuses(&state).len(), 9);
    assert_eq!(state.report().unwrap().outcome, Outcome::Completed { text: job.text() });
}

#[test]
fn the_same_ends_give_the_same_steps_and_records() {
    let job = Job::with_each_class();
    let (mut one, mut other) = (begin(0), begin(0));
    assert_eq!(drive(&mut one, &job, |_, end| end), drive(&mut other, &job, |_, end| end));
    assert_eq!(one.record, other.record);
}

#[test]
fn an_approved_call_runs_with_the_digest_of_its_request_and_a_denied_call_does_not_run() {
    let (mut state, job) = (begin(0), Job::with_questions());
    drive(&mut state, &job, |_, end| end);
    let waits = state.waits(0);
    assert!(waits.is_idle);
    assert_eq!(waits.approvals.len(), 2);
    for (request, yes) in waits.approvals.iter().zip([true, false]) {
        let id = request.request_id.as_str();
        let decision = if yes {
            windlass_hitl::ApprovalDecision::approve(id)
        } else {
            windlass_hitl::ApprovalDecision::deny(id, None)
        };
        let answer = Input::Approval(windlass_hitl::ApprovalOutcome::Answered(decision));
        state.push_letter(Letter::Input(Box::new(answer)));
    }
    state.read_letters(0).unwrap();
    let steps = drive(&mut state, &job, |_, end| end);
    let approved = steps.iter().find_map(|step| match &step.work {
        Work::Run(run) if run.call.id.as_str() == "ask-1" => run.approved.clone(),
        _ => None,
    });
    assert_eq!(approved.as_ref(), Some(&waits.approvals[0].digest));
    assert!(statuses(&state).contains(&("ask-2".into(), ResultStatus::Denied)));
    assert_eq!(state.report().unwrap().outcome, Outcome::Completed { text: job.text() });
}

#[test]
fn a_run_that_continues_as_new_keeps_its_conversation() {
    let job = Job::with_each_class();
    let mut undisturbed = begin(0);
    drive(&mut undisturbed, &job, |_, end| end);
    let mut state = begin(1);
    let mut stored = Vec::new();
    let mut histories = 1;
    while state.report().is_none() {
        if state.can_continue_as_new(false) {
            let input = state.to_carried_input().unwrap();
            let text = serde_json::to_string(&input).unwrap();
            state = RunState::new("run".into(), serde_json::from_str(&text).unwrap());
            state.resume(0).unwrap();
            histories += 1;
        }
        for step in state.take_steps() {
            let end = execute(&job, &step, &mut stored);
            state.end_step(&step, end, 0);
        }
    }
    // One turn for each history.
    assert_eq!(histories, 4);
    assert_eq!(state.transcript_tail(100), undisturbed.transcript_tail(100));
}

#[test]
fn a_stop_during_a_lost_call_ends_the_run() {
    let (mut state, job) = (begin(0), Job::with_each_class());
    let mut is_stopped = false;
    let mut stored = Vec::new();
    while state.report().is_none() {
        let steps = state.take_steps();
        if steps.is_empty() {
            assert!(state.needs_resume());
            state.resume(0).unwrap();
        }
        for step in steps {
            let mut end = execute(&job, &step, &mut stored);
            if matches!(&step.work, Work::Run(run) if run.call.id.as_str() == "mark-1") {
                end = StepEnd::Lost("heartbeat timeout".into());
                is_stopped = true;
            }
            state.end_step(&step, end, 0);
            if std::mem::take(&mut is_stopped) {
                state.push_letter(Letter::Stop);
                state.read_letters(0).unwrap();
            }
        }
    }
    assert!(matches!(state.report().unwrap().outcome, Outcome::Stopped { .. }));
    assert!(statuses(&state).contains(&("mark-1".into(), ResultStatus::EffectsUnknown)));
}

#[test]
fn a_stop_ends_a_run_that_waits() {
    let (mut state, job) = (begin(0), Job::with_questions());
    drive(&mut state, &job, |_, end| end);
    state.push_letter(Letter::Stop);
    state.read_letters(0).unwrap();
    assert!(matches!(state.report().unwrap().outcome, Outcome::Stopped { .. }));
}

#[test]
fn events_have_consecutive_numbers() {
    let (mut state, job) = (begin(0), Job::with_each_class());
    drive(&mut state, &job, |_, end| end);
    let all = state.events_from(0);
    let later = state.events_from(5);
    assert_eq!((all.first, later.first), (0, 5));
    assert_eq!(all.events[5..], later.events);
}

/// Returns the end of a step on a worker that has these tools: the end with an offer, if the step was scheduled with
/// other tools.
fn on_worker(tools: &[OfferedTool], mode: Option<&str>, step: &ScheduledStep, end: StepEnd) -> StepEnd {
    let (Work::Decide(call) | Work::Run(call) | Work::Reconcile(call)) = &step.work else { return end };
    let StepEnd::Called(mut done) = end else { return end };
    if call.scope.tools != tools_digest(tools, &[]) {
        done.offer = Some(Offer::new(0, tools.to_vec()).with_mode(mode.map(str::to_owned)));
    }
    StepEnd::Called(done)
}

fn offered_in(steps: &[ScheduledStep]) -> Vec<usize> {
    let sent = steps.iter().filter_map(|step| match &step.work {
        Work::Send { step, .. } => Some(step.request.tools.len()),
        _ => None,
    });
    sent.collect()
}

#[test]
fn the_tools_of_the_last_worker_are_offered_although_two_workers_share_the_calls() {
    let (old, job) = (definition().config.tools, Job::with_each_class());
    let new = [&old[..], &[OfferedTool::new(spec("another"), Hints::read_only())]].concat();
    // Each order in which two workers take the six steps of the first turn, before the earlier worker ends.
    for order in 0..64_u32 {
        let mut state = begin(0);
        let mut taken = 0;
        let steps = drive(&mut state, &job, |step, end| {
            let is_call = !matches!(step.work, Work::Send { .. });
            let is_old = is_call && taken < 6 && order >> taken & 1 == 0;
            taken += u32::from(is_call);
            on_worker(if is_old { &old } else { &new }, None, step, end)
        });
        let offered = offered_in(&steps);
        assert_eq!(offered.len(), 4, "{order:b}");
        // From the third turn on, the earlier worker is gone.
        assert_eq!(offered[2..], [5, 5], "{order:b}");
    }
}

#[test]
fn an_offer_from_before_a_change_of_the_mode_does_not_undo_it() {
    let (old, job) = (definition().config.tools, Job::with_each_class());
    let new = [&old[..], &[OfferedTool::new(spec("another"), Hints::read_only())]].concat();
    let mut state = begin(0);
    let steps = drive(&mut state, &job, |step, end| match (&step.work, end) {
        (Work::Run(run), StepEnd::Called(mut done)) if run.call.id.as_str() == "look-1" => {
            done.offer = Some(Offer::new(0, old[..2].to_vec()).with_mode(Some("ask".into())));
            StepEnd::Called(done)
        }
        // The call started in the previous mode.
        (Work::Run(run), end) if run.call.id.as_str() == "keep-1" => {
            assert_eq!(run.scope.mode, None);
            on_worker(&new, None, step, end)
        }
        (_, end) => end,
    });
    assert_eq!(offered_in(&steps), [4, 2, 2, 2]);
}
