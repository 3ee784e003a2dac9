//! Proven effects of programs, option by option.

use windlass_command::{Access, Command, DoubtKind, Effects};

#[track_caller]
fn check(text: &str, access: Access, reads: &[&str], writes: &[&str]) {
    let effects = Command::parse(text).unwrap().effects();
    assert_eq!(effects.access(), access, "{text}: {effects:?}");
    assert_eq!((effects.reads(), effects.writes()), (&owned(reads)[..], &owned(writes)[..]), "{text}");
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

#[track_caller]
fn doubtful(text: &str, kind: DoubtKind, word: &str) {
    let effects = Command::parse(text).unwrap().effects();
    assert_eq!(effects.access(), Access::Unproven, "{text}");
    let doubts: Vec<_> = effects.doubts().iter().map(|doubt| (doubt.kind(), doubt.word())).collect();
    assert!(doubts.contains(&(kind, word)), "{text}: {doubts:?}");
}

#[test]
fn known_options_only_read() {
    check("ls -la", Access::ReadOnly, &["."], &[]);
    check("ls -I x src", Access::ReadOnly, &["src"], &[]);
    check("cat README.md -", Access::ReadOnly, &["README.md"], &[]);
    check("cat -- -n", Access::ReadOnly, &["-n"], &[]);
    check("cat Cargo.toml | head -20", Access::ReadOnly, &["Cargo.toml"], &[]);
    check("head -n 3 a; tail --lines=3 b", Access::ReadOnly, &["a", "b"], &[]);
    check("grep -rn 'fn main' src", Access::ReadOnly, &["src"], &[]);
    check("grep -r x", Access::ReadOnly, &["."], &[]);
    check("grep -e x -f pats a", Access::ReadOnly, &["pats", "a"], &[]);
    check("grep -fpats a", Access::ReadOnly, &["pats", "a"], &[]);
    check("rg -g'*.rs' main", Access::ReadOnly, &["."], &[]);
    check("rg --files src", Access::ReadOnly, &["src"], &[]);
    check("wc -l a b", Access::ReadOnly, &["a", "b"], &[]);
    check("sort -k 2 -rn a | uniq -c", Access::ReadOnly, &["a"], &[]);
    check("find src -name '*.rs' -newer a -type f", Access::ReadOnly, &["src", "a"], &[]);
    check("find -maxdepth 1", Access::ReadOnly, &["."], &[]);
    check("sed -n 1,5p README.md", Access::ReadOnly, &["README.md"], &[]);
    check("sed -n -e 3p -e '$p' a", Access::ReadOnly, &["a"], &[]);
    check("date +%s; pwd; echo -n hi", Access::ReadOnly, &[], &[]);
    check("cat < in 2> /dev/null", Access::ReadOnly, &["in"], &[]);
}

#[test]
fn unknown_options_and_programs_are_never_reading() {
    // H7
    doubtful("sort -o out in", DoubtKind::UnknownOption, "-o");
    doubtful("sort -no out in", DoubtKind::UnknownOption, "-no");
    doubtful("sort --outpu=x in", DoubtKind::UnknownOption, "--outpu=x");
    doubtful("sort --compress-program=x in", DoubtKind::UnknownOption, "--compress-program=x");
    doubtful("rg --pre=x y", DoubtKind::UnknownOption, "--pre=x");
    doubtful("rg -z y", DoubtKind::UnknownOption, "-z");
    doubtful("wc --files0-from=x", DoubtKind::UnknownOption, "--files0-from=x");
    doubtful("tail -f log", DoubtKind::UnknownOption, "-f");
    doubtful("ls --l", DoubtKind::UnknownOption, "--l");
    doubtful("head -n", DoubtKind::Operand, "-n");
    doubtful("uniq a b", DoubtKind::Operand, "b");
    doubtful("date 01010101", DoubtKind::Operand, "01010101");
    doubtful("printf -v x y", DoubtKind::UnknownProgram, "printf");
    doubtful("file -p a", DoubtKind::UnknownOption, "-p");
    doubtful("find . -exec x '{}' +", DoubtKind::UnknownOption, "-exec");
    doubtful("find . -delete", DoubtKind::UnknownOption, "-delete");
    doubtful("find . -e\"xe\"c x", DoubtKind::UnknownOption, "-exec");
    doubtful("find . -fprintf x y", DoubtKind::UnknownOption, "-fprintf");
    doubtful("sed -i 3p a", DoubtKind::UnknownOption, "-i");
    doubtful("sed -n '/x/w y' a", DoubtKind::Operand, "/x/w y");
    doubtful("sed '1e x' a", DoubtKind::Operand, "1e x");
    doubtful("let x", DoubtKind::UnknownProgram, "let");
    doubtful("cd src && ls", DoubtKind::UnknownProgram, "cd");
    doubtful("awk x", DoubtKind::UnknownProgram, "awk");
}

#[test]
fn writing_commands_report_their_targets() {
    // H8
    check("echo a > b", Access::Unproven, &[], &["b"]);
    check("ls src 2>> log", Access::Unproven, &["src"], &["log"]);
    check("touch a b", Access::Unproven, &[], &["a", "b"]);
    check("cp a b c", Access::Unproven, &["a", "b"], &["c"]);
    check("chmod +x a", Access::Unproven, &[], &["a"]);
    check("cat a | tee b", Access::Unproven, &["a"], &["b"]);
}

#[test]
fn wrappers_are_resolved_or_reported_as_doubtful() {
    // H8
    check("timeout 5s ls src", Access::ReadOnly, &["src"], &[]);
    check("nice -n 5 cat a", Access::ReadOnly, &["a"], &[]);
    check("env cat a", Access::ReadOnly, &["a"], &[]);
    check("sh -c 'cat a | head -3'", Access::ReadOnly, &["a"], &[]);
    check("sh -c 'touch a'", Access::Unproven, &[], &["a"]);
    doubtful("sh -c 'cat $x'", DoubtKind::Runs, "cat $x");
    doubtful("bash x.sh", DoubtKind::Runs, "bash");
    doubtful("sudo ls", DoubtKind::Runs, "sudo");
    doubtful("xargs cat", DoubtKind::Runs, "xargs");
    doubtful("env A=b ls", DoubtKind::UnknownOption, "A=b");
    doubtful("env -i ls", DoubtKind::UnknownOption, "-i");
    doubtful("env", DoubtKind::Operand, "env");
    let deep = "nice ".repeat(20) + "ls";
    doubtful(&deep, DoubtKind::Runs, "nice");
    let programs = Command::parse("sudo timeout 5 rm a").unwrap().effects().programs().to_vec();
    assert_eq!(
        programs,
        [&["sudo", "timeout", "5", "rm", "a"][..], &["timeout", "5", "rm", "a"], &["rm", "a"]]
    );
}

#[test]
fn git_needs_a_sandbox_at_best() {
    check("git log --oneline -5 HEAD", Access::NeedsSandbox, &["HEAD"], &[]);
    check("git --no-pager diff --stat", Access::NeedsSandbox, &[], &[]);
    check("git status -s; ls", Access::NeedsSandbox, &["."], &[]);
    check("git branch -a", Access::NeedsSandbox, &[], &[]);
    doubtful("git branch -D main", DoubtKind::UnknownOption, "-D");
    doubtful("git branch new", DoubtKind::Operand, "new");
    doubtful("git -c a.b=c log", DoubtKind::Operand, "-c");
    doubtful("git log --output=x", DoubtKind::UnknownOption, "--output=x");
    doubtful("git diff --ext-diff", DoubtKind::UnknownOption, "--ext-diff");
    doubtful("git diff --no-index a b", DoubtKind::UnknownOption, "--no-index");
    doubtful("git log --format=%G?x".trim_end_matches("?x"), DoubtKind::Operand, "--format=%G");
    doubtful("git push", DoubtKind::Operand, "push");
}

#[test]
fn argv_elements_may_contain_any_characters() {
    let effects = Effects::from_argv(&owned(&["cat", "a b\n$x"]));
    assert_eq!((effects.access(), effects.reads()), (Access::ReadOnly, &owned(&["a b\n$x"])[..]));
    assert_eq!(Effects::from_argv(&owned(&["./cat", "a"])).access(), Access::Unproven);
    assert_eq!(Effects::from_argv(&[]).access(), Access::Unproven);
}
