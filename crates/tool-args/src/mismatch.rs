//! Values that do not fit the type of a tool's arguments.

use std::fmt;

use windlass_partial_json::{Kind, Node};

/// A value that does not fit its type: its place, the expected and the actual value. A mismatch is recorded
/// and reading continues.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mismatch {
    /// Place of the value, as a JSON Pointer; empty for the arguments as a whole.
    pub path: String,
    /// Description of the expected value.
    pub wanted: String,
    /// Description of the actual value.
    pub met: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() { "the arguments" } else { &self.path };
        write!(f, "{path}: found {}, expected {}", self.met, self.wanted)
    }
}

/// The maximum number of recorded mismatches. A model can produce any number of them, and more do not help a
/// reader.
const REMEMBERED: usize = 16;

/// The first mismatches of one text.
///
/// Only this crate can create a value of this type, so other crates cannot complete a partial struct and run
/// a call with it (RULES J1).
#[derive(Debug)]
pub struct Mismatches {
    list: Vec<Mismatch>,
}

/// A complete value that does not fit its type. The path is relative to the value.
#[derive(Debug)]
pub(crate) struct Unfit {
    pub(crate) path: String,
    pub(crate) wanted: String,
    pub(crate) met: String,
}

impl Mismatches {
    pub(crate) fn new() -> Self {
        Self { list: Vec::new() }
    }

    /// Returns the recorded mismatches in the order of the text.
    pub fn list(&self) -> &[Mismatch] {
        &self.list
    }

    /// Records that this value does not fit.
    #[cold]
    pub(crate) fn add(&mut self, value: Node<'_>, wanted: impl Into<String>, met: impl Into<String>) {
        self.push(|| Mismatch { path: value.path(), wanted: wanted.into(), met: met.into() });
    }

    /// Records that this value, or a value inside it, cannot be deserialized.
    #[cold]
    pub(crate) fn unfit(&mut self, value: Node<'_>, unfit: Unfit) {
        self.push(|| Mismatch {
            path: format!("{}{}", value.path(), unfit.path),
            wanted: unfit.wanted,
            met: unfit.met,
        });
    }

    /// Records that this object has ended without a required member.
    #[cold]
    pub(crate) fn lacking(&mut self, object: Node<'_>, name: &str) {
        // A member with a value that did not fit has its own mismatch already.
        if object.get(name).is_none() {
            let (wanted, met) = (format!("the required `{name}`"), format!("no `{name}`"));
            self.push(|| Mismatch { path: object.path(), wanted, met });
        }
    }

    fn push(&mut self, mismatch: impl FnOnce() -> Mismatch) {
        if self.list.len() < REMEMBERED {
            self.list.push(mismatch());
        }
    }
}

/// Returns a kind of value in words.
pub(crate) fn kind_words(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Bool => "a boolean",
        Kind::Number => "a number",
        Kind::String => "a string",
        Kind::Array => "an array",
        Kind::Object => "an object",
    }
}
