//! Prefixes of commands that an allow rule must not have, because they can run any program.

use super::is_open_ended;

#[track_caller]
fn check(words: &str, expected: bool) {
    let argv: Vec<String> = words.split(' ').map(str::to_owned).collect();
    assert_eq!(is_open_ended(&argv), expected, "{words}");
}

#[test]
fn programs_that_can_run_anything_are_banned_from_allow_rules() {
    for words in [
        "sudo",
        "sudo ls",
        "env",
        "bash",
        "bash -c",
        "python3",
        "python3 -m",
        "git",
        "git -C",
        "make",
        "xargs rm",
        "vim",
        // security 21
        "python3.11",
        "pypy3",
        "node20 -e",
        "Rscript",
        "tsx",
        "chroot",
        "setpriv ls",
        "taskset 1 ls",
        "prlimit",
        "prlimit ls",
        "just",
        "nix-shell",
        "less",
        "man",
        "busybox ls",
        "toybox",
        "coreutils",
        "sudo-rs ls",
    ] {
        check(words, true);
    }
    for words in [
        "ls",
        "git log",
        "cargo test",
        "python3 check.py",
        "find",
        "make test",
        "grep -r",
        "just test",
        "less a.txt",
        "frobnicate",
        "./check.sh",
    ] {
        check(words, false);
    }
}
