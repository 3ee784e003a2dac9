//! Custom effects, arguments and checks in code decide (H2, H11, H15).

use proptest::prelude::*;
use serde_json::{Value, json};
use windlass_hitl::{
    Action, ApprovalDecision, ApprovalHistory, ArgumentCondition, Autonomy, Constraint, CustomCondition,
    Decision, EffectKind, Grants, Objection, Policy, PolicyError, PolicyInput, Risk, Rule, RuleFile, Source,
    Stage, Verdict, decide, deny_early,
};
use windlass_protocol::{Arguments, CallId, Effect, Hints, ToolCall};

use crate::decide::{name, read, write};
use crate::properties::{cases, of, rules};

fn payment(target: &str, cents: Option<u64>) -> Effect {
    let effect = Effect::custom("payment", target);
    match cents {
        Some(cents) => effect.with_amount(cents, "EUR-cent"),
        None => effect,
    }
}

fn facts(effects: Vec<Effect>, arguments: &Value) -> PolicyInput {
    let arguments = Arguments::parse(arguments.to_string()).unwrap();
    let call = ToolCall::function(CallId::new("c").unwrap(), name("pay"), arguments);
    PolicyInput::new(name("pay"), Hints::default(), &call, effects)
}

fn policy(text: &str) -> Policy {
    Policy::default().with_file(Source::User, parse(text)).unwrap()
}

fn parse(text: &str) -> RuleFile {
    serde_json::from_str(text).unwrap()
}

#[track_caller]
fn check(decision: &Decision, verdict: Verdict, rule: &str) {
    assert_eq!((decision.verdict, decision.reason.rule_id.as_str()), (verdict, rule), "{decision:?}");
}

const PAYMENTS: &str = r#"{"rule": [
    {"id": "small", "action": "allow", "custom": {"kind": "payment", "target": "suppliers/*", "unit": "EUR-cent", "at_most": 4000}},
    {"id": "large", "action": "deny", "custom": {"kind": "payment", "unit": "EUR-cent", "at_least": 100000}},
    {"id": "mails", "action": "allow", "custom": {"kind": "mail.*"}}
]}"#;

#[test]
fn rules_decide_about_kind_target_and_amount() {
    let policy = policy(PAYMENTS);
    let decided = |effect| of(&policy, &facts(vec![effect], &json!({})));
    check(&decided(payment("suppliers/acme", Some(4_000))), Verdict::Allow, "small");
    check(&decided(payment("suppliers/acme", Some(4_001))), Verdict::Ask, "d.ask");
    check(&decided(payment("strangers/acme", Some(1))), Verdict::Ask, "d.ask");
    check(&decided(payment("suppliers/acme/x", Some(1))), Verdict::Ask, "d.ask");
    check(&decided(payment("suppliers/acme", Some(100_000))), Verdict::Deny, "large");
    check(&decided(Effect::custom("mail", "a@example.com")), Verdict::Allow, "mails");
    check(&decided(Effect::custom("mail.send", "a@example.com")), Verdict::Allow, "mails");
    check(&decided(Effect::custom("mailing", "a@example.com")), Verdict::Ask, "d.ask");
    // Conditions about custom effects match nothing else.
    check(&decided(write("payment")), Verdict::Ask, "d.ask");
}

// An amount that the tool does not state satisfies no allow rule, and a deny rule can only ask about it.
#[test]
fn an_unknown_amount_is_asked() {
    let policy = policy(PAYMENTS);
    let decided = |effect| of(&policy, &facts(vec![effect], &json!({})));
    check(&decided(payment("suppliers/acme", None)), Verdict::Ask, "large");
    let dollars = Effect::custom("payment", "suppliers/acme").with_amount(1, "USD-cent");
    check(&decided(dollars), Verdict::Ask, "large");
}

