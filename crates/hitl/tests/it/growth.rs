//! Growth tests: a decision takes time linear in the bytes of the call and the policy, up to a limit. Beyond
//! the limit the call is refused with a typed reason.

use serde_json::json;
use windlass_hitl::{
    Action, ApprovalHistory, ApprovalRequest, ArgumentCondition, Binding, Constraint, Decision, EffectKind,
    Grants, Policy, PolicyError, PolicyInput, Rule, RuleFile, Source, Verdict, decide, deny_early,
};
use windlass_protocol::{Arguments, CallId, Effect, Hints, ToolCall, ToolSpec};
use windlass_testkit::growth::{self, MEGABYTE, Shape};

use crate::decide::{facts, name, write};

#[test]
fn a_policy_that_is_too_large_is_refused_with_its_limit() {
    let rule = |at: usize| Rule::new(format!("r{at}"), Action::Deny);
    let of = |rules: Vec<Rule>, constraints: Vec<Constraint>| {
        let mut file = RuleFile::default();
        (file.rules, file.constraints) = (rules, constraints);
        Policy::default().with_file(Source::Project, file)
    };
    let too_many = |policy: Result<Policy, PolicyError>| match policy {
        Err(PolicyError::TooMany { what, .. }) => Some(what),
        _ => None,
    };
    assert_eq!(too_many(of((0..2_001).map(rule).collect(), vec![])), Some("rules and constraints"));
    let globs = (0..1_001).map(|at| rule(at).with_path(format!("a{at}/**"))).collect();
    assert_eq!(too_many(of(globs, vec![])), Some("globs"));
    let blocked = (0..1_001).map(|at| format!("a{at}"));
    let fence = Constraint::new("c", EffectKind::Read, vec![]).with_blocked(blocked);
    assert_eq!(too_many(of(vec![], vec![fence])), Some("globs"));
    // The limit applies to all files together.
    let half = |from: usize| {
        let mut file = RuleFile::default();
        file.rules = (from..from + 600).map(|at| rule(at).with_path(format!("a{at}"))).collect();
        file
    };
    let policy = Policy::default().with_file(Source::User, half(0)).unwrap();
    assert_eq!(too_many(policy.with_file(Source::Project, half(600))), Some("globs"));
    // Examples are decided when the file is read, so their number counts too.
    let examples = |count: usize| rule(0).with_argv(["rm"]).with_examples(vec!["rm a"; count], ["ls"]);
    assert_eq!(too_many(of(vec![examples(10_000)], vec![])), Some("examples in one file"));
    assert_eq!(too_many(of(vec![examples(9_999)], vec![])), None);
    // Braces that are nested some hundred levels deep would overflow the stack.
    for glob in ["{".repeat(300), "{a,b}".repeat(11), "a".repeat(1_001)] {
        let refused = of(vec![rule(0).with_path(glob)], vec![]);
        assert!(matches!(refused, Err(PolicyError::GlobSize { .. })), "{refused:?}");
    }
}

fn policy() -> Policy {
    let mut file = RuleFile::default();
    let globs = ["private/**", "**/*.pem", "*a*a*a*a*/x", "pub/**", "{a,b}/{c,d}/**"];
    let rules = globs.iter().enumerate();
    file.rules = rules.map(|(at, glob)| Rule::new(format!("r{at}"), Action::Deny).with_path(*glob)).collect();
    let fence = Constraint::new("c", EffectKind::Write, vec!["**".into()]).with_blocked(["*.key", "x/**"]);
    file.constraints.push(fence);
    let leads = |path: &str| Some(if path == "pub" { "a/deep" } else { path }.to_owned());
    Policy::default().with_file(Source::User, file).unwrap().with_link_resolver(leads)
}

