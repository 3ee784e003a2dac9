//! `Limits`: how much and how long.

use std::time::Duration;

/// How long an action may last and how much of a page is told.
///
/// ```
/// use std::time::Duration;
/// use windlass_tools_browser::Limits;
/// let limits = Limits::default().with_idle(Duration::from_secs(60));
/// assert_eq!(limits.console_lines, 40);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// How long the browser may take to start: 20 s.
    pub start: Duration,
    /// How long a page may take to load before it is shown as it is: 15 s.
    pub load: Duration,
    /// How long the browser may take to carry out one command before it is ended: 15 s.
    pub answer: Duration,
    /// How long the proxy may take until a connection stands: 10 s.
    pub connect: Duration,
    /// After how long without an action the browser is ended: 10 minutes.
    pub idle: Duration,
    /// The most bytes of a picture: 2 MB. A larger one is taken again as JPEG.
    pub image_bytes: usize,
    /// How many lines of the console are told, the last ones: 40.
    pub console_lines: usize,
    /// The most bytes of one line of the console: 500.
    pub line_bytes: usize,
    /// The most connections of a page at once: 64.
    pub connections: usize,
}

impl Default for Limits {
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

impl Limits {
    /// The same limits with another time until the browser stands.
    pub fn with_start(mut self, start: Duration) -> Self {
        self.start = start;
        self
    }

    /// The same limits with another time for a page to load.
    pub fn with_load(mut self, load: Duration) -> Self {
        self.load = load;
        self
    }

    /// The same limits with another time for one command.
    pub fn with_answer(mut self, answer: Duration) -> Self {
        self.answer = answer;
        self
    }

    /// The same limits with another time until a connection stands.
    pub fn with_connect(mut self, connect: Duration) -> Self {
        self.connect = connect;
        self
    }

    /// The same limits with another time without an action.
    pub fn with_idle(mut self, idle: Duration) -> Self {
        self.idle = idle;
        self
    }

    /// The same limits with another size of a picture.
    pub fn with_image_bytes(mut self, bytes: usize) -> Self {
        self.image_bytes = bytes;
        self
    }

    /// The same limits with another number of lines of the console.
    pub fn with_console_lines(mut self, lines: usize) -> Self {
        self.console_lines = lines;
        self
    }
}
