//! Tasks, texts, calls, messages, commands.

use serde_json::{Value, json};
use windlass_app::feed::AgentPath;

use super::Talk;
use crate::action::{Action, Topic};
use crate::input::{Input, Key, OpenedSession, Reply, SessionChoice};

#[test]
fn a_streamed_text_is_printed_once_by_lines() {
    let mut talk = Talk::new();
    talk.start("say two lines");
    talk.feed(json!({"kind": "turn_started", "turn": 1}));
    talk.text("The first line.\n\nThe sec");
    assert!(talk.view().contains("The sec"), "{}", talk.view());
    let delta = json!({"kind": "text_delta", "turn": 1, "index": 0, "offset": 24, "text": "ond."});
    talk.feed(delta);
    talk.feed(json!({"kind": "text_ended", "turn": 1, "index": 0}));
    let text = "The first line.\n\nThe second.";
    talk.feed(json!({"kind": "text", "turn": 1, "text": text}));
    talk.feed(json!({"kind": "turn_ended", "turn": 1, "usage": {}, "total": {"input": 1_200, "output": 34}}));
    talk.end(text);
    let printed = talk.printed.join("\n");
    assert_eq!(printed.matches("The first line.").count(), 1, "{printed}");
    assert_eq!(printed.matches("The second.").count(), 1, "{printed}");
    assert!(talk.view().contains("1.2k in, 34 out"), "{}", talk.view());
    assert_eq!(talk.state.transcript.answer(), text);
}

#[test]
fn a_reader_that_falls_behind_prints_nothing_twice() {
    let mut talk = Talk::new();
    talk.start("x");
    talk.text("one\ntwo\n");
    // The merged delta begins again.
    talk.text("one\ntwo\nthree\n");
    talk.feed(json!({"kind": "text", "turn": 1, "text": "one\ntwo\nthree\nfour"}));
    let printed = talk.printed.join("\n");
    for word in ["one", "two", "three", "four"] {
        assert_eq!(printed.matches(word).count(), 1, "{word} in {printed}");
    }
}

fn send_action(text: &str, after_task: bool) -> Action {
    Action::Send { text: text.to_owned(), files: vec![], after_task, can_start: true }
}

#[test]
fn a_conversation_continues_and_messages_reach_a_working_run() {
    let mut talk = Talk::new();
    talk.start("first");
    assert_eq!(talk.send("also this"), [send_action("also this", false)]);
    talk.type_text("and then");
    let sent = talk.key(Key::Tab);
    assert_eq!(sent, [send_action("and then", true)]);
    talk.feed(json!({"kind": "message_queued", "text": "and then", "after_task": true}));
    assert!(talk.view().contains("queued: and then"), "{}", talk.view());
    talk.feed(json!({"kind": "message", "text": "and then", "source": "next_task"}));
    assert!(!talk.view().contains("queued"), "{}", talk.view());
    talk.end("done");
    let actions = talk.send("second");
    assert!(matches!(&actions[..], [Action::Submit { task, .. }] if task == "second"));
    assert_eq!(talk.key(Key::Up), []);
    assert!(talk.view().contains("› second"), "{}", talk.view());
}

#[test]
fn escape_stops_after_the_call_and_then_now() {
    let mut talk = Talk::new();
    talk.start("x");
    assert_eq!(talk.key(Key::Escape), [Action::Stop]);
    let mut talk = Talk::new();
    talk.start("x");
    talk.feed(json!({"kind": "call", "turn": 1, "call": "c", "tool": "run_command", "arguments": {"command": "make"}}));
    talk.feed(json!({"kind": "call_running", "call": "c"}));
    assert_eq!(talk.key(Key::Escape), []);
    assert!(talk.view().contains("stops after the running call"), "{}", talk.view());
    let stopped = talk.feed(json!({"kind": "result", "call": "c", "status": "ok", "text": "made"}));
    assert_eq!(stopped, [Action::Stop]);
    let mut talk = Talk::new();
    talk.start("x");
    talk.feed(json!({"kind": "call", "turn": 1, "call": "c", "tool": "run_command", "arguments": {"command": "make"}}));
    talk.feed(json!({"kind": "call_running", "call": "c"}));
    assert_eq!(talk.key(Key::Escape), []);
    assert_eq!(talk.key(Key::Escape), [Action::Stop]);
}

