//! Calls: live, running, and ended.

use std::fmt::Write as _;
use std::time::Duration;

use expect_test::expect;
use proptest::prelude::*;
use serde_json::json;
use windlass_screen::{CallState, CallView};

use crate::terminal::{assert_fits, options, text};

fn ended(status: &str, text: &str) -> CallState {
    CallState::Ended { status: status.to_owned(), text: text.to_owned(), images: 0 }
}

#[test]
fn the_path_is_displayed_before_the_content() {
    let mut call = CallView::new("write_file");
    let mut frames = String::new();
    for delta in
        [r#"{"pa"#, r#"th": "src/ma"#, r#"in.rs", "content": "fn main"#, r"() {\n    one();\n    two()"]
    {
        call.push_arguments(delta);
        let _ = writeln!(frames, "{}--", text(&call.render_live(3, None, &options(40))));
    }
    expect![[r#"
        ◌ write_file
        --
        ◌ write_file src/ma
        --
        ◌ write_file src/main.rs
          fn main
        --
        ◌ write_file src/main.rs
              one();
              two()
        --
    "#]]
    .assert_eq(&frames);
}

#[test]
fn a_running_command_shows_its_last_lines() {
    let mut call = CallView::new("run_command");
    call.set_arguments(&json!({"command": "cargo test --workspace --all-features", "timeout_s": 60}));
    call.set_state(CallState::Running);
    for number in 1..=20 {
        call.push_output(&format!("test {number} ... \u{1b}[32mok\u{1b}[0m\n"));
    }
    call.push_output("10 %\r20 %\r30 %");
    let lines = call.render_live(4, Some(Duration::from_secs(75)), &options(60));
    expect![[r#"
        ● run_command cargo test --workspace --all-features · 1m 15s
          test 19 ... ok
          test 20 ... ok
          30 %
    "#]]
    .assert_eq(&text(&lines));
}

#[test]
fn an_ended_call_folds_its_result() {
    let mut call = CallView::new("read_file");
    call.push_arguments(r#"{"path": "src/lib.rs", "start": 10, "pages": [1, 2]}"#);
    let result = (1..=50).fold(String::new(), |mut text, number| {
        let _ = writeln!(text, "line {number}");
        text
    });
    call.set_state(ended("ok", &result));
    let lines = call.render(Some(Duration::from_millis(1_250)), &options(40));
    expect![[r#"
        ✓ read_file src/lib.rs · 1.2s
          start: 10
          pages: [1,2]
          line 1
          line 2
          line 3
          line 4
          line 5
          line 6
          … 41 more lines
          line 48
          line 49
          line 50
    "#]]
    .assert_eq(&text(&lines));
}

#[test]
fn a_denied_call_names_its_rule() {
    let mut call = CallView::new("run_command");
    call.push_arguments(r#"{"command": "rm -rf /"}"#);
    call.set_state(CallState::Denied {
        rule: "your rule root".to_owned(),
        reason: "deleting the root folder is never allowed".to_owned(),
    });
    expect![[r#"
        ⊘ run_command rm -rf / · denied
          not allowed: deleting the root folder
          is never allowed (your rule root)
    "#]]
    .assert_eq(&text(&call.render(None, &options(40))));
}

#[test]
fn a_failed_call_shows_its_error_and_remarks() {
    let mut call = CallView::new("edit_file");
    call.push_arguments(
        r#"{"path": "a/very/long/path/that/does/not/fit/into/the/line.rs", "old_text": "a"}"#,
    );
    call.push_note("a trailing comma was removed");
    call.set_state(ended("error", "The text to replace does not occur in the file."));
    expect![[r#"
        ✗ edit_file …/the/line.rs · error · 2.0s
          old_text: a
          · a trailing comma was removed
          The text to replace does not occur in
          the file.
    "#]]
    .assert_eq(&text(&call.render(Some(Duration::from_secs(2)), &options(40))));
}

#[test]
fn a_result_that_is_a_diff_is_rendered_as_one() {
    let mut call = CallView::new("edit_file");
    call.push_arguments(r#"{"path": "a.rs"}"#);
    call.set_state(ended("ok", "--- a/a.rs\n+++ b/a.rs\n@@ -1 +1 @@\n-one\n+two\n"));
    expect![[r#"
        ✓ edit_file a.rs
          a.rs (+1 -1)
          1 - one
          1 + two
    "#]]
    .assert_eq(&text(&call.render(None, &options(60))));
}

#[test]
fn text_calls_and_broken_arguments_are_displayed() {
    let mut call = CallView::new("apply_patch");
    call.push_arguments("*** Begin Patch\n*** Add File: a\n");
    call.push_arguments("+hello\n");
    let shown = text(&call.render_live(9, None, &options(40)));
    assert_eq!(shown, "◌ apply_patch\n  *** Begin Patch\n  *** Add File: a\n  +hello\n");

    let mut call = CallView::new("read_file");
    call.push_arguments(r#"{"path": "a.rs", oops"#);
    call.push_arguments("more");
    assert_eq!(text(&call.render_live(9, None, &options(40))), "◌ read_file a.rs\n");
}

#[test]
fn old_output_is_removed() {
    let mut call = CallView::new("run_command");
    for _ in 0..2_000 {
        call.push_output(&"x".repeat(1_000));
        call.push_output("\n");
    }
    call.push_output("the end");
    let lines = call.render_live(2, None, &options(40));
    assert_eq!(lines.last().map(ToString::to_string), Some("  the end".to_owned()));
}

#[test]
fn whole_arguments_replace_the_streamed_ones() {
    let mut call = CallView::new("read_file");
    call.push_arguments(r#"{"path": "draft"#);
    call.set_arguments(&json!({"path": "final.rs"}));
    assert_eq!(call.state(), &CallState::Waiting);
    assert_eq!(text(&call.render_live(1, None, &options(40))), "○ read_file final.rs\n");
}

proptest! {
    #[test]
    fn any_call_fits(
        tool in "\\PC{0,60}",
        arguments in prop::sample::select(vec![
            "{\"path\":\"\\u001b[0m日本日本日本日本日本日本日本日本日本日本日本日本\",\"content\":\"a\\tb\\n\\n\"}", "[1,2", "text\u{1b}",
            "{\"a\":{\"b\":[]},\"c\":null}", "{\"command\":\"a\\nb\"}", "", "{", "\"x\"",
        ]),
        output in any::<String>(),
        columns in 20_usize..80,
        rows in 1_usize..8,
    ) {
        let options = options(columns);
        let mut call = CallView::new(&tool);
        call.push_arguments(arguments);
        call.push_note(&output);
        let live = call.render_live(rows, Some(Duration::from_secs(5_000)), &options);
        assert_fits(&live, options);
        prop_assert!(live.len() <= rows);
        call.push_output(&output);
        let live = call.render_live(rows, None, &options);
        assert_fits(&live, options);
        prop_assert!(live.len() <= rows);
        for state in [ended("ok", &output), ended(&output, &output),
            CallState::Denied { rule: output.clone(), reason: output.clone() }, CallState::Deferred] {
            call.set_state(state);
            assert_fits(&call.render(Some(Duration::from_secs(1)), &options), options);
        }
    }
}

#[test]
fn an_ended_edit_shows_its_diff_and_not_its_texts() {
    let mut call = CallView::new("edit_file");
    call.set_arguments(&json!({"path": "a.txt", "old_text": "one\ntwo", "new_text": "one\n2"}));
    let diff = "Replaced the text in one place of a.txt.\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n";
    call.set_state(ended("ok", diff));
    let shown = text(&call.render(None, &options(80)));
    assert_eq!(shown.matches("two").count(), 1, "{shown}");
    assert!(shown.contains("Replaced the text") && !shown.contains("old_text"), "{shown}");
    // A call that failed shows its texts.
    call.set_state(ended("error", "the text is not in the file"));
    let shown = text(&call.render(None, &options(80)));
    assert!(shown.contains("old_text: one\\ntwo"), "{shown}");
}

#[test]
fn a_list_of_tasks_is_shown_once_and_not_as_json() {
    let mut call = CallView::new("update_todo_list");
    call.set_arguments(&json!({"todos": [{"text": "write a test", "status": "in_progress"}]}));
    call.set_state(ended("ok", "1. [-] write a test"));
    let shown = text(&call.render(None, &options(80)));
    assert!(shown.contains("1. [-] write a test") && !shown.contains('{'), "{shown}");
    assert_eq!(shown.matches("write a test").count(), 1, "{shown}");
}
