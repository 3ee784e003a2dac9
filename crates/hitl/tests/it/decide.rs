//! Tests of the order of rules: the rule that decides about a call (H2, H11, H15).

use windlass_hitl::{
    Action, ApprovalDecision, ApprovalHistory, Autonomy, Constraint, Decision, EffectKind, Grants, Policy,
    PolicyError, PolicyInput, Risk, Rule, RuleFile, Source, Verdict, decide,
};
use windlass_protocol::{Arguments, CallId, Containment, Effect, Hints, ToolCall, ToolName};

pub(crate) fn name(name: &str) -> ToolName {
    ToolName::new(name).unwrap()
}

pub(crate) fn facts(tool: &str, effects: Vec<Effect>) -> PolicyInput {
    let call = ToolCall::function(CallId::new("c").unwrap(), name(tool), Arguments::default());
    PolicyInput::new(name(tool), Hints::default(), &call, effects)
}

pub(crate) fn write(path: &str) -> Effect {
    Effect::Write { path: path.into(), bytes: None }
}

pub(crate) fn read(path: &str) -> Effect {
    Effect::Read { path: path.into() }
}

fn execute(command: &str) -> Effect {
    Effect::Execute { command: command.into(), directory: ".".into() }
}

fn file(rules: Vec<Rule>, constraints: Vec<Constraint>) -> RuleFile {
    let mut file = RuleFile::default();
    file.rules = rules;
    file.constraints = constraints;
    file
}

fn policy(rules: Vec<Rule>) -> Policy {
    Policy::default().with_file(Source::User, file(rules, vec![])).unwrap()
}

fn by_default(effects: Vec<Effect>) -> Decision {
    decide(&Policy::default(), &Grants::default(), &ApprovalHistory::default(), &facts("tool", effects))
}

#[track_caller]
fn check(decision: &Decision, verdict: Verdict, rule: &str) {
    assert_eq!((decision.verdict, decision.reason.rule_id.as_str()), (verdict, rule), "{decision:?}");
}

#[test]
fn the_builtin_rules_decide_if_no_other_rule_does() {
    check(&by_default(vec![read("src/lib.rs")]), Verdict::Allow, "b.read");
    check(&by_default(vec![Effect::Internal]), Verdict::Allow, "b.internal");
    check(&by_default(vec![write("src/lib.rs")]), Verdict::Ask, "d.ask");
    check(&at_level(&Policy::default(), "ls", Some(full())), Verdict::Allow, "d.reads");
    check(&at_level(&Policy::default(), "ls", None), Verdict::Ask, "p.unconfined");
    check(&at_level(&Policy::default(), "make", Some(full())), Verdict::Ask, "d.ask");
    check(&by_default(vec![Effect::Unknown]), Verdict::Ask, "d.ask");
    check(&by_default(vec![]), Verdict::Ask, "d.ask");
    check(&by_default(vec![read("/etc/passwd")]), Verdict::Deny, "f.outside_read");
    check(&by_default(vec![write("a/../../b")]), Verdict::Deny, "f.outside_write");
    check(&by_default(vec![write(".git/hooks/pre-commit")]), Verdict::Ask, "p.protected");
    check(&by_default(vec![read(".env")]), Verdict::Ask, "p.secret_file");
    check(&by_default(vec![execute("rm \u{202e}x")]), Verdict::Ask, "p.control_chars");
}

// H2: the most severe effect decides.
#[test]
fn one_bad_effect_decides_for_the_call() {
    check(&by_default(vec![read("a"), write("b"), write("../c")]), Verdict::Deny, "f.outside_write");
    check(&by_default(vec![read("a"), write("b")]), Verdict::Ask, "d.ask");
}

