//! Properties of every policy and every call (SECURITY "Policy engine"). `WINDLASS_POLICY_CASES` sets the
//! number of cases for each property; every run draws other cases.
#![expect(clippy::disallowed_methods, reason = "how many cases are tried is set from outside")]

use proptest::prelude::*;
use windlass_hitl::{
    Action, ApprovalHistory, Autonomy, Constraint, Decision, EffectKind, Grants, Policy, PolicyInput, Rule,
    RuleFile, Source, Stage, TraceEntry, Verdict, decide,
};
use windlass_protocol::{Containment, Effect, Target, TargetKind};

use crate::decide::{facts, name};

pub(crate) fn cases() -> ProptestConfig {
    let named = std::env::var("WINDLASS_POLICY_CASES").ok().and_then(|text| text.parse().ok());
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(named.unwrap_or(1_000)) }
}

pub(crate) const PATHS: [&str; 10] = [
    "a",
    "src/lib.rs",
    "src/deep/b.md",
    "docs/a.md",
    ".git/config",
    ".env",
    "../x",
    "/etc/passwd",
    "NUL",
    ".windlass/policy.toml",
];
const COMMANDS: [&str; 12] = [
    "ls -la src",
    "git log --oneline",
    "git push",
    "cat .env",
    "cargo test | tail -5",
    "rm -rf /",
    "echo $(date)",
    "sudo 'r'm x",
    "echo hi > src/out.txt",
    "find . -name '*.rs'",
    "",
    "sort -o x y",
];
pub(crate) const HOSTS: [&str; 6] =
    ["docs.rs", "evil.docs.rs", "docs.rs.evil.test", "127.0.0.1", "localhost", "8.8.8.8"];

fn path() -> impl Strategy<Value = String> {
    prop_oneof![8 => prop::sample::select(PATHS.to_vec()).prop_map(str::to_owned), 1 => any::<String>()]
}

fn effect() -> impl Strategy<Value = Effect> {
    let command = prop_oneof![
        6 => prop::sample::select(COMMANDS.to_vec()).prop_map(str::to_owned),
        1 => any::<String>(),
        1 => "[a-z$;&|<> '\"()`*-]{0,20}",
    ];
    let host =
        prop_oneof![4 => prop::sample::select(HOSTS.to_vec()).prop_map(str::to_owned), 1 => any::<String>()];
    let mcp = |(known, tool)| Effect::Mcp { server: "s".into(), tool, fingerprint: "f".into(), known };
    prop_oneof![
        2 => path().prop_map(|path| Effect::Read { path }),
        3 => (path(), prop::option::of(0..200_u64)).prop_map(|(path, bytes)| Effect::Write { path, bytes }),
        1 => path().prop_map(|path| Effect::Delete { path }),
        3 => command.prop_map(|command| Effect::Execute { command, directory: ".".into() }),
        2 => (host, prop::sample::select(vec![22, 80, 443, 8080]))
            .prop_map(|(host, port)| Effect::Connect { host, port }),
        1 => (any::<bool>(), "[a-z]{1,3}").prop_map(mcp),
        1 => Just(Effect::Internal),
        1 => Just(Effect::Unknown),
    ]
}

fn effects() -> impl Strategy<Value = Vec<Effect>> {
    prop::collection::vec(effect(), 0..4)
}

pub(crate) fn kind() -> impl Strategy<Value = EffectKind> {
    prop::sample::select(vec![
        EffectKind::Read,
        EffectKind::Write,
        EffectKind::Delete,
        EffectKind::Execute,
        EffectKind::Network,
        EffectKind::Mcp,
    ])
}

