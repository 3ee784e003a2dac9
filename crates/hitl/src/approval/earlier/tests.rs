//! Tests of the reason why a question is asked again.

use windlass_protocol::{Arguments, CallId, Change, Containment, Effect, Hints, ToolCall, ToolName};

use crate::{ApprovalHistory, ApprovalRequest, Digest, Grants, Policy, PolicyInput, decide};

/// Creates a question whose digest is made of one digit.
fn question(effect: Effect, digit: &str) -> ApprovalRequest {
    let name = ToolName::new("write_file").unwrap();
    let call = ToolCall::function(CallId::new("c").unwrap(), name.clone(), Arguments::default());
    let facts = PolicyInput::new(name, Hints::default(), &call, vec![effect]);
    let decision = decide(&Policy::default(), &Grants::default(), &ApprovalHistory::default(), &facts);
    let digest: Digest = serde_json::from_str(&format!("\"{}\"", digit.repeat(64))).unwrap();
    ApprovalRequest::new("r", call, &facts, &decision, digest)
}

fn write(path: &str) -> Effect {
    Effect::Write { path: path.into(), bytes: None }
}

fn changes(files: usize, line: &str) -> Vec<Change> {
    (0..files).map(|at| Change::new(format!("{at}.txt"), format!("+{line}\n"))).collect()
}

#[test]
fn a_repeated_question_names_the_files_that_changed() {
    let ask = |files, line, digit| question(write("a"), digit).with_changes(changes(files, line));
    let again = ask(1, "new", "1").with_earlier(&ask(1, "old", "0"));
    assert_eq!(
        again.reason.text,
        "it is asked again, because 0.txt has changed since the earlier question: changing a file needs approval"
    );
    assert!(again.describe().contains("0.txt has changed"));
    let again = ask(5, "new", "1").with_earlier(&ask(5, "old", "0"));
    assert!(again.reason.text.contains("0.txt, 1.txt, 2.txt and 2 more files have changed"), "{again:?}");
}

#[test]
fn a_repeated_question_names_other_differences() {
    let earlier = question(write("a"), "0");
    let again = question(write("b"), "1").with_earlier(&earlier);
    assert!(again.reason.text.contains("its effects have changed since"), "{again:?}");
    let mut again = question(write("a"), "1");
    again.containment = Some(Containment::none());
    let again = again.with_earlier(&earlier);
    assert!(again.reason.text.contains("the confinement of its processes has changed"), "{again:?}");
    let again = question(write("a"), "1").with_earlier(&earlier);
    assert!(again.reason.text.contains("the tool or the policy has changed"), "{again:?}");
}

#[test]
fn the_same_question_has_the_same_reason() {
    let earlier = question(write("a"), "0");
    assert_eq!(question(write("a"), "0").with_earlier(&earlier), earlier);
}
