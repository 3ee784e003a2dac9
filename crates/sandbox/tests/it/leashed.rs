//! Children with a leash (`windlass_sandbox::Leash`): its messages, the recipients of a request to stop, limits, and
//! remaining processes.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::{TempDir, tempdir};
use windlass_sandbox::{ChildLimits, Confinement, Helper, Leash, Level, NotConfined, Part};
use windlass_testkit::Need;

use crate::levels::{apart, confined, helper, tried};

pub(crate) struct Scene {
    _folder: TempDir,
    pub(crate) work: PathBuf,
    pub(crate) confinement: Confinement,
}

pub(crate) fn scene() -> Scene {
    let folder = tempdir().unwrap();
    let work = folder.path().canonicalize().unwrap().join("work");
    fs::create_dir(&work).unwrap();
    let confinement = Confinement::new().with_writable(&work);
    Scene { _folder: folder, work, confinement }
}

impl Scene {
    fn leashed(&self, level: Level, script: &str) -> (Command, Leash) {
        let made =
            self.confinement.command_with_leash(level, &helper(), &self.work, "/bin/sh", ["-c", script]);
        let (mut command, leash) = made.unwrap();
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        (command, leash.unwrap())
    }

    fn run(&self, level: Level, script: &str) -> (Output, Result<(), NotConfined>) {
        let (mut command, leash) = self.leashed(level, script);
        (command.output().unwrap(), leash.check_confined())
    }

    /// A script that first prints `ready`.
    fn start(&self, level: Level, script: &str) -> (Child, Leash) {
        let (mut command, leash) = self.leashed(level, script);
        let mut child = command.spawn().unwrap();
        let mut ready = [0; 6];
        child.stdout.as_mut().unwrap().read_exact(&mut ready).unwrap();
        (child, leash)
    }
}

/// A length of sleep that no other process has.
pub(crate) fn mark(name: u32) -> String {
    format!("{}.{}", 300 + name, std::process::id())
}

fn marked(mark: &str) -> usize {
    let entries = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let lines = entries.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| line.windows(mark.len()).any(|window| window == mark.as_bytes())).count()
}

#[track_caller]
pub(crate) fn assert_gone(mark: &str) {
    let began = Instant::now();
    while marked(mark) > 0 {
        assert!(began.elapsed() < Duration::from_secs(10), "{} processes survived", marked(mark));
        std::thread::yield_now();
    }
}

#[test]
fn the_leash_reports_confinement_and_stdin_is_empty() {
    for level in confined() {
        let (output, confined) = scene().run(level, "cat; echo out; echo err >&2; exit 7");
        assert_eq!(confined, Ok(()));
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(7), &b"out\n"[..]));
        assert_eq!(output.stderr, b"err\n");
    }
}

// The helper's messages are separate from the command's output: stderr belongs to the command alone.
#[test]
fn failed_confinement_is_distinguished_from_output_that_claims_it() {
    for level in confined() {
        let (output, confined) = scene().run(level, "echo 'not confined: Landlock: no' >&2; exit 125");
        assert_eq!((confined, output.status.code()), (Ok(()), Some(125)));
    }
    for level in apart() {
        let mut scene = scene();
        std::os::unix::fs::symlink("/etc", scene.work.join("hooks")).unwrap();
        scene.confinement = scene.confinement.with_protected(scene.work.join("hooks"));
        let (output, confined) = scene.run(level, "echo ran");
        let error = confined.unwrap_err();
        let refusing = if level == Level::Namespaces { Part::Mounts } else { Part::Bubblewrap };
        assert_eq!((error.part, output.stdout.len(), output.stderr.len()), (refusing, 0, 0));
        assert!(error.to_string().contains("nothing was run"), "{error}");
    }
}

#[test]
fn a_wrong_helper_is_reported_as_unconfined() {
    let scene = scene();
    let made = scene.confinement.command_with_leash(
        Level::Namespaces,
        &Helper::new("/bin/true"),
        &scene.work,
        "/bin/sh",
        ["-c", "true"],
    );
    let (mut command, leash) = made.unwrap();
    assert!(command.output().unwrap().status.success());
    assert_eq!(leash.unwrap().check_confined().unwrap_err().part, Part::Helper);
}

// Q1: a kill of the host closes the leash, which ends every process of the command.
#[test]
fn all_processes_end_with_the_leash() {
    for level in confined() {
        let mark = mark(1);
        let script = format!(
            "trap '' TERM HUP; echo ready; setsid sleep {mark} & (setsid sleep {mark} &) ; sleep {mark}"
        );
        let (mut child, leash) = scene().start(level, &script);
        drop(leash);
        child.wait().unwrap();
        assert_gone(&mark);
    }
}

