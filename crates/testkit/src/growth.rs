//! Growth: what a reader of texts costs, measured in a process of its own.
//!
//! A reader of what a model, a server or a repository wrote is linear up to its limit and refuses what is longer. Each such
//! reader has a test with the shapes that could be worse.

use std::fmt;
use std::process::Command;
use std::time::{Duration, Instant};

/// The length of the texts that are measured where a reader has no lower limit, in bytes.
pub const MEGABYTE: usize = 1024 * 1024;
/// The time that the reading of one text may take: 50 ms in a release build. A debug build is up to a hundred times slower
/// where a reader takes its text apart byte by byte, so there the ratio of [`check`] is what finds a cliff.
pub const MAX_TIME: Duration = Duration::from_millis(if cfg!(debug_assertions) { 5_000 } else { 50 });
/// How far the memory of the process may grow over all texts of a test.
pub const MAX_MEMORY_BYTES: u64 = 64 * 1024 * 1024;

/// How often a text is read until the time is believed: other work on the machine only ever adds to it.
const ATTEMPTS: usize = 6;
/// Times below this say nothing about growth: some kernels count a thread's time in steps of 4 ms.
const NOISE: Duration = Duration::from_millis(if cfg!(debug_assertions) { 40 } else { 12 });
/// Four times the bytes may take this many times as long: linear with room for caches, and far from quadratic.
const MAX_RATIO: u32 = 8;
/// What becomes a number in a shape.
const NUMBER: &str = "{n}";
/// The beginning of a line with a figure.
const FIGURE: &str = "growth: ";
/// Names the test that a child process measures.
const CHILD: &str = "WINDLASS_GROWTH_TEST";

/// A text that is made as long as is wanted by repeating a part of it.
#[derive(Clone, Debug)]
pub struct Shape {
    front: String,
    repeated: String,
    back: String,
}

impl Shape {
    /// Creates a shape from what stands at the front, what is repeated, and what stands at the end. `{n}` in what is
    /// repeated becomes a number that is different each time.
    pub fn new(front: impl Into<String>, repeated: impl Into<String>, back: impl Into<String>) -> Self {
        Self { front: front.into(), repeated: repeated.into(), back: back.into() }
    }

    /// Creates a shape from what is repeated alone.
    pub fn repeat(repeated: impl Into<String>) -> Self {
        Self::new("", repeated, "")
    }

    /// Adds a text in front.
    pub fn with_front(mut self, front: &str) -> Self {
        self.front.insert_str(0, front);
        self
    }

    /// Returns a text of about so many bytes.
    pub fn text(&self, bytes: usize) -> String {
        let mut text = self.front.clone();
        let mut number = 0_usize;
        while text.len().saturating_add(self.back.len()) < bytes {
            if self.repeated.contains(NUMBER) {
                text.push_str(&self.repeated.replace(NUMBER, &number.to_string()));
            } else {
                text.push_str(&self.repeated);
            }
            number = number.saturating_add(1);
        }
        text.push_str(&self.back);
        text
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cut = |text: &str| text.chars().take(60).collect::<String>();
        write!(f, "{:?} then {:?} again and again", cut(&self.front), cut(&self.repeated))
    }
}

/// Reads so many bytes of each shape, in a process of its own with one thread. `test` is the path of the calling test in
/// its binary, as `growth::policies`.
///
/// # Panics
/// A text takes longer than [`MAX_TIME`], four times the bytes take more than eight times as long, or the memory of the
/// process grows by more than [`MAX_MEMORY_BYTES`].
#[expect(clippy::print_stdout, reason = "a measurement says what it measured")]
pub fn check(test: &str, bytes: usize, shapes: &[Shape], read: impl Fn(&str)) {
    if std::env::var(CHILD).as_deref() != Ok(test) {
        return run_alone(test);
    }
    let before = memory("VmRSS:");
    let mut failures: Vec<String> = Vec::new();
    for shape in shapes {
        let (quarter, whole) = (shape.text(bytes / 4), shape.text(bytes));
        let is_linear = |took: Duration, of_quarter: Duration| {
            took < NOISE || took < of_quarter.saturating_mul(MAX_RATIO)
        };
        let (mut least, mut least_of_quarter) = (Duration::MAX, Duration::MAX);
        for _ in 0..ATTEMPTS {
            least_of_quarter = least_of_quarter.min(time(|| read(&quarter)));
            least = least.min(time(|| read(&whole)));
            if least < MAX_TIME && is_linear(least, least_of_quarter) {
                break;
            }
        }
        println!("{FIGURE}{test}: {shape}: {least:?}, a quarter {least_of_quarter:?}");
        if least >= MAX_TIME {
            failures.push(format!("{shape} of {} bytes takes {least:?}", whole.len()));
        } else if !is_linear(least, least_of_quarter) {
            failures.push(format!("{shape} takes {least:?}, a quarter {least_of_quarter:?}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    if let (Some(before), Some(peak)) = (before, memory("VmHWM:")) {
        let grown = peak.saturating_sub(before);
        println!("{FIGURE}{test}: memory grew by {} KiB", grown / 1024);
        assert!(grown < MAX_MEMORY_BYTES, "{test}: memory grew by {grown} bytes");
    }
}

fn time(read: impl Fn()) -> Duration {
    let (begun, worked) = (Instant::now(), cpu_time());
    read();
    match (worked, cpu_time()) {
        (Some(before), Some(after)) => after.saturating_sub(before),
        _ => begun.elapsed(),
    }
}

/// Reads how long this thread has had a processor, where the system tells it: other work on the machine does not count.
fn cpu_time() -> Option<Duration> {
    // Linux adds to the figure at a tick of 4 ms and when a thread yields.
    std::thread::yield_now();
    let figures = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(figures.split_whitespace().next()?.parse().ok()?))
}

/// Runs one test of this binary in a process of its own, and prints what it measured.
#[expect(clippy::print_stdout, reason = "a measurement says what it measured")]
fn run_alone(test: &str) {
    let program = std::env::current_exe().expect("a test has a program");
    let mut child = Command::new(program);
    child.args(["--exact", test, "--nocapture", "--test-threads", "1"]).env(CHILD, test);
    let ran = child.output().expect("the program of the test runs");
    let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    // A name that no test has passes without a test.
    assert!(ran.status.success() && out.contains("1 passed"), "{test} alone:\n{out}\n{err}");
    for line in out.lines().filter(|line| line.starts_with(FIGURE)) {
        println!("{line}");
    }
}

/// Reads a figure of this process's memory in bytes, where the system tells it.
fn memory(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib.saturating_mul(1024))
}