#[test]
fn a_custom_effect_without_rules_is_asked_and_never_learned() {
    let facts = facts(vec![payment("suppliers/acme", Some(1))], &json!({}));
    let decision = of(&Policy::default(), &facts);
    check(&decision, Verdict::Ask, "d.ask");
    assert_eq!(decision.risk, Risk::High);
    let edits = facts.clone().with_autonomy(Autonomy::AutoEdit);
    check(&of(&Policy::default(), &edits), Verdict::Ask, "d.ask");
    let read_only = facts.clone().with_autonomy(Autonomy::ReadOnly);
    check(&of(&Policy::default(), &read_only), Verdict::Deny, "d.read_only");
    // A grant holds for exactly the same call.
    let mut grants = Grants::default();
    grants.remember(&facts, &ApprovalDecision::approve("r")).unwrap();
    let decided =
        |facts: &PolicyInput| decide(&Policy::default(), &grants, &ApprovalHistory::default(), facts);
    check(&decided(&facts), Verdict::Allow, "g.session");
    let mut other = facts.clone();
    other.effects = vec![payment("suppliers/acme", Some(2))];
    check(
        &decided(&other.with_payload(self::facts(vec![], &json!({"cents": 2})).payload)),
        Verdict::Ask,
        "d.ask",
    );
}

#[test]
fn constraints_bound_custom_effects() {
    let condition = CustomCondition::default().with_kind("payment").with_target("suppliers/**");
    let bound = Constraint::custom("bound", condition.with_at_most(500, "EUR-cent"));
    let mut file = RuleFile::default();
    file.constraints.push(bound);
    file.rules.push(Rule::new("all", Action::Allow).with_effect(EffectKind::Custom));
    let policy = Policy::default().with_file(Source::User, file).unwrap();
    let decided = |effect| of(&policy, &facts(vec![effect], &json!({})));
    check(&decided(payment("suppliers/acme", Some(500))), Verdict::Allow, "all");
    check(&decided(payment("suppliers/acme", Some(501))), Verdict::Deny, "bound");
    check(&decided(payment("strangers/acme", Some(1))), Verdict::Deny, "bound");
    check(&decided(payment("suppliers/acme", None)), Verdict::Ask, "bound");
    check(&decided(Effect::custom("mail", "strangers/acme")), Verdict::Allow, "all");
}

#[test]
fn effects_that_cannot_be_shown_or_compared_are_refused() {
    let decided = |effect| of(&Policy::default(), &facts(vec![effect], &json!({})));
    check(&decided(Effect::custom("", "x")), Verdict::Deny, "v.empty");
    check(&decided(Effect::custom("mail", "a\0b")), Verdict::Deny, "v.nul");
    check(&decided(Effect::custom("mail", "a".repeat(10_000))), Verdict::Deny, "v.too_long");
    check(&decided(Effect::custom("mail", "a\u{202e}b")), Verdict::Ask, "p.control_chars");
    check(&decided(Effect::custom("mail\nx", "b")), Verdict::Ask, "p.control_chars");
    let secret = facts(vec![Effect::custom("mail", "a")], &json!({})).with_secret(true);
    let allow = policy(r#"{"rule": [{"id": "yes", "action": "allow"}]}"#);
    check(&of(&allow, &secret), Verdict::Ask, "p.secret_in_args");
}

#[test]
fn rules_decide_about_arguments() {
    let policy = policy(
        r#"{"rule": [
        {"id": "euros", "action": "allow", "argument": [{"at": "/currency", "one_of": ["EUR"]}, {"at": "/cents", "at_most": 4000}]},
        {"id": "prod", "action": "deny", "argument": [{"at": "/stage", "glob": "prod*"}]},
        {"id": "one", "action": "deny", "argument": [{"at": "/level", "one_of": [1]}]}
    ]}"#,
    );
    let decided = |arguments: Value| of(&policy, &facts(vec![payment("a", None)], &arguments));
    check(&decided(json!({"currency": "EUR", "cents": 4000})), Verdict::Allow, "euros");
    check(&decided(json!({"currency": "EUR", "cents": 4001})), Verdict::Ask, "d.ask");
    check(&decided(json!({"currency": "USD", "cents": 1})), Verdict::Ask, "d.ask");
    check(&decided(json!({"currency": "EUR"})), Verdict::Ask, "d.ask");
    check(&decided(json!({"currency": "EUR", "cents": "1"})), Verdict::Ask, "d.ask");
    check(&decided(json!({"stage": "production"})), Verdict::Deny, "prod");
    check(&decided(json!({"stage": "test"})), Verdict::Ask, "d.ask");
    // A value of another type does not evade a deny rule.
    check(&decided(json!({"stage": ["production"]})), Verdict::Deny, "prod");
    check(&decided(json!({"level": 1.0})), Verdict::Deny, "one");
}

