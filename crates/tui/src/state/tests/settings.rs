//! Settings that change with the next task.

use serde_json::json;

use super::Talk;
use crate::action::{Action, Changes, ForkTurn};
use crate::input::{Input, OpenedSession, Reply};

/// Lets the check of a mode succeed or fail.
fn end_check(talk: &mut Talk, mode: &str, problem: Option<&str>) {
    let problem = problem.map(str::to_owned);
    talk.apply(Input::Reply(Reply::ModeChecked { mode: mode.to_owned(), problem }));
}

fn set_mode(talk: &mut Talk, mode: &str) {
    assert_eq!(talk.send(&format!("/mode {mode}")), [Action::CheckMode(mode.to_owned())]);
    end_check(talk, mode, None);
}

/// Sends a task and returns the changes of its start.
fn submit(talk: &mut Talk, text: &str) -> Changes {
    let actions = talk.send(text);
    let [Action::Submit { changes, .. }] = &actions[..] else { panic!("{actions:?}") };
    changes.clone()
}

fn fail_start(talk: &mut Talk, changes: Changes, fork: Option<ForkTurn>) {
    let message = "the provider is unavailable".to_owned();
    talk.apply(Input::Reply(Reply::NotStarted { task: "go".to_owned(), message, changes, fork }));
}

/// Returns true if words were printed, on one line or several.
fn find_words(talk: &Talk, words: &str) -> bool {
    let printed = talk.printed.join(" ");
    printed.split_whitespace().collect::<Vec<_>>().join(" ").contains(words)
}

#[test]
fn a_failed_start_keeps_the_changes_for_the_next_task() {
    let mut talk = Talk::new();
    talk.send("/autonomy read-only");
    set_mode(&mut talk, "architect");
    talk.send("/effort high");
    let changes = submit(&mut talk, "go");
    assert_eq!(changes.autonomy.as_deref(), Some("read-only"));
    fail_start(&mut talk, changes.clone(), None);
    assert!(talk.view().contains("read-only"), "{}", talk.view());
    let again = talk.key(crate::input::Key::Enter);
    let [Action::Submit { task, changes: sent, .. }] = &again[..] else { panic!("{again:?}") };
    assert_eq!((task.as_str(), sent), ("go", &changes));
    // A change after the failure replaces the older one.
    fail_start(&mut talk, changes, None);
    talk.state.composer.clear();
    talk.send("/autonomy ask");
    let changes = submit(&mut talk, "go");
    assert_eq!((changes.autonomy.as_deref(), changes.mode.as_deref()), (Some("ask"), Some("architect")));
    talk.apply(Input::Reply(Reply::Started { session: "s".to_owned() }));
    talk.end("done");
    assert_eq!(submit(&mut talk, "more"), Changes::default());
}

#[test]
fn a_change_while_the_run_starts_replaces_the_one_that_failed() {
    let mut talk = Talk::new();
    talk.send("/autonomy auto-edit");
    let changes = submit(&mut talk, "go");
    talk.send("/autonomy read-only");
    fail_start(&mut talk, changes, None);
    assert!(talk.view().contains("read-only"), "{}", talk.view());
    talk.state.composer.clear();
    assert_eq!(submit(&mut talk, "go").autonomy.as_deref(), Some("read-only"));
}

#[test]
fn a_failed_fork_remains_a_fork() {
    let mut talk = Talk::new();
    talk.start("first");
    talk.end("done");
    talk.send("/fork 2");
    let actions = talk.send("go");
    let [Action::Fork { turn: Some(2), changes, .. }] = &actions[..] else { panic!("{actions:?}") };
    fail_start(&mut talk, changes.clone(), Some(ForkTurn(Some(2))));
    let again = talk.key(crate::input::Key::Enter);
    assert!(matches!(&again[..], [Action::Fork { turn: Some(2), .. }]), "{again:?}");
}

#[test]
fn unknown_setting_values_change_nothing() {
    let mut talk = Talk::new();
    for (command, words) in [
        ("/autonomy auto", "the levels are: ask, read-only, auto-edit, headless"),
        ("/autonomy Ask", "unknown autonomy Ask"),
        ("/effort huge", "use off, minimal, low, medium, high, max or a number"),
    ] {
        assert_eq!(talk.send(command), []);
        assert!(find_words(&talk, words), "{words}: {:?}", talk.printed);
    }
    assert_eq!(talk.send("/mode nosuch"), [Action::CheckMode("nosuch".to_owned())]);
    end_check(&mut talk, "nosuch", Some("unknown mode nosuch; the modes are: code, ask"));
    assert!(find_words(&talk, "the modes are: code"), "{:?}", talk.printed);
    assert!(!talk.view().contains("nosuch"), "{}", talk.view());
    assert_eq!(submit(&mut talk, "go"), Changes::default());
}

#[test]
fn a_task_waits_for_the_check_of_the_mode() {
    let mut talk = Talk::new();
    talk.send("/mode architect");
    assert_eq!(talk.send("go"), []);
    assert!(talk.view().contains("the mode is being checked"), "{}", talk.view());
    end_check(&mut talk, "other", None);
    end_check(&mut talk, "architect", None);
    let actions = talk.key(crate::input::Key::Enter);
    let [Action::Submit { task, changes, .. }] = &actions[..] else { panic!("{actions:?}") };
    assert_eq!((task.as_str(), changes.mode.as_deref()), ("go", Some("architect")));
}

#[test]
fn a_message_does_not_become_a_task_without_the_changes() {
    let mut talk = Talk::new();
    talk.start("x");
    talk.send("/autonomy read-only");
    let sent = talk.send("also this");
    assert!(matches!(&sent[..], [Action::Send { can_start: false, .. }]), "{sent:?}");
}

#[test]
fn the_status_names_the_settings_of_the_next_task() {
    let mut talk = Talk::new();
    talk.start("x");
    set_mode(&mut talk, "architect");
    // The run changes its mode, and another session has an autonomy of its own.
    talk.feed(json!({"kind": "mode", "mode": "debug"}));
    talk.end("done");
    let opened = OpenedSession { autonomy: "auto-edit".to_owned(), ..OpenedSession::default() };
    talk.apply(Input::Reply(Reply::Opened(opened)));
    assert!(talk.view().contains("architect") && talk.view().contains("auto-edit"), "{}", talk.view());
    talk.send("/new");
    let (model, mode, autonomy) = ("m-3".to_owned(), String::new(), "ask".to_owned());
    talk.apply(Input::Reply(Reply::NewSession { model, mode, autonomy }));
    let view = talk.view();
    assert!(view.contains("architect") && view.contains("ask") && !view.contains("auto-edit"), "{view}");
}