/// Facts in any mode, with or without the results of an inspection and with or without confinement.
fn any_facts() -> impl Strategy<Value = PolicyInput> {
    let mode =
        prop::sample::select(vec![Autonomy::Ask, Autonomy::ReadOnly, Autonomy::AutoEdit, Autonomy::Headless]);
    let target = (path(), path(), 0..5_u8, 0..3_u64).prop_map(|(path, resolved, kind, links)| {
        let kind = match kind {
            0 => TargetKind::Missing,
            1 | 2 => TargetKind::File,
            3 => TargetKind::Special,
            _ => TargetKind::Outside,
        };
        Target { resolved, kind, links, ..Target::missing(path) }
    });
    let containment = prop::option::of((0..3_usize).prop_map(level));
    let rest = (mode, prop::collection::vec(target, 0..3), containment, any::<bool>(), any::<bool>());
    (effects(), rest).prop_map(|(effects, (mode, targets, containment, tainted, has_secret))| {
        facts("tool", effects)
            .with_autonomy(mode)
            .with_sight(targets, containment)
            .with_taint(tainted)
            .with_secret(has_secret)
    })
}

/// Any level of confinement, from full confinement to none.
fn level(at: usize) -> Containment {
    match at {
        0 => Containment::new("ns", vec![]),
        1 => Containment::new("landlock", vec!["a gap".into()]),
        _ => Containment::none(),
    }
}

fn rule(actions: Vec<Action>) -> impl Strategy<Value = Rule> {
    let matcher = prop_oneof![
        Just(Rule::new("id", Action::Ask)),
        prop::sample::select(vec!["**", "src/**", "*.md", ".*", "a"]).prop_map(|glob| Rule::new(
            "id",
            Action::Ask
        )
        .with_path(glob)),
        prop::sample::select(vec![
            vec!["git"],
            vec!["git", "log"],
            vec!["ls"],
            vec!["rm"],
            vec!["cargo", "test"]
        ])
        .prop_map(|argv| Rule::new("id", Action::Ask).with_argv(argv)),
        prop::sample::select(vec!["docs.rs", "*.docs.rs", "127.0.0.1"]).prop_map(|host| Rule::new(
            "id",
            Action::Ask
        )
        .with_host(host)),
        Just(Rule::new("id", Action::Ask).with_server("s")),
    ];
    (matcher, prop::sample::select(actions), prop::option::of(kind()), any::<bool>()).prop_map(
        |(mut rule, action, kind, one_tool)| {
            rule.action = action;
            rule.effect = kind;
            rule.tool = one_tool.then(|| name("tool"));
            rule
        },
    )
}

pub(crate) fn rules() -> impl Strategy<Value = Vec<Rule>> {
    prop::collection::vec(rule(vec![Action::Deny, Action::Ask, Action::Allow]), 0..7)
}

fn fence() -> impl Strategy<Value = Constraint> {
    (kind(), 0..4_u8).prop_map(|(kind, what)| {
        let fence = Constraint::new("fence", kind, vec![]);
        match what {
            0 => Constraint::new("fence", kind, vec!["src/**".into()]),
            1 => fence.with_blocked(["*.env", ".env"]),
            2 => fence.with_max_bytes(100),
            _ => fence.with_hosts(["docs.rs"], [443]),
        }
    })
}

