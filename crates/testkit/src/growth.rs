//! Growth tests: measure the time and memory of a parser in a separate process.
//!
//! Every parser of texts from a model, a server or a repository must take time linear in the length of the
//! text, up to the parser's length limit, and must refuse longer texts. Each of these parsers has a growth
//! test with the texts that could make it slower than linear.

use std::fmt;
use std::process::Command;
use std::time::{Duration, Instant};

/// The length of the measured texts in bytes, for parsers without a lower limit.
pub const MEGABYTE: usize = 1024 * 1024;
/// The maximum time to parse one text: 50 ms in a release build. A debug build is up to a hundred times
/// slower for a parser that works byte by byte, so there only the ratio that [`check`] computes detects
/// quadratic time.
pub const MAX_TIME: Duration = Duration::from_millis(if cfg!(debug_assertions) { 5_000 } else { 50 });
/// The maximum growth of the process's memory during all texts of a test.
pub const MAX_MEMORY_BYTES: u64 = 64 * 1024 * 1024;

/// The number of measurements after which [`compare`] stops once its patience has ended. The minimum counts, because
/// other work on the machine only adds time: it takes the caches and the other half of a core, so even the processor
/// time of a thread grows.
const MIN_ATTEMPTS: usize = 6;
/// The time for which a comparison that does not hold yet is repeated. A slow reader fails every attempt; a fast
/// reader on a busy machine passes one.
const PATIENCE: Duration = Duration::from_secs(20);
/// Shorter times are too imprecise to compute a ratio: some kernels count a thread's time in steps of 4 ms.
const NOISE: Duration = Duration::from_millis(if cfg!(debug_assertions) { 40 } else { 12 });
/// The maximum ratio of the times for a text and for a quarter of it. Linear time gives 4 and quadratic time
/// 16; the difference from 4 allows for effects of caches.
const MAX_RATIO: u32 = 8;
/// The placeholder that a shape replaces with a number.
const NUMBER: &str = "{n}";
/// The prefix of an output line with a measurement.
const FIGURE: &str = "growth: ";
/// The environment variable that names the test to measure, set in the child process.
const CHILD: &str = "WINDLASS_GROWTH_TEST";

/// A pattern for texts of any length: a front, a repeated part and a back.
#[derive(Clone, Debug)]
pub struct Shape {
    front: String,
    repeated: String,
    back: String,
}

impl Shape {
    /// Creates a shape from the front, the repeated part and the back. `{n}` in the repeated part is replaced
    /// with a different number in each repetition.
    pub fn new(front: impl Into<String>, repeated: impl Into<String>, back: impl Into<String>) -> Self {
        Self { front: front.into(), repeated: repeated.into(), back: back.into() }
    }

    /// Creates a shape with only a repeated part.
    pub fn repeat(repeated: impl Into<String>) -> Self {
        Self::new("", repeated, "")
    }

    /// Adds a text in front.
    pub fn with_front(mut self, front: &str) -> Self {
        self.front.insert_str(0, front);
        self
    }