/// Decides about a call in every way, and asks about it.
fn decide_call(policy: &Policy, effects: Vec<Effect>) {
    let facts = facts("tool", effects).with_links(policy.resolve_links());
    let early = deny_early(policy, &facts.tool, &facts.effects);
    let decision = decide(policy, &Grants::default(), &ApprovalHistory::new("e"), &facts);
    assert!(early.is_none() || decision.verdict == Verdict::Deny, "{decision:?}");
    // A denied call does not reach any path.
    let may_run = decision.verdict != Verdict::Deny;
    if let Some(rules) = may_run.then(|| policy.path_rules(&facts)).flatten() {
        let refused = facts.effects.iter().filter(|effect| rules.refuse(effect));
        assert!(refused.count() <= facts.effects.len());
    }
    if decision.verdict == Verdict::Ask {
        ask(&facts, &decision);
    }
}

fn ask(facts: &PolicyInput, decision: &Decision) {
    let call = ToolCall::function(CallId::new("c").unwrap(), name("tool"), Arguments::default());
    let spec = ToolSpec::function(name("tool"), "", "{}".parse().unwrap());
    let digest = Binding { facts, call: &call, spec: &spec, root: "", epoch: "" }.digest();
    let request = ApprovalRequest::new("id", call, facts, decision, digest);
    assert!(!request.describe().is_empty());
}

const PATHS: [&str; 18] = [
    "a/", "a", "../", "./", "/", "a\\", "\u{e9}/", ".git/", ".", "~", ".env.", "con/", "a:", ". ", "git~1/",
    "private/", ".pem", "\u{200b}",
];

/// The effects with which the tests check paths, by the letter before the path.
fn effect_of(text: &str) -> Effect {
    let (kind, path) = text.split_once(' ').unwrap();
    let path = path.to_owned();
    match kind {
        "r" => Effect::Read { path },
        "t" => Effect::ReadTree { path },
        "w" => Effect::Write { path, bytes: None },
        "d" => Effect::DeleteTree { path },
        _ => Effect::Execute { command: "ls".into(), directory: path },
    }
}

#[test]
fn paths_are_decided_in_linear_time() {
    let policy = policy();
    let kinds = ["r ", "t ", "w ", "d ", "x "];
    let shapes = kinds.iter().flat_map(|kind| PATHS.map(|path| Shape::new(*kind, path, "")));
    let shapes: Vec<_> = shapes.collect();
    growth::check("growth::paths_are_decided_in_linear_time", MEGABYTE, &shapes, |text| {
        decide_call(&policy, vec![effect_of(text)]);
    });
}

#[test]
fn a_path_that_no_system_takes_is_refused_with_its_limit() {
    let of = |effect: Effect| {
        let decision =
            decide(&policy(), &Grants::default(), &ApprovalHistory::default(), &facts("tool", vec![effect]));
        (decision.verdict, decision.reason.rule_id)
    };
    let run = |directory: String| of(Effect::Execute { command: "touch a".into(), directory });
    for path in ["a/".repeat(2_048), "a/../".repeat(819) + "a"] {
        assert_ne!(run(path.clone()).1, "v.too_long");
        assert_eq!(run(path.clone() + "a"), (Verdict::Deny, "v.too_long".into()));
        assert_ne!(of(Effect::Read { path: path.clone() }).1, "v.too_long");
        assert_eq!(of(Effect::Read { path: path + "a" }), (Verdict::Deny, "v.too_long".into()));
    }
    // A word of a command is possibly not a path. The rules are compared with it, whatever its length.
    let blocked = format!("touch x/{}", "a/".repeat(3_000));
    assert_eq!(of(Effect::Execute { command: blocked, directory: ".".into() }).0, Verdict::Deny);
}

#[test]
fn commands_with_long_paths_are_decided_in_linear_time() {
    let policy = policy();
    let shapes = PATHS.map(|path| Shape::new("rm -r ", path, ""));
    let test = "growth::commands_with_long_paths_are_decided_in_linear_time";
    growth::check(test, MEGABYTE, &shapes, |text| {
        decide_call(&policy, vec![Effect::Execute { command: text.to_owned(), directory: ".".into() }]);
    });
    let path = format!("rm -r {}", "a/".repeat(40_000));
    let long = facts("tool", vec![Effect::Execute { command: path, directory: ".".into() }]);
    assert!(decide(&policy, &Grants::default(), &ApprovalHistory::default(), &long).verdict > Verdict::Allow);
}

