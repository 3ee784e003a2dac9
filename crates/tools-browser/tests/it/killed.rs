//! Hosts that are killed, and hosts that were started with signals ignored. A script takes the place of Chromium.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;
use tokio::process::{Child, Command};
use windlass_tools_browser::{Browser, BrowserAction, BrowserLimits};

use crate::fake::{FakeWeb, act};

/// Set in a process that plays the host of a browser.
const HOST: &str = "WINDLASS_TEST_KILLED_HOST";

/// A script that records its profile and received signals, and runs until the pipe of its host is closed.
const SCRIPT: &str = "#!/bin/sh
for word; do case $word in --user-data-dir=*) profile=${word#*=};; esac; done
echo a=b > \"$profile/Cookies\"
grep -E '^Sig(Ign|Blk):' /proc/self/status > \"${0%/*}/signals\"
echo \"$profile\" > \"${0%/*}/new\"
mv \"${0%/*}/new\" \"${0%/*}/profile\"
exec cat <&3 > /dev/null
";

/// A host with a browser that has started.
struct Host {
    process: Child,
    folder: TempDir,
    profile: PathBuf,
}

impl Host {
    /// Starts a host with a folder for its temporary files. `before` is a command that starts it, with its arguments.
    async fn start(temporary: &Path, before: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("chromium");
        std::fs::write(&program, SCRIPT).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).unwrap();
        let mut command = Command::new("/usr/bin/env");
        command.args(before).arg(std::env::current_exe().unwrap());
        command.args(["killed::a_host_of_a_browser", "--exact"]);
        command.env(HOST, &program).env("TMPDIR", temporary).kill_on_drop(true);
        let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let noted = folder.path().join("profile");
        soon("the browser starts", || noted.exists()).await;
        let profile = std::fs::read_to_string(noted).unwrap().trim().into();
        Self { process, folder, profile }
    }
}

async fn soon(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..1_500 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("not within 30 s: {what}");
}

/// The host itself, in a process of its own; without its variable there is nothing to do.
#[tokio::test]
async fn a_host_of_a_browser() {
    let Some(program) = std::env::var_os(HOST) else { return };
    let web = FakeWeb::default().with_name("a.test", &[&["93.184.216.34"]]);
    let mut limits = BrowserLimits::default();
    limits.start = Duration::from_mins(10);
    let browser = Browser::at(program).with_resolver(web.clone()).with_dialer(web).with_limits(limits);
    let tool = BrowserAction::new(browser);
    let _ = act(&tool, json!({"action": "launch", "url": "http://a.test/"})).await;
}

// A suspicion of correctness-3: cookies stayed in the temporary folder for good.
#[tokio::test]
async fn the_next_start_removes_the_profile_of_a_killed_host() {
    let temporary = tempfile::tempdir().unwrap();
    let living = Host::start(temporary.path(), &[]).await;
    let mut killed = Host::start(temporary.path(), &[]).await;
    assert!(killed.profile.starts_with(temporary.path()), "{}", killed.profile.display());
    killed.process.kill().await.unwrap();
    assert!(killed.profile.join("Cookies").exists() && living.profile.join("Cookies").exists());
    let next = Host::start(temporary.path(), &[]).await;
    soon("the profile is removed", || !killed.profile.exists()).await;
    assert!(living.profile.join("Cookies").exists() && next.profile.join("Cookies").exists());
}

#[tokio::test]
async fn a_browser_inherits_no_ignored_or_blocked_signals() {
    let temporary = tempfile::tempdir().unwrap();
    let host =
        Host::start(temporary.path(), &["--ignore-signal=INT,QUIT,HUP,USR1", "--block-signal=INT,USR2,TERM"])
            .await;
    let signals = std::fs::read_to_string(host.folder.path().join("signals")).unwrap();
    let masks: Vec<&str> = signals.lines().filter_map(|line| Some(line.split_once(':')?.1.trim())).collect();
    // The numbers 32 and 33 are the C library's own.
    let held =
        masks.iter().map(|mask| u64::from_str_radix(mask, 16).unwrap() & !0x1_8000_0000).collect::<Vec<_>>();
    assert_eq!(held, [0, 0], "{signals}");
}
