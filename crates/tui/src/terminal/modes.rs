//! The modes of the terminal while the program uses it.

use std::io::{self, Write};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::terminal::{disable_raw_mode, enable_raw_mode};

/// Bracketed paste and reports of the focus.
const ENTER: &str = "\x1b[?2004h\x1b[?1004h";
/// Ends a frame, the marks of pastes and the reports of the focus, shows the cursor and resets the style.
const LEAVE: &str = "\x1b[?2026l\x1b[?2004l\x1b[?1004l\x1b[?25h\x1b[m";

static IS_ENTERED: AtomicBool = AtomicBool::new(false);

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
    pub(crate) fn enter() -> io::Result<Self> {
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let earlier = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |info| {
                restore();
                earlier(info);
            }));
        });
        enable_raw_mode()?;
        IS_ENTERED.store(true, Ordering::Release);
        let modes = Self { _private: () };
        write(ENTER)?;
        Ok(modes)
    }
}

impl Drop for Modes {
    fn drop(&mut self) {
        restore();
    }
}

/// Restores the terminal, if the modes are entered.
fn restore() {
    if IS_ENTERED.swap(false, Ordering::AcqRel) {
        // A terminal that is gone needs no modes.
        let _ = write(LEAVE);
        let _ = disable_raw_mode();
    }
}

fn write(sequence: &str) -> io::Result<()> {
    let mut out = io::stdout();
    out.write_all(sequence.as_bytes())?;
    out.flush()
}
