//! A rule that names a link applies to the link's target (security 2).

use windlass_hitl::{
    Action, ApprovalDecision, ApprovalHistory, Constraint, EffectKind, Grants, Policy, PolicyInput, Rule,
    RuleFile, RuleLink, Source, Verdict, decide,
};
use windlass_protocol::{Effect, Target, TargetKind};

use crate::decide::{facts, read, write};

/// The links of a workspace: `pub` is a link to `private`, and `x.txt` is a link to `data/plain.txt`.
fn leads_to(path: &str) -> String {
    let rest = path.strip_prefix("pub").filter(|rest| rest.is_empty() || rest.starts_with('/'));
    match (rest, path) {
        (Some(rest), _) => format!("private{rest}"),
        (None, "x.txt") => "data/plain.txt".to_owned(),
        (None, path) => path.to_owned(),
    }
}

fn policy(rules: Vec<Rule>, constraints: Vec<Constraint>) -> Policy {
    let mut file = RuleFile::default();
    (file.rules, file.constraints) = (rules, constraints);
    Policy::default().with_file(Source::User, file).unwrap().with_link_resolver(|path| Some(leads_to(path)))
}

fn rule(action: Action, glob: &str) -> Rule {
    Rule::new(format!("{action:?}"), action).with_path(glob)
}

/// Returns a policy with one rule, which allows everything else.
fn against(action: Action, glob: &str) -> Policy {
    policy(vec![rule(action, glob), Rule::new("yes", Action::Allow)], vec![])
}

fn seen(policy: &Policy, effect: Effect) -> PolicyInput {
    facts("tool", vec![effect]).with_links(policy.resolve_links())
}

fn verdict(policy: &Policy, facts: &PolicyInput) -> Verdict {
    decide(policy, &Grants::default(), &ApprovalHistory::default(), facts).verdict
}

fn delete_tree(path: &str) -> Effect {
    Effect::DeleteTree { path: path.into() }
}

fn read_tree(path: &str) -> Effect {
    Effect::ReadTree { path: path.into() }
}

#[test]
fn a_deny_rule_on_a_link_denies_its_target() {
    for glob in ["pub/**", "./pub/**/*", "{pub,other}/**"] {
        let policy = against(Action::Deny, glob);
        for effect in [
            read("private/x.txt"),
            read("./private/deep/../y"),
            read("private"),
            write("private/new"),
            delete_tree("private"),
            delete_tree("private/deep"),
            Effect::Execute { command: "rm -r private".into(), directory: ".".into() },
        ] {
            assert_eq!(verdict(&policy, &seen(&policy, effect.clone())), Verdict::Deny, "{glob} {effect:?}");
        }
        for effect in [read("privates/x"), read("src/private/x"), Effect::Delete { path: "src".into() }] {
            assert_eq!(verdict(&policy, &seen(&policy, effect.clone())), Verdict::Allow, "{glob} {effect:?}");
        }
        assert!(verdict(&policy, &seen(&policy, read_tree("."))) > Verdict::Allow, "{glob}");
    }
    let policy = against(Action::Deny, "pub/*.txt");
    assert_eq!(verdict(&policy, &seen(&policy, read("private/x.txt"))), Verdict::Deny);
    assert_eq!(verdict(&policy, &seen(&policy, read("private/x.rs"))), Verdict::Allow);
    assert_eq!(verdict(&policy, &seen(&policy, read_tree("private"))), Verdict::Ask, "x.txt may lie there");
    // A link to one file.
    let policy = against(Action::Deny, "x.txt");
    assert_eq!(verdict(&policy, &seen(&policy, read("data/plain.txt"))), Verdict::Deny);
    assert_eq!(verdict(&policy, &seen(&policy, read("data/other.txt"))), Verdict::Allow);
    // If links were not resolved, a rule is compared with the path as the rule writes it.
    let deaf = facts("tool", vec![read("private/x.txt")]);
    assert_eq!(verdict(&against(Action::Deny, "pub/**"), &deaf), Verdict::Allow);
}