// H2: deny wins in any order of rules.
#[test]
fn deny_beats_allow_in_any_order() {
    let deny = Rule::new("no", Action::Deny).with_effect(EffectKind::Write).with_path("src/**");
    let allow = Rule::new("yes", Action::Allow).with_effect(EffectKind::Write);
    for rules in [vec![deny.clone(), allow.clone()], vec![allow.clone(), deny.clone()]] {
        let decide = |path| {
            decide(
                &policy(rules.clone()),
                &Grants::default(),
                &ApprovalHistory::default(),
                &facts("tool", vec![write(path)]),
            )
        };
        check(&decide("src/lib.rs"), Verdict::Deny, "no");
        check(&decide("docs/a.md"), Verdict::Allow, "yes");
        check(&decide("docs/../src/lib.rs"), Verdict::Deny, "no");
    }
}

#[test]
fn an_ask_rule_is_not_lowered_by_an_allow_rule_or_a_grant() {
    let ask = Rule::new("ask", Action::Ask).with_effect(EffectKind::Write);
    let allow = Rule::new("yes", Action::Allow).with_effect(EffectKind::Write);
    let facts = facts("tool", vec![write("a")]);
    let mut grants = Grants::default();
    grants.remember(&facts, &ApprovalDecision::approve("x")).unwrap();
    let decision = decide(&policy(vec![ask, allow]), &grants, &ApprovalHistory::default(), &facts);
    check(&decision, Verdict::Ask, "ask");
    assert!(!decision.can_remember());
}

// H15: a constraint limits the effects of every tool.
#[test]
fn a_constraint_denies_effects_outside_its_limits() {
    let fence = Constraint::new("fence", EffectKind::Write, vec!["docs/**".into(), "*.md".into()]);
    let allow = Rule::new("yes", Action::Allow);
    let policy = Policy::default().with_file(Source::User, file(vec![allow], vec![fence])).unwrap();
    let decide = |effect| {
        decide(&policy, &Grants::default(), &ApprovalHistory::default(), &facts("any", vec![effect]))
    };
    check(&decide(write("docs/a/b.txt")), Verdict::Allow, "yes");
    check(&decide(write("README.md")), Verdict::Allow, "yes");
    check(&decide(write("src/README.md")), Verdict::Deny, "fence");
    check(&decide(read("src/lib.rs")), Verdict::Allow, "b.read");
}

#[test]
fn a_rule_for_a_tool_is_for_that_tool() {
    let rule = Rule::new("yes", Action::Allow).with_tool(name("write_file"));
    let decide = |tool| {
        decide(
            &policy(vec![rule.clone()]),
            &Grants::default(),
            &ApprovalHistory::default(),
            &facts(tool, vec![write("a")]),
        )
    };
    check(&decide("write_file"), Verdict::Allow, "yes");
    check(&decide("write_file_too"), Verdict::Ask, "d.ask");
}

#[test]
fn no_allow_rule_weakens_a_protected_path() {
    let all = policy(vec![Rule::new("yes", Action::Allow)]);
    let decide =
        |effect| decide(&all, &Grants::default(), &ApprovalHistory::default(), &facts("tool", vec![effect]));
    check(&decide(write(".GIT/config")), Verdict::Ask, "p.protected");
    check(&decide(write("../x")), Verdict::Deny, "f.outside_write");
    check(&at_level(&all, "ls", Some(full())), Verdict::Allow, "yes");
}

fn full() -> Containment {
    Containment::new("ns+landlock+seccomp", vec![])
}

fn at_level(policy: &Policy, command: &str, containment: Option<Containment>) -> Decision {
    let facts = facts("tool", vec![execute(command)]).with_sight(vec![], containment);
    decide(policy, &Grants::default(), &ApprovalHistory::default(), &facts)
}

// SECURITY "Sandbox": at D commands always ask, at C those that may change something.
#[test]
fn an_allow_rule_permits_only_what_the_sandbox_confines() {
    let all = policy(vec![Rule::new("yes", Action::Allow)]);
    let partial = || Containment::new("landlock+seccomp", vec!["`.git` can be written".into()]);
    for command in ["ls", "cat src/lib.rs", "cargo test", "touch a", "git status"] {
        check(&at_level(&all, command, Some(full())), Verdict::Allow, "yes");
        check(&at_level(&all, command, Some(Containment::none())), Verdict::Ask, "p.unconfined");
        check(&at_level(&all, command, None), Verdict::Ask, "p.unconfined");
    }
    for command in ["ls", "cat src/lib.rs"] {
        check(&at_level(&all, command, Some(partial())), Verdict::Allow, "yes");
    }
    for command in ["cargo test", "touch a", "git status", "ls > a"] {
        check(&at_level(&all, command, Some(partial())), Verdict::Ask, "p.unconfined");
    }
}

