//! Programs that other programs start: every wrapper by kind, patterns for names, settings of git.

use windlass_command::{Certainty, ProgramKind, Scan, program_kind};

/// Each of these runs `rm` for sure.
const SURE: &[&str] = &[
    "prlimit rm x",
    "prlimit --nofile=5 rm x",
    "setpriv --reuid 0 rm x",
    "chroot --userspec=a /x rm y",
    "taskset -c 0 rm x",
    "chrt -i 0 rm x",
    "numactl -N 0 rm x",
    "env -iS 'rm x'",
    "env -vS 'rm x'",
    "env -iS rm x",
    "env -S'rm x'",
    "env --split-string='rm x'",
    "env -i -S 'A=1 rm x'",
    "env -iS 'rm\\_x'",
    "/bin/r? x",
    "/bin/r[m] x",
    "/b*/rm x",
    "r* x",
    "r[a-z] x",
    "sudo-rs rm x",
    "gtimeout 5 rm x",
    "gxargs rm",
    "coreutils --coreutils-prog=rm x",
    "toybox rm x",
    "/lib64/ld-linux-x86-64.so.2 /bin/rm x",
    "qemu-x86_64 /bin/rm x",
    "nix-shell -p a --run 'rm x'",
    "nix-shell --run='rm x'",
    "systemd-inhibit rm x",
    "valgrind rm x",
    "dbus-run-session -- rm x",
    "hyperfine 'rm x'",
    "entr -s 'rm x'",
    "watchexec rm x",
    "gosu me rm x",
    "su-exec me rm x",
    "tini -- rm x",
    "start-stop-daemon -S -x rm",
    "cargo run -- rm x",
    "poetry run rm x",
    "npm exec rm x",
    "docker exec c rm x",
    "gdb --args rm x",
    "sg users 'rm x'",
    "less +'!rm x'",
    "man -P 'rm x' ls",
    "python3.11 -c 'import os; os.system(\"rm x\")'",
    "tmux new 'rm x'",
    "uv run rm x",
];

// security 21
#[test]
fn programs_behind_known_wrappers_are_found() {
    for text in SURE {
        let scan = Scan::read(text);
        assert!(
            scan.runs(&["rm"]) || matches!(*text, "docker exec c rm x") && scan.may_run(&["rm"]),
            "{text}: {:?}",
            scan.programs()
        );
    }
}

#[test]
fn settings_of_git_are_commands() {
    for text in [
        "git -c alias.p=push p",
        "git -c ALIAS.p=push p",
        "git -calias.p=push p",
        "git config alias.p push",
        "git config --global alias.p 'push -f'",
        "git -c alias.p='!git push' p",
        "GIT_CONFIG_VALUE_0=push git p",
    ] {
        assert!(Scan::read(text).runs(&["git", "push"]), "{text}");
    }
    for text in [
        "git -c core.pager='rm x' log",
        "git -c core.sshCommand='rm x' fetch",
        "git -C run bisect run rm x",
        "git submodule foreach --recursive 'rm x'",
    ] {
        assert!(Scan::read(text).runs(&["rm"]), "{text}");
    }
    assert!(!Scan::read("git commit -m 'a=rm x'").runs(&["rm"]));
}

#[test]
fn an_unknown_program_may_be_a_wrapper() {
    for text in [
        "frobnicate rm x",
        "frobnicate --opt 3 rm x",
        "frobnicate 'rm x'",
        "frobnicate --run=rm",
        "docker run a rm x",
        "php8.2 run.php rm",
    ] {
        let scan = Scan::read(text);
        assert!(scan.may_run(&["rm"]), "{text}");
    }
    for text in [
        "grep rm x",
        "cargo rm serde",
        "npm rm x",
        "git rm x",
        "ls rm",
        "echo rm",
        "timeout 5 ls rm",
        "find . -name rm",
        "frobnicate form arm rmdir",
    ] {
        assert!(!Scan::read(text).may_run(&["rm"]), "{text}");
    }
    assert!(Scan::read("frobnicate git -C x push").may_run(&["git", "push"]));
    assert!(!Scan::read("frobnicate git pull").may_run(&["git", "push"]));
}

#[test]
fn a_rule_for_an_interpreter_is_about_all_versions_of_it() {
    for (text, rule) in [
        ("python3.11 x", "python"),
        ("/usr/bin/python3.11 x", "python3"),
        ("node20 x", "node"),
        ("rm.exe x", "rm"),
    ] {
        assert!(Scan::read(text).runs(&[rule]), "{text}");
    }
    assert!(!Scan::read("rm2 x").runs(&["rm"]));
    assert_eq!(Scan::read("prlimit ls").certainty(), Certainty::Whole);
    assert_eq!(program_kind("prlimit"), ProgramKind::Wrapper);
}