#[test]
fn calls_with_many_effects_are_decided_in_linear_time() {
    let policy = policy();
    let test = "growth::calls_with_many_effects_are_decided_in_linear_time";
    growth::check(test, MEGABYTE, &[Shape::repeat("src/a{n}.rs\n")], |text| {
        decide_call(&policy, text.lines().map(write).collect());
    });
}

#[test]
fn a_call_that_reaches_too_much_is_refused_with_its_limit() {
    let of = |policy: &Policy, count: usize| {
        let effects = (0..count).map(|at| Effect::Read { path: format!("a{at}") }).collect();
        let decision =
            decide(policy, &Grants::default(), &ApprovalHistory::default(), &facts("tool", effects));
        (decision.verdict, decision.reason.rule_id)
    };
    assert_eq!(of(&policy(), 4_096), (Verdict::Allow, "b.read".into()));
    assert_eq!(of(&policy(), 4_097), (Verdict::Deny, "v.too_much".into()));
    // Many rules for many paths.
    let mut file = RuleFile::default();
    file.rules =
        (0..1_000).map(|at| Rule::new(format!("r{at}"), Action::Deny).with_path(format!("x{at}"))).collect();
    let large = Policy::default().with_file(Source::User, file).unwrap();
    assert_eq!(of(&large, 400), (Verdict::Allow, "b.read".into()));
    assert_eq!(of(&large, 500), (Verdict::Deny, "v.too_much".into()));
}

/// The longest policy file that the program reads, in bytes.
const LONGEST_POLICY: usize = 256 * 1024;

/// Reads a rule for each line: a glob, words after `$`, an example after `=`, or a host after `@`.
fn rule_file(text: &str) -> RuleFile {
    let mut file = RuleFile::default();
    for (at, line) in text.lines().enumerate() {
        let rule = Rule::new(format!("r{at}"), Action::Deny);
        file.rules.push(match line.split_at_checked(1) {
            Some(("$", words)) => rule.with_argv(words.split(' ')),
            Some(("=", example)) => rule.with_argv(["rm"]).with_examples(example.split(';'), ["ls"]),
            Some(("@", host)) => rule.with_host(host),
            _ => rule.with_path(line),
        });
    }
    file
}

#[test]
fn a_policy_is_built_in_linear_time_up_to_its_limit() {
    let lines =
        ["a{n}/**\n", "**/a{n}/*.{a,b}\n", "$git a{n}\n", "@a{n}.example\n", "=rm a{n}\n", "*a*a*a*a*{n}\n"];
    let within = [
        ("$", "a "),
        ("=", "rm a;"),
        ("=rm ", "a "),
        ("@", "a."),
        ("@", "a"),
        ("", "a/"),
        ("", "{a,"),
        ("", "*"),
    ];
    let lines = lines.into_iter().map(Shape::repeat);
    let shapes: Vec<_> = lines.chain(within.map(|(front, part)| Shape::new(front, part, ""))).collect();
    growth::check(
        "growth::a_policy_is_built_in_linear_time_up_to_its_limit",
        LONGEST_POLICY,
        &shapes,
        |text| {
            let _ = Policy::default().with_file(Source::Project, rule_file(text));
        },
    );
}