#[test]
fn autonomy_changes_only_calls_that_no_rule_decides() {
    let decide = |mode, effect| {
        decide(
            &Policy::default(),
            &Grants::default(),
            &ApprovalHistory::default(),
            &facts("tool", vec![effect]).with_autonomy(mode),
        )
    };
    check(&decide(Autonomy::Headless, write("a")), Verdict::Deny, "d.headless");
    check(&decide(Autonomy::ReadOnly, write("a")), Verdict::Deny, "d.read_only");
    check(&decide(Autonomy::Headless, read("a")), Verdict::Allow, "b.read");
    check(&decide(Autonomy::ReadOnly, read("../a")), Verdict::Deny, "f.outside_read");
}

// H11
#[test]
fn a_projects_file_tightens_and_never_loosens() {
    let allow = file(vec![Rule::new("yes", Action::Allow)], vec![]);
    assert!(matches!(Policy::default().with_file(Source::Project, allow), Err(PolicyError::Loosens { .. })));
    let deny = file(vec![Rule::new("no", Action::Deny)], vec![]);
    let policy = Policy::default().with_file(Source::Project, deny).unwrap();
    check(
        &decide(&policy, &Grants::default(), &ApprovalHistory::default(), &facts("tool", vec![read("a")])),
        Verdict::Deny,
        "no",
    );
}

#[test]
fn ids_are_used_once_and_the_built_in_ones_are_taken() {
    for ids in [["a", "a"], ["b.read", "x"], ["d.ask", "x"]] {
        let rules = ids.map(|id| Rule::new(id, Action::Deny)).to_vec();
        let error = Policy::default().with_file(Source::User, file(rules, vec![])).unwrap_err();
        assert!(matches!(error, PolicyError::DuplicateId { .. }), "{ids:?}");
    }
    let nameless = file(vec![Rule::new("", Action::Deny)], vec![]);
    let error = Policy::default().with_file(Source::User, nameless).unwrap_err();
    assert_eq!(error.to_string(), "a rule or constraint has an empty id");
    let bad = file(vec![Rule::new("a", Action::Deny).with_path("[")], vec![]);
    assert!(matches!(Policy::default().with_file(Source::User, bad), Err(PolicyError::Glob { .. })));
}

