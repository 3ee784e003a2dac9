//! Rules apply to resolved targets: whole trees, targets of links, and the program's own files (H2, H6,
//! SECURITY "Paths").

use windlass_hitl::{
    Action, ApprovalHistory, Constraint, Decision, EffectKind, Grants, OwnPlace, Policy, PolicyInput, Risk,
    Rule, RuleFile, Source, Verdict, decide,
};
use windlass_protocol::{Effect, Target, TargetKind};

use crate::decide::{facts, name, read, write};

fn denying(effect: EffectKind, glob: &str) -> Policy {
    let mut file = RuleFile::default();
    file.rules.push(Rule::new("no", Action::Deny).with_effect(effect).with_path(glob));
    // Allow everything else, so that only the deny rule can change a verdict.
    file.rules.push(Rule::new("yes", Action::Allow));
    Policy::default().with_file(Source::User, file).unwrap()
}

fn of(policy: &Policy, facts: &PolicyInput) -> Decision {
    decide(policy, &Grants::default(), &ApprovalHistory::default(), facts)
}

fn verdict(policy: &Policy, effect: Effect) -> (Verdict, String) {
    let decision = of(policy, &facts("tool", vec![effect]));
    (decision.verdict, decision.reason.rule_id)
}

fn read_tree(path: &str) -> Effect {
    Effect::ReadTree { path: path.into() }
}

fn delete_tree(path: &str) -> Effect {
    Effect::DeleteTree { path: path.into() }
}

fn at(path: &str, kind: TargetKind) -> Target {
    Target { kind, links: 1, ..Target::missing(path) }
}

fn linked(path: &str, resolved: &str) -> Target {
    Target { resolved: resolved.into(), ..at(path, TargetKind::File) }
}

// security 2: `private/**` is also about `private` itself.
#[test]
fn a_rule_about_everything_below_a_folder_is_about_the_folder() {
    let policy = denying(EffectKind::Delete, "private/**");
    for effect in [
        Effect::Delete { path: "private".into() },
        Effect::Delete { path: "./private/".into() },
        Effect::Delete { path: "private/x.txt".into() },
        delete_tree("private"),
        delete_tree("."),
    ] {
        assert_eq!(verdict(&policy, effect.clone()), (Verdict::Deny, "no".into()), "{effect:?}");
    }
    assert_eq!(verdict(&policy, Effect::Delete { path: "privates".into() }).0, Verdict::Allow);
    assert_eq!(verdict(&policy, delete_tree("src")).0, Verdict::Allow);
    assert_eq!(verdict(&denying(EffectKind::Read, "private/**/*"), read("private")).0, Verdict::Deny);
    // A rule that allows the content does not allow the folder itself.
    let mut file = RuleFile::default();
    file.rules.push(Rule::new("docs", Action::Allow).with_effect(EffectKind::Write).with_path("docs/**"));
    let allowing = Policy::default().with_file(Source::User, file).unwrap();
    assert_eq!(verdict(&allowing, write("docs")), (Verdict::Ask, "d.ask".into()));
}

#[test]
fn a_tree_matches_each_rule_that_could_apply_below_it() {
    for (glob, tree, expected) in [
        ("private/**", ".", Verdict::Deny),
        ("a/b/c.txt", "a", Verdict::Deny),
        ("a/b/c.txt", "a/b/c.txt", Verdict::Deny),
        ("**", ".", Verdict::Deny),
        // No check has shown whether such a name exists.
        ("*.pem", ".", Verdict::Ask),
        ("**/*.pem", "src/deep", Verdict::Ask),
        ("src/*.key", "src", Verdict::Ask),
        ("{a,b}/x", "c", Verdict::Ask),
        ("*.pem", "src", Verdict::Allow),
        ("private/**", "src", Verdict::Allow),
        ("src/*.key", "src/deep", Verdict::Allow),
        ("*/x/**", "src/y", Verdict::Allow),
    ] {
        assert_eq!(verdict(&denying(EffectKind::Read, glob), read_tree(tree)).0, expected, "{glob} {tree}");
    }
    // An allow rule has to cover the whole tree.
    let mut file = RuleFile::default();
    file.rules.push(Rule::new("md", Action::Allow).with_effect(EffectKind::Write).with_path("docs/*.md"));
    file.rules.push(Rule::new("gen", Action::Allow).with_effect(EffectKind::Write).with_path("gen/**"));
    let policy = Policy::default().with_file(Source::User, file).unwrap();
    let write_tree = |path: &str| Effect::WriteTree { path: path.into() };
    assert_eq!(verdict(&policy, write_tree("docs")).0, Verdict::Ask);
    assert_eq!(verdict(&policy, write_tree("gen/deep")).0, Verdict::Allow);
}

