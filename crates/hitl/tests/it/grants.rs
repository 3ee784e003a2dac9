//! The extent of an approval: the resolved place, and everything that a process is given (security 3, 4, 15).

use windlass_hitl::{ApprovalDecision, ApprovalHistory, Autonomy, Grants, PolicyInput};
use windlass_protocol::{Arguments, CallId, Effect, Hints, Payload, Target, TargetKind, ToolCall};

use crate::decide::{facts, name, write};

fn delete_tree(path: &str) -> Effect {
    Effect::DeleteTree { path: path.into() }
}

fn at(path: &str, kind: TargetKind) -> Target {
    Target { kind, links: 1, ..Target::missing(path) }
}

fn linked(path: &str, resolved: &str) -> Target {
    Target { resolved: resolved.into(), ..at(path, TargetKind::File) }
}

#[test]
fn an_approval_of_a_file_does_not_cover_a_folder() {
    let mut grants = Grants::default();
    let file = facts("delete_file", vec![Effect::Delete { path: "docs/OLD".into() }])
        .with_sight(vec![at("docs/OLD", TargetKind::File)], None);
    grants.remember(&file, &ApprovalDecision::approve("x")).unwrap();
    let named =
        |path: &str, kind, effect| facts("delete_file", vec![effect]).with_sight(vec![at(path, kind)], None);
    let deleted = |path: &str| Effect::Delete { path: path.into() };
    assert!(grants.covers(&named("docs/OTHER", TargetKind::File, deleted("docs/OTHER"))));
    assert!(!grants.covers(&named("docs/archive", TargetKind::Folder, deleted("docs/archive"))));
    assert!(!grants.covers(&named("docs/archive", TargetKind::Folder, delete_tree("docs/archive"))));
}

// security 15: an approval applies to the resolved target, and to no link that leads elsewhere.
#[test]
fn grants_and_lessons_apply_to_the_targets_of_links() {
    let edit = |path: &str, resolved: &str| {
        facts("edit", vec![write(path)])
            .with_sight(vec![linked(path, resolved)], None)
            .with_autonomy(Autonomy::Ask)
    };
    let mut grants = Grants::default();
    let mut learned = ApprovalHistory::new("e");
    let plain = edit("docs/a.md", "docs/a.md");
    grants.remember(&plain, &ApprovalDecision::approve("x")).unwrap();
    for _ in 0..3 {
        learned.record(&plain, windlass_hitl::AskOutcome::Approved);
    }
    let other = edit("docs/b.md", "docs/b.md");
    assert!(grants.covers(&other) && learned.find_active(&other).is_some());
    for link in [edit("docs/guide.md", "src/main.rs"), edit("docs/build.md", "Makefile")] {
        assert!(!grants.covers(&link) && learned.find_active(&link).is_none(), "{link:?}");
    }
    // A grant for a place also covers links to that place.
    assert!(grants.covers(&edit("src/notes", "docs/c.md")));
}

// security 4: the inputs of a process matter as much as its command.
#[test]
fn a_process_approval_is_bound_to_all_its_inputs() {
    let run = |tool: &str, command: &str, input: &serde_json::Value| {
        let arguments = Arguments::parse(input.to_string()).unwrap();
        let call = ToolCall::function(CallId::new("c").unwrap(), name(tool), arguments);
        let effect = Effect::Execute { command: command.into(), directory: ".".into() };
        PolicyInput::new(name(tool), Hints::default(), &call, vec![effect])
    };
    let python = "python3 -I -B main.py";
    let code = |code: &str, files: &str| {
        run(
            "execute_code",
            python,
            &serde_json::json!({ "language": "python", "code": code, "files": [files] }),
        )
    };
    let mut grants = Grants::default();
    grants.remember(&code("print(1)", "a.csv"), &ApprovalDecision::approve("x")).unwrap();
    assert!(grants.covers(&code("print(1)", "a.csv")));
    assert!(!grants.covers(&code("print(2)", "a.csv")));
    assert!(!grants.covers(&code("print(1)", "b.csv")));
    // For a tool that runs a command, the command decides, and time limits do not.
    let test = |more: serde_json::Value| run("run_command", "cargo test", &more);
    let mut grants = Grants::default();
    let first = test(serde_json::json!({ "command": "cargo test" }));
    grants.remember(&first, &ApprovalDecision::approve("x")).unwrap();
    for same in [
        serde_json::json!({ "command": "cargo  test", "timeout_ms": 1000 }),
        serde_json::json!({ "argv": ["cargo", "test"], "cwd": ".", "background": false }),
    ] {
        assert!(grants.covers(&test(same.clone())), "{same}");
    }
    for other in [
        serde_json::json!({ "command": "cargo test", "stdin": "y" }),
        serde_json::json!({ "command": "cargo test", "tty": true }),
        serde_json::json!({ "text": "rm x" }),
    ] {
        assert!(!grants.covers(&test(other.clone())), "{other}");
    }
    let local = |words: &[&str]| {
        let words = words.iter().map(|&word| word.to_owned()).collect();
        let payload = Payload::LocalShell { command: words, working_directory: None, timeout_ms: None };
        test(serde_json::json!({})).with_payload(payload)
    };
    assert!(grants.covers(&local(&["cargo", "test"])) && !grants.covers(&local(&["cargo test"])));
}

// The tool distinguishes equal effects: an approval of one kind of call does not cover another kind.
#[test]
fn an_approval_covers_one_kind_of_call() {
    let call = |kind: Option<&str>| facts("draw", vec![write("a")]).with_call_kind(kind.map(str::to_owned));
    let (mut grants, mut learned) = (Grants::default(), ApprovalHistory::new("e"));
    grants.remember(&call(Some("look")), &ApprovalDecision::approve("x")).unwrap();
    for _ in 0..3 {
        learned.record(&call(Some("look")), windlass_hitl::AskOutcome::Approved);
    }
    assert!(grants.covers(&call(Some("look"))) && learned.find_active(&call(Some("look"))).is_some());
    for other in [call(Some("click")), call(None)] {
        assert!(!grants.covers(&other) && learned.find_active(&other).is_none(), "{other:?}");
    }
}
