//! Tests of the texts that describe a call to a human.

use windlass_protocol::{Arguments, CallId, Effect, Hints, ToolCall, ToolName};

use super::{describe_calls, describe_shape};
use crate::PolicyInput;
use crate::grants::shape;

fn facts(tool: &str, effects: Vec<Effect>) -> PolicyInput {
    let name = ToolName::new(tool).unwrap();
    let call = ToolCall::function(CallId::new("c").unwrap(), name.clone(), Arguments::default());
    PolicyInput::new(name, Hints::default(), &call, effects)
}

#[test]
fn a_question_and_its_stored_shape_have_the_same_text() {
    let write = |path: &str| Effect::Write { path: path.into(), bytes: None };
    let cases = [
        (vec![write("docs/a.md")], "write files that end in .md in docs/ with edit"),
        (vec![write("a b/c d/x.tar.gz")], "write files that end in .gz in a b/c d/ with edit"),
        (vec![write("a.md")], "write files that end in .md in the workspace's own folder with edit"),
        (vec![write("src/Makefile")], "write files that have no ending in src/ with edit"),
        (vec![Effect::ReadTree { path: "src".into() }], "read everything in src/ with edit"),
        (
            vec![Effect::DeleteTree { path: String::new() }],
            "delete everything in the workspace's own folder with edit",
        ),
        (vec![Effect::Connect { host: "docs.rs".into(), port: 443 }], "connect to docs.rs:443 with edit"),
        (
            vec![Effect::Read { path: "a/b.rs".into() }, write("a/b.rs")],
            "read files that end in .rs in a/ and write files that end in .rs in a/ with edit",
        ),
    ];
    for (effects, words) in cases {
        let facts = facts("edit", effects);
        assert_eq!(describe_calls(&facts), words);
        // The shape in the form in which learned approvals store it.
        let stored = shape(&facts).join("; ").replace('\0', " ");
        assert_eq!(describe_shape("edit", &stored), words, "{stored:?}");
    }
}

#[test]
fn calls_without_a_path_are_named_by_their_arguments() {
    let spawn = facts("task", vec![Effect::Spawn { agent: "critic".into() }]);
    assert_eq!(describe_calls(&spawn), "make exactly this call with task");
    assert_eq!(describe_shape("task", "spawn {}"), "spawn {} with task");
    let run = facts(
        "run_command",
        vec![Effect::Execute { command: "cargo test".into(), directory: String::new() }],
    );
    assert!(describe_calls(&run).starts_with("run exactly `cargo test` in the workspace's own folder"));
}

#[test]
fn a_command_of_several_lines_is_named_by_its_size() {
    let effect = Effect::Execute { command: "cat > a <<'E'\nx\nE\n".into(), directory: ".".into() };
    let run = facts("run_command", vec![effect]);
    let words = describe_calls(&run);
    let start = "run exactly this command of 3 lines and 18 bytes in the workspace's own folder";
    assert!(words.starts_with(start), "{words}");
}
