//! The processes of the browser: their process group, two pipes, and the profile folder (RULES Q1, Q2).

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

/// Maximum number of bytes of the browser's stderr that are stored.
const HEARD_BYTES: usize = 4 * 1024;
/// Number of checks, and time between them, while waiting for the last process of the group to end.
const LOOKS: u32 = 100;
const BETWEEN: Duration = Duration::from_millis(20);
/// Descriptors of the child: Chromium reads commands from the first, and writes replies and events to the
/// second.
const COMMANDS: i32 = 3;
const ANSWERS: i32 = 4;

/// A running browser. Dropping it kills all of its processes and removes its profile folder.
pub(crate) struct Group {
    child: Box<dyn ChildWrapper>,
    leader: Option<Pid>,
    profile: Option<Profile>,
}

/// The pipes to the browser.
pub(crate) struct Pipes {
    pub(crate) commands: pipe::Sender,
    pub(crate) answers: pipe::Receiver,
    pub(crate) heard: StderrTail,
}

/// The end of the browser's stderr.
#[derive(Clone, Default)]
pub(crate) struct StderrTail(Arc<Mutex<Vec<u8>>>);

impl Group {
    /// Starts a program with a profile folder.
    ///
    /// Only the child inherits the pipes. A debugging port would be open to every process of the machine. At
    /// every end of this process the pipes are closed, and Chromium then exits by itself.
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
        // The child's ends must be closed in this process, or the end of the browser would not close the
        // pipes.
        drop(wrapped);
        let heard = StderrTail::default();
        if let Some(stderr) = child.stderr().take() {
            tokio::spawn(hear(stderr, heard.clone()));
        }
        let leader = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let group = Self { child, leader, profile: Some(profile) };
        let commands = pipe::Sender::from_owned_fd(OwnedFd::from(our_commands))?;
        let answers = pipe::Receiver::from_owned_fd(OwnedFd::from(our_answers))?;
        Ok((group, Pipes { commands, answers, heard }))
    }

    /// Waits for the end of the group's leader.
    pub(crate) async fn leader_ends(&mut self) {
        let _ = self.child.inner_mut().wait().await;
    }

    /// Kills all processes, waits until they are gone, and removes the folder. They need no time to clean up,
    /// because their folder is deleted.
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
        // Killing fails if the process group is already gone, which is harmless.
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
        // The waiting must not block a thread that runs other tasks. A runtime that shuts down waits for its
        // blocking tasks or drops them, which removes the folder as well.
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(move || drop(removal))),
            Err(_) => drop(removal),
        }
    }
}

/// A folder in which a killed process may still create files. Dropping it retries the removal for two
/// seconds; a folder that still remains is removed by a later sweep.
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

impl StderrTail {
    /// Returns the stored end of stderr.
    pub(crate) fn text(&self) -> String {
        let heard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&heard).trim().to_owned()
    }
}

/// Returns the environment of the browser. It inherits nothing from this process, such as a proxy, a key or a
/// display.
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
        // No message bus is available, and Chromium must not search for one.
        ("DBUS_SESSION_BUS_ADDRESS", "disabled:".into()),
        ("DBUS_SYSTEM_BUS_ADDRESS", "disabled:".into()),
    ]
}

/// Reads the browser's stderr, so that the browser never blocks on a full pipe, and stores the end of it.
async fn hear(mut stderr: ChildStderr, heard: StderrTail) {
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

    /// A program that leaves a process behind. The process is not in the program's group and creates files
    /// for some time.
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