    /// Returns a text of about this number of bytes.
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

/// Returns shapes of TOML that every parser of a TOML file must read in linear time, whatever the keys of the file
/// are: tables, values, strings and comments, complete and cut off.
pub fn toml_shapes() -> Vec<Shape> {
    let repeated = [
        "[[a]]\n",
        "[a{n}]\n",
        "[a.b.c.d.e.f{n}]\n",
        "a{n} = 1\n",
        "a = 1\n",
        "a.",
        "[[",
        "{",
        "#",
        "\n",
        "\"",
    ];
    let values = [
        ("a = [", "0,", "]"),
        ("a = ", "[", ""),
        ("a = ", "{a=", ""),
        ("a = {z=0", ",a{n}=0", "}"),
        ("a = \"", "\\u0041", "\""),
    ];
    let values = values.map(|(front, part, back)| Shape::new(front, part, back));
    repeated.map(Shape::repeat).into_iter().chain(values).collect()
}

/// Parses a text of `bytes` bytes of each shape, in a separate process with one thread. `test` is the path of
/// the calling test in its binary, for example `growth::policies`.
///
/// # Panics
/// A text takes longer than [`MAX_TIME`], four times the bytes take more than eight times as long, or the memory of the
/// process grows by more than [`MAX_MEMORY_BYTES`].
pub fn check(test: &str, bytes: usize, shapes: &[Shape], read: impl Fn(&str)) {
    check_prepared(test, bytes, shapes, |text| text, |text: &String| read(text));
}

/// Like [`check`], but measures only `read`, and not the work of `prepare`, for example the writing of files.
///
/// # Panics
/// Like [`check`].
#[expect(clippy::print_stdout, reason = "a measurement has a name")]
pub fn check_prepared<P>(
    test: &str,
    bytes: usize,
    shapes: &[Shape],
    prepare: impl Fn(String) -> P,
    read: impl Fn(&P),
) {
    if std::env::var(CHILD).as_deref() != Ok(test) {
        return run_alone(test);
    }
    let before = memory("VmRSS:");
    let mut failures: Vec<String> = Vec::new();
    for shape in shapes {
        let input = shape.text(bytes);
        let length = input.len();
        let (quarter, whole) = (prepare(shape.text(bytes / 4)), prepare(input));
        let is_linear = |took: Duration, of_quarter: Duration| {
            took < NOISE || took < of_quarter.saturating_mul(MAX_RATIO)
        };
        let (least_of_quarter, least) = compare(
            || time(|| read(&quarter)),
            || time(|| read(&whole)),
            |of_quarter, took| took < MAX_TIME && is_linear(took, of_quarter),
        );
        println!("{FIGURE}{test}: {shape}: {least:?}, a quarter {least_of_quarter:?}");
        if least >= MAX_TIME {
            failures.push(format!("{shape} of {length} bytes takes {least:?}"));
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

/// Measures two pieces of work in turns until the shortest times of both are accepted, at least six times and for at
/// most 20 seconds. Returns the two shortest times.
pub fn compare(
    mut first: impl FnMut() -> Duration,
    mut second: impl FnMut() -> Duration,
    is_accepted: impl Fn(Duration, Duration) -> bool,
) -> (Duration, Duration) {
    let began = Instant::now();
    let (mut of_first, mut of_second) = (Duration::MAX, Duration::MAX);
    let mut attempts = 0;
    while attempts < MIN_ATTEMPTS || began.elapsed() < PATIENCE {
        of_first = of_first.min(first());
        of_second = of_second.min(second());
        if is_accepted(of_first, of_second) {
            break;
        }
        attempts += 1;
    }
    (of_first, of_second)
}

/// Returns the processor time that this thread spends in a function, or the time of the clock where the system does not
/// report the former.
fn time(read: impl Fn()) -> Duration {
    let (begun, worked) = (Instant::now(), cpu_time());
    read();
    match (worked, cpu_time()) {
        (Some(before), Some(after)) => after.saturating_sub(before),
        _ => begun.elapsed(),
    }
}

/// Returns the CPU time of this thread, or `None` if the system does not report it. CPU time excludes other
/// work on the machine.
fn cpu_time() -> Option<Duration> {
    // Linux adds to the figure at a tick of 4 ms and when a thread yields.
    std::thread::yield_now();
    let figures = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(figures.split_whitespace().next()?.parse().ok()?))
}

/// Runs one test of this binary in a separate process, and prints its measurements.
#[expect(clippy::print_stdout, reason = "a measurement has a name")]
fn run_alone(test: &str) {
    let program = std::env::current_exe().expect("a test has a program");
    let mut child = Command::new(program);
    child.args(["--exact", test, "--nocapture", "--test-threads", "1"]).env(CHILD, test);
    let ran = child.output().expect("the program of the test runs");
    let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    // The test program also succeeds if no test has this name, so check that one test ran.
    assert!(ran.status.success() && out.contains("1 passed"), "{test} alone:\n{out}\n{err}");
    for line in out.lines().filter(|line| line.starts_with(FIGURE)) {
        println!("{line}");
    }
}

/// Returns a value of this process's memory in bytes, or `None` if the system does not report it.
fn memory(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib.saturating_mul(1024))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::time::Duration;

    use super::compare;

    #[test]
    fn a_comparison_that_other_work_disturbs_is_repeated_until_it_holds() {
        let round = Cell::new(0_u64);
        let quarter = || Duration::from_millis(10);
        // Twenty measurements beside other work, and then a calm one.
        let whole = || {
            round.set(round.get() + 1);
            Duration::from_millis(if round.get() <= 20 { 200 } else { 40 })
        };
        let is_linear = |quarter: Duration, whole: Duration| whole < quarter * 8;
        let times = compare(quarter, whole, is_linear);
        assert_eq!(times, (Duration::from_millis(10), Duration::from_millis(40)));
        assert_eq!(round.get(), 21);
    }

    #[test]
    fn a_comparison_that_holds_is_made_once() {
        let rounds = Cell::new(0);
        let count = || {
            rounds.set(rounds.get() + 1);
            Duration::from_millis(1)
        };
        compare(|| Duration::from_millis(1), count, |_, _| true);
        assert_eq!(rounds.get(), 1);
    }
}
