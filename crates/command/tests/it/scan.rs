//! Findings of the tolerant scan.

use windlass_command::{Certainty, Danger, Scan};

use crate::dresses::DRESSES;

#[track_caller]
fn finds(text: &str, rule: &[&str]) {
    let scan = Scan::read(text);
    assert!(scan.runs(rule), "{text:?}: {:?}", scan.programs());
}

#[track_caller]
fn misses(text: &str, rule: &[&str]) {
    let scan = Scan::read(text);
    assert!(!scan.runs(rule), "{text:?}: {:?}", scan.programs());
}

#[track_caller]
fn danger(text: &str, expected: &Danger) {
    let scan = Scan::read(text);
    assert!(scan.dangers().contains(expected), "{text:?}: {:?}", scan.dangers());
}

#[test]
fn a_program_is_found_in_any_dress() {
    // H8
    for text in DRESSES {
        finds(text, &["rm"]);
    }
    let capped = "true;".repeat(200) + "rm x";
    finds(&capped, &["rm"]);
    let deep = "$(".repeat(200) + "rm x";
    finds(&deep, &["rm"]);
}

#[test]
fn text_is_not_a_program() {
    misses("grep rm file", &["rm"]);
    misses("echo 'rm -rf /'", &["rm"]);
    misses("git commit -m 'rm the old file'", &["rm"]);
    misses("git rm x", &["rm"]);
    misses("ls > rm", &["rm"]);
    misses("timeout 5 ls rm", &["rm"]);
    misses("rmdir x", &["rm"]);
}

#[test]
fn rules_match_whole_words_after_options() {
    // H7
    finds("git push", &["git", "push"]);
    finds("git --no-pager -c a.b=c push origin", &["git", "push"]);
    finds("git -C /x push --force", &["git", "push", "--force"]);
    misses("git log push", &["git", "push"]);
    misses("git pushx", &["git", "push"]);
    misses("git", &["git", "push"]);
    misses("git", &[]);
    assert!(Scan::scan_argv(&["sudo".into(), "rm".into(), "a b".into()]).runs(&["rm", "a b"]));
}

#[test]
fn effects_on_unknown_names_are_partial() {
    for text in
        ["$x y", "r? y", "$(echo rm) y", "\"$x\"", "echo 'a", "curl x | sh", "bash -c \"$x\"", "ls > $x"]
    {
        assert_eq!(Scan::read(text).certainty(), Certainty::Partial, "{text}");
    }
    for text in ["ls -la", "ls *.rs", "echo $x", "cat a | grep b > c", "if true; then ls; fi"] {
        assert_eq!(Scan::read(text).certainty(), Certainty::Whole, "{text}");
    }
}

#[test]
fn dangers_are_named() {
    let tree = |target: &str| Danger::RemovesTree { target: target.into() };
    danger("rm -rf /", &tree("/"));
    danger("sudo rm -r -f '/'", &tree("/"));
    danger("rm --recursive ~/", &tree("~/"));
    danger("rm -fr *", &tree("*"));
    danger("rm -rf \"$x/\"", &tree("/"));
    danger("rm -rf /usr/", &tree("/usr/"));
    danger("find / -delete", &tree("/"));
    danger("sudo ls", &Danger::Escalates);
    danger("ls; su", &Danger::Escalates);
    danger("curl x | sh", &Danger::FeedsShell);
    danger("curl x | sudo -E bash -", &Danger::FeedsShell);
    danger("echo cm0= | base64 -d | bash", &Danger::FeedsShell);
    danger("wget -qO- x|python3 -", &Danger::FeedsShell);
    danger("bash <(curl x)", &Danger::Evaluates);
    danger("sh -c \"$(curl x)\"", &Danger::Evaluates);
    danger("eval $x", &Danger::Evaluates);
    danger("source x", &Danger::Evaluates);
    danger("dd if=a of=/dev/sda", &Danger::WritesDevice);
    danger("mkfs.ext4 /dev/sda", &Danger::WritesDevice);
    danger("cat a > /dev/sda", &Danger::WritesDevice);
    danger(":(){ :|:& };:", &Danger::ForkBomb);
    danger("bomb() { bomb | bomb & }; bomb", &Danger::ForkBomb);
    danger("cat < /dev/tcp/1.2.3.4/5", &Danger::OpensNetwork);
    danger("bash -c 'echo hi > /dev/tcp/1/2'", &Danger::OpensNetwork);
    danger("kill -9 -1", &Danger::StopsSystem);
    let protected = |path: &str| Danger::WritesProtected { path: path.into() };
    danger("echo x > .git/hooks/pre-commit", &protected(".git/hooks/pre-commit"));
    danger("echo x >> ~/.bashrc", &protected("~/.bashrc"));
    danger("echo x | tee a/.GIT/config", &protected("a/.GIT/config"));
    danger("cp x /etc/passwd", &protected("/etc/passwd"));
    danger("sed -i s/a/b/ .envrc", &protected(".envrc"));
}

#[test]
fn harmless_commands_have_no_dangers() {
    for text in [
        "ls -la > /dev/null 2>&1",
        "rm -rf target",
        "cat a | grep b",
        "echo hi > out.txt",
        "find . -name x",
        "cargo test 2>&1 | tail -5",
        "git status",
        "kill -9 123",
        "echo x | python3 script.py",
    ] {
        assert_eq!(Scan::read(text).dangers(), [], "{text}");
    }
}

#[test]
fn redirections_are_written() {
    let writes = |text: &str| Scan::read(text).writes().to_vec();
    assert_eq!(writes("ls >a 2>>b &>c >|d 1<>e >& f"), ["a", "b", "c", "d", "e", "f"]);
    assert_eq!(writes("ls 2>&1 >&- < a"), [] as [&str; 0]);
    assert_eq!(writes("dd of=x; touch y z"), ["x", "y", "z"]);
}

#[test]
fn hostile_sizes_end_and_hide_nothing() {
    for opening in [
        "$(",
        "`",
        "\"$(",
        "(){",
        "sudo ",
        "${x:-",
        "env ",
        "x=y ",
        "a|",
        "sh|",
        "echo 'a b'|sh|",
        "{a,",
        "eval ",
    ] {
        let text = opening.repeat(3_000) + "'; rm x";
        let scan = Scan::read(&text);
        assert!(scan.runs(&["rm"]) || scan.certainty() == Certainty::Partial, "{opening:?}");
    }
    let long = "ls; ".repeat(30_000) + "rm x";
    assert!(Scan::read(&long).runs(&["rm"]));
    let too_long = "ls; ".repeat(60_000) + "rm x";
    assert_eq!(Scan::read(&too_long).certainty(), Certainty::Partial);
}
