//! `windlass demo`, the first thing that a newcomer runs.

use crate::program::{Place, text};

#[test]
fn the_demo_mends_its_project_in_every_format() {
    for wire in ["openai-chat", "openai-responses", "anthropic", "gemini"] {
        let output = Place::new().run(&["demo", "--yes", "--wire", wire]);
        let told = text(&output.stdout);
        assert!(output.status.success(), "{wire}: {told}{}", text(&output.stderr));
        for word in [
            "+    sum=$((sum + price))",
            "run_command: ask by rule d.ask",
            "approved",
            "read_file: allow by rule b.read",
            "Tokens: 8050 in, 308 out",
            "Journal: ",
            "The check, run once more from outside: passes",
        ] {
            assert!(told.contains(word), "{wire}: no {word:?} in {told}");
        }
    }
}

// H3: nothing happens before approval.
#[test]
fn without_a_terminal_it_says_what_it_would_ask_and_changes_nothing() {
    let output = Place::new().run(&["demo"]);
    assert_eq!(output.status.code(), Some(1));
    let asked = text(&output.stderr);
    assert!(asked.contains("run_command wants to run") && asked.contains("--yes"), "{asked}");
    assert!(text(&output.stdout).contains("What changed:\n  nothing"));
}

#[test]
fn the_demo_in_json_is_a_line_an_event() {
    let output = Place::new().run(&["demo", "--yes", "--json"]);
    assert!(output.status.success());
    let events: Vec<serde_json::Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(events.last().unwrap()["event"], "finished");
    assert!(events.iter().any(|event| event["event"] == "tool_approval_request"));
}