#[test]
fn a_constraint_applies_to_trees() {
    let policy = |constraint: Constraint| {
        let mut file = RuleFile::default();
        file.constraints.push(constraint);
        Policy::default().with_file(Source::User, file).unwrap()
    };
    let reading = |paths: &[&str]| {
        Constraint::new("c", EffectKind::Read, paths.iter().map(|&path| path.to_owned()).collect())
    };
    let blocked = policy(reading(&[]).with_blocked(["x.txt", "private/**"]));
    assert_eq!(verdict(&blocked, read("private")).0, Verdict::Deny);
    assert_eq!(verdict(&blocked, read_tree(".")).0, Verdict::Deny);
    assert_eq!(verdict(&blocked, read_tree("src")), (Verdict::Ask, "c".into()), "x.txt may lie there");
    assert_eq!(verdict(&blocked, read("src")).0, Verdict::Allow);
    let inside = policy(reading(&["src/**"]));
    assert_eq!(verdict(&inside, read_tree("src/deep")).0, Verdict::Allow);
    assert_eq!(verdict(&policy(reading(&["src/*"])), read_tree("src/deep")).0, Verdict::Deny);
}

// security 3: policy decides about each name in a folder that is removed.
#[test]
fn each_name_that_goes_with_a_folder_is_decided() {
    let folder = |names: &[&str]| {
        let found = names.iter().map(|name| at(&format!("docs/archive/{name}"), TargetKind::File));
        let targets = [at("docs/archive", TargetKind::Folder)].into_iter().chain(found).collect();
        facts("delete_file", vec![delete_tree("docs/archive")]).with_sight(targets, None)
    };
    let no_tex = denying(EffectKind::Delete, "**/*.tex");
    let denied = of(&no_tex, &folder(&["a.md", "thesis.tex", "b.md"]));
    assert_eq!((denied.verdict, denied.reason.rule_id.as_str()), (Verdict::Deny, "no"));
    assert_eq!(denied.trace.len(), 2, "one step for the folder, and one for what lies in it");
    assert_eq!(of(&no_tex, &folder(&["a.md", "con.txt"])).verdict, Verdict::Allow);
    for inside in [".git/HEAD", ".github/workflows/a.yml", "x/.mcp.json"] {
        let critical = of(&Policy::default(), &folder(&["a.md", inside]));
        assert_eq!(
            (critical.risk, critical.reason.rule_id.as_str()),
            (Risk::Critical, "p.protected"),
            "{inside}"
        );
        assert!(!critical.can_remember());
    }
    let plain = of(&Policy::default(), &folder(&["a.md"]));
    assert_eq!((plain.risk, plain.reason.rule_id.as_str()), (Risk::High, "d.ask"));
    // Beyond the limit the files are unknown.
    let unseen = of(&denying(EffectKind::Read, "x"), &folder(&[]));
    assert_eq!((unseen.verdict, unseen.reason.rule_id.as_str()), (Verdict::Ask, "p.unlisted"));
    assert_eq!(unseen.risk, Risk::Critical);
}

