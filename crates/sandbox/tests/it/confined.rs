//! Real children, confined on this machine: access without a grant is refused, and access with a grant works.

use std::collections::BTreeSet;
use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use tempfile::{TempDir, tempdir};
use windlass_sandbox::{ChildEnvironment, ChildLimits, Confinement, Gap, Helper, Level, Probe};

use crate::levels::{apart, confined, helper, probe};

/// A workspace with a repository, beside a secret.
struct Scene {
    folder: TempDir,
    work: PathBuf,
    confinement: Confinement,
}

fn scene() -> Scene {
    let folder = tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let work = root.join("work");
    fs::create_dir_all(work.join(".git")).unwrap();
    fs::write(work.join(".git/config"), "kept").unwrap();
    fs::write(work.join(".env"), "hidden").unwrap();
    fs::write(root.join("secret"), "secret").unwrap();
    let confinement = Confinement::new()
        .with_writable(&work)
        .with_protected(work.join(".git"))
        .with_protected(work.join(".claude"))
        .with_hidden(work.join(".env"));
    Scene { folder, work, confinement }
}

impl Scene {
    #[track_caller]
    fn run(&self, level: Level, script: &str) -> Output {
        let mut command = self.confinement.command(level, &helper(), &self.work, "/bin/sh", ["-c", script]);
        command.stdin(Stdio::null()).output().unwrap()
    }

    #[track_caller]
    fn check_works(&self, level: Level, script: &str, expected: &str) {
        let output = self.run(level, script);
        assert!(output.status.success(), "{script}: {output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), expected, "{script}");
    }

    #[track_caller]
    fn check_refused(&self, level: Level, script: &str) {
        let output = self.run(level, script);
        let code = output.status.code().unwrap();
        assert!(code != 0 && code < 125, "{script}: {output:?}");
    }

    fn secret(&self) -> PathBuf {
        self.work.parent().unwrap().join("secret")
    }
}

// Q3
#[test]
fn the_probe_reports_a_level_and_why_better_ones_are_missing() {
    let probe = probe();
    let tried: BTreeSet<_> = probe.missing.iter().map(|missing| missing.level).collect();
    assert!(tried.iter().all(|level| *level < probe.level), "{probe:?}");
    assert_eq!(probe.level == Level::Namespaces, probe.missing.is_empty(), "{probe:?}");
    let none = Probe::run(&Helper::new("/nowhere/windlass-confine"));
    assert_eq!((none.level, none.missing.len()), (Level::None, 3));
    assert!(none.missing[0].to_string().contains("helper process failed"), "{}", none.missing[0]);
    // A program that does not answer like a helper is not taken for a helper.
    assert_eq!(Probe::run(&Helper::new("/bin/false")).level, Level::None);
}

#[test]
fn a_child_can_do_what_was_granted() {
    for level in confined() {
        let scene = scene();
        scene.check_works(level, "echo one > new; mkdir -p a/b; mv new a/b/new; cat a/b/new", "one");
        scene.check_works(level, "pwd", scene.work.to_str().unwrap());
        scene.check_works(level, "echo x > /dev/null; printf ab | wc -c | tr -d ' '", "2");
        scene.check_works(level, "cat .git/config", "kept");
        assert_eq!(scene.run(level, "exit 7").status.code(), Some(7));
        assert_eq!(scene.run(level, "kill -9 $$").status.signal_or_code(), 137);
        assert_eq!(fs::read(scene.work.join("a/b/new")).unwrap(), b"one\n");
        let missing =
            scene.confinement.command(level, &helper(), &scene.work, "no-such-program", [""; 0]).output();
        assert_eq!(missing.unwrap().status.code(), Some(127));
    }
}

trait SignalOrCode {
    fn signal_or_code(&self) -> i32;
}

impl SignalOrCode for std::process::ExitStatus {
    fn signal_or_code(&self) -> i32 {
        use std::os::unix::process::ExitStatusExt;
        self.code().unwrap_or_else(|| self.signal().map_or(-1, |signal| 128 + signal))
    }
}

#[test]
fn nothing_outside_is_read_or_written() {
    for level in confined() {
        let scene = scene();
        let secret = scene.secret();
        let secret = secret.display();
        scene.check_refused(level, &format!("cat {secret}"));
        scene.check_refused(level, "cat ../secret");
        // With namespaces these writes go to the child's own temporary folder, which is removed with the child.
        scene
            .run(level, &format!("truncate -s 0 {secret}; echo x > {secret}; rm {secret}; mv {secret} here"));
        assert_eq!(fs::read(scene.secret()).unwrap(), b"secret");
        scene.check_refused(level, &format!("rm {secret}"));
        scene.check_refused(level, &format!("ln {secret} twin"));
        scene.check_refused(level, &format!("ln -s {secret} link && cat link"));
        scene.check_refused(level, &format!("mv {secret} here"));
        scene.check_refused(level, "cat /proc/1/root/etc/../var/log/* 2>/dev/null");
        scene.check_refused(level, &format!("cat /proc/1/root{secret}"));
        scene.check_refused(level, "echo x > /usr/windlass");
        scene.check_refused(level, "echo x > /etc/windlass");
        scene.check_refused(level, "echo x > /var/tmp/windlass");
        scene.check_refused(level, "echo core > /proc/sys/kernel/core_pattern");
        scene.check_refused(level, "mount -t tmpfs none /usr");
        scene.check_refused(level, "unshare -r true");
        assert_eq!(fs::read(scene.secret()).unwrap(), b"secret");
        assert_eq!(fs::read_dir(scene.folder.path()).unwrap().count(), 2);
    }
}

// SECURITY "Sandbox": level A closes what Landlock cannot.
#[test]
fn protected_names_stay_and_hidden_ones_are_not_read() {
    for level in apart() {
        let scene = scene();
        for script in [
            "echo x > .git/config",
            "echo x > .git/hooks",
            "mv .git other",
            "rm -r .git",
            "ln -s .git safe && echo x > safe/config",
            "umount .git",
            "chmod 777 .git/config",
            "touch .git/config",
            "echo x > .claude/settings.json",
            "rmdir .claude",
            "mv .claude other",
            "cat .env",
            "echo x > .env",
            "mv .env other",
            "ln .env other",
            "chmod 600 .env",
            "cat /proc/1/root$PWD/.env",
        ] {
            scene.check_refused(level, script);
        }
        assert_eq!(fs::read(scene.work.join(".git/config")).unwrap(), b"kept");
        assert_eq!(fs::read(scene.work.join(".env")).unwrap(), b"hidden");
        let left: BTreeSet<_> = fs::read_dir(&scene.work)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        assert_eq!(left, [".env", ".git", "safe"].map(str::to_owned).into(), "a placeholder stayed");
    }
}

#[test]
fn a_protected_link_is_refused_rather_than_half_protected() {
    for level in apart() {
        let mut scene = scene();
        std::os::unix::fs::symlink("/etc", scene.work.join("hooks")).unwrap();
        scene.confinement = scene.confinement.with_protected(scene.work.join("hooks"));
        let output = scene.run(level, "echo ran");
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(125), &b""[..]));
        assert!(String::from_utf8_lossy(&output.stderr).contains("is a link"), "{output:?}");
    }
}

