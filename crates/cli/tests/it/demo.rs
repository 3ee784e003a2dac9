//! `windlass demo` without a human.

use crate::windlass::{Windlass, files};

#[test]
fn the_demo_mends_its_project_in_both_formats() {
    for wire in ["openai-chat", "anthropic"] {
        let windlass = Windlass::new();
        let ended = windlass.run(&["demo", "--yes", "--wire", wire]);
        assert_eq!(ended.code, Some(0), "{}{}", ended.out, ended.err);
        for part in ["+    sum=$((sum + price))", "run once more from outside: passes", "Tokens: 8050 in"] {
            assert!(ended.out.contains(part), "{part} is not in {}", ended.out);
        }
        assert!(files(&windlass.state()).iter().any(|(path, _)| path.ends_with("journal")));
    }
}

#[test]
fn the_demo_as_json_is_lines_of_json() {
    let ended = Windlass::new().run(&["demo", "--yes", "--json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let lines: Vec<serde_json::Value> =
        ended.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.len() > 20, "{}", ended.out);
}

#[test]
fn without_a_human_the_demo_says_what_it_would_ask_and_changes_nothing() {
    for wire in ["openai-chat", "anthropic"] {
        let ended = Windlass::new().run(&["demo", "--wire", wire]);
        assert_eq!(ended.code, Some(1), "{}", ended.err);
        for part in ["run_command wants to run", "sh check.sh", "--yes"] {
            assert!(ended.err.contains(part), "{part} is not in {}", ended.err);
        }
        assert!(ended.out.contains("What changed:\n  nothing\n"), "{}", ended.out);
        assert!(ended.out.contains("from outside: fails"), "{}", ended.out);
    }
}
