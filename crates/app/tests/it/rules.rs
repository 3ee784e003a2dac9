//! Rules that a person makes of an answer: the narrowest ones, with examples, in the user's policy file.

use windlass_app::ErrorKind;
use windlass_app::policies::{RuleProposal, load_policy};
use windlass_hitl::{
    ApprovalHistory, ApprovalRequest, Autonomy, Binding, Grants, Policy, PolicyInput, Verdict, decide,
};
use windlass_protocol::{Arguments, CallId, Containment, Effect, Hints, ToolCall, ToolName, ToolSpec};

use crate::place::Place;

fn facts(tool: &str, arguments: &str, effects: Vec<Effect>) -> (PolicyInput, ToolCall) {
    let name = ToolName::new(tool).unwrap();
    let arguments = Arguments::parse(arguments).unwrap();
    let call = ToolCall::function(CallId::new("c1").unwrap(), name.clone(), arguments);
    let confined = Containment::new("test", Vec::new());
    (PolicyInput::new(name, Hints::default(), &call, effects).with_sight(Vec::new(), Some(confined)), call)
}

/// Returns the question about a call, as the built-in policy asks it.
fn request(tool: &str, arguments: &str, effects: Vec<Effect>) -> ApprovalRequest {
    let (facts, call) = facts(tool, arguments, effects);
    let spec = ToolSpec::function(call.name.clone(), "", "{}".parse().unwrap());
    let digest = Binding { facts: &facts, call: &call, spec: &spec, root: "/", epoch: "" }.digest();
    let decision = decide(&Policy::default(), &Grants::default(), &ApprovalHistory::default(), &facts);
    assert_eq!(decision.verdict, Verdict::Ask, "{decision:?}");
    ApprovalRequest::new("r", call, &facts, &decision, digest)
}

fn propose(place: &Place, request: &ApprovalRequest) -> Result<RuleProposal, windlass_app::AppError> {
    RuleProposal::new(&place.app, &place.project(), None, request)
}

fn write(path: &str) -> Effect {
    Effect::Write { path: path.to_owned(), bytes: None }
}

fn run(command: &str) -> Effect {
    Effect::Execute { command: command.to_owned(), directory: ".".to_owned() }
}

/// Returns the verdict of the policy of the files about a call.
fn verdict(place: &Place, tool: &str, effect: Effect) -> Verdict {
    let policy = load_policy(&place.app, &place.project(), None).unwrap();
    let (facts, _) = facts(tool, "{}", vec![effect]);
    let facts = facts.with_autonomy(Autonomy::Ask);
    decide(&policy, &Grants::default(), &ApprovalHistory::default(), &facts).verdict
}