#[test]
fn ask_rules_and_blocked_paths_follow_links_too() {
    let policy = against(Action::Ask, "pub/**");
    assert_eq!(verdict(&policy, &seen(&policy, read("private/x"))), Verdict::Ask);
    let blocking = Constraint::new("c", EffectKind::Read, vec![]).with_blocked(["pub/**", "x.txt"]);
    let policy = self::policy(vec![], vec![blocking]);
    for path in ["private/x", "data/plain.txt", "deep/x.txt"] {
        assert_eq!(verdict(&policy, &seen(&policy, read(path))), Verdict::Deny, "{path}");
    }
    assert_eq!(verdict(&policy, &seen(&policy, read("data/other.txt"))), Verdict::Allow);
}

#[test]
fn an_allow_rule_does_not_extend_to_a_link_target() {
    let policy = policy(vec![rule(Action::Allow, "pub/**").with_effect(EffectKind::Write)], vec![]);
    assert!(policy.resolve_links().is_empty());
    let by_link = Target { resolved: "private/x".into(), kind: TargetKind::File, ..Target::missing("pub/x") };
    let through = seen(&policy, write("pub/x")).with_sight(vec![by_link], None);
    for facts in [through, seen(&policy, write("private/x"))] {
        assert_eq!(verdict(&policy, &facts), Verdict::Ask, "{facts:?}");
    }
    assert_eq!(verdict(&policy, &seen(&policy, write("pub/x"))), Verdict::Allow, "pub is a folder here");
    // A constraint does not permit the target of a link either.
    let fence = Constraint::new("c", EffectKind::Read, vec!["pub/**".into()]);
    let policy = self::policy(vec![], vec![fence]);
    assert_eq!(verdict(&policy, &seen(&policy, read("private/x"))), Verdict::Deny);
}

#[test]
fn a_walk_does_not_show_files_denied_through_a_link() {
    let policy = against(Action::Deny, "pub/**");
    let rules = policy.path_rules(&seen(&policy, read("."))).unwrap();
    assert!(rules.refuse(&read("private/x.txt")) && rules.refuse(&read("private")));
    assert!(!rules.refuse(&read("src/lib.rs")));
    // An ask rule does not hide the place from a call that named it, because the human was asked about that call.
    let policy = against(Action::Ask, "pub/**");
    let rules = policy.path_rules(&seen(&policy, read("private"))).unwrap();
    assert!(!rules.refuse(&read("private/x.txt")));
    assert!(policy.path_rules(&seen(&policy, read("src"))).unwrap().refuse(&read("private/x.txt")));
}

#[test]
fn no_grant_and_no_lesson_lifts_a_rule_on_a_link() {
    let facts_of = |policy: &Policy| seen(policy, write("private/a.md"));
    let open = policy(vec![], vec![]);
    let (mut grants, mut learned) = (Grants::default(), ApprovalHistory::new("e"));
    grants.remember(&facts_of(&open), &ApprovalDecision::approve("x")).unwrap();
    for _ in 0..3 {
        learned.record(&facts_of(&open), windlass_hitl::AskOutcome::Approved);
    }
    assert_eq!(decide(&open, &grants, &learned, &facts_of(&open)).verdict, Verdict::Allow);
    for (action, expected) in [(Action::Deny, Verdict::Deny), (Action::Ask, Verdict::Ask)] {
        let strict = against(action, "pub/**");
        assert_eq!(decide(&strict, &grants, &learned, &facts_of(&strict)).verdict, expected);
    }
}

// `PolicyInput` record the targets of links, so a decision can be repeated from a record, without the file system.
#[test]
fn links_are_facts() {
    let policy = against(Action::Deny, "pub/**");
    let facts = seen(&policy, read("private/x"));
    assert_eq!(facts.links, [RuleLink::new("pub", "private")]);
    let text = serde_json::to_string(&facts).unwrap();
    let again: PolicyInput = serde_json::from_str(&text).unwrap();
    assert_eq!(verdict(&policy, &again), Verdict::Deny);
    let old = serde_json::to_string(&facts.with_links(vec![])).unwrap();
    assert!(!old.contains("links"), "a record without links is as it was before");
}