#[test]
fn a_name_is_removed_where_the_folder_leads() {
    let folder = Target { resolved: "private".into(), ..at("pub", TargetKind::Folder) };
    let removed = facts("delete_file", vec![Effect::Delete { path: "pub/x.txt".into() }])
        .with_sight(vec![folder, at("pub/x.txt", TargetKind::File)], None);
    let policy = denying(EffectKind::Delete, "private/**");
    assert_eq!(of(&policy, &removed).verdict, Verdict::Deny);
    // A tool that inspected only the name has recorded where it leads.
    let alone = |path: &str, resolved: &str| {
        facts("apply_patch", vec![Effect::Delete { path: path.into() }])
            .with_sight(vec![linked(path, resolved)], None)
    };
    assert_eq!(of(&policy, &alone("pub/x.txt", "private/x.txt")).verdict, Verdict::Deny);
    // A link is removed itself, whatever it leads to.
    assert_eq!(of(&policy, &alone("pub/link", "private/x.txt")).verdict, Verdict::Allow);
}

// security 1
#[test]
fn files_of_the_program_itself_are_out_of_reach() {
    let mut open = RuleFile::default();
    open.rules.push(Rule::new("all", Action::Allow));
    let policy = Policy::default()
        .with_file(Source::User, open)
        .unwrap()
        .with_own(OwnPlace::Settings, ".config/windlass")
        .with_own(OwnPlace::State, ".local/state/windlass")
        .with_own(OwnPlace::State, "/home/me/.local/state/windlass")
        .with_own(OwnPlace::State, "~/.local/state/windlass");
    for path in [".config/windlass", "./.Config/x/../WINDLASS/a.toml", ".config\\windlass\\b"] {
        for effect in [read(path), write(path), Effect::Delete { path: path.into() }, read_tree(path)] {
            assert_eq!(verdict(&policy, effect), (Verdict::Deny, "f.own_policy".into()), "{path}");
        }
    }
    assert_eq!(verdict(&policy, read(".local/state/windlass/a")), (Verdict::Deny, "f.own_grants".into()));
    for path in [".", ".local", ".config"] {
        assert_eq!(verdict(&policy, delete_tree(path)).0, Verdict::Deny, "{path}");
    }
    for path in [".config/windlassy", ".config", "home/me/.local/state/windlass", ".local/state"] {
        assert_eq!(verdict(&policy, read(path)).0, Verdict::Allow, "{path}");
    }
    let command = |command: &str| Effect::Execute { command: command.into(), directory: ".".into() };
    for text in
        ["cat .config/windlass/a", "cat /home/me/.local/state/windlass/t", "cat src/../.config/windlass/a"]
    {
        assert_eq!(verdict(&policy, command(text)).0, Verdict::Deny, "{text}");
    }
    // A link to the place is treated as the place.
    let through =
        facts("read_file", vec![read("a")]).with_sight(vec![linked("a", ".config/windlass/x")], None);
    assert_eq!(of(&policy, &through).reason.rule_id, "f.own_policy");
}

// The files that a walk finds are subject to the same rules.
#[test]
fn a_walk_shows_files_that_the_call_may_name() {
    let mut file = RuleFile::default();
    file.rules.push(Rule::new("no", Action::Deny).with_effect(EffectKind::Read).with_path("private/**"));
    file.rules.push(Rule::new("ask", Action::Ask).with_effect(EffectKind::Read).with_path("legal/**"));
    file.rules.push(Rule::new("tool", Action::Deny).with_tool(name("grep_file")).with_path("big/**"));
    file.constraints.push(Constraint::new("c", EffectKind::Read, vec![]).with_blocked(["x.txt"]));
    let policy =
        Policy::default().with_file(Source::User, file).unwrap().with_own(OwnPlace::State, "state/windlass");
    let shows = |tool: &str, start: &str, path: &str| {
        !policy.path_rules(&facts(tool, vec![read(start)])).unwrap().refuse(&read(path))
    };
    for path in ["private", "private/x", "legal/a", "src/x.txt", "state/windlass/a", "big/a"] {
        assert!(!shows("grep_file", ".", path), "{path}");
    }
    for path in ["src/a", "con", "state/a", ".windlass/policy.toml"] {
        assert!(shows("grep_file", ".", path), "{path}");
    }
    assert!(shows("list_files", ".", "big/a"), "the rule is about another tool");
    assert!(shows("grep_file", "legal", "legal/a"), "the call named it, and was asked about");
    assert!(Policy::default().path_rules(&facts("grep_file", vec![read(".")])).is_none());
}
