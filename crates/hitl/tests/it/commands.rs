//! Rules about targets in the words of a command (security 2, 9, 14 and 21, correctness-2 10).

use windlass_hitl::{
    Action, ApprovalHistory, Autonomy, Decision, EffectKind, Grants, Policy, PolicyInput, Rule, RuleFile,
    Source, Verdict, decide,
};
use windlass_protocol::{Containment, Effect, Risk, Target, TargetKind};

use crate::decide::facts;

fn policy(rules: Vec<Rule>) -> Policy {
    let mut file = RuleFile::default();
    file.rules = rules;
    Policy::default().with_file(Source::User, file).unwrap()
}

fn deny(effect: EffectKind, path: &str) -> Rule {
    Rule::new("no", Action::Deny).with_effect(effect).with_path(path)
}

fn allow(words: &str) -> Rule {
    Rule::new("yes", Action::Allow).with_argv(words.split(' '))
}

fn confined(command: &str, targets: Vec<Target>) -> PolicyInput {
    let effect = Effect::Execute { command: command.into(), directory: ".".into() };
    let full = Containment::new("ns+landlock+seccomp", vec![]);
    facts("run_command", vec![effect]).with_sight(targets, Some(full)).with_minimum_risk(Some(Risk::Low))
}

fn decide_call(policy: &Policy, facts: &PolicyInput) -> Decision {
    decide(policy, &Grants::default(), &ApprovalHistory::default(), facts)
}

#[track_caller]
fn check(policy: &Policy, command: &str, verdict: Verdict, rule: &str) {
    let decision = decide_call(policy, &confined(command, vec![]));
    let found = (decision.verdict, decision.reason.rule_id.as_str());
    assert_eq!(found, (verdict, rule), "{command}: {decision:?}");
}

// security 2
#[test]
fn a_read_rule_applies_to_content_in_git() {
    let policy = policy(vec![deny(EffectKind::Read, "private/x.txt")]);
    for command in [
        "git show HEAD:private/x.txt",
        "git cat-file -p HEAD:private/x.txt",
        "git cat-file blob :private/x.txt",
        "git diff HEAD:private/x.txt HEAD:a",
        "git blame private/x.txt",
        "git log -p -- private/x.txt",
        "git log -L1,3:private/x.txt",
        "git -C . show HEAD:private/x.txt",
        "cp private/x.txt a",
        "mv private/x.txt a",
        "ln -s private/x.txt a",
        "cat < private/x.txt",
        "grep -r x private/x.txt",
    ] {
        check(&policy, command, Verdict::Deny, "no");
    }
    for command in [
        "git status",
        "git log --oneline -5",
        "ls",
        "cat a",
        "git show HEAD:a",
        "git show HEAD:other/private/x.txt",
    ] {
        check(&policy, command, Verdict::Allow, "d.reads");
    }
}

// security 2: these commands name no file, and reach every one that git keeps.
#[test]
fn a_rule_about_reading_holds_for_archives_stashes_and_work_trees() {
    let policy = policy(vec![deny(EffectKind::Read, "private/x.txt")]);
    for command in [
        "git archive HEAD",
        "git archive -o a.tar HEAD",
        "git archive HEAD private/x.txt",
        "git stash show -p",
        "git stash show -p 'stash@{1}'",
    ] {
        check(&policy, command, Verdict::Deny, "no");
    }
    // A work tree may contain a copy of the file: the rule asks.
    for command in ["git worktree add other", "git -C . worktree add other main"] {
        check(&policy, command, Verdict::Ask, "no");
    }
}

#[test]
fn a_rule_applies_to_the_target_of_a_link() {
    let no = policy(vec![deny(EffectKind::Read, "private/x.txt")]);
    let target =
        |kind, resolved: &str| Target { kind, resolved: resolved.into(), ..Target::missing("pub/x.txt") };
    let decide = |command: &str, target| decide_call(&no, &confined(command, vec![target]));
    let denied = decide("cat pub/x.txt", target(TargetKind::Missing, "private/x.txt"));
    assert_eq!((denied.verdict, denied.reason.rule_id.as_str()), (Verdict::Deny, "no"));
    assert_eq!(
        decide("cat ./pub/../pub/x.txt", target(TargetKind::Missing, "private/x.txt")).verdict,
        Verdict::Deny
    );
    assert_eq!(decide("cat pub/x.txt", target(TargetKind::Missing, "docs/x.txt")).verdict, Verdict::Allow);
    let outside = decide("cat pub/x.txt", target(TargetKind::Outside, "pub/x.txt"));
    assert_eq!((outside.verdict, outside.reason.rule_id.as_str()), (Verdict::Ask, "p.outside"));
}

