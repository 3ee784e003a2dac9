//! The screen lines of a question (H14, security 22).

use windlass_hitl::{
    ApprovalHistory, ApprovalRequest, Binding, Grants, Policy, PolicyInput, Verdict, decide,
};
use windlass_protocol::{Arguments, CallId, Change, Effect, Hints, ToolCall, ToolSpec};

use crate::decide::{facts, name, write};

fn question(arguments: &serde_json::Value, effects: Vec<Effect>) -> ApprovalRequest {
    let arguments = Arguments::parse(arguments.to_string()).unwrap();
    let call = ToolCall::function(CallId::new("c").unwrap(), name("tool"), arguments);
    let facts = PolicyInput::new(name("tool"), Hints::default(), &call, effects);
    let spec = ToolSpec::function(name("tool"), "d", "{}".parse().unwrap());
    let digest = Binding { facts: &facts, call: &call, spec: &spec, root: "/", epoch: "" }.digest();
    let decision = decide(&Policy::default(), &Grants::default(), &ApprovalHistory::default(), &facts);
    ApprovalRequest::new("r", call, &facts, &decision, digest)
}

/// The rows on a screen of 80 columns with tab stops.
fn rows(text: &str) -> usize {
    let columns = |line: &str| {
        line.chars().fold(0, |at: usize, character| if character == '\t' { (at / 8 + 1) * 8 } else { at + 1 })
    };
    text.lines().map(|line| columns(line).div_ceil(80).max(1)).sum()
}

#[test]
fn no_text_pushes_the_question_off_the_screen() {
    for text in [
        "\n ".repeat(980),
        "\n\t".repeat(980),
        format!("{}\t", " ".repeat(40)).repeat(90),
        "x\n".repeat(1_900),
        "x\t".repeat(1_900),
        "\u{200b}".repeat(3_900),
        format!("a{}b", "\n \t".repeat(4_000)),
    ] {
        let request = question(&serde_json::json!({ "command": text }), vec![]);
        let shown = request.describe();
        let start: String = text.chars().take(8).collect();
        assert!(rows(&shown) <= 150, "{start:?}: {} rows", rows(&shown));
        let is_counted =
            shown.contains("not shown") || shown.contains("line breaks") || shown.contains(" tabs");
        assert!(is_counted, "{start:?}: {shown}");
        assert!(!request.describe_whole().contains("not shown"), "{start:?}");
    }
}

#[test]
fn ordinary_text_is_displayed_unchanged() {
    let text = "fn main() {\n    let x = 1;\n\n\n    call(\n\t\tx,\n    );\n}\n".repeat(5);
    let request = question(&serde_json::json!({ "content": text }), vec![]);
    assert_eq!(request.describe(), request.describe_whole());
    assert!(request.describe().contains("    call(\n    \t\tx,"));
}

#[test]
fn many_lines_of_one_kind_are_counted_and_the_whole_can_be_had() {
    let effects: Vec<Effect> = (0..1_000).map(|at| write(&format!("src/file{at}.rs"))).collect();
    let request = question(&serde_json::json!({}), effects);
    let (shown, whole) = (request.describe(), request.describe_whole());
    assert!(rows(&shown) <= 150 && shown.contains("[880 more effects are not shown]"), "{shown}");
    assert!(shown.contains("file0.rs") && shown.contains("file999.rs") && !shown.contains("file500.rs"));
    assert!(whole.contains("file500.rs"));
    let diff = format!("{}+the middle\n{}", "+a\n".repeat(3_000), "+b\n".repeat(3_000));
    let request = question(&serde_json::json!({}), vec![write("a.txt")]);
    let request = request.with_changes(vec![Change::new("a.txt", diff)]);
    assert!(!request.describe().contains("the middle") && request.describe().contains("sha256"));
    assert!(request.describe_whole().contains("the middle"));
}

#[test]
fn a_path_with_an_invisible_character_is_asked_about() {
    for hidden in ['\u{2800}', '\u{34f}', '\u{180b}', '\u{115f}', '\u{fff0}', '\u{1d159}'] {
        let facts = facts("tool", vec![write(&format!("src/a{hidden}.rs"))]);
        let decision = decide(
            &Policy::default(),
            &Grants::default(),
            &ApprovalHistory::default(),
            &facts.with_autonomy(windlass_hitl::Autonomy::AutoEdit),
        );
        assert_eq!((decision.verdict, decision.reason.rule_id.as_str()), (Verdict::Ask, "p.control_chars"));
    }
}

// H14
#[test]
fn a_line_break_in_a_command_differs_from_a_backslash_and_an_n() {
    let describe = |command: &str| {
        let effect = Effect::Custom { kind: "run".into(), target: command.into(), amount: None };
        let request = question(&serde_json::json!({ "command": command }), vec![effect]);
        (request.describe(), request.describe_whole())
    };
    let (breaks, comment) = (describe("echo # \ntouch x"), describe(r"echo # \ntouch x"));
    for (text, target) in [
        (&breaks.0, r"run: echo # \ntouch x"),
        (&breaks.1, r"run: echo # \ntouch x"),
        (&comment.0, r"run: echo # \\ntouch x"),
        (&comment.1, r"run: echo # \\ntouch x"),
    ] {
        assert!(text.contains(target), "{text}");
    }
}
