//! The measured work of each peer on each workload, created by name so that a child process can create it
//! again.

mod deltas;
#[cfg(feature = "streams")]
mod events;
#[cfg(any(feature = "parsers", feature = "streams"))]
mod jiter_partial;
#[cfg(feature = "streams")]
mod path;
#[cfg(feature = "agents")]
mod text;
#[cfg(feature = "loops")]
pub mod turns;
#[cfg(feature = "parsers")]
mod typed;
#[cfg(any(feature = "parsers", feature = "agents"))]
mod viewers;
#[cfg(feature = "parsers")]
mod whole;

use std::fmt;

use windlass_testkit::split::{self, Cut};
use windlass_testkit::workload;

/// A workload with its size and its split.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Case {
    /// The name of the workload: `W1`, `W2`, `openai`, …
    pub workload: String,
    /// The size in bytes; 0 for workloads of fixed size.
    pub bytes: usize,
    /// The split: `d1`, `d4`, `d16`, `dR`, `W4`, or the length of a network chunk.
    pub cut: String,
}

impl Case {
    /// Creates a case.
    pub fn new(workload: &str, bytes: usize, cut: &str) -> Self {
        Self { workload: workload.to_owned(), bytes, cut: cut.to_owned() }
    }

    /// Creates a case that is split into network chunks of one length.
    pub fn with_chunks(workload: &str, bytes: usize, chunk: usize) -> Self {
        Self::new(workload, bytes, &chunk.to_string())
    }

    /// Returns the JSON text of an arguments workload. The text is leaked, so it lives as long as the
    /// program.
    fn text(&self) -> Option<&'static str> {
        let text = match self.workload.as_str() {
            "W1" => workload::w1(self.bytes),
            "W1u" => workload::w1u(self.bytes),
            "W1p" => workload::w1p(self.bytes),
            "W2" => workload::w2(),
            "W3" => workload::w3(),
            _ => return None,
        };
        Some(Box::leak(text.into_boxed_str()))
    }

    /// Returns the deltas of an arguments workload.
    pub fn deltas(&self) -> Option<Vec<&'static str>> {
        let cut = match self.cut.as_str() {
            "d1" => Cut::One,
            "d4" => Cut::Four,
            "d16" => Cut::Sixteen,
            "dR" => Cut::Ragged,
            "W4" => Cut::Whole,
            _ => return None,
        };
        Some(split::deltas(self.text()?, cut, 1))
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_chunk = self.cut.parse::<usize>().is_ok();
        let cut = if is_chunk { format!("by {}", self.cut) } else { self.cut.clone() };
        if self.bytes == 0 {
            return write!(f, "{} {cut}", self.workload);
        }
        write!(f, "{} {} {cut}", self.workload, size(self.bytes))
    }
}

/// Formats a number of bytes for people.
pub fn size(bytes: usize) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} KB", bytes / 1_000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}

/// The work of one peer on one workload.
pub struct Work {
    /// Number of deltas, events or bytes; costs are reported per unit.
    pub units: usize,
    run: Box<dyn FnMut()>,
    check: Box<dyn Fn() -> Result<(), String>>,
}

impl Work {
    fn new(
        units: usize,
        run: impl FnMut() + 'static,
        check: impl Fn() -> Result<(), String> + 'static,
    ) -> Self {
        Self { units, run: Box::new(run), check: Box::new(check) }
    }

    /// Performs the work once.
    pub fn run(&mut self) {
        (self.run)();
    }

    /// Checks the peer's result.
    ///
    /// # Errors
    /// The difference and its position.
    pub fn check(&self) -> Result<(), String> {
        (self.check)()
    }
}

/// Prevents the compiler from optimising the result away.
fn keep<T>(result: &T) {
    std::hint::black_box(result);
}

/// Returns the work of a peer for a case, or `None` if either is unknown.
pub fn find(peer: &str, case: &Case) -> Option<Work> {
    let finders: &[fn(&str, &Case) -> Option<Work>] = &[
        deltas::find,
        #[cfg(any(feature = "parsers", feature = "agents"))]
        viewers::find,
        #[cfg(feature = "parsers")]
        typed::find,
        #[cfg(feature = "parsers")]
        whole::find,
        #[cfg(feature = "streams")]
        events::find,
        #[cfg(feature = "streams")]
        path::find,
        #[cfg(feature = "agents")]
        text::find,
        #[cfg(feature = "loops")]
        turns::find,
    ];
    finders.iter().find_map(|find| find(peer, case))
}