// The conditions are compared once for a call, however many effects it has and however long its texts are.
#[test]
fn conditions_about_arguments_are_decided_in_linear_time() {
    let mut file = RuleFile::default();
    file.rules = (0..900)
        .map(|at| {
            let long = ArgumentCondition::new("/long").with_glob("*a*a*a*b");
            let short = ArgumentCondition::new("/short").with_glob(format!("*a*a*a*b{at}"));
            let rule = Rule::new(format!("r{at}"), if at % 2 == 0 { Action::Deny } else { Action::Ask });
            rule.with_argument(if at < 450 { short } else { long.with_one_of([json!("a")]) })
        })
        .collect();
    let policy = Policy::default().with_file(Source::User, file).unwrap();
    let shapes = ["a", "ab", "{n}b"].map(Shape::repeat);
    growth::check_prepared(
        "growth::conditions_about_arguments_are_decided_in_linear_time",
        MEGABYTE,
        &shapes,
        |text| {
            let short: String = text.chars().take(4_000).collect();
            let arguments = Arguments::parse(json!({"long": text, "short": short}).to_string()).unwrap();
            let call = ToolCall::function(CallId::new("c").unwrap(), name("tool"), arguments);
            let effects = vec![Effect::custom("payment", "a"); 100];
            PolicyInput::new(name("tool"), Hints::default(), &call, effects)
        },
        |facts| {
            decide(&policy, &Grants::default(), &ApprovalHistory::default(), facts);
        },
    );
}

// Rules and globs at their limits, and commands of programs that the rules name.
#[test]
fn a_large_policy_decides_about_a_command_in_linear_time() {
    let text = Shape::repeat("$a a a a a a a a a a a a a a a a a b{n}\n").text(35_000);
    let globs = Shape::repeat("**/*a*a*a*{n}\n").text(12_000);
    let policy = Policy::default().with_file(Source::User, rule_file(&(text + &globs))).unwrap();
    let shapes = ["a ", "a; ", "rm a{n} ", "a; rm a{n}; "].map(Shape::repeat);
    growth::check(
        "growth::a_large_policy_decides_about_a_command_in_linear_time",
        128 * 1024,
        &shapes,
        |text| {
            decide_call(&policy, vec![Effect::Execute { command: text.to_owned(), directory: ".".into() }]);
        },
    );
}

const COMMANDS: [&str; 48] = [
    "xargs -z ",
    "git -c alias.a=b ",
    "git foreach ",
    "find . -exec rm ",
    "-exec find ",
    "-exec bash -c 'rm x' ",
    "bash -c ",
    "bash -c '",
    "sh -c \"",
    "env env env ",
    "env -S ",
    "sudo -x ",
    "$(",
    "`",
    "\"$(",
    "${x:-",
    "$((",
    "(",
    "<(",
    "{a,",
    "[[",
    ":(){ :|:& };",
    "f() { ",
    "<<E\n",
    "<<<x ",
    "*",
    "/bin/r? ",
    "'",
    "\\",
    "$'\\x41'",
    "|",
    "&&",
    "a|sh|",
    "echo 'a b'|sh|",
    "x=y ",
    "eval 'a b' ",
    "for a in ",
    "#",
    "rm -rf /a",
    "rm a{n} ",
    "cp a{n} b ",
    "touch a{n}; ",
    "tee >",
    "2>&1 ",
    "> a{n} ",
    "python3 -c 'a(b)' ",
    "a ",
    "-- ",
];

#[test]
fn commands_are_decided_in_linear_time_up_to_their_limit() {
    let policy = policy();
    let test = "growth::commands_are_decided_in_linear_time_up_to_their_limit";
    growth::check(test, 128 * 1024, &COMMANDS.map(Shape::repeat), |text| {
        decide_call(&policy, vec![Effect::Execute { command: text.to_owned(), directory: ".".into() }]);
    });
}

#[test]
fn a_longer_command_is_refused_at_once() {
    let policy = policy();
    let shapes = COMMANDS.map(Shape::repeat);
    growth::check("growth::a_longer_command_is_refused_at_once", MEGABYTE, &shapes, |text| {
        let long = facts("tool", vec![Effect::Execute { command: text.to_owned(), directory: ".".into() }]);
        let decision = decide(&policy, &Grants::default(), &ApprovalHistory::default(), &long);
        assert_eq!((decision.verdict, &*decision.reason.rule_id), (Verdict::Deny, "v.too_long"));
    });
}