pub(crate) fn policy(rules: &[Rule], source: Source) -> Policy {
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

pub(crate) fn of(policy: &Policy, facts: &PolicyInput) -> Decision {
    decide(policy, &Grants::default(), &ApprovalHistory::default(), facts)
}

fn is_known(policy: &Policy, id: &str) -> bool {
    let builtin = ["v.", "f.", "p.", "g.", "l.", "d."].iter().any(|family| id.starts_with(family));
    builtin || policy.ids().any(|(known, _)| known == id)
}

proptest! {
    #![proptest_config(cases())]

    // A decision is total and deterministic, and each of its parts names an existing rule.
    #[test]
    fn every_call_gets_a_verdict_by_a_rule_that_exists(rules in rules(), facts in any_facts()) {
        let policy = policy(&rules, Source::User);
        let decision = of(&policy, &facts);
        // A call without effects is decided as one unknown effect; commands and links have parts of their
        // own.
        prop_assert!(decision.trace.len() >= facts.effects.len().max(1));
        for step in &decision.trace {
            prop_assert!(is_known(&policy, &step.reason.rule_id), "{}", step.reason.rule_id);
        }
        prop_assert!(is_known(&policy, &decision.reason.rule_id));
        prop_assert_eq!(&decision, &of(&policy, &facts));
        // A policy from a record decides as the original does.
        let kept: PolicyInput = serde_json::from_str(&serde_json::to_string(&facts).unwrap()).unwrap();
        prop_assert_eq!(&decision, &of(&policy, &kept));
    }

    #[test]
    fn the_order_of_rules_never_matters((rules, shuffled) in rules().prop_flat_map(|rules| {
        let named: Vec<Rule> = rules.into_iter().enumerate().map(|(at, mut rule)| { rule.id = format!("r{at}"); rule }).collect();
        (Just(named.clone()), Just(named).prop_shuffle())
    }), facts in any_facts()) {
        prop_assert_eq!(of(&policy(&rules, Source::User), &facts), of(&policy(&shuffled, Source::User), &facts));
    }

    // Adding a deny rule, an ask rule, a constraint or a project's file never makes a verdict more permissive (H11).
    #[test]
    fn a_stricter_setting_never_permits_more(
        rules in rules(),
        tight in prop::collection::vec(rule(vec![Action::Deny, Action::Ask]), 0..3),
        fence in prop::option::of(fence()),
        is_rejected in any::<bool>(),
        facts in any_facts(),
    ) {
        let before = policy(&rules, Source::User);
        let mut after = add(before.clone(), &tight, Source::Project, "t");
        if let Some(fence) = fence {
            let mut file = RuleFile::default();
            file.constraints.push(fence);
            after = after.with_file(Source::Project, file).unwrap();
        }
        if is_rejected {
            after = after.with_rejected(Source::Project);
        }
        prop_assert!(of(&after, &facts).verdict >= of(&before, &facts).verdict);
    }

    // Stage 1 is not configurable, and no mode, grant or rule lifts a denial.
    #[test]
    fn a_lesser_sandbox_never_loosens(rules in rules(), facts in any_facts()) {
        let policy = policy(&rules, Source::User);
        let at = |containment| of(&policy, &facts.clone().with_sight(facts.targets.clone(), containment)).verdict;
        let (full, partial, none) = (at(Some(level(0))), at(Some(level(1))), at(Some(level(2))));
        prop_assert!(full <= partial && partial <= none, "{full:?} {partial:?} {none:?}");
        prop_assert_eq!(at(None), none);
    }

    #[test]
    fn nothing_lifts_a_denial(rules in rules(), facts in any_facts(), mode in 0..4_usize) {
        let open = add(policy(&rules, Source::User), &[Rule::new("open", Action::Allow)], Source::User, "o");
        let mode = [Autonomy::Ask, Autonomy::ReadOnly, Autonomy::AutoEdit, Autonomy::Headless][mode];
        let plain = of(&policy(&rules, Source::User), &facts.clone().with_autonomy(Autonomy::Ask));
        if plain.verdict == Verdict::Deny {
            prop_assert_eq!(of(&open, &facts.with_autonomy(mode)).verdict, Verdict::Deny);
        }
    }

    // A call that must be asked is asked whatever is allowed or automatic, and is never remembered, with one exception:
    // a grant can name the exact text of a command.
    #[test]
    fn no_rule_removes_a_mandatory_question(facts in any_facts()) {
        let plain = of(&Policy::default(), &facts.clone().with_autonomy(Autonomy::Ask));
        if plain.trace.iter().all(|step| step.stage != Stage::AskRules) {
            return Ok(());
        }
        let must_ask = |step: &&TraceEntry| step.stage == Stage::AskRules;
        let is_exact = plain.trace.iter().filter(must_ask).all(|step| step.reason.is_about_whole_text());
        prop_assert!(is_exact || !plain.can_remember());
        let open = policy(&[Rule::new("id", Action::Allow)], Source::User);
        for mode in [Autonomy::Ask, Autonomy::AutoEdit] {
            prop_assert!(of(&open, &facts.clone().with_autonomy(mode)).verdict >= Verdict::Ask);
        }
    }
}