// Q1: TERM also reaches processes that left the group, and the command has time to clean up.
#[test]
fn a_request_to_stop_reaches_the_command() {
    for level in confined() {
        let scene = scene();
        let script = "trap 'echo tidy > tidied; exit 3' TERM; echo ready; while :; do sleep 0.05; done";
        let (child, leash) = scene.start(level, script);
        leash.ask();
        let output = child.wait_with_output().unwrap();
        drop(leash);
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        assert_eq!(fs::read(scene.work.join("tidied")).unwrap(), b"tidy\n");
    }
}

#[test]
fn killing_the_helper_ends_all_processes() {
    for level in apart() {
        let mark = mark(2);
        let (mut child, _leash) =
            scene().start(level, &format!("echo ready; setsid sleep {mark} & sleep {mark}"));
        child.kill().unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(9));
        assert_gone(&mark);
    }
}

// RES-003: a bomb is bounded and ends with its tree.
#[test]
fn processes_are_bounded() {
    for level in confined() {
        let is_bound = tried(level).as_ref().is_ok_and(|probe| probe.bounds.processes);
        if Need::ProcessLimits.check(is_bound).is_none() {
            continue;
        }
        let mark = mark(3);
        let mut scene = scene();
        let mut limits = ChildLimits::default();
        limits.processes = 40;
        scene.confinement = scene.confinement.with_limits(limits);
        let script = format!("i=0; while [ $i -lt 900 ]; do sleep {mark} & i=$((i+1)); done; wait");
        let (mut child, leash) =
            scene.start(level, &format!("echo ready; sh -c '{script}' 2>/dev/null; echo end; sleep 60"));
        let mut end = [0; 4];
        child.stdout.as_mut().unwrap().read_exact(&mut end).unwrap();
        let most = if level == Level::Namespaces { 600 } else { 42 };
        assert!(marked(&mark) <= most, "{} processes", marked(&mark));
        drop(leash);
        child.wait().unwrap();
        assert_gone(&mark);
    }
}

// RES-005
#[test]
fn memory_of_one_process_is_bounded() {
    for level in confined() {
        let mut scene = scene();
        let mut limits = ChildLimits::default();
        limits.data_bytes = 64 << 20;
        scene.confinement = scene.confinement.with_limits(limits);
        let (output, confined) = scene.run(level, "head -c 200000000 /dev/zero | tail -n 1 | wc -c");
        assert_eq!(confined, Ok(()));
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains("memory"), "{output:?}");
    }
}

#[test]
fn a_private_folder_starts_empty_and_keeps_nothing() {
    for level in apart() {
        let mut scene = scene();
        let home = scene.work.parent().unwrap().to_path_buf();
        fs::create_dir(home.join("tools")).unwrap();
        fs::write(home.join("tools/tool"), "tool").unwrap();
        fs::write(home.join("secret"), "secret").unwrap();
        scene.confinement = scene.confinement.with_private(&home).with_readable(home.join("tools"));
        let script = "cat ../tools/tool; ls -A ..; echo x > ../new; echo x > ../tools/new; echo y > inside";
        let (output, confined) = scene.run(level, script);
        assert_eq!(confined, Ok(()));
        assert_eq!(String::from_utf8_lossy(&output.stdout), "tooltools\nwork\n");
        assert!(!home.join("new").exists() && !home.join("tools/new").exists());
        assert_eq!(fs::read(scene.work.join("inside")).unwrap(), b"y\n");
    }
}

// Two commands in one folder hold the same placeholder; neither takes it from the other.
#[test]
fn a_placeholder_remains_while_a_command_uses_it() {
    for level in apart() {
        let mut scene = scene();
        scene.confinement = scene.confinement.with_protected(scene.work.join(".claude"));
        let wait = "echo ready; until [ -e go ]; do sleep 0.02; done; mkdir .claude/x; ls -A";
        let (slow, _leash) = scene.start(level, wait);
        let (output, _) = scene.run(level, "rmdir .claude || echo kept");
        assert_eq!(output.stdout, b"kept\n");
        assert!(scene.work.join(".claude").is_dir());
        fs::File::create(scene.work.join("go")).unwrap().write_all(b"x").unwrap();
        let output = slow.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), ".claude\ngo\n");
        assert!(!scene.work.join(".claude").exists());
    }
}

// SEC-003: the command cannot read the input of the helper.
#[test]
fn the_first_process_exposes_no_environment_or_terminal() {
    for level in apart() {
        let (output, _) = scene().run(level, "cat /proc/1/environ; ls /proc/1/fd; tty; cat < /dev/tty");
        assert!(!String::from_utf8_lossy(&output.stdout).contains("PATH="), "{output:?}");
        assert_ne!(output.status.code(), Some(0));
    }
}
