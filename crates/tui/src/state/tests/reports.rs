//! The changes of files, and the context window.

use serde_json::json;

use super::Talk;
use crate::action::{Action, DiffExtent};
use crate::input::{Input, Reply};

#[test]
fn the_changes_of_the_session_and_of_its_newest_run_are_shown() {
    let mut talk = Talk::new();
    assert_eq!(talk.send("/diff"), [], "there is no conversation");
    talk.start("x");
    talk.feed(json!({"kind": "run_diff", "diff": "--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-old\n+new\n"}));
    talk.end("done");
    assert_eq!(talk.send("/diff"), [Action::Diff(DiffExtent::Session)]);
    assert_eq!(talk.send("/diff run"), []);
    assert!(talk.printed.iter().any(|line| line.contains("+ new")), "{:?}", talk.printed);
    assert_eq!(talk.send("/diff everything"), []);
    assert!(talk.view().contains("/diff run"), "{}", talk.view());
}

#[test]
fn the_context_is_shown_whenever_the_window_is_known() {
    let mut talk = Talk::new();
    let turn =
        json!({"kind": "turn_ended", "turn": 1, "usage": {"input": 40_000, "output": 2_000}, "total": {}});
    talk.start("x");
    talk.feed(turn.clone());
    assert!(!talk.view().contains("context"), "{}", talk.view());
    talk.apply(Input::Reply(Reply::ContextWindow(Some(200_000))));
    assert!(talk.view().contains("context 0 %"), "{}", talk.view());
    talk.feed(turn);
    assert!(talk.view().contains("context 21 %"), "{}", talk.view());
    talk.feed(json!({"kind": "turn_ended", "turn": 2, "usage": {}, "total": {}}));
    assert!(talk.view().contains("context 21 %"), "a provider without tokens: {}", talk.view());
    talk.feed(json!({"kind": "context", "used": 90, "window": 100, "pressure": "high"}));
    assert!(talk.view().contains("context 90 %"), "{}", talk.view());
}
