//! The modes of the terminal while the program uses it.

use std::io::{self, Write};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use tokio::sync::Notify;

/// Bracketed paste and reports of the focus.
const ENTER: &str = "\x1b[?2004h\x1b[?1004h";
/// Ends a frame, the marks of pastes and the reports of the focus, shows the cursor and resets the style.
const LEAVE: &str = "\x1b[?2026l\x1b[?2004l\x1b[?1004l\x1b[?25h\x1b[m";

/// The alternate screen with reports of the mouse wheel. Both reports of buttons and their place follow SGR.
const ENTER_ALTERNATE: &str = "\x1b[?1049h\x1b[H\x1b[2J\x1b[?1000h\x1b[?1006h";
/// Ends the reports of the mouse, and displays the normal screen as it was.
const LEAVE_ALTERNATE: &str = "\x1b[?1006l\x1b[?1000l\x1b[?1049l";

static IS_ENTERED: AtomicBool = AtomicBool::new(false);
static IS_ALTERNATE: AtomicBool = AtomicBool::new(false);
/// Wakes the conversation after a panic that left the modes.
static LEFT: Notify = Notify::const_new();

/// Screen of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScreenBuffer {
    /// The screen of the shell, whose lines enter the scrollback.
    Normal,
    /// A screen without a scrollback, which the program has for itself.
    Alternate,
}

/// Makes the kernel report again that keys wait.
///
/// The key reader (crossterm 0.29) waits for changes of its sources, and forgets the others when one of them is a change
/// of the size. A key that arrives in the same moment would stay unread until the next one. Setting the attributes that
/// the terminal has changes nothing else, and wakes the task that waits for keys.
pub(crate) fn report_waiting_keys() {
    #[cfg(unix)]
    {
        let terminal = rustix::stdio::stdin();
        // A terminal that cannot do so is gone, which the next read reports.
        let _ = rustix::termios::tcgetattr(terminal).and_then(|attributes| {
            rustix::termios::tcsetattr(terminal, rustix::termios::OptionalActions::Now, &attributes)
        });
    }
}

/// Raw mode with bracketed paste. Dropping it restores the terminal, and so does a panic.
#[derive(Debug)]
pub(crate) struct Modes {
    _private: (),
}

impl Modes {
    /// Enters the modes.
    ///
    /// # Errors
    ///
    /// Fails if standard input is not a terminal.
    pub(crate) fn enter(buffer: ScreenBuffer) -> io::Result<Self> {
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let earlier = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |info| {
                if restore() {
                    // The message replaces the rows at the cursor and below it.
                    let _ = write("\r\n\x1b[J");
                }
                earlier(info);
                LEFT.notify_one();
            }));
        });
        enable_raw_mode()?;
        let is_alternate = buffer == ScreenBuffer::Alternate;
        IS_ALTERNATE.store(is_alternate, Ordering::Release);
        IS_ENTERED.store(true, Ordering::Release);
        let modes = Self { _private: () };
        if is_alternate {
            write(ENTER_ALTERNATE)?;
        }
        write(ENTER)?;
        Ok(modes)
    }

    /// Returns true if the terminal has the modes. A panic leaves them, also one that ends only a task of the program.
    pub(crate) fn are_entered() -> bool {
        IS_ENTERED.load(Ordering::Acquire)
    }

    /// Waits until a panic has left the modes and printed its message. Cancel-safe.
    pub(crate) async fn wait_for_panic() {
        LEFT.notified().await;
    }
}

impl Drop for Modes {
    fn drop(&mut self) {
        restore();
    }
}

/// Restores the terminal. Returns false if the modes are not entered.
fn restore() -> bool {
    let is_entered = IS_ENTERED.swap(false, Ordering::AcqRel);
    if is_entered {
        // A terminal that is gone needs no modes.
        let _ = write(LEAVE);
        if IS_ALTERNATE.load(Ordering::Acquire) {
            let _ = write(LEAVE_ALTERNATE);
        }
        let _ = disable_raw_mode();
    }
    is_entered
}

fn write(sequence: &str) -> io::Result<()> {
    let mut out = io::stdout();
    out.write_all(sequence.as_bytes())?;
    out.flush()
}
