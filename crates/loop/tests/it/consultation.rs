//! Questions to the human: each answer counts for its own question only.

use windlass_loop::{
    Budget, BudgetUsage, Command, Config, Entry, Event, Input, InterruptId, InterruptReason, Machine,
    Outcome, RunLimits, StopCause, StreamFailure, UnansweredPolicy, UnknownEffects, Wait,
};
use windlass_protocol::{ResultStatus, StopReason, Usage};
use windlass_stream::Chunk;

use crate::driven::{Driven, call, check_paired, config, entries, finish};

fn resumed(config: Config, record: &[Entry]) -> Driven {
    let (machine, effects) = Machine::resume(config, record.to_vec(), 0).unwrap();
    Driven { machine, effects, now: 0 }
}

fn requests(requests: u32) -> Budget {
    Budget { requests, ..Budget::default() }
}

/// One turn with a call that reads.
fn turn(run: &mut Driven, id: &str) {
    run.answer([call(id, "look", &format!(r#"{{"id":"{id}"}}"#))]);
    run.decide_all();
    run.result(id, ResultStatus::Ok);
}

/// The record of a run that was cut off while `change` ran, then resumed, and suspended with the question about this
/// call.
fn suspended_at_unknown_effects(config: &Config) -> (Vec<Entry>, InterruptId) {
    let mut run = Driven::start(config.clone());
    let mut record = entries(&run.effects);
    run.answer([call("b", "change", "{}")]);
    run.decide_all();
    run.approve("b");
    record.extend(entries(&run.effects));
    let mut run = resumed(config.clone(), &record);
    let id = run.asked();
    assert_eq!(id.reason, InterruptReason::UnknownEffects);
    run.guide(None);
    record.extend(entries(&run.effects));
    (record, id)
}

// Correctness 1 (a): the question is asked again, so that its answer reaches the model and does not extend the
// budget.
#[test]
fn guidance_about_unknown_effects_reaches_the_model_and_does_not_extend_the_budget() {
    let config = config()
        .with_budget(requests(3))
        .with_unanswered(UnansweredPolicy::Suspend)
        .with_unknown_effects(UnknownEffects::AskHuman);
    let (mut record, id) = suspended_at_unknown_effects(&config);
    let Some(Entry::Finished { outcome: Outcome::Suspended { waits } }) = record.last() else { panic!() };
    assert!(matches!(waits[..], [Wait::InterruptReply { id: of, .. }] if of == id));
    assert_eq!(InterruptId::open_in(&record), Some(id));

    let mut run = resumed(config.clone(), &record);
    assert_eq!(run.asked(), id, "the same question under the same id");
    let asked_again = entries(&run.effects).iter().any(|entry| matches!(entry, Entry::Interrupt { .. }));
    assert!(!asked_again, "it is on record once");
    run.guide(Some("it did not work: look first"));
    assert_eq!(run.machine.transcript().messages().last().unwrap().text(), "it did not work: look first");
    record.extend(entries(&run.effects));
    turn(&mut run, "c");
    turn(&mut run, "d");
    assert!(!run.is_sent(), "three requests are used");
    assert_eq!(run.asked().reason, InterruptReason::Budget);
    assert_eq!(run.asked().number, id.number + 1);
    assert_eq!(InterruptId::open_in(&record), None);
    // An answered question is not asked again.
    assert!(resumed(config, &record).is_sent());
}

// Correctness 1 (b): approval of more time does not answer a later question about the number of requests.
#[test]
fn an_answer_to_an_obsolete_question_does_not_count_for_another() {
    let budget = Budget { wall_ms: 5_000, requests: 2, ..Budget::default() };
    let config = config().with_budget(budget).with_unanswered(UnansweredPolicy::Suspend);
    let mut run = Driven::start(config.clone());
    let mut record = entries(&run.effects);
    run.now = 5_000;
    turn(&mut run, "a");
    let id = run.asked();
    run.guide(None);
    record.extend(entries(&run.effects));

    // The clock of the new process begins anew.
    let mut run = resumed(config, &record);
    assert!(run.is_sent());
    turn(&mut run, "b");
    let later = run.asked();
    assert!(later.reason == InterruptReason::Budget && later.number > id.number);
    let before = run.effects.len();
    run.step(Input::InterruptReply { id, words: Some("yes".into()) });
    assert!(
        matches!(&run.effects[before..], [Command::Show(Event::AnswerRefused { .. })]),
        "it is said aloud"
    );
    run.step(Input::InterruptReply { id: later, words: Some("yes".into()) });
    assert!(run.is_sent());
}

// A question with another text is a different question, because an answer applies to the text that was shown.
#[test]
fn a_question_that_shows_something_else_is_another_one() {
    let shared = || config().with_shared_budget(requests(1)).with_unanswered(UnansweredPolicy::Suspend);
    let mut run = Driven::start(shared());
    let mut record = entries(&run.effects);
    turn(&mut run, "a");
    let id = run.asked();
    run.guide(None);
    record.extend(entries(&run.effects));
    record.push(Entry::Shared {
        used: [("other".to_owned(), BudgetUsage { requests: 40, tokens: 0, cost: 0 })].into(),
    });
    let run = resumed(shared(), &record);
    assert_eq!(run.asked().number, id.number + 1);
}

// Correctness 18: an approval in another run replaces this run's question by a new one, which a late "no" to the old
// one does not answer.
#[test]
fn a_superseded_question_is_withdrawn_and_its_answer_is_refused() {
    let config = config().with_shared_budget(requests(1)).with_unknown_effects(UnknownEffects::AskHuman);
    let mut run = Driven::start(config.clone());
    let mut record = entries(&run.effects);
    run.answer([call("b", "change", "{}")]);
    run.decide_all();
    run.approve("b");
    record.extend(entries(&run.effects));
    let mut run = resumed(config, &record);
    let budget = run.asked();
    assert_eq!(budget.reason, InterruptReason::Budget);
    run.step(Input::Shared { used: [].into(), grants: 1 });
    assert!(run.effects.iter().any(|want| matches!(want, Command::Withdraw { id } if *id == budget)));
    let unknown = run.asked();
    assert_eq!(unknown.reason, InterruptReason::UnknownEffects);
    run.step(Input::InterruptReply { id: budget, words: Some("no".into()) });
    assert!(run.outcome().is_none() && !run.is_sent(), "the open question still waits");
    run.guide(None);
    assert!(run.is_sent());
    let said = run.machine.transcript().messages().iter().any(|message| message.text() == "no");
    assert!(!said, "the model does not hear it");
}

// Correctness 12: a missing answer about unknown effects does not extend the budget, neither live nor after a resume.
#[test]
fn an_unanswered_question_does_not_reset_the_budget() {
    let config = config().with_budget(requests(3)).with_unknown_effects(UnknownEffects::AskHuman);
    let mut run = Driven::start(config.clone());
    let mut record = entries(&run.effects);
    run.answer([call("b", "change", "{}")]);
    run.decide_all();
    run.approve("b");
    record.extend(entries(&run.effects));
    let mut run = resumed(config.clone(), &record);
    run.guide(None);
    record.extend(entries(&run.effects));
    let mut again = resumed(config, &record);
    for run in [&mut run, &mut again] {
        turn(run, "c");
        turn(run, "d");
        assert!(!run.is_sent(), "one request before the crash and two after it");
        assert_eq!(run.asked().reason, InterruptReason::Budget);
    }
}

// Correctness 27: steps have different keys, because a durable engine would return the first step's answer for an
// equal key.
#[test]
fn two_questions_of_one_turn_and_two_attempts_have_two_keys() {
    let config = config().with_budget(requests(1)).with_unknown_effects(UnknownEffects::AskHuman);
    let mut run = Driven::start(config.clone());
    let mut record = entries(&run.effects);
    run.answer([call("b", "change", "{}")]);
    run.decide_all();
    run.approve("b");
    record.extend(entries(&run.effects));
    let (mut machine, effects) = Machine::resume(config, record, 0).unwrap();
    let mut keys = Vec::new();
    let mut follow = |machine: &Machine, effects: &[Command]| {
        keys.extend(effects.iter().filter_map(|want| machine.step_of(want)).map(|step| step.key));
    };
    follow(&machine, &effects);
    for (matter, number) in [(InterruptReason::Budget, 1), (InterruptReason::UnknownEffects, 2)] {
        let id = InterruptId::new(matter, number);
        let effects = machine.step(Input::InterruptReply { id, words: Some("yes".into()) }, 0);
        follow(&machine, &effects);
    }
    for _ in 0..2 {
        let effects = machine.step(Input::StreamEnd(Err(StreamFailure::new("broke", true))), 0);
        follow(&machine, &effects);
    }
    assert_eq!(keys, ["guidance-1", "guidance-2", "model-2", "model-2-2", "model-2-3"]);
}

#[test]
fn attempts_before_a_crash_are_counted_so_that_no_key_repeats() {
    let mut run = Driven::start(config());
    let mut record = entries(&run.effects);
    run.effects.clear();
    run.step(Input::StreamEnd(Err(StreamFailure::new("broke", true))));
    record.extend(entries(&run.effects));
    let (machine, effects) = Machine::resume(config(), record, 0).unwrap();
    let keys: Vec<String> =
        effects.iter().filter_map(|want| machine.step_of(want)).map(|step| step.key).collect();
    assert_eq!(keys, ["model-1-2"]);
}

// Correctness 14: the process crashed after the answer was recorded and before it was sent to the model.
#[test]
fn recorded_guidance_is_sent_once_after_a_crash() {
    let set_up = || config().with_budget(requests(1));
    let mut run = Driven::start(set_up());
    let mut record = entries(&run.effects);
    turn(&mut run, "a");
    run.guide(Some("be quick"));
    record.extend(entries(&run.effects));
    let guided = record.iter().position(|entry| matches!(entry, Entry::InterruptReply { .. })).unwrap();
    for cut in [guided + 1, record.len()] {
        let mut cut = record[..cut].to_vec();
        let run = resumed(set_up(), &cut);
        // Another crash changes nothing.
        cut.extend(entries(&run.effects).into_iter().filter(|entry| matches!(entry, Entry::Resumed { .. })));
        for run in [run, resumed(set_up(), &cut)] {
            let messages = run.machine.transcript().messages();
            assert_eq!(messages.iter().filter(|message| message.text() == "be quick").count(), 1);
            assert!(run.is_sent());
        }
    }
}

// Correctness 26: the clock of the driver need not begin at 0.
#[test]
fn time_is_counted_from_the_start_of_the_run() {
    const EPOCH_MS: u64 = 1_764_000_000_000;
    let set_up = || config().with_budget(Budget { wall_ms: 5_000, ..Budget::default() });
    let mut machine = Machine::new(set_up());
    let effects = machine.step(Input::Start { task: "the task".into() }, EPOCH_MS);
    let mut run = Driven { machine, effects, now: EPOCH_MS };
    assert!(run.is_sent());
    let mut record = entries(&run.effects);
    run.now += 5_000;
    turn(&mut run, "a");
    record.extend(entries(&run.effects));
    assert!(!run.is_sent());
    let (machine, effects) = Machine::resume(set_up(), record, EPOCH_MS).unwrap();
    assert!(Driven { machine, effects, now: EPOCH_MS }.is_sent());
}

/// Returns the next question of the run, or `None` if the run sends a request.
fn next_question(run: &Driven) -> Option<String> {
    run.effects.iter().find_map(|want| match want {
        Command::Interrupt { question, .. } => Some(question.clone()),
        _ => None,
    })
}

// Counts from before a crash are equal after it.
#[test]
fn a_resumed_run_counts_as_a_live_one_does() {
    #[track_caller]
    fn check(config: &Config, act: impl Fn(&mut Driven), says: Option<&str>) {
        let mut run = Driven::start(config.clone());
        let mut record = entries(&run.effects);
        run.effects.clear();
        act(&mut run);
        record.extend(entries(&run.effects));
        assert_eq!(next_question(&run).is_some(), says.is_some());
        // The record ends before the question and before the effects of the last answer.
        let end = record.iter().rposition(|entry| !matches!(entry, Entry::Interrupt { .. })).unwrap();
        let again = resumed(config.clone(), &record[..=end]);
        assert_eq!(next_question(&again), next_question(&run));
        assert!(
            says.is_none_or(|says| next_question(&run).unwrap().contains(says)),
            "{:?}",
            next_question(&run)
        );
        assert_eq!((again.machine.usage(), again.machine.used()), (run.machine.usage(), run.machine.used()));
        check_paired(again.machine.transcript().messages());
    }
    /// `Driven::answer` forgets the effects before it.
    fn keep(run: &mut Driven, answer: impl FnOnce(&mut Driven)) {
        let before = std::mem::take(&mut run.effects);
        answer(run);
        run.effects.splice(0..0, before);
    }
    let usage = Usage { input_tokens: 10, output_tokens: 1, ..Usage::default() };
    let empty = move |run: &mut Driven| {
        run.step(Input::Chunk(Chunk::Usage { usage }));
        run.step(Input::Chunk(finish(StopReason::End)));
        run.step(Input::StreamEnd(Ok(())));
    };
    // Count nudges, also those about empty answers, which are not recorded themselves.
    let nudges = config().with_limits(RunLimits { nudges: 2, stream_retries: 0, ..RunLimits::default() });
    let talk = |run: &mut Driven| {
        for _ in 0..3 {
            keep(run, |run| run.answer([Chunk::text("I think")]));
        }
    };
    check(&nudges, talk, Some("2 times in a row"));
    let mixed = move |run: &mut Driven| {
        empty(run);
        keep(run, |run| run.answer([Chunk::text("I think")]));
    };
    check(&nudges.clone().with_budget(requests(2)), mixed, Some("2 requests"));
    // Count the tokens of discarded answers.
    let tokens = Budget { tokens: 22, ..Budget::default() };
    let twice = move |run: &mut Driven| {
        empty(run);
        empty(run);
    };
    check(&nudges.with_budget(tokens), twice, Some("22 tokens"));
    // A call that was refused as malformed counts for no budget and no row.
    let calls = Budget { calls: [("look".to_owned(), 2)].into(), ..Budget::default() };
    let malformed = |run: &mut Driven| {
        keep(run, |run| {
            run.answer([call("x", "look", "[1]"), call("y", "look", "[2]"), call("a", "look", "{}")]);
            run.decide_all();
            run.result("a", ResultStatus::Ok);
        });
    };
    check(&config().with_budget(calls), malformed, None);
}

// Correctness 29: a complete answer without calls is a completion, even if the process ended right after it.
#[test]
fn a_complete_text_answer_is_not_requested_again_on_resume() {
    let config = Config::new("model", vec![]);
    let mut run = Driven::start(config.clone());
    let mut record = entries(&run.effects);
    run.answer([Chunk::text("done")]);
    record.extend(entries(&run.effects));
    let finished = record.pop();
    assert!(matches!(finished, Some(Entry::Finished { .. })));
    let run = resumed(config.clone(), &record);
    assert_eq!(run.outcome(), Some(&Outcome::Completed { text: "done".into() }));

    // A call that was stopped while it ran is not complete.
    let mut run = Driven::start(config.clone());
    let mut record = entries(&run.effects);
    run.step(Input::Chunk(Chunk::text("do")));
    run.step(Input::Cancel);
    assert_eq!(run.outcome(), Some(&Outcome::Stopped { cause: StopCause::Cancelled }));
    record = [record, entries(&run.effects)].concat();
    record.dedup();
    let run = resumed(config, &record);
    assert!(run.is_sent(), "it goes on");
}
