//! The state that a child inherits from the process that started this program.

use std::process::{Command, Stdio};

use windlass_sandbox::Level;

use crate::leashed::scene;
use crate::levels::{confined, helper};

/// The masks of ignored and blocked signals, as the child's own shell hands them on.
const LOOK: &str = "grep -E '^Sig(Ign|Blk):' /proc/self/status";

/// Returns the number of ignored or blocked signals. The numbers 32 and 33 belong to the C library, which
/// does not let programs change them.
#[track_caller]
fn held(text: &str) -> u32 {
    let masks = text.lines().filter_map(|line| line.strip_prefix("SigIgn:").or(line.strip_prefix("SigBlk:")));
    let masks: Vec<_> = masks.map(|mask| u64::from_str_radix(mask.trim(), 16).unwrap()).collect();
    assert_eq!(masks.len(), 2, "{text}");
    masks.into_iter().map(|mask| (mask & !0x1_8000_0000).count_ones()).sum()
}

// issue section 1: a background job of a shell has SIGINT ignored, and so had its children.
#[test]
fn a_child_inherits_no_ignored_or_blocked_signals() {
    for level in confined() {
        let scene = scene();
        let inner = scene.confinement.command(level, &helper(), &scene.work, "/bin/sh", ["-c", LOOK]);
        let mut outer = Command::new("/usr/bin/env");
        outer.args(["--ignore-signal=INT,QUIT,HUP,TERM,CHLD,USR1,TTOU", "--block-signal=INT,USR2,CHLD"]);
        outer.arg(inner.get_program()).args(inner.get_args());
        let output = outer.stdin(Stdio::null()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(held(&text), 0, "{level}: {output:?}");
        assert_eq!(output.status.code(), Some(0), "{level}");
    }
}

// Like the test above for a child without a helper, in a separate process because signals are ignored at its
// start.
#[test]
fn a_child_without_a_helper_has_default_signals() {
    const HOST: &str = "WINDLASS_TEST_IGNORING";
    if std::env::var_os(HOST).is_some() {
        let scene = scene();
        let mut command =
            scene.confinement.command(Level::None, &helper(), &scene.work, "/bin/sh", ["-c", LOOK]);
        let mut child = windlass_sandbox::start_child(|| command.spawn()).unwrap();
        assert!(child.wait().unwrap().success());
        return;
    }
    let mut host = Command::new("/usr/bin/env");
    host.args(["--ignore-signal=INT,QUIT,HUP", "--block-signal=INT,USR2"]);
    host.arg(std::env::current_exe().unwrap());
    host.args(["--exact", "inherited::a_child_without_a_helper_has_default_signals", "--nocapture"]);
    let output = host.env(HOST, "1").stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(held(&text), 0, "{output:?}");
}
