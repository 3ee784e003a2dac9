//! Changes of the mode, and of the offered tools of a turn (L11).

use windlass_loop::{Command, Config, ContextLimits, Entry, Event, Input, Machine, Offer, OfferedTool};
use windlass_protocol::{CallId, Control, Hints, Request, ResultStatus, ToolName, ToolResult, ToolSpec};

use crate::driven::{Driven, call, check_paired, config, entries};

fn tool(name: &str, hints: Hints) -> OfferedTool {
    let spec =
        ToolSpec::function(ToolName::new(name).unwrap(), "A tool.", r#"{"type":"object"}"#.parse().unwrap());
    OfferedTool::new(spec, hints)
}

/// The usual tools, and `switch`, which changes the mode.
fn with_switch() -> Config {
    let mut config = config();
    config.tools.push(tool("switch", Hints { control: Control::ModeSwitch, ..Hints::default() }));
    config
}

fn wanted(run: &mut Driven) -> Vec<String> {
    let wanted = run.to_decide().iter().map(|call| call.id.to_string()).collect();
    run.decide_all();
    run.effects.clear();
    wanted
}

#[test]
fn a_change_waits_for_the_calls_before_it_and_those_behind_it_wait_for_the_change() {
    for name in ["switch", "Switch", "functions.switch"] {
        let mut run = Driven::start(with_switch());
        let looks = |id: &str, n: u8| call(id, "look", &format!(r#"{{"n":{n}}}"#));
        run.answer([looks("a", 1), looks("b", 2), call("s", name, "{}"), looks("c", 3), looks("d", 4)]);
        assert_eq!(wanted(&mut run), ["a", "b"]);
        run.result("a", ResultStatus::Ok);
        assert!(wanted(&mut run).is_empty(), "b still runs");
        run.result("b", ResultStatus::Error);
        assert_eq!(wanted(&mut run), ["s"], "whatever became of those before it");
        run.result("s", ResultStatus::Ok);
        assert_eq!(wanted(&mut run), ["c", "d"]);
        run.result("d", ResultStatus::Ok);
        run.result("c", ResultStatus::Ok);
        assert!(run.is_sent());
        check_paired(run.machine.transcript().messages());
    }
}

#[test]
fn a_change_and_the_end_in_one_answer_do_not_wait_for_each_other() {
    for (calls, expected) in [(["s", "done"], ResultStatus::Ok), (["done", "s"], ResultStatus::Error)] {
        let mut run = Driven::start(with_switch());
        run.answer(calls.map(|id| call(id, if id == "s" { "switch" } else { "done" }, r#"{"result":"x"}"#)));
        assert_eq!(wanted(&mut run), ["s"]);
        run.result("s", ResultStatus::Ok);
        if expected == ResultStatus::Ok {
            assert_eq!(wanted(&mut run), ["done"]);
            run.result("done", ResultStatus::Ok);
            assert!(run.outcome().is_some());
        } else {
            let done = run.statuses().into_iter().find(|(id, _)| id == "done").unwrap();
            assert_eq!(done.1, expected, "it has to be the last call");
        }
    }
}

#[test]
fn two_writing_calls_run_in_order_and_a_stop_ends_waiting_calls() {
    let mut run = Driven::start(with_switch());
    run.answer([call("s", "switch", "{}"), call("t", "switch", r#"{"n":1}"#), call("a", "look", "{}")]);
    assert_eq!(wanted(&mut run), ["s"]);
    run.result("s", ResultStatus::Ok);
    assert_eq!(wanted(&mut run), ["t"]);
    run.step(Input::Cancel);
    run.result("t", ResultStatus::Ok);
    assert!(run.outcome().is_some());
    assert_eq!(run.statuses().last().unwrap(), &("a".to_owned(), ResultStatus::Cancelled));
}

#[test]
fn an_offer_holds_from_the_next_turn_on_and_its_mode_is_recorded_at_once() {
    let mut run = Driven::start(with_switch().with_mode(Some("ask".into())));
    let begun = entries(&run.effects);
    assert!(
        matches!(&begun[..2], [Entry::Started { version: Entry::VERSION, .. }, Entry::Mode { mode }] if mode == "ask")
    );
    run.answer([call("a", "look", "{}")]);
    wanted(&mut run);
    let offer = Offer::new(7, vec![tool("late", Hints::default())]);
    let offer = offer.with_system(Some("Now code.".into())).with_mode(Some("code".into()));
    run.step(Input::Offer(Box::new(offer)));
    assert_eq!(entries(&run.effects), [Entry::Mode { mode: "code".into() }]);
    assert!(run.events().contains(&&Event::ModeChanged { mode: "code".into() }));
    assert!(!run.is_sent());
    run.effects.clear();
    run.result("a", ResultStatus::Ok);
    let at = |want: &dyn Fn(&Command) -> bool| run.effects.iter().position(want).unwrap();
    let offered = at(&|effect| matches!(effect, Command::Offered { number: 7 }));
    assert!(offered < at(&|effect| matches!(effect, Command::Send { .. })));
    let Some(Command::Send { request, .. }) = run.effects.last() else {
        unreachable!("the turn is sent last")
    };
    assert_eq!(request.system.as_deref(), Some("Now code."));
    let names: Vec<_> = request.tools.iter().map(|tool| tool.name().as_str()).collect();
    assert_eq!(names, ["late"]);
}

// R5: the mode is recorded, so a resumed run has it, and records it only if it changes.
#[test]
fn a_resumed_run_records_only_a_new_mode() {
    let mut run = Driven::start(with_switch().with_mode(Some("ask".into())));
    let mut recorded = entries(&run.effects);
    run.answer([call("a", "look", "{}")]);
    recorded.extend(entries(&run.effects));
    for (mode, is_written) in [("ask", false), ("code", true)] {
        let config = with_switch().with_mode(Some(mode.into()));
        let (_, effects) = Machine::resume(config, recorded.clone(), 0).unwrap();
        let written = entries(&effects).contains(&Entry::Mode { mode: mode.into() });
        assert_eq!(written, is_written, "{mode}");
    }
}

// A kind of payload that only an error of the program can cause is detected when the call is looked up.
#[test]
fn a_fatal_error_ends_the_run_before_the_call_is_decided_too() {
    let mut run = Driven::start(config());
    run.answer([call("a", "look", "{}")]);
    run.step(Input::Fatal { call: CallId::new("a").unwrap(), message: "misrouted".into() });
    assert!(
        matches!(run.outcome(), Some(windlass_loop::Outcome::Failed { message }) if message == "misrouted")
    );
    check_paired(run.machine.transcript().messages());
}

/// The request that is sent last.
fn sent(effects: &[Command]) -> &Request {
    let mut requests = effects.iter().filter_map(|effect| match effect {
        Command::Send { request, .. } => Some(&**request),
        _ => None,
    });
    requests.next_back().unwrap()
}

/// One turn with a call whose result has this many bytes, and with a change of the mode before the result.
fn turn(run: &mut Driven, id: &str, bytes: usize, mode: Option<&str>) {
    run.answer([call(id, "look", &format!(r#"{{"n":"{id}"}}"#))]);
    run.decide_all();
    if let Some(mode) = mode {
        let offer = Offer::new(1, vec![tool("look", Hints::default()), tool(mode, Hints::default())]);
        run.step(Input::Offer(Box::new(offer.with_mode(Some(mode.to_owned())))));
    }
    let id = CallId::new(id).unwrap();
    run.step(Input::Result(ToolResult::text(id, ResultStatus::Ok, "x".repeat(bytes))));
}

// Decision 161: the earlier offers belong to the messages that are still sent.
#[test]
fn a_compaction_clears_the_earlier_offers() {
    let limits =
        ContextLimits { window: 2_000, keep_answers: 2, keep_result_bytes: 100, ..ContextLimits::default() };
    let mut run = Driven::start(with_switch().with_context(limits).with_mode(Some("ask".into())));
    assert!(sent(&run.effects).earlier_preambles.is_empty());
    turn(&mut run, "a", 10, Some("code"));
    let request = sent(&run.effects);
    let earlier = &request.earlier_preambles;
    assert_eq!((earlier.len(), request.messages.len()), (1, 3), "{earlier:?}");
    assert_eq!(earlier[0].messages, 3, "the offer held for all messages before the change");
    assert!(earlier[0].tools.iter().any(|tool| tool.name().as_str() == "switch"));
    turn(&mut run, "b", 10, Some("plan"));
    assert_eq!(sent(&run.effects).earlier_preambles.len(), 2);
    let (mut number, mut pruned, mut removed) = (0, 0, 0);
    while removed == 0 {
        number += 1;
        assert!(number < 100, "the window is never full");
        turn(&mut run, &format!("c{number}"), 600, None);
        for event in run.events() {
            if let Event::ContextCompacted { results, messages, .. } = event {
                (pruned, removed) = (pruned + results, *messages);
            }
        }
        if removed == 0 {
            // Results that are left out do not move messages.
            assert_eq!(sent(&run.effects).earlier_preambles.len(), 2, "turn {number}");
        }
    }
    assert!(pruned > 0);
    assert!(sent(&run.effects).earlier_preambles.is_empty(), "the request after removed turns begins anew");
    turn(&mut run, "d", 10, Some("ask"));
    let request = sent(&run.effects);
    assert_eq!(request.earlier_preambles.len(), 1, "a change after the compaction counts again");
    let bound = request.earlier_preambles[0].messages;
    assert!(bound <= request.messages.len(), "{bound} of {}", request.messages.len());
}

// Decision 161: the record has the mode and not the tools, so a resumed run begins with the present tools.
#[test]
fn a_record_with_changes_of_the_mode_resumes_without_earlier_offers() {
    let mut run = Driven::start(with_switch().with_mode(Some("ask".into())));
    let mut recorded = entries(&run.effects);
    run.effects.clear();
    turn(&mut run, "a", 10, Some("code"));
    assert_eq!(sent(&run.effects).earlier_preambles.len(), 1);
    recorded.extend(entries(&run.effects));
    for entry in &recorded {
        let text = serde_json::to_string(entry).unwrap();
        assert!(!text.contains("preamble"), "{text}");
        assert_eq!(serde_json::from_str::<Entry>(&text).unwrap(), *entry);
    }
    let config = with_switch().with_mode(Some("code".into()));
    let (machine, effects) = Machine::resume(config, recorded, 0).unwrap();
    assert!(sent(&effects).earlier_preambles.is_empty());
    let mut run = Driven { machine, effects, now: 0 };
    turn(&mut run, "b", 10, Some("plan"));
    assert_eq!(sent(&run.effects).earlier_preambles.len(), 1);
}
