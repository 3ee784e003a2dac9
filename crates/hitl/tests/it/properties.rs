//! What must hold of every policy and every call (SECURITY "Policy engine").

use proptest::prelude::*;
use windlass_hitl::{
    Action, Constraint, EffectKind, Grants, Learned, Policy, Rule, RuleFile, Source, Verdict, decide,
};
use windlass_protocol::Effect;

use crate::decide::{facts, name};

fn path() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(vec!["a", "src/lib.rs", "docs/a.md", ".git/config", ".env", "../x", "/etc/passwd"])
            .prop_map(str::to_owned),
        1 => any::<String>(),
    ]
}

fn effect() -> impl Strategy<Value = Effect> {
    prop_oneof![
        path().prop_map(|path| Effect::Read { path }),
        path().prop_map(|path| Effect::Write { path, bytes: None }),
        path().prop_map(|path| Effect::Delete { path }),
        any::<String>().prop_map(|command| Effect::Execute { command, directory: ".".into() }),
        (any::<String>(), any::<u16>()).prop_map(|(host, port)| Effect::Connect { host, port }),
        Just(Effect::Internal),
        Just(Effect::Unknown),
    ]
}

fn kind() -> impl Strategy<Value = EffectKind> {
    prop::sample::select(vec![EffectKind::Read, EffectKind::Write, EffectKind::Delete, EffectKind::Execute])
}

fn rule(actions: Vec<Action>) -> impl Strategy<Value = Rule> {
    let glob = prop::sample::select(vec!["**", "src/**", "*.md", ".*", "a"]);
    (prop::sample::select(actions), prop::option::of(kind()), prop::option::of(glob), any::<bool>()).prop_map(
        |(action, kind, glob, one_tool)| {
            let mut rule = Rule::new("id", action);
            rule.effect = kind;
            rule.path = glob.map(str::to_owned);
            rule.tool = one_tool.then(|| name("tool"));
            rule
        },
    )
}

fn all() -> Vec<Action> {
    vec![Action::Deny, Action::Ask, Action::Allow]
}

fn policy(rules: &[Rule], source: Source) -> Policy {
    add(Policy::default(), rules, source, "r")
}

fn add(policy: Policy, rules: &[Rule], source: Source, prefix: &str) -> Policy {
    let mut file = RuleFile::default();
    for (at, rule) in rules.iter().enumerate() {
        let mut rule = rule.clone();
        if rule.id == "id" {
            rule.id = format!("{prefix}{at}");
        }
        file.rules.push(rule);
    }
    policy.with_file(source, file).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn every_call_gets_a_verdict_with_a_rule(rules in prop::collection::vec(rule(all()), 0..6), effects in prop::collection::vec(effect(), 0..4)) {
        let (policy, facts) = (policy(&rules, Source::User), facts("tool", effects));
        let decision = decide(&policy, &Grants::default(), &Learned::default(), &facts);
        prop_assert!(!decision.reason.rule_id.is_empty());
        // A call without effects is judged as one unknown effect; commands have parts of their own.
        prop_assert!(decision.trace.len() >= facts.effects.len().max(1));
        prop_assert_eq!(&decision, &decide(&policy, &Grants::default(), &Learned::default(), &facts));
    }

    #[test]
    fn the_order_of_rules_never_matters(rules in prop::collection::vec(rule(all()), 0..6), effects in prop::collection::vec(effect(), 0..4)) {
        let named: Vec<Rule> = rules.into_iter().enumerate().map(|(at, mut rule)| { rule.id = format!("r{at}"); rule }).collect();
        let reversed: Vec<Rule> = named.iter().rev().cloned().collect();
        let facts = facts("tool", effects);
        prop_assert_eq!(
            decide(&policy(&named, Source::User), &Grants::default(), &Learned::default(), &facts),
            decide(&policy(&reversed, Source::User), &Grants::default(), &Learned::default(), &facts)
        );
    }

    #[test]
    fn a_rule_that_tightens_never_loosens(
        rules in prop::collection::vec(rule(all()), 0..5),
        tight in prop::collection::vec(rule(vec![Action::Deny, Action::Ask]), 0..3),
        fence in prop::option::of(kind()),
        effects in prop::collection::vec(effect(), 0..4),
    ) {
        let facts = facts("tool", effects);
        let before = policy(&rules, Source::User);
        let mut after = add(before.clone(), &tight, Source::Project, "t");
        if let Some(kind) = fence {
            let mut file = RuleFile::default();
            file.constraints.push(Constraint::new("fence", kind, vec!["src/**".into()]));
            after = after.with_file(Source::Project, file).unwrap();
        }
        let verdict = |policy: &Policy| decide(policy, &Grants::default(), &Learned::default(), &facts).verdict;
        prop_assert!(verdict(&after) >= verdict(&before));
    }

    #[test]
    fn allow_never_covers_the_floor(effects in prop::collection::vec(effect(), 1..4)) {
        let facts = facts("tool", effects);
        let open = policy(&[Rule::new("id", Action::Allow)], Source::User);
        if decide(&Policy::default(), &Grants::default(), &Learned::default(), &facts).reason.rule_id.starts_with("f.") {
            prop_assert_eq!(decide(&open, &Grants::default(), &Learned::default(), &facts).verdict, Verdict::Deny);
        }
    }
}