#[test]
fn an_unknown_key_is_an_error() {
    let read = |text| serde_json::from_str::<RuleFile>(text);
    assert!(read(r#"{"rule":[{"id":"a","action":"deny","paht":"x"}]}"#).is_err());
    assert!(read(r#"{"rules":[]}"#).is_err());
    assert!(read(r#"{"rule":[{"id":"a","action":"deny","path":"x"}]}"#).is_ok());
}

#[test]
fn risk_is_the_highest_of_the_effects_and_never_below_the_tools() {
    let risk = |effects| facts("tool", effects).risk();
    assert_eq!(risk(vec![read("a")]), Risk::Medium, "the tool says medium");
    assert_eq!(risk(vec![write("a")]), Risk::Medium);
    assert_eq!(risk(vec![Effect::Delete { path: "a".into() }]), Risk::High);
    assert_eq!(risk(vec![execute("ls")]), Risk::High);
    assert_eq!(risk(vec![read("a"), write(".git/config")]), Risk::Critical);
}

// H2: deny wins in every mode, also for a tool that declares no effects; such a tool is decided as one with
// unknown effects.
#[test]
fn a_call_without_effects_is_decided_like_an_unknown_one() {
    let none = || facts("tool", vec![]);
    let deny = policy(vec![Rule::new("no", Action::Deny).with_tool(name("tool"))]);
    check(&decide(&deny, &Grants::default(), &ApprovalHistory::default(), &none()), Verdict::Deny, "no");
    let decide_call = |mode| {
        decide(
            &Policy::default(),
            &Grants::default(),
            &ApprovalHistory::default(),
            &none().with_autonomy(mode),
        )
    };
    check(&decide_call(Autonomy::Headless), Verdict::Deny, "d.headless");
    check(&decide_call(Autonomy::ReadOnly), Verdict::Deny, "d.read_only");
    for mode in [Autonomy::Ask, Autonomy::Headless, Autonomy::ReadOnly] {
        let unknown = facts("tool", vec![Effect::Unknown]).with_autonomy(mode);
        assert_eq!(
            decide_call(mode),
            decide(&Policy::default(), &Grants::default(), &ApprovalHistory::default(), &unknown)
        );
    }
}

// H9: an approval of a call without effects that a grant can name is remembered for exactly that payload.
#[test]
fn a_grant_without_effects_covers_that_payload_only() {
    let facts = |text: &str| {
        let id = CallId::new("c").unwrap();
        let call = ToolCall::function(id, name("tool"), Arguments::parse(text).unwrap());
        PolicyInput::new(name("tool"), Hints::default(), &call, vec![])
    };
    let mut grants = Grants::default();
    grants.remember(&facts(r#"{"a":1}"#), &ApprovalDecision::approve("x")).unwrap();
    check(
        &decide(&Policy::default(), &grants, &ApprovalHistory::default(), &facts(r#"{"a":1}"#)),
        Verdict::Allow,
        "g.session",
    );
    check(
        &decide(&Policy::default(), &grants, &ApprovalHistory::default(), &facts(r#"{"a":2}"#)),
        Verdict::Ask,
        "d.ask",
    );
}

// H14: a command may contain line breaks; a path, host or folder with a line break is decided by `p.control_chars`.
#[test]
fn a_line_break_hides_in_a_name_and_not_in_a_command() {
    check(&by_default(vec![read("src\n/lib.rs")]), Verdict::Ask, "p.control_chars");
    check(&by_default(vec![write("a\tb")]), Verdict::Ask, "d.ask");
    check(
        &by_default(vec![Effect::Connect { host: "a\nb".into(), port: 1 }]),
        Verdict::Ask,
        "p.control_chars",
    );
    let folder = Effect::Execute { command: "ls".into(), directory: "a\nb".into() };
    check(&by_default(vec![folder]), Verdict::Ask, "p.control_chars");
    check(&by_default(vec![execute("ls\npwd")]), Verdict::Ask, "p.not_simple");
    check(&by_default(vec![execute("ls\rpwd")]), Verdict::Ask, "p.control_chars");
}

#[test]
fn every_family_of_built_in_ids_is_taken() {
    for family in ["f.x", "p.x", "b.x", "d.x", "g.x"] {
        let rules = file(vec![Rule::new(family, Action::Deny)], vec![]);
        let fence = file(vec![], vec![Constraint::new(family, EffectKind::Write, vec![])]);
        for file in [rules, fence] {
            let refused = Policy::default().with_file(Source::User, file);
            assert!(matches!(refused, Err(PolicyError::DuplicateId { .. })), "{family}");
        }
    }
}

// H11: the order of the policy files does not matter.
#[test]
fn deny_overrides_allow_in_any_order_of_files() {
    let allow = || file(vec![Rule::new("yes", Action::Allow)], vec![]);
    let deny = || file(vec![Rule::new("no", Action::Deny)], vec![]);
    let one = Policy::default().with_file(Source::User, allow()).unwrap();
    let one = one.with_file(Source::Project, deny()).unwrap();
    let two = Policy::default().with_file(Source::Project, deny()).unwrap();
    let two = two.with_file(Source::User, allow()).unwrap();
    for policy in [one, two] {
        check(
            &decide(
                &policy,
                &Grants::default(),
                &ApprovalHistory::default(),
                &facts("tool", vec![write("a")]),
            ),
            Verdict::Deny,
            "no",
        );
    }
}