#[test]
fn a_written_rule_allows_its_examples_and_nothing_else() {
    let place = Place::new();
    place.write(
        "settings/policy.toml",
        "# mine\n[[rule]]\nid = \"answer-edit-1\"\naction = \"ask\"\npath = \"x\"",
    );
    propose(&place, &request("edit", "{}", vec![write("src/a.rs")])).unwrap().write().unwrap();
    let commit = request("run_command", r#"{"command": "cargo fmt -p y"}"#, vec![run("cargo fmt -p y")]);
    propose(&place, &commit).unwrap().write().unwrap();

    let text = std::fs::read_to_string(place.app.settings_folder().unwrap().join("policy.toml")).unwrap();
    assert!(text.starts_with("# mine\n") && text.contains("id = \"answer-edit-2\""), "{text}");
    for (tool, effect, expected) in [
        ("edit", write("src/a.rs"), Verdict::Allow),
        ("edit", write("src/example.rs"), Verdict::Allow),
        ("edit", write("src/inner/a.rs"), Verdict::Ask),
        ("edit", write("src/a.toml"), Verdict::Ask),
        ("edit", Effect::Delete { path: "src/a.rs".to_owned() }, Verdict::Ask),
        ("other", write("src/a.rs"), Verdict::Ask),
        ("run_command", run("cargo fmt"), Verdict::Allow),
        ("run_command", run("cargo fmt && curl example.com"), Verdict::Ask),
        ("run_command", run("cargo publish"), Verdict::Ask),
    ] {
        let said = verdict(&place, tool, effect.clone());
        assert_eq!(said, expected, "{tool} {effect:?}");
    }
}

#[test]
fn a_rule_for_a_command_names_the_files_that_it_changes() {
    let place = Place::new();
    let touch = request("run_command", r#"{"command": "touch out/a.txt"}"#, vec![run("touch out/a.txt")]);
    let proposal = propose(&place, &touch).unwrap();
    assert!(proposal.text.contains("path = \"out/a.txt\""), "{}", proposal.text);
    assert_eq!(proposal.rules.len(), 2, "{}", proposal.text);
    proposal.write().unwrap();
    for (command, expected) in [
        ("touch out/a.txt", Verdict::Allow),
        ("touch out/b.txt", Verdict::Ask),
        ("rm out/a.txt", Verdict::Ask),
        ("touch out/a.txt && touch b", Verdict::Ask),
    ] {
        assert_eq!(verdict(&place, "run_command", run(command)), expected, "{command}");
    }
}

#[test]
fn each_kind_of_effect_has_a_narrow_rule() {
    let place = Place::new();
    let mcp = Effect::Mcp {
        server: "s".to_owned(),
        tool: "t".to_owned(),
        fingerprint: "f".to_owned(),
        known: true,
    };
    for (tool, arguments, effect, expected) in [
        ("edit", "{}", write("a[1].md"), "path = \"*.md\""),
        ("edit", "{}", write("d[1]/x"), "path = \"d[[]1[]]/x\""),
        ("tidy", "{}", Effect::WriteTree { path: "docs/".to_owned() }, "path = \"docs/**\""),
        ("run_command", r#"{"command": "frob now"}"#, run("frob now"), "argv = [\"frob\", \"now\"]"),
        (
            "fetch",
            "{}",
            Effect::Connect { host: "example.org".to_owned(), port: 443 },
            "host = \"example.org\"",
        ),
        ("s_t", "{}", mcp, "fingerprint = \"f\""),
        (
            "spawn",
            r#"{"who": "tester"}"#,
            Effect::Spawn { agent: "tester".to_owned() },
            "one_of = [\"tester\"]",
        ),
        ("pay", "{}", Effect::custom("payment", "acme").with_amount(40, "EUR"), "at_most = 40"),
    ] {
        let proposal = propose(&place, &request(tool, arguments, vec![effect.clone()])).unwrap();
        assert!(proposal.text.contains(expected), "{expected}: {}", proposal.text);
        assert!(!proposal.allows.is_empty() && !proposal.refuses.is_empty(), "{proposal:?}");
        proposal.write().unwrap();
        load_policy(&place.app, &place.project(), None).unwrap();
    }
}

#[test]
fn a_call_without_a_narrow_rule_gets_none() {
    let place = Place::new();
    for (tool, arguments, effects) in [
        ("guess", "{}", vec![Effect::Unknown]),
        ("tidy", "{}", vec![Effect::WriteTree { path: ".".to_owned() }]),
        ("run_command", r#"{"command": "echo $(date)"}"#, vec![run("echo $(date)")]),
        ("run_command", r#"{"command": "python3"}"#, vec![run("python3")]),
        ("run_command", r#"{"command": "sudo ls"}"#, vec![run("sudo ls")]),
        ("run_command", r#"{"command": "touch .git/config"}"#, vec![run("touch .git/config")]),
        ("spawn", "{}", vec![Effect::Spawn { agent: "tester".to_owned() }]),
        ("edit", "{}", vec![write(".github/workflows/ci.yml")]),
    ] {
        let refused = propose(&place, &request(tool, arguments, effects.clone())).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Conflict, "{effects:?}: {refused}");
    }
    assert!(!place.app.settings_folder().unwrap().join("policy.toml").exists());
}

#[test]
fn a_rule_that_would_invalidate_the_file_is_not_written() {
    let place = Place::new();
    let proposal = propose(&place, &request("edit", "{}", vec![write("a.md")])).unwrap();
    // Another program adds a rule with the same id after the preview.
    let other = "[[rule]]\nid = \"answer-edit-1\"\naction = \"ask\"\n";
    place.write("settings/policy.toml", other);
    let refused = proposal.write().unwrap_err();
    assert!(windlass_app::one_line(&refused).contains("answer-edit-1"), "{refused:?}");
    let file = place.app.settings_folder().unwrap().join("policy.toml");
    assert_eq!(std::fs::read_to_string(file).unwrap(), other);
}