#[test]
fn gaps_of_a_level_are_named() {
    let scene = scene();
    assert_eq!(scene.confinement.gaps(Level::Namespaces), []);
    let gaps = scene.confinement.gaps(Level::Landlock);
    assert!(gaps.contains(&Gap::Writable(scene.work.join(".git"))), "{gaps:?}");
    assert!(gaps.contains(&Gap::Readable(scene.work.join(".env"))), "{gaps:?}");
    assert_eq!(scene.confinement.gaps(Level::None), [Gap::Unconfined]);
}

/// Returns true if a connection has arrived: the listener never waits.
fn was_reached(listener: &TcpListener) -> bool {
    listener.set_nonblocking(true).unwrap();
    listener.accept().is_ok()
}

#[test]
fn only_a_granted_port_is_reached() {
    for level in confined() {
        let mut scene = scene();
        let granted = TcpListener::bind("127.0.0.1:0").unwrap();
        let other = TcpListener::bind("127.0.0.1:0").unwrap();
        let connect = |listener: &TcpListener| {
            let port = listener.local_addr().unwrap().port();
            format!("bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}'")
        };
        scene.check_refused(level, &connect(&granted));
        assert!(!was_reached(&granted));
        let port = granted.local_addr().unwrap().port();
        scene.confinement = scene.confinement.clone().with_port(port);
        scene.check_works(level, &connect(&granted), "");
        assert!(was_reached(&granted));
        scene.check_refused(level, &connect(&other));
        scene.check_refused(level, "bash -c 'exec 3<>/dev/udp/127.0.0.1/53'");
        assert!(!was_reached(&other));
    }
}

