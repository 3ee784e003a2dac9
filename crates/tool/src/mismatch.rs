//! What came and was not what the type wants.

use std::fmt;

use windlass_partial_json::{Kind, Node};

/// A value that does not fit its type: where, what is wanted, what was met. It is remembered and the rest
/// goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mismatch {
    /// Where, as a JSON Pointer; empty is the arguments as a whole.
    pub path: String,
    /// What is wanted.
    pub wanted: String,
    /// What was met.
    pub met: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() { "the arguments" } else { &self.path };
        write!(f, "{path}: met {}, wanted {}", self.met, self.wanted)
    }
}

/// The most mismatches that are remembered; more help nobody, and a model can write any number.
const REMEMBERED: usize = 16;

/// The mismatches of one text, the first few of them.
///
/// Only this crate makes one, so that nobody else can end a partial struct and run what comes of it (RULES J1).
#[derive(Debug)]
pub struct Mismatches {
    list: Vec<Mismatch>,
}

/// Why a whole value does not fit: the place is relative to the value.
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

    /// What is remembered, in the order in which it was met.
    pub fn list(&self) -> &[Mismatch] {
        &self.list
    }

    /// Remembers that this value does not fit.
    #[cold]
    pub(crate) fn add(&mut self, value: Node<'_>, wanted: impl Into<String>, met: impl Into<String>) {
        self.push(|| Mismatch { path: value.path(), wanted: wanted.into(), met: met.into() });
    }

    /// Remembers that this value, or what is in it, cannot be read.
    #[cold]
    pub(crate) fn unfit(&mut self, value: Node<'_>, unfit: Unfit) {
        self.push(|| Mismatch {
            path: format!("{}{}", value.path(), unfit.path),
            wanted: unfit.wanted,
            met: unfit.met,
        });
    }

    /// Remembers that this object has ended without a member that it must have.
    #[cold]
    pub(crate) fn lacking(&mut self, object: Node<'_>, name: &str) {
        // A member that came and did not fit is not lacking; it is told already.
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

/// A kind of value in words.
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