// security 14
#[test]
fn a_secret_file_at_a_git_revision_is_asked_about() {
    let policy = Policy::default();
    for command in [
        "cat .env",
        "git show HEAD:.env",
        "git show :.env",
        "git show :0:.env",
        "git show HEAD:./sub/.env",
        "git log -p -- .env",
        "git cat-file -p main:id_rsa",
    ] {
        check(&policy, command, Verdict::Ask, "p.secret_file");
    }
    check(&policy, "git show HEAD:.env.example", Verdict::Allow, "d.reads");
}

// correctness-2 10
#[test]
fn a_rule_about_writing_holds_for_every_option_that_names_a_file() {
    let policy = policy(vec![
        deny(EffectKind::Write, "protected/**"),
        Rule::new("yes", Action::Allow).with_argv(["patch"]),
    ]);
    for command in [
        "chmod --reference=x protected/f",
        "chown --reference=x protected/f",
        "chmod -x protected/f",
        "git log --output=protected/f",
        "git diff -Oprotected/f",
        "patch protected/f x",
        "patch -o protected/f a b",
        "sort -o protected/f a",
        "tee protected/f",
        "cp a protected/f",
        "mv a protected",
        "uniq a protected/f",
        "rm protected/f",
        "sed -i 3p protected/f",
        "rsync a protected/f",
    ] {
        check(&policy, command, Verdict::Deny, "no");
    }
}

// security 21
#[test]
fn an_allowed_program_does_not_run_a_denied_program() {
    for program in
        ["prlimit", "frobnicate", "setpriv --reuid", "python3.11 run.py", "toybox", "chroot", "docker run"]
    {
        let policy = policy(vec![Rule::new("no", Action::Deny).with_argv(["rm"]), allow(program)]);
        for tail in ["rm x", "--opt 3 rm x", "/bin/rm x"] {
            let command = format!("{program} {tail}");
            assert_ne!(
                decide_call(&policy, &confined(&command, vec![])).verdict,
                Verdict::Allow,
                "{command}"
            );
        }
    }
    let known = policy(vec![
        Rule::new("no", Action::Deny).with_argv(["rm"]),
        allow("frobnicate"),
        allow2("cargo test"),
    ]);
    check(&known, "frobnicate x", Verdict::Allow, "yes");
    check(&known, "cargo test", Verdict::Allow, "yes2");
    check(&known, "frobnicate rm", Verdict::Ask, "no");
    check(&known, "prlimit --nofile=5 rm x", Verdict::Deny, "no");
    check(&known, "/bin/r? x", Verdict::Deny, "no");
    check(&known, "env -iS 'rm x'", Verdict::Deny, "no");
}

fn allow2(words: &str) -> Rule {
    Rule::new("yes2", Action::Allow).with_argv(words.split(' '))
}

#[test]
fn a_denied_path_as_operand_of_an_unknown_program_asks() {
    let policy = policy(vec![deny(EffectKind::Read, "private/**"), allow("frobnicate")]);
    check(&policy, "frobnicate a", Verdict::Allow, "yes");
    check(&policy, "frobnicate private/x.txt", Verdict::Ask, "no");
    check(&policy, "frobnicate --in=private/x.txt", Verdict::Ask, "no");
    let link = Target { resolved: "private/x.txt".into(), ..Target::missing("pub/x.txt") };
    assert_eq!(decide_call(&policy, &confined("frobnicate pub/x.txt", vec![link])).verdict, Verdict::Ask);
}

#[test]
fn a_rule_for_an_unknown_program_allows_and_is_noted() {
    let known = |words: &str| {
        let policy = policy(vec![allow(words)]);
        (policy.warnings().len(), policy.notes().count())
    };
    assert_eq!(known("frobnicate"), (0, 1));
    assert_eq!(known("cargo test"), (0, 0));
    assert_eq!(known("ls"), (0, 0));
    for words in [
        "python3.11",
        "pypy3",
        "node20",
        "Rscript",
        "tsx",
        "chroot",
        "setpriv",
        "taskset",
        "prlimit",
        "just",
        "nix-shell",
        "less",
        "man",
    ] {
        assert_eq!(known(words), (1, 0), "{words}");
    }
}