#[test]
fn messages_that_wait_return_to_the_composer_if_the_run_is_stopped() {
    let mut talk = Talk::new();
    talk.start("x");
    talk.feed(json!({"kind": "message_queued", "text": "also this", "after_task": false}));
    talk.feed(json!({"kind": "message_queued", "text": "and then", "after_task": true}));
    assert_eq!(talk.key(Key::Escape), [Action::Stop]);
    talk.feed(
        json!({"kind": "run_ended", "outcome": {"state": "stopped", "cause": "cancelled"}, "total": {}}),
    );
    assert!(talk.view().contains("the queued messages were not sent"), "{}", talk.view());
    let sent = talk.key(Key::Enter);
    assert!(
        matches!(&sent[..], [Action::Submit { task, .. }] if task == "also this\n\nand then"),
        "{sent:?}"
    );
    // A run that completes has received its messages, or continues with them.
    let mut talk = Talk::new();
    talk.start("x");
    talk.feed(json!({"kind": "message_queued", "text": "also this", "after_task": false}));
    talk.end("done");
    assert!(!talk.view().contains("also this"), "{}", talk.view());
}

#[test]
fn commands_have_the_names_of_other_agents_too() {
    for (alias, command) in [("/resume", "/sessions"), ("/exit", "/quit")] {
        let actions = Talk::new().send(command);
        assert!(!actions.is_empty());
        assert_eq!(Talk::new().send(alias), actions);
    }
}

#[test]
fn the_help_of_a_narrow_terminal_keeps_its_indentation() {
    let mut talk = Talk::new();
    talk.apply(Input::Resize { columns: 40, rows: 24 });
    talk.send("/help");
    let printed = talk.printed.join("\n");
    let rows: Vec<&str> = printed.lines().skip_while(|row| !row.starts_with("  /help")).collect();
    assert!(rows.len() > 40, "{printed}");
    for row in rows.iter().filter(|row| !row.trim().is_empty()) {
        assert!(row.starts_with("  ") && row.chars().count() <= 40, "{row:?} in {printed}");
    }
}

#[test]
fn control_c_twice_and_control_d_end() {
    let mut talk = Talk::new();
    talk.type_text("half a tas");
    assert_eq!(talk.key(Key::Interrupt), []);
    assert!(talk.state.composer.is_empty());
    assert_eq!(talk.key(Key::Interrupt), [Action::Quit]);
    let mut talk = Talk::new();
    talk.key(Key::Interrupt);
    talk.now += 5_000;
    assert_eq!(talk.key(Key::Interrupt), []);
    assert_eq!(talk.key(Key::EndOfInput), [Action::Quit]);
}

#[test]
fn commands_complete_and_apply() {
    let mut talk = Talk::new();
    talk.type_text("/mod");
    assert!(talk.view().contains("/model") && talk.view().contains("/mode "), "{}", talk.view());
    talk.key(Key::Tab);
    talk.type_text("other-2");
    talk.key(Key::Enter);
    assert!(talk.view().contains("other-2"), "{}", talk.view());
    let actions = talk.send("go");
    assert!(
        matches!(&actions[..], [Action::Submit { changes, .. }] if changes.model.as_deref() == Some("other-2")),
        "{actions:?}"
    );
    let mut talk = Talk::new();
    talk.send("/nosuch");
    assert!(talk.view().contains("/nosuch is not a command"), "{}", talk.view());
    let mut talk = Talk::new();
    talk.send("/help");
    assert!(talk.printed.iter().any(|line| line.contains("/restore")), "{:?}", talk.printed);
    assert_eq!(talk.send("/quit"), [Action::Quit]);
    let mut talk = Talk::new();
    let actions = talk.send("/usr/bin/env is a path");
    assert!(matches!(&actions[..], [Action::Submit { .. }]), "{actions:?}");
}

#[test]
fn a_file_is_completed() {
    let mut talk = Talk::new();
    talk.type_text("read ");
    assert_eq!(talk.key(Key::Char('@')), [Action::ListFiles]);
    talk.apply(Input::Reply(Reply::Files(vec!["src/main.rs".to_owned(), "README.md".to_owned()])));
    talk.type_text("main");
    talk.key(Key::Enter);
    let actions = talk.key(Key::Enter);
    assert!(
        matches!(&actions[..], [Action::Submit { task, .. }] if task == "read @src/main.rs "),
        "{actions:?}"
    );
}

#[test]
fn a_stored_session_is_chosen_and_shown() {
    let mut talk = Talk::new();
    assert_eq!(talk.send("/sessions"), [Action::ListSessions]);
    let choices = vec![SessionChoice::new("a", "one", ""), SessionChoice::new("b", "two", "")];
    talk.apply(Input::Reply(Reply::Sessions(choices)));
    talk.key(Key::Down);
    assert_eq!(talk.key(Key::Enter), [Action::Open("b".to_owned())]);
    talk.feed(json!({"kind": "run_started", "task": "old task"}));
    talk.feed(json!({"kind": "text", "turn": 1, "text": "old answer"}));
    let opened =
        OpenedSession { session: "b".to_owned(), model: "m-2".to_owned(), ..OpenedSession::default() };
    talk.apply(Input::Reply(Reply::Opened(opened)));
    let printed = talk.printed.join("\n");
    assert!(printed.contains("old task") && printed.contains("old answer"), "{printed}");
    assert!(!talk.state.is_working() && talk.view().contains("m-2"), "{}", talk.view());
}

