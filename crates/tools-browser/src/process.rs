//! The browser's processes: a group of their own, two pipes, a folder that goes with them (RULES Q1, Q2).

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use command_fds::{CommandFdExt as _, FdMapping};
use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop, ProcessGroup};
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe;
use tokio::process::{ChildStderr, Command};
use windlass_sandbox::start_child;

use crate::profile::Profile;

/// How much of what the browser says beside the protocol is kept.
const HEARD_BYTES: usize = 4 * 1024;
/// How often and how long is waited for the last process of the group.
const LOOKS: u32 = 100;
const BETWEEN: Duration = Duration::from_millis(20);
/// Chromium reads commands here and writes answers and events there.
const COMMANDS: i32 = 3;
const ANSWERS: i32 = 4;

/// The running browser. Dropping it kills all of its processes and removes its folder.
pub(crate) struct Group {
    child: Box<dyn ChildWrapper>,
    leader: Option<Pid>,
    profile: Option<Profile>,
}

/// What is spoken over.
pub(crate) struct Pipes {
    pub(crate) commands: pipe::Sender,
    pub(crate) answers: pipe::Receiver,
    pub(crate) heard: Heard,
}

/// The last words of a browser.
#[derive(Clone, Default)]
pub(crate) struct Heard(Arc<Mutex<Vec<u8>>>);

impl Group {
    /// Starts a program with a profile folder.
    ///
    /// The pipes are in nobody's hands but the child's: a debugging port would be open to every process here. When
    /// this process ends, however it does, they are closed, and Chromium ends by itself.
    pub(crate) fn start(
        program: &Path,
        arguments: &[OsString],
        profile: Profile,
    ) -> io::Result<(Self, Pipes)> {
        let (their_commands, our_commands) = io::pipe()?;
        let (our_answers, their_answers) = io::pipe()?;
        let mut process = Command::new(program);
        process.args(arguments).env_clear().envs(environment(profile.path())).current_dir(profile.path());
        process.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mappings = vec![
            FdMapping { parent_fd: OwnedFd::from(their_commands), child_fd: COMMANDS },
            FdMapping { parent_fd: OwnedFd::from(their_answers), child_fd: ANSWERS },
        ];
        process.fd_mappings(mappings).map_err(io::Error::other)?;
        let mut wrapped = CommandWrap::from(process);
        wrapped.wrap(ProcessGroup::leader()).wrap(KillOnDrop);
        let mut child = start_child(|| wrapped.spawn())?;
        // Their ends must be open nowhere else, or the end of the browser would not be seen.
        drop(wrapped);
        let heard = Heard::default();
        if let Some(stderr) = child.stderr().take() {
            tokio::spawn(hear(stderr, heard.clone()));
        }
        let leader = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let group = Self { child, leader, profile: Some(profile) };
        let commands = pipe::Sender::from_owned_fd(OwnedFd::from(our_commands))?;
        let answers = pipe::Receiver::from_owned_fd(OwnedFd::from(our_answers))?;
        Ok((group, Pipes { commands, answers, heard }))
    }

    /// The leader alone.
    pub(crate) async fn leader_ends(&mut self) {
        let _ = self.child.inner_mut().wait().await;
    }

    /// Kills everybody, waits until they are gone and removes the folder. There is nothing to tidy up for them: the
    /// folder is thrown away.
    pub(crate) async fn end(mut self) {
        self.kill();
        let _ = tokio::time::timeout(BETWEEN * LOOKS, self.leader_ends()).await;
        for _ in 0..LOOKS {
            if self.is_gone() {
                break;
            }
            tokio::time::sleep(BETWEEN).await;
        }
    }

    fn kill(&mut self) {
        // A group that is already gone cannot be killed, and need not be.
        let _ = self.child.start_kill();
        if let Some(leader) = self.leader {
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }

    fn is_gone(&self) -> bool {
        self.leader.is_none_or(|leader| test_kill_process_group(leader).is_err())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.is_gone() {
            self.kill();
        }
        let Some(profile) = self.profile.take() else { return };
        if profile.remove() {
            return;
        }
        let removal = LateRemoval(profile);
        // The waits are not for a thread that runs other tasks. The end of a runtime waits for its blocking tasks, or drops
        // them, which removes the folder, too.
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(move || drop(removal))),
            Err(_) => drop(removal),
        }
    }
}

/// A folder in which a process that was just killed may still make files. Dropping it waits until they are gone, too; a
/// folder that stays is for a later sweep.
struct LateRemoval(Profile);

impl Drop for LateRemoval {
    fn drop(&mut self) {
        for _ in 0..LOOKS {
            std::thread::sleep(BETWEEN);
            if self.0.remove() {
                return;
            }
        }
    }
}

impl Heard {
    /// Its last lines.
    pub(crate) fn text(&self) -> String {
        let heard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&heard).trim().to_owned()
    }
}

/// Nothing of this process's environment: no proxy, no key, no display.
fn environment(profile: &Path) -> Vec<(&'static str, OsString)> {
    let folder = || profile.as_os_str().to_owned();
    vec![
        ("PATH", "/usr/bin:/bin".into()),
        ("LANG", "C.UTF-8".into()),
        ("HOME", folder()),
        ("TMPDIR", folder()),
        ("XDG_CONFIG_HOME", folder()),
        ("XDG_CACHE_HOME", folder()),
        ("XDG_RUNTIME_DIR", folder()),
        // There is no bus, and it is not looked for.
        ("DBUS_SESSION_BUS_ADDRESS", "disabled:".into()),
        ("DBUS_SYSTEM_BUS_ADDRESS", "disabled:".into()),
    ]
}

/// Reads what the browser says beside the protocol, so that it never waits for a reader, and keeps the end of it.
async fn hear(mut stderr: ChildStderr, heard: Heard) {
    let mut buf = [0; 1024];
    while let Ok(len @ 1..) = stderr.read(&mut buf).await {
        let mut heard = heard.0.lock().unwrap_or_else(PoisonError::into_inner);
        heard.extend_from_slice(buf.get(..len).unwrap_or_default());
        let surplus = heard.len().saturating_sub(HEARD_BYTES);
        heard.drain(..surplus);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    /// A program that leaves a process behind which is not of its group and makes files for a while.
    const WRITES_ON: &str = "setsid sh -c 'i=0; while [ $i -lt 30000 ]; do : > \"$HOME/f$i\"; i=$((i+1)); done' 2>/dev/null & sleep 60";

    #[tokio::test]
    async fn a_drop_does_not_wait_on_the_thread_that_runs_other_tasks() {
        let profile = Profile::create().unwrap();
        let path = profile.path().to_owned();
        let arguments = ["-c", WRITES_ON].map(OsString::from);
        let (group, _pipes) = Group::start(Path::new("/bin/sh"), &arguments, profile).unwrap();
        let is_writing = || std::fs::read_dir(&path).unwrap().count() > 2;
        while !is_writing() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let began = Instant::now();
        drop(group);
        assert!(began.elapsed() < Duration::from_millis(500), "{:?}", began.elapsed());
        for _ in 0..500 {
            if !path.exists() {
                return;
            }
            tokio::time::sleep(BETWEEN).await;
        }
        panic!("{} is still there", path.display());
    }
}