// security 9
#[test]
fn a_call_too_large_to_assess_needs_approval() {
    let all = policy(vec![Rule::new("yes", Action::Allow)]);
    let find = format!("find . {}", "-exec find ".repeat(8_000));
    let decision = decide_call(&all, &confined(&find, vec![]));
    assert_eq!(decision.verdict, Verdict::Ask);
    assert!(decision.trace.len() < 10_000);
    for shape in ["xargs -z ", "git -c a=b ", "find . -exec rm ", "git foreach ", "touch a ", "sudo "] {
        assert_ne!(
            decide_call(&all, &confined(&shape.repeat(120_000 / shape.len()), vec![])).verdict,
            Verdict::Allow,
            "{shape}"
        );
    }
}

// issue 23: people are not asked about a confined command that only reads, also inside of a shell's text.
#[test]
fn a_confined_command_that_only_reads_is_not_asked() {
    let commands = "ls|ls -la|pwd|cat a|cat a b|head -n 20 a|tail -n 5 a|wc -l a|git status|git log --oneline -5|git diff|\
        git diff --stat|git show HEAD:a|git branch|git blame a|grep -rn x src|grep -c x a|rg x src|find . -name x.rs|\
        find src -type f|sort a|uniq a|cut -d : -f 1 a|diff a b|file a|stat a|du -sh src|which ls|echo hi|\
        cat a | grep x | wc -l|ls src && cat a|bash -lc 'ls -la'|bash -lc 'cat a | head -3'|bash -c 'git status'|\
        sh -c 'grep -rn x src'|bash -lc 'git diff --stat && git status'|bash -euo pipefail -c 'cat a'|\
        bash -e -o pipefail -c 'cat a'|bash --noprofile --norc -c 'ls'|dash -c 'wc -l a'|bash --login -c 'pwd'|\
        timeout 10 cat a|env ls";
    let mut asked = Vec::new();
    for command in split_commands(commands) {
        let facts = confined(&command, vec![]);
        for autonomy in [Autonomy::Ask, Autonomy::ReadOnly, Autonomy::AutoEdit] {
            let decision = decide_call(&Policy::default(), &facts.clone().with_autonomy(autonomy));
            let found = (decision.verdict, decision.reason.rule_id.as_str(), decision.risk);
            if found != (Verdict::Allow, "d.reads", Risk::Low) {
                asked.push((command.clone(), autonomy, decision.risk, decision.reason));
            }
        }
        let headless = decide_call(&Policy::default(), &facts.with_autonomy(Autonomy::Headless));
        assert_eq!(headless.verdict, Verdict::Deny, "{command}");
    }
    assert!(asked.is_empty(), "{asked:#?}");
}

/// Splits a list at its single bars; a bar between two blanks belongs to a command.
fn split_commands(commands: &str) -> Vec<String> {
    let marked = commands.replace(" | ", "\u{1}");
    marked.split('|').map(|command| command.trim().replace('\u{1}', " | ")).collect()
}

#[test]
fn a_shell_that_may_do_more_than_read_is_asked() {
    for command in [
        "rm -rf build",
        "bash -lc 'rm -rf build'",
        "bash -lc 'cat $HOME/a'",
        "bash -ic 'ls'",
        "bash --rcfile a -c 'ls'",
        "bash --init-file a -c 'ls'",
        "bash -O extglob -c 'ls'",
        "bash -o history -c 'ls'",
        "bash -c 'ls' x",
        "bash a",
        "bash",
        "bash -s",
        "bash -l",
        "bash -lc",
        "zsh -c 'ls'",
        "cargo test",
        "make",
        "npm ls",
    ] {
        let facts = confined(command, vec![]);
        let decision = decide_call(&Policy::default(), &facts);
        assert_eq!(decision.verdict, Verdict::Ask, "{command}: {decision:?}");
        assert!(decision.risk >= Risk::High, "{command}: {decision:?}");
    }
}