#[test]
fn a_wait_counts_down_and_an_error_has_a_remedy() {
    let mut talk = Talk::new();
    talk.start("x");
    talk.feed(json!({"kind": "retry", "reason": "429 too many requests", "delay_ms": 20_000}));
    talk.now += 5_000;
    assert!(talk.view().contains("waits 15s (Esc: stop): 429 too many"), "{}", talk.view());
    talk.feed(json!({"kind": "error", "message": "the provider refuses the key"}));
    assert!(talk.printed.iter().any(|line| line.contains("Send a message to continue")));
    assert!(!talk.state.is_working());
}

#[test]
fn the_view_fits_every_size() {
    let mut talk = Talk::new();
    talk.start("x");
    talk.text(&"日本語 word ".repeat(200));
    for columns in [20, 40, 80, 200] {
        for rows in [4, 10, 24, 60] {
            talk.apply(Input::Resize { columns, rows });
            let view = talk.state.view(std::time::Duration::from_secs(9));
            assert!(view.lines.len() <= rows, "{} lines in {rows} rows", view.lines.len());
            assert!(view.caret.0 < view.lines.len());
        }
    }
}

#[test]
fn pictures_that_a_task_mentions_are_sent_with_it() {
    let mut talk = Talk::new();
    talk.apply(Input::Paste("/tmp/my\\ shot.png".to_owned()));
    assert_eq!(talk.state.composer.text(), "@\"/tmp/my shot.png\" ");
    talk.now += 100;
    talk.apply(Input::Paste("and @b.pdf? thanks".to_owned()));
    let actions = talk.key(Key::Enter);
    let [Action::Submit { task, files, .. }] = &actions[..] else { panic!("{actions:?}") };
    assert_eq!(task, "@\"/tmp/my shot.png\" and @b.pdf? thanks");
    assert_eq!(files, &["/tmp/my shot.png", "b.pdf"]);
}

#[test]
fn history_of_earlier_processes_precedes_that_of_this_one() {
    let mut talk = Talk::new();
    talk.start("now");
    talk.end("done");
    talk.apply(Input::Reply(Reply::History(vec!["old".to_owned()])));
    talk.key(Key::Up);
    assert_eq!(talk.state.composer.text(), "now");
    talk.key(Key::Up);
    assert_eq!(talk.state.composer.text(), "old");
    assert_eq!(talk.remembered, ["now"]);
}

#[test]
fn compaction_acts_at_once() {
    let mut talk = Talk::new();
    assert_eq!(talk.send("/compact"), []);
    assert!(talk.printed.iter().any(|line| line.contains("no conversation")), "{:?}", talk.printed);
    talk.start("first");
    assert_eq!(talk.send("/compact"), [Action::Compact], "the working run compacts");
    talk.end("done");
    assert_eq!(talk.send("/compact"), [Action::Compact], "a run of its own compacts");
    talk.feed(json!({"kind": "run_started", "task": "Compact the conversation."}));
    talk.feed(json!({"kind": "compacted", "results": 0, "has_removed_turns": true, "note": "n", "before": 51_000, "after": 2_000}));
    assert!(talk.printed.iter().any(|line| line.contains("instead of")), "{:?}", talk.printed);
    talk.end("compacted");
    let actions = talk.send("second");
    assert!(matches!(&actions[..], [Action::Submit { .. }]), "{actions:?}");
}

#[test]
fn one_call_of_the_run_or_of_a_sub_agent_is_stopped() {
    let mut talk = Talk::new();
    talk.start("x");
    assert_eq!(talk.send("/stop"), [], "nothing works");
    let call =
        |id: &str, tool: &str| json!({"kind": "call", "turn": 1, "call": id, "tool": tool, "arguments": {}});
    let agent = json!({"call": "hand", "names": ["scribe"]});
    let of_agent = |mut event: Value| {
        event["agent"] = agent.clone();
        event
    };
    talk.feed(call("hand", "sub_agent_scribe"));
    talk.feed(json!({"kind": "call_running", "call": "hand"}));
    talk.feed(of_agent(call("nap", "run_command")));
    talk.feed(of_agent(json!({"kind": "call_running", "call": "nap"})));
    let path = AgentPath::new("hand", vec!["scribe".to_owned()]);
    let nap = Action::StopCall { agent: Some(path), call: "nap".to_owned() };
    assert_eq!(talk.send("/stop"), std::slice::from_ref(&nap));
    assert_eq!(talk.send("/stop run_command"), [nap]);
    assert_eq!(talk.send("/stop hand"), [Action::StopCall { agent: None, call: "hand".to_owned() }]);
    assert_eq!(talk.send("/stop other"), []);
    talk.feed(of_agent(
        json!({"kind": "result", "call": "nap", "status": "cancelled", "text": "", "images": 0}),
    ));
    assert_eq!(talk.send("/stop"), [Action::StopCall { agent: None, call: "hand".to_owned() }]);
}

