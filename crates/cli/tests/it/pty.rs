//! The built program on a terminal of its own.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// Time limit of a broken test.
const PATIENCE: Duration = Duration::from_mins(1);

/// Waits a short time for output of the program.
fn is_readable(terminal: &File) -> bool {
    let mut polled = [PollFd::new(terminal, PollFlags::IN)];
    let wait = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };
    rustix::event::poll(&mut polled, Some(&wait)).is_ok_and(|count| count > 0)
}

/// A terminal and its screen.
pub(crate) struct Pty {
    keys: File,
    program_side: OwnedFd,
    screen: Arc<Mutex<Vec<u8>>>,
    reader: JoinHandle<()>,
    is_closed: Arc<AtomicBool>,
}

impl Pty {
    pub(crate) fn new() -> Self {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap();
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let program_side = rustix::fs::open(name, flags, Mode::empty()).unwrap();
        let keys = File::from(ours);
        let screen = Arc::new(Mutex::new(Vec::new()));
        let (mut reader, shared) = (keys.try_clone().unwrap(), screen.clone());
        let is_closed = Arc::new(AtomicBool::new(false));
        let closed = Arc::clone(&is_closed);
        let reader = std::thread::spawn(move || {
            let mut chunk = [0; 4096];
            while !closed.load(Ordering::Acquire) {
                if !is_readable(&reader) {
                    continue;
                }
                let Ok(count @ 1..) = reader.read(&mut chunk) else { break };
                shared.lock().unwrap().extend_from_slice(&chunk[..count]);
            }
        });
        Self { keys, program_side, screen, reader, is_closed }
    }

    /// Closes the terminal, as the end of its window or of an SSH connection does. Returns the last screen.
    #[cfg(feature = "tui")]
    pub(crate) fn hang_up(self) -> String {
        self.is_closed.store(true, Ordering::Release);
        self.reader.join().unwrap();
        String::from_utf8_lossy(&self.screen.lock().unwrap()).into_owned()
    }

    /// Creates a terminal of a size.
    #[cfg(feature = "tui")]
    pub(crate) fn with_size(columns: u16, rows: u16) -> Self {
        let pty = Self::new();
        pty.set_size(columns, rows);
        pty
    }

    #[cfg(feature = "tui")]
    fn set_size(&self, columns: u16, rows: u16) {
        let size = rustix::termios::Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        rustix::termios::tcsetwinsize(&self.program_side, size).unwrap();
    }

    /// Changes the size, and signals the program as the kernel signals the process that this terminal
    /// controls.
    #[cfg(feature = "tui")]
    pub(crate) fn resize(&self, child: &Child, columns: u16, rows: u16) {
        self.set_size(columns, rows);
        let process = rustix::process::Pid::from_child(child);
        rustix::process::kill_process(process, rustix::process::Signal::WINCH).unwrap();
    }

    pub(crate) fn start(&self, mut command: Command) -> Child {
        let side = || self.program_side.try_clone().unwrap();
        command.stdin(side()).stdout(side()).stderr(side()).spawn().unwrap()
    }

    pub(crate) fn keys(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// Returns true if the terminal writes typed keys to its screen.
    pub(crate) fn has_echo(&self) -> bool {
        let attributes = rustix::termios::tcgetattr(&self.program_side).unwrap();
        attributes.local_modes.contains(rustix::termios::LocalModes::ECHO)
    }

    /// Types an answer as a person does, who has read the question first.
    pub(crate) fn answer(&mut self, keys: &str) {
        std::thread::sleep(Duration::from_secs(1));
        self.keys(keys);
    }

    pub(crate) fn screen(&self) -> String {
        String::from_utf8_lossy(&self.screen.lock().unwrap()).into_owned()
    }

    /// Waits until the screen contains a text this many times.
    #[track_caller]
    pub(crate) fn wait(&self, text: &str, times: usize) {
        let began = Instant::now();
        while self.screen().matches(text).count() < times {
            assert!(began.elapsed() < PATIENCE, "no {times} {text:?} in {}", self.screen());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until the terminal writes typed keys to its screen, or does not.
    #[track_caller]
    pub(crate) fn wait_for_echo(&self, is_on: bool) {
        let began = Instant::now();
        while self.has_echo() != is_on {
            assert!(began.elapsed() < PATIENCE, "echo is not {is_on}: {}", self.screen());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits for the end of the program, and for the last of its output.
    #[track_caller]
    pub(crate) fn end(&self, child: &mut Child) -> ExitStatus {
        let began = Instant::now();
        loop {
            if let Some(status) = child.try_wait().unwrap() {
                std::thread::sleep(Duration::from_millis(100));
                return status;
            }
            if began.elapsed() > PATIENCE {
                child.kill().unwrap();
            }
            assert!(began.elapsed() <= PATIENCE, "it does not end: {}", self.screen());
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