// A rule about arguments denies nothing while the arguments still arrive.
#[test]
fn rules_about_arguments_wait_for_the_arguments() {
    let policy =
        policy(r#"{"rule": [{"id": "no", "action": "deny", "argument": [{"at": "/x", "one_of": [true]}]}]}"#);
    assert_eq!(deny_early(&policy, &name("pay"), &[read("a")]), None);
    check(&of(&policy, &facts(vec![read("a")], &json!({"x": true}))), Verdict::Deny, "no");
    check(&of(&policy, &facts(vec![read("a")], &json!({"x": false}))), Verdict::Allow, "b.read");
}

// If a rule denies a path for certain arguments, a call with these arguments does not read that path when it walks a
// folder.
#[test]
fn rules_about_arguments_hold_for_found_paths() {
    let rule = Rule::new("no", Action::Deny).with_path("private/**");
    let mut file = RuleFile::default();
    file.rules.push(rule.with_argument(ArgumentCondition::new("/deep").with_one_of([json!(true)])));
    let policy = Policy::default().with_file(Source::User, file).unwrap();
    let rules = policy.path_rules(&facts(vec![read(".")], &json!({"deep": true}))).unwrap();
    assert!(rules.refuse(&read("private/x")) && !rules.refuse(&read("public/x")));
    // Calls with other arguments read the path.
    let rules = policy.path_rules(&facts(vec![read(".")], &json!({"deep": false})));
    assert!(rules.is_none_or(|rules| !rules.refuse(&read("private/x"))));
}

// A deny rule about a program and an argument does not ask about calls with another argument.
#[test]
fn rules_about_arguments_and_programs_match_both() {
    let rule = Rule::new("no", Action::Deny).with_argv(["frobnicate"]);
    let mut file = RuleFile::default();
    file.rules.push(rule.with_argument(ArgumentCondition::new("/deep").with_one_of([json!(true)])));
    let policy = Policy::default().with_file(Source::User, file).unwrap();
    let call = |deep: bool| {
        let command = "wrapper frobnicate".to_owned();
        let effect = Effect::Execute { command, directory: ".".into() };
        of(&policy, &facts(vec![effect], &json!({"deep": deep})))
    };
    let is_named = |decision: &Decision| decision.reason.rule_id == "no";
    assert!(is_named(&call(true)) && !is_named(&call(false)), "{:?}", call(false));
}

// A tool may look up the amount of a call: a grant for ten cents is not a grant for a thousand euros.
#[test]
fn a_grant_holds_for_one_amount() {
    let call = |cents| facts(vec![payment("suppliers/acme", Some(cents))], &json!({"invoice": 7}));
    let mut grants = Grants::default();
    grants.remember(&call(10), &ApprovalDecision::approve("r")).unwrap();
    assert!(grants.covers(&call(10)) && !grants.covers(&call(100_000)));
    let other = facts(vec![payment("strangers/acme", Some(10))], &json!({"invoice": 7}));
    assert!(!grants.covers(&other));
}

#[test]
fn a_long_text_satisfies_no_allow_rule_and_evades_no_deny_rule() {
    let long = json!({"text": "a".repeat(4_097)});
    for (action, verdict, id) in [("allow", Verdict::Ask, "d.ask"), ("deny", Verdict::Deny, "glob")] {
        let rule =
            r#"{"rule": [{"id": "glob", "action": "ACTION", "argument": [{"at": "/text", "glob": "b*"}]}]}"#;
        let policy = policy(&rule.replace("ACTION", action));
        check(&of(&policy, &facts(vec![payment("a", None)], &long)), verdict, id);
    }
}

#[test]
fn wrong_conditions_are_refused_with_the_rule() {
    let refused = |text| Policy::default().with_file(Source::User, parse(text)).unwrap_err();
    let no_unit = r#"{"rule": [{"id": "a", "action": "allow", "custom": {"at_most": 1}}]}"#;
    assert!(matches!(refused(no_unit), PolicyError::NoUnit { id } if id == "a"));
    let pointer = r#"{"rule": [{"id": "a", "action": "deny", "argument": [{"at": "to"}]}]}"#;
    assert!(matches!(refused(pointer), PolicyError::Pointer { pointer, .. } if pointer == "to"));
    let mut file = RuleFile::default();
    let nan = ArgumentCondition::new("/cents").with_at_most(f64::NAN);
    file.rules.push(Rule::new("a", Action::Deny).with_argument(nan));
    let refused_bound = Policy::default().with_file(Source::User, file);
    assert!(matches!(refused_bound, Err(PolicyError::Bound { id }) if id == "a"));
    let kind = r#"{"constraint": [{"id": "a", "effect": "write", "custom": {"kind": "b"}}]}"#;
    assert!(matches!(refused(kind), PolicyError::NotCustom { .. }));
    let glob = r#"{"rule": [{"id": "a", "action": "deny", "custom": {"target": "[" }}]}"#;
    assert!(matches!(refused(glob), PolicyError::Glob { .. }));
    assert!(
        serde_json::from_str::<RuleFile>(
            r#"{"rule": [{"id": "a", "action": "deny", "custom": {"kin": "b"}}]}"#
        )
        .is_err()
    );
}

fn with_check(objection: Option<Objection>) -> Policy {
    let policy = policy(r#"{"rule": [{"id": "yes", "action": "allow"}]}"#);
    policy.with_check("mine", move |_| objection.clone()).unwrap()
}

#[test]
fn a_custom_check_can_ask_or_deny_and_grants_do_not_override_it() {
    let facts = facts(vec![read("a")], &json!({}));
    check(&of(&with_check(None), &facts), Verdict::Allow, "b.read");
    let asked = of(&with_check(Some(Objection::ask("why"))), &facts);
    check(&asked, Verdict::Ask, "mine");
    assert_eq!((asked.reason.source, asked.reason.text.as_str()), (Source::Code, "why"));
    let denied = of(&with_check(Some(Objection::deny("no"))), &facts);
    check(&denied, Verdict::Deny, "mine");
    assert_eq!(denied.trace[0].stage, Stage::DenyRules);
    let mut grants = Grants::default();
    grants.remember(&facts, &ApprovalDecision::approve("r")).unwrap();
    let granted =
        decide(&with_check(Some(Objection::ask("why"))), &grants, &ApprovalHistory::default(), &facts);
    check(&granted, Verdict::Ask, "mine");
    let headless = facts.with_autonomy(Autonomy::Headless);
    check(&of(&with_check(Some(Objection::ask("why"))), &headless), Verdict::Deny, "mine");
}

#[test]
fn a_check_that_panics_denies_and_a_permission_that_panics_allows_nothing() {
    let facts = facts(vec![write("a")], &json!({}));
    let policy = Policy::default().with_check("mine", |_| panic!("in a check")).unwrap();
    check(&of(&policy, &facts), Verdict::Deny, "mine");
    let policy = Policy::default().with_permit("mine", |_| panic!("in a permission")).unwrap();
    check(&of(&policy, &facts), Verdict::Ask, "d.ask");
}

#[test]
fn a_permission_allows_what_an_allow_rule_could() {
    let policy = Policy::default().with_permit("mine", |facts| facts.tool.as_str() == "pay").unwrap();
    check(&of(&policy, &facts(vec![payment("a", Some(1))], &json!({}))), Verdict::Allow, "mine");
    check(&of(&policy, &facts(vec![write("../a")], &json!({}))), Verdict::Deny, "f.outside_write");
    check(&of(&policy, &facts(vec![write(".git/config")], &json!({}))), Verdict::Ask, "p.protected");
    let denied = policy.with_check("no", |_| Some(Objection::deny("no"))).unwrap();
    check(&of(&denied, &facts(vec![write("a")], &json!({}))), Verdict::Deny, "no");
}

#[test]
fn ids_of_code_are_unique_and_part_of_the_digest() {
    let policy = Policy::default().with_check("mine", |_| None).unwrap();
    assert_ne!(policy.epoch(), Policy::default().epoch());
    assert!(policy.ids().any(|(id, source)| id == "mine" && source == Source::Code));
    let twice = policy.clone().with_permit("mine", |_| true);
    assert!(matches!(twice, Err(PolicyError::DuplicateId { .. })));
    let file = parse(r#"{"rule": [{"id": "mine", "action": "deny"}]}"#);
    assert!(matches!(policy.clone().with_file(Source::User, file), Err(PolicyError::DuplicateId { .. })));
    assert!(matches!(policy.clone().with_check("f.x", |_| None), Err(PolicyError::DuplicateId { .. })));
    assert!(matches!(policy.with_check("", |_| None), Err(PolicyError::EmptyId)));
}

fn effect() -> impl Strategy<Value = Effect> {
    let amount = prop::option::of((0..10_u64, prop::sample::select(vec!["EUR-cent", "USD-cent"])));
    let kind = prop::sample::select(vec!["payment", "payment.refund", "mail"]);
    (kind, prop::sample::select(vec!["a", "b/c", ""]), amount).prop_map(|(kind, target, amount)| {
        let effect = Effect::custom(kind, target);
        amount.map_or(effect.clone(), |(value, unit)| effect.with_amount(value, unit))
    })
}

fn condition() -> impl Strategy<Value = CustomCondition> {
    let kind = prop::option::of(prop::sample::select(vec!["payment", "payment.*", "mail"]));
    let target = prop::option::of(prop::sample::select(vec!["a", "b/*", "**"]));
    let bounds = prop::option::of((0..10_u64, any::<bool>()));
    (kind, target, bounds).prop_map(|(kind, target, bounds)| {
        let mut condition = CustomCondition::default();
        condition.kind = kind.map(str::to_owned);
        condition.target = target.map(str::to_owned);
        match bounds {
            Some((value, true)) => condition.with_at_most(value, "EUR-cent"),
            Some((value, false)) => condition.with_at_least(value, "EUR-cent"),
            None => condition,
        }
    })
}

/// Matches a condition by brute force: `Some(true)` if it certainly matches, `None` if that is not known.
fn matches(condition: &CustomCondition, effect: &Effect) -> Option<bool> {
    let Effect::Custom { kind, target, amount } = effect else { return Some(false) };
    let kind_fits = match condition.kind.as_deref() {
        None => true,
        Some("payment.*") => kind == "payment" || kind == "payment.refund",
        Some(wanted) => wanted == kind,
    };
    let target_fits = match condition.target.as_deref() {
        None | Some("**") => true,
        Some("b/*") => target == "b/c",
        Some(wanted) => wanted == target,
    };
    if !(kind_fits && target_fits) {
        return Some(false);
    }
    if condition.unit.is_none() {
        return Some(true);
    }
    let amount = amount.as_ref().filter(|amount| amount.unit == "EUR-cent")?;
    let most = condition.at_most.is_none_or(|most| amount.value <= most);
    Some(most && condition.at_least.is_none_or(|least| amount.value >= least))
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn custom_rules_agree_with_a_naive_reference(
        effect in effect(),
        rules in prop::collection::vec((condition(), 0..3_usize), 0..5),
    ) {
        let actions = [Action::Deny, Action::Ask, Action::Allow];
        let mut file = RuleFile::default();
        for (at, (condition, action)) in rules.iter().enumerate() {
            file.rules.push(Rule::new(format!("r{at}"), actions[*action]).with_custom(condition.clone()));
        }
        let policy = Policy::default().with_file(Source::User, file).unwrap();
        let met = |action: usize, wanted: Option<bool>| {
            rules.iter().any(|(condition, own)| *own == action && matches(condition, &effect) == wanted)
        };
        let expected = if met(0, Some(true)) {
            Verdict::Deny
        } else if met(0, None) || met(1, Some(true)) || met(1, None) {
            Verdict::Ask
        } else if met(2, Some(true)) {
            Verdict::Allow
        } else {
            Verdict::Ask
        };
        prop_assert_eq!(of(&policy, &facts(vec![effect], &json!({}))).verdict, expected);
    }

    // A check never permits more, whatever the rules are.
    #[test]
    fn a_check_only_makes_decisions_stricter(rules in rules(), effect in effect(), what in 0..3_u8) {
        let mut file = RuleFile::default();
        for (at, mut rule) in rules.into_iter().enumerate() {
            rule.id = format!("r{at}");
            file.rules.push(rule);
        }
        let policy = Policy::default().with_file(Source::User, file).unwrap();
        let facts = facts(vec![effect, read("a")], &json!({}));
        let plain = of(&policy, &facts).verdict;
        let objection = match what {
            0 => None,
            1 => Some(Objection::ask("why")),
            _ => Some(Objection::deny("no")),
        };
        let checked = of(&policy.with_check("mine", move |_| objection.clone()).unwrap(), &facts).verdict;
        prop_assert!(checked >= plain);
    }
}
