//! Questions, answers, learned approvals, and the binding of an approval (H4, H9, H12, H14).

use windlass_hitl::{
    AnswerError, ApprovalDecision, ApprovalHistory, ApprovalOutcome, ApprovalRequest, Approvals, Binding,
    GrantError, Grants, Policy, PolicyInput, Verdict, decide, display_safe,
};
use windlass_protocol::{
    Arguments, CallId, Containment, Effect, Grammar, Payload, Target, ToolCall, ToolSpec,
};

use crate::decide::{facts, name, read, write};

fn spec(description: &str, schema: &str) -> ToolSpec {
    ToolSpec::function(name("tool"), description, schema.parse().unwrap())
}

fn call(arguments: &str) -> ToolCall {
    ToolCall::function(CallId::new("c").unwrap(), name("tool"), Arguments::parse(arguments).unwrap())
}

fn request(id: &str) -> ApprovalRequest {
    let (call, spec) = (call("{}"), spec("d", "{}"));
    let facts = facts("tool", vec![write("a")]);
    let digest = Binding { facts: &facts, call: &call, spec: &spec, root: "/", epoch: "" }.digest();
    let decision = decide(&Policy::default(), &Grants::default(), &ApprovalHistory::default(), &facts);
    ApprovalRequest::new(id, call, &facts, &decision, digest)
}

fn yes(id: &str) -> ApprovalOutcome {
    ApprovalOutcome::Answered(ApprovalDecision::approve(id))
}

// H4
#[test]
fn each_question_is_answered_once() {
    let mut approvals = Approvals::default();
    approvals.ask(request("a"), 0).unwrap();
    assert!(matches!(approvals.ask(request("a"), 0), Err(AnswerError::Duplicate { .. })));
    assert!(matches!(approvals.end(&yes("b")), Err(AnswerError::Unknown { .. })));
    assert_eq!(approvals.end(&yes("a")).unwrap().request_id, "a");
    assert!(matches!(approvals.end(&yes("a")), Err(AnswerError::Late { .. })));
    assert!(matches!(approvals.ask(request("a"), 0), Err(AnswerError::Duplicate { .. })));
}

// H12
#[test]
fn a_question_is_overdue_at_its_time_and_not_before() {
    let mut approvals = Approvals::new(1_000);
    approvals.ask(request("a"), 500).unwrap();
    approvals.ask(request("b"), 900).unwrap();
    assert_eq!(approvals.next_deadline(), Some(1_500));
    assert!(approvals.overdue(1_499).is_empty());
    assert_eq!(approvals.overdue(1_500), [ApprovalOutcome::TimedOut { request_id: "a".into() }]);
    assert_eq!(approvals.overdue(u64::MAX).len(), 2);
    assert_eq!(approvals.clear().len(), 2);
    assert!(matches!(approvals.end(&yes("a")), Err(AnswerError::Late { .. })));
}

// correctness 25: 0 means no limit, as for every other limit of a run.
#[test]
fn a_question_without_a_limit_is_never_overdue() {
    let mut approvals = Approvals::new(0);
    approvals.ask(request("a"), 500).unwrap();
    assert_eq!(approvals.next_deadline(), None);
    assert!(approvals.overdue(u64::MAX).is_empty());
    assert_eq!(approvals.end(&yes("a")).unwrap().request_id, "a");
}

// H9: a remembered approval covers only calls of the same tool, effect, folder and file extension.
#[test]
fn a_remembered_approval_covers_only_the_same_shape() {
    let mut grants = Grants::default();
    let approve = ApprovalDecision::approve("x").with_remember();
    grants.remember(&facts("tool", vec![write("src/a.rs")]), &approve).unwrap();
    let covers = |tool: &str, effect: Effect| grants.covers(&facts(tool, vec![effect]));
    assert!(covers("tool", write("src/b.rs")));
    assert!(!covers("tool", write("src/b.toml")));
    assert!(!covers("tool", write("src/deep/b.rs")));
    assert!(!covers("other", write("src/b.rs")));
    assert!(!covers("tool", read("src/b.rs")));
    assert!(!grants.covers(&facts("tool", vec![write("src/b.rs"), write("docs/c.rs")])));
}

#[test]
fn denials_and_critical_calls_are_not_remembered() {
    let mut grants = Grants::default();
    let no = ApprovalDecision::deny("x", None);
    assert_eq!(grants.remember(&facts("tool", vec![write("a")]), &no), Err(GrantError::Denied));
    let critical = facts("tool", vec![write(".git/config")]);
    assert_eq!(grants.remember(&critical, &ApprovalDecision::approve("x")), Err(GrantError::Critical));
    assert_eq!(
        decide(&Policy::default(), &grants, &ApprovalHistory::default(), &critical).verdict,
        Verdict::Ask
    );
}

#[test]
fn a_command_is_remembered_whole() {
    let mut grants = Grants::default();
    let run = |command: &str| {
        facts("run", vec![Effect::Execute { command: command.into(), directory: ".".into() }])
    };
    grants.remember(&run("cargo test"), &ApprovalDecision::approve("x")).unwrap();
    assert!(grants.covers(&run("cargo test")));
    assert!(!grants.covers(&run("cargo test; rm -rf .")));
}