// Q2
#[test]
fn a_child_sees_the_listed_environment_only() {
    for level in confined() {
        let mut scene = scene();
        scene.confinement =
            scene.confinement.with_environment(ChildEnvironment::new().with_value("PAGER", "cat"));
        let output = scene.run(level, "env");
        let text = String::from_utf8(output.stdout).unwrap();
        let names: BTreeSet<_> = text.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
        assert!(names.contains("PAGER") && names.contains("PATH"), "{names:?}");
        assert!(!names.iter().any(|name| name.starts_with("CARGO")), "{names:?}");
    }
}

#[test]
fn resource_limits_are_enforced() {
    for level in confined() {
        let mut scene = scene();
        let mut limits = ChildLimits::default();
        limits.file_bytes = 1024;
        limits.open_files = 64;
        scene.confinement = scene.confinement.with_limits(limits);
        scene.run(level, "head -c 1000000 /dev/zero > large");
        assert_eq!(fs::metadata(scene.work.join("large")).unwrap().len(), 1024);
        scene.check_works(level, "ulimit -n; ulimit -c; umask", "64\n0\n0077");
    }
}

/// Processes whose command line has the mark.
fn marked(mark: &str) -> usize {
    let entries = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let lines = entries.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| line.windows(mark.len()).any(|window| window == mark.as_bytes())).count()
}

fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Waits until the kernel has removed killed processes, for a limited number of checks.
fn is_gone(mark: &str) -> bool {
    (0..10_000).any(|_| {
        std::thread::yield_now();
        marked(mark) == 0
    })
}

// Q1: children that left their session die with their namespace, at the end and when the helper is killed.
#[test]
fn no_child_survives_and_no_descriptor_stays_over_100_runs() {
    for level in apart() {
        let scene = scene();
        let mark = format!("300.{}", std::process::id());
        scene.run(level, "true");
        let before = descriptors();
        for run in 0..100 {
            let script = format!(
                "setsid sleep {mark} & (setsid sleep {mark} &) ; echo ready; [ {run} = 0 ] || sleep {mark}"
            );
            let mut command =
                scene.confinement.command(level, &helper(), &scene.work, "/bin/sh", ["-c", &script]);
            let mut child =
                command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
            let mut ready = [0; 6];
            std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut ready).unwrap();
            if run > 0 {
                child.kill().unwrap();
            }
            child.wait().unwrap();
        }
        assert!(is_gone(&mark), "{} processes survived", marked(&mark));
        // Other tests of this process open files meanwhile. A leak of one descriptor per run would still exceed the
        // bound.
        assert!(descriptors() < before + 50, "{before} descriptors became {}", descriptors());
    }
}

// A descriptor that the host leaks would be a way around every rule.
#[test]
fn descriptors_that_the_host_left_open_are_closed() {
    for level in confined() {
        let scene = scene();
        let command = scene.confinement.command(level, &helper(), &scene.work, "/bin/sh", ["-c", "cat <&9"]);
        // The shell opens the secret as descriptor 9 and leaves it to the helper.
        let mut leaking = Command::new("/bin/sh");
        leaking.arg("-c").arg(format!("exec 9<{}; exec \"$0\" \"$@\"", scene.secret().display()));
        leaking.arg(command.get_program()).args(command.get_args());
        let output = leaking.output().unwrap();
        assert!(!output.status.success() && output.stdout.is_empty(), "{output:?}");
        assert!(output.status.code() < Some(125), "{output:?}");
    }
}

#[test]
fn invalid_helper_arguments_exit_with_125() {
    let words: [&[&str]; 3] =
        [&[], &["outer", "none", "--", "/bin/echo", "ran"], &["inner", "landlock", "--", "/bin/echo", "ran"]];
    for words in words {
        let output = Command::new(env!("CARGO_BIN_EXE_windlass-confine")).args(words).output().unwrap();
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(125), &b""[..]), "{words:?}");
    }
}

// security 25
#[test]
fn a_child_does_not_see_which_paths_are_hidden() {
    for level in apart() {
        let scene = scene();
        let script = "cat /proc/[0-9]*/cmdline | tr '\\0' ' '; ls -l /proc/1/fd 2>&1 | grep -c memfd";
        let output = scene.run(level, script);
        let seen = String::from_utf8_lossy(&output.stdout);
        assert!(seen.contains("cmdline"), "{level}: {seen}");
        for hidden in [".env", ".claude", "--hide"] {
            assert!(!seen.contains(hidden), "{level}: {seen}");
        }
        assert!(seen.ends_with("\n0\n") || seen.ends_with(" 0\n"), "{level}: {seen}");
    }
}