#[test]
fn a_message_has_the_pictures_that_it_mentions() {
    let mut talk = Talk::new();
    talk.start("first");
    talk.apply(Input::Paste("like @mock.png please".to_owned()));
    let actions = talk.key(Key::Enter);
    let [Action::Send { files, .. }] = &actions[..] else { panic!("{actions:?}") };
    assert_eq!(files, &["mock.png"]);
    assert_eq!(talk.state.composer.text(), "");
}

#[test]
fn sub_agents_are_listed_as_a_tree() {
    let mut talk = Talk::new();
    talk.start("x");
    talk.send("/agents");
    assert!(talk.printed.iter().any(|line| line.contains("no sub-agent")), "{:?}", talk.printed);
    let agent = |names: &[&str], kind: Value| {
        let mut event = kind;
        event["agent"] = json!({"call": "c1", "names": names});
        event
    };
    talk.feed(agent(&["reviewer"], json!({"kind": "turn_started", "turn": 2})));
    talk.feed(agent(&["reviewer", "tester"], json!({"kind": "turn_started", "turn": 1})));
    let outcome = json!({"state": "completed", "text": "ok"});
    let total = json!({"input": 1_200, "output": 34});
    let ended = json!({"kind": "run_ended", "outcome": outcome, "total": total});
    talk.feed(agent(&["reviewer", "tester"], ended));
    talk.send("/agents");
    let printed = talk.printed.join("\n");
    assert!(printed.contains("  reviewer · works · 2 turns"), "{printed}");
    assert!(printed.contains("    tester · done · 1 turn · 1.2k in, 34 out"), "{printed}");
}

#[test]
fn commands_show_the_configuration() {
    let mut talk = Talk::new();
    assert_eq!(talk.send("/mcp"), [Action::Describe(Topic::Servers)]);
    assert_eq!(talk.send("/policy"), [Action::Describe(Topic::Policy)]);
    assert_eq!(talk.send("/policy revoke a1"), [Action::Revoke("a1".to_owned())]);
    assert_eq!(talk.send("/policy x"), []);
    assert!(talk.view().contains("/policy revoke ID"), "{}", talk.view());
    assert_eq!(talk.key(Key::Suspend), [Action::Suspend]);
}

#[test]
fn a_silent_model_is_shown_with_the_time() {
    let mut talk = Talk::new();
    talk.start("x");
    talk.feed(json!({"kind": "turn_started", "turn": 1}));
    talk.wait(5_000);
    assert!(!talk.view().contains("nothing from the model"), "{}", talk.view());
    talk.wait(7_000);
    assert!(talk.view().contains("turn 1 · nothing from the model for 12s"), "{}", talk.view());
    talk.text("a word");
    assert!(!talk.view().contains("nothing from the model"), "{}", talk.view());
}

#[test]
fn a_wait_before_a_request_is_counted_down_until_the_model_answers() {
    let mut talk = Talk::new();
    talk.start("x");
    let wait = std::time::Duration::from_secs(6);
    let reply =
        Reply::Wait { text: Some("status 429; 6 s".to_owned()), reason: "status 429".to_owned(), wait };
    talk.apply(Input::Reply(reply));
    assert!(talk.printed.iter().any(|line| line.contains("status 429; 6 s")), "{:?}", talk.printed);
    assert!(talk.view().contains("waits 6s (Esc: stop): status 429"), "{}", talk.view());
    // An event that was sent before the wait.
    talk.feed(json!({"kind": "turn_started", "turn": 1}));
    talk.wait(2_000);
    assert!(talk.view().contains("waits 4s"), "{}", talk.view());
    talk.text("an answer");
    assert!(!talk.view().contains("waits"), "{}", talk.view());
}

#[test]
fn a_message_that_could_not_be_sent_returns_to_the_composer() {
    let mut talk = Talk::new();
    talk.start("x");
    talk.send("one more thing");
    let (text, message) = ("one more thing".to_owned(), "the disk is full".to_owned());
    talk.apply(Input::Reply(Reply::NotSent { text, message }));
    assert!(talk.printed.iter().any(|line| line.contains("the disk is full")), "{:?}", talk.printed);
    assert_eq!(talk.state.composer.text(), "one more thing");
}