// H4: the digest changes with everything that was shown, and with nothing else.
#[test]
fn the_digest_is_bound_to_the_displayed_call() {
    let base = |call: &ToolCall, spec: &ToolSpec, root: &str| {
        let facts = facts("tool", vec![write("a")]);
        Binding { facts: &facts, call, spec, root, epoch: "e" }.digest()
    };
    let (a, spec_a) = (call(r#"{"x":1,"y":2}"#), spec("d", "{}"));
    let digest = base(&a, &spec_a, "/root");
    assert_eq!(
        digest,
        base(&call(r#"{ "y": 2, "x": 1 }"#), &spec_a, "/root"),
        "order and white space are nothing"
    );
    assert_ne!(digest, base(&call(r#"{"x":1,"y":3}"#), &spec_a, "/root"));
    assert_ne!(digest, base(&a, &spec("other", "{}"), "/root"));
    assert_ne!(digest, base(&a, &spec("d", r#"{"type":"object"}"#), "/root"));
    assert_ne!(digest, base(&a, &spec_a, "/other"));
    let with = |facts: &PolicyInput, epoch: &str| {
        Binding { facts, call: &a, spec: &spec_a, root: "/root", epoch }.digest()
    };
    let seen = facts("tool", vec![write("a")]);
    assert_eq!(digest, with(&seen, "e"));
    assert_ne!(digest, with(&seen, "other rules"));
    assert_ne!(digest, with(&facts("other", vec![write("a")]), "e"));
    assert_ne!(digest, with(&facts("tool", vec![write("b")]), "e"));
    let target = Target { digest: Some("before".into()), ..Target::missing("a") };
    let met = with(&seen.clone().with_sight(vec![target.clone()], None), "e");
    assert_ne!(digest, met, "what it meets is bound");
    let changed = Target { digest: Some("after".into()), ..target };
    assert_ne!(met, with(&seen.clone().with_sight(vec![changed], None), "e"), "to the byte");
    assert_ne!(digest, with(&seen.with_sight(vec![], Some(Containment::none())), "e"), "so is the sandbox");
    assert_eq!(digest.to_string().len(), 64);
}

// H14
#[test]
fn hidden_characters_are_shown() {
    for (hidden, shown) in [
        ("a\u{1b}[31mb", "a\\u{1b}[31mb"),
        ("a\u{200b}b", "a\\u{200b}b"),
        ("a\u{2028}b", "a\\u{2028}b"),
        ("a\u{85}b", "a\\u{85}b"),
        ("a\u{a0}b", "a\\u{a0}b"),
        ("a\rb", "a\\rb"),
        ("a\\rb", "a\\\\rb"),
        ("a\\u{1b}b", "a\\\\u{1b}b"),
        ("a\\nb", "a\\nb"),
        ("a\u{e0041}b", "a\\u{e0041}b"),
        // security 22: characters that are invisible or that some renderers leave out.
        ("a\u{2800}b", "a\\u{2800}b"),
        ("a\u{34f}b", "a\\u{34f}b"),
        ("a\u{180b}b", "a\\u{180b}b"),
        ("a\u{180f}b", "a\\u{180f}b"),
        ("a\u{1bca0}b", "a\\u{1bca0}b"),
        ("a\u{1d173}b", "a\\u{1d173}b"),
        ("a\u{fff0}b", "a\\u{fff0}b"),
    ] {
        assert_eq!(display_safe(hidden), shown);
    }
    for plain in ["größe", "日本語", "a\tb\nc", "🙂", ""] {
        assert_eq!(display_safe(plain), plain);
    }
}

// H4: the digest also depends on the form of the call, because two forms of tool can interpret one text in different
// ways.
#[test]
fn the_digest_distinguishes_call_and_tool_forms() {
    let id = || CallId::new("c").unwrap();
    let custom = ToolCall::new(id(), name("tool"), Payload::Custom { input: "{}".into() });
    let freeform = |grammar: Option<&str>| ToolSpec::Freeform {
        name: name("tool"),
        description: "d".into(),
        grammar: grammar.map(|text| Grammar::Lark(text.to_owned())),
    };
    let specs = [spec("d", "{}"), freeform(Some("{}")), freeform(Some("")), freeform(None)];
    let mut seen = Vec::new();
    for call in [call("{}"), custom] {
        for spec in &specs {
            let facts = facts("tool", vec![]);
            let digest = Binding { facts: &facts, call: &call, spec, root: "/", epoch: "" }.digest();
            assert!(!seen.contains(&digest), "{call:?} {spec:?}");
            seen.push(digest);
        }
    }
    // Two numbers that are equal as floats are two approvals.
    let facts = facts("tool", vec![]);
    let of =
        |call: &ToolCall| Binding { facts: &facts, call, spec: &specs[0], root: "/", epoch: "" }.digest();
    assert_ne!(of(&call(r#"{"n":12345678901234567890123}"#)), of(&call(r#"{"n":12345678901234567890124}"#)));
}
