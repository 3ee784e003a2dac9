//! Limits on the time of actions and on the size of results.

use std::time::Duration;

/// Limits on the time of actions and on the size of results.
///
/// ```
/// use std::time::Duration;
/// use windlass_tools_browser::BrowserLimits;
/// let limits = BrowserLimits::default().with_idle(Duration::from_secs(60));
/// assert_eq!(limits.console_lines, 40);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BrowserLimits {
    /// Maximum time for the start of the browser: 20 s.
    pub start: Duration,
    /// Maximum time for loading a page: 15 s. Afterwards the page is shown in its current state.
    pub load: Duration,
    /// Maximum time for one command of the protocol: 15 s. A browser that takes longer is ended.
    pub answer: Duration,
    /// Maximum time in which the proxy connects: 10 s.
    pub connect: Duration,
    /// Time without an action after which the browser is ended: 10 minutes.
    pub idle: Duration,
    /// Maximum size of a screenshot in bytes: 2 MB. A larger one is repeated as JPEG.
    pub image_bytes: usize,
    /// Maximum number of console lines in a result: 40. Earlier lines are dropped.
    pub console_lines: usize,
    /// Maximum number of bytes of one console line: 500.
    pub line_bytes: usize,
    /// Maximum number of simultaneous connections of a page: 64.
    pub connections: usize,
}

impl Default for BrowserLimits {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(20),
            load: Duration::from_secs(15),
            answer: Duration::from_secs(15),
            connect: Duration::from_secs(10),
            idle: Duration::from_mins(10),
            image_bytes: 2_000_000,
            console_lines: 40,
            line_bytes: 500,
            connections: 64,
        }
    }
}

impl BrowserLimits {
    /// Sets the maximum time for the start of the browser.
    pub fn with_start(mut self, start: Duration) -> Self {
        self.start = start;
        self
    }

    /// Sets the maximum time for loading a page.
    pub fn with_load(mut self, load: Duration) -> Self {
        self.load = load;
        self
    }

    /// Sets the maximum time for one command.
    pub fn with_answer(mut self, answer: Duration) -> Self {
        self.answer = answer;
        self
    }

    /// Sets the maximum time for connecting.
    pub fn with_connect(mut self, connect: Duration) -> Self {
        self.connect = connect;
        self
    }

    /// Sets the time without an action after which the browser is ended.
    pub fn with_idle(mut self, idle: Duration) -> Self {
        self.idle = idle;
        self
    }

    /// Sets the maximum size of a screenshot in bytes.
    pub fn with_image_bytes(mut self, bytes: usize) -> Self {
        self.image_bytes = bytes;
        self
    }

    /// Sets the maximum number of console lines.
    pub fn with_console_lines(mut self, lines: usize) -> Self {
        self.console_lines = lines;
        self
    }
}
