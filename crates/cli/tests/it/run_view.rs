//! The text of `windlass run`: on a terminal, in a pipe, and without styles.

use crate::program::{Place, provider, text};
use crate::pty::Pty;

const SCRIPT: &str = r#"{"turns": [
    {"steps": [{"reasoning": "I think about it."}, {"text": "I read the file."},
        {"call": {"name": "update_todo_list", "arguments": {"todos": [{"text": "read it", "status": "in_progress"}]}}}]},
    {"steps": [{"text": "The **answer** is hello."}], "usage": {"input": 0, "output": 0}}]}"#;

const SILENT: &str = r#"{"turns": [
    {"steps": [{"text": "hello"}], "usage": {"input": 0, "output": 0}}]}"#;

async fn print(script: &str, arguments: &[&str]) -> (String, String) {
    let (place, provider) = (Place::new(), provider(script).await);
    let url = provider.base_url();
    let run = ["run", "do it", "--base-url", &url, "--model", "m", "--no-checkpoints", "--mode", "ask"];
    let output = place.run(&[&run, arguments].concat());
    let told = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success(), "{told}");
    (told, text(&place.run(&["sessions", "list", "--json"]).stdout))
}

// command-line A3 and C: thoughts and answer were on one line, and the answer was printed twice.
#[tokio::test(flavor = "multi_thread")]
async fn thoughts_are_apart_from_the_answer_and_the_answer_is_printed_once() {
    let (place, provider) = (Place::new(), provider(SCRIPT).await);
    let url = provider.base_url();
    let output =
        place.run(&["run", "do it", "--base-url", &url, "--model", "m", "--no-checkpoints", "--yes"]);
    let told = text(&output.stdout);
    assert!(told.contains("I think about it.\nI read the file.\n"), "{told}");
    assert!(
        told.contains("todos:\n      1.\n        text: read it\n") && !told.contains("todos/0"),
        "{told}"
    );
    assert!(told.ends_with("The **answer** is hello.\n✓ completed\n"), "{told}");
    assert!(!told.contains('\u{1b}'), "{told}");
}

#[cfg(feature = "tui")]
#[tokio::test(flavor = "multi_thread")]
async fn a_terminal_gets_styles_and_rendered_markdown_unless_it_has_none() {
    for (name, value, has_styles) in
        [("COLORTERM", "", true), ("NO_COLOR", "1", false), ("TERM", "dumb", false)]
    {
        let (place, provider) = (Place::new(), provider(SCRIPT).await);
        let pty = Pty::with_size(40, 24);
        let url = provider.base_url();
        let arguments = ["run", "do it", "--base-url", &url, "--model", "m", "--no-checkpoints", "--yes"];
        let mut command = place.command(&arguments);
        command.env("TERM", "xterm-256color").env(name, value);
        let mut child = pty.start(command);
        assert!(pty.end(&mut child).success(), "{}", pty.screen());
        let screen = pty.screen();
        assert_eq!(screen.contains("\u{1b}["), has_styles, "{name}: {screen}");
        assert_eq!(screen.contains("The \u{1b}[1manswer\u{1b}[m is hello."), has_styles, "{name}: {screen}");
        // The thoughts have the style of the conversation.
        assert_eq!(screen.contains("\u{1b}[3;90mI think"), has_styles, "{name}: {screen}");
        assert_eq!(screen.contains("**answer**"), !has_styles, "{name}: {screen}");
    }
}

// command-line B21
#[tokio::test(flavor = "multi_thread")]
async fn unreported_tokens_and_their_cost_are_absent_from_json() {
    let (told, sessions) = print(SILENT, &["--json", "--price", "1,2"]).await;
    let events = told.lines().filter(|line| line.starts_with('{'));
    let totals: Vec<serde_json::Value> = events
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["total"].take())
        .filter(|total| !total.is_null())
        .collect();
    assert!(!totals.is_empty() && totals.iter().all(|total| *total == serde_json::json!({})), "{told}");
    let session: serde_json::Value = serde_json::from_str(&sessions).unwrap();
    assert_eq!(session["runs"][0]["total"], serde_json::json!({}), "{sessions}");
    assert!(told.contains("the provider reported no tokens, cost unknown; journal: "), "{told}");
}
