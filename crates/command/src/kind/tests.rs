//! Kinds of programs in every spelling.

use super::{ProgramKind, is_same_program, program_kind};

#[track_caller]
fn check(kind: ProgramKind, names: &str) {
    for name in names.split(' ') {
        assert_eq!(program_kind(name), kind, "{name}");
    }
}

// security 21
#[test]
fn a_kind_is_not_a_spelling() {
    check(
        ProgramKind::Interpreter,
        "python python3 python3.11 /usr/bin/python3.13t python3-dbg pypy3 pypy3.10 node20 node-20 lua5.4",
    );
    check(
        ProgramKind::Interpreter,
        "php8.3 php8.3-cgi ruby3.2 perl5.36.0 Rscript tsx less man vim bash5 BASH.EXE tclsh8.6 ipython3",
    );
    check(
        ProgramKind::Wrapper,
        "chroot setpriv taskset prlimit gtimeout gxargs nix-shell systemd-run busybox toybox coreutils",
    );
    check(
        ProgramKind::Wrapper,
        "sudo-rs ld-linux-x86-64.so.2 qemu-x86_64 dbus-run-session flatpak-spawn prlimit2",
    );
    check(ProgramKind::Subcommands, "git cargo just make pip3 pip3.11 npm gradlew tar");
    check(ProgramKind::Plain, "ls grep cat find sed rm cp touch sha256sum jq printf");
    check(ProgramKind::Unknown, "frobnicate ./check check.sh test-all");
}

#[test]
fn a_version_is_the_same_program() {
    for (rule, program) in [
        ("python", "python3.11"),
        ("python3", "python3.11"),
        ("rm", "/bin/RM"),
        ("rm", "rm.exe"),
        ("bash", "bash5"),
    ] {
        assert!(is_same_program(rule, program), "{rule} {program}");
    }
    for (rule, program) in
        [("rm", "rm2"), ("rm", "rmdir"), ("python3.11", "python3"), ("sh", "sha256sum"), ("r", "rm")]
    {
        assert!(!is_same_program(rule, program), "{rule} {program}");
    }
}
