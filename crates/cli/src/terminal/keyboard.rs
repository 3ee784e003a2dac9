//! Reads lines from a terminal that were entered after a question was displayed.

use std::io::{self, Stdin, Write as _};
use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::termios::{QueueSelector, tcflush};

use super::echo::EchoOn;
use super::reply::Line;

/// Quiet time after a question appears. Keys before its end were typed for something else and are discarded;
/// each of them restarts the time.
const GUARD: Duration = Duration::from_millis(300);
/// Interval at which a reader checks whether its question was withdrawn.
const LOOK: Duration = Duration::from_millis(50);
/// Maximum size of a line in bytes. A terminal delivers at most 4 KB at once; a paste can be longer.
const LINE_BYTES: usize = 1024 * 1024;

/// Marks around pasted text, and the sequences that enable and disable them (bracketed paste, xterm's mode
/// 2004).
const PASTE_BEGIN: &str = "\u{1b}[200~";
const PASTE_END: &str = "\u{1b}[201~";
const PASTE_ON: &[u8] = b"\x1b[?2004h";
const PASTE_OFF: &[u8] = b"\x1b[?2004l";

/// A line, or `None` at the end of the input.
pub(super) type Entered = Option<Line>;

/// Reads a line from the terminal on standard input. Blocks. Discards input from before the call and from the
/// quiet time after it, and input after the line.
pub(super) fn read_typed(withdrawn: &Arc<AtomicBool>) -> io::Result<Entered> {
    let stdin = io::stdin();
    if !guard(&stdin, withdrawn)? {
        return Ok(None);
    }
    // Enabled after the quiet time, when the reader of a withdrawn question has ended and disabled its own
    // marks.
    let _marks = PasteMarks::enable();
    let _echo = EchoOn::begin();
    let entered = line(&stdin, withdrawn);
    discard(&stdin)?;
    entered
}

/// Discards input until the terminal was quiet for `GUARD`. Returns false if the terminal hung up.
fn guard(stdin: &Stdin, withdrawn: &AtomicBool) -> io::Result<bool> {
    discard(stdin)?;
    let mut quiet_since = Instant::now();
    while quiet_since.elapsed() < GUARD && !withdrawn.load(Ordering::Relaxed) {
        match ready(stdin, LOOK.min(GUARD.saturating_sub(quiet_since.elapsed())))? {
            Ready::Input => quiet_since = Instant::now(),
            Ready::Nothing => {}
            Ready::Gone => return Ok(false),
        }
        discard(stdin)?;
    }
    Ok(true)
}

fn discard(stdin: &Stdin) -> io::Result<()> {
    Ok(tcflush(stdin.as_fd(), QueueSelector::IFlush)?)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ready {
    Input,
    Nothing,
    /// The terminal hung up.
    Gone,
}

/// Waits for input. `wait` must be shorter than one second.
fn ready(stdin: &Stdin, wait: Duration) -> io::Result<Ready> {
    let mut fds = [PollFd::new(stdin, PollFlags::IN)];
    let wait = Timespec { tv_sec: 0, tv_nsec: wait.subsec_nanos().into() };
    match poll(&mut fds, Some(&wait)) {
        Ok(0) | Err(Errno::INTR) => Ok(Ready::Nothing),
        Ok(_) => {
            let events = fds.first().map_or(PollFlags::empty(), PollFd::revents);
            Ok(if events.contains(PollFlags::IN) { Ready::Input } else { Ready::Gone })
        }
        Err(error) => Err(error.into()),
    }
}

/// Reads one line, or a whole paste with the line that it ends in.
fn line(stdin: &Stdin, withdrawn: &AtomicBool) -> io::Result<Entered> {
    let mut bytes = Vec::new();
    loop {
        if withdrawn.load(Ordering::Relaxed) {
            return Ok(None);
        }
        match ready(stdin, LOOK)? {
            Ready::Nothing => continue,
            Ready::Gone => return Ok(None),
            // The line belongs to the next question, whose reader discards early input.
            Ready::Input if withdrawn.load(Ordering::Relaxed) => return Ok(None),
            Ready::Input => {}
        }
        let mut chunk = [0; 4096];
        let count = match rustix::io::read(stdin, &mut chunk) {
            Ok(count) => count,
            Err(Errno::INTR | Errno::AGAIN) => continue,
            Err(error) => return Err(error.into()),
        };
        if count == 0 && bytes.is_empty() {
            return Ok(None);
        }
        bytes.extend(chunk.iter().take(count));
        let text = String::from_utf8_lossy(&bytes);
        let is_open = text.rfind(PASTE_BEGIN) > text.rfind(PASTE_END);
        let is_whole = count == 0 || (text.ends_with('\n') && !is_open);
        if is_whole || bytes.len() > LINE_BYTES {
            let has_more = ready(stdin, Duration::ZERO)? == Ready::Input;
            return Ok(Some(to_line(&text, has_more)));
        }
    }
}

fn to_line(text: &str, has_more: bool) -> Line {
    let is_marked = text.contains(PASTE_BEGIN) || text.contains(PASTE_END);
    let text = text.trim_end_matches(['\n', '\r']);
    let text = text.replace(PASTE_BEGIN, "").replace(PASTE_END, "");
    Line { is_pasted: is_marked || has_more || text.contains('\n'), text }
}

/// Guard that makes the terminal mark pasted text.
struct PasteMarks;

impl PasteMarks {
    fn enable() -> Self {
        switch(PASTE_ON);
        Self
    }
}

impl Drop for PasteMarks {
    fn drop(&mut self) {
        switch(PASTE_OFF);
    }
}

fn switch(sequence: &[u8]) {
    use std::io::IsTerminal as _;
    let mut err = io::stderr();
    if err.is_terminal() {
        let _ = err.write_all(sequence).and_then(|()| err.flush());
    }
}

#[cfg(test)]
mod tests {
    use super::to_line;

    #[test]
    fn a_paste_is_one_line_without_its_marks() {
        let line = to_line("\u{1b}[200~y\n\u{1b}[201~\n", false);
        assert_eq!((line.text.trim(), line.is_pasted), ("y", true));
        let line = to_line("\u{1b}[200~one\ntwo\u{1b}[201~ three\n", false);
        assert_eq!((line.text.as_str(), line.is_pasted), ("one\ntwo three", true));
        let line = to_line("y\n", true);
        assert_eq!((line.text.as_str(), line.is_pasted), ("y", true));
        let line = to_line("y\r\n", false);
        assert_eq!((line.text.as_str(), line.is_pasted), ("y", false));
    }
}
