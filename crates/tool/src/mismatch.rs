//! What came and was not what the type wants.

use std::fmt;

use windlass_partial_json::Kind;

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
#[derive(Clone, Debug, Default)]
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
    /// What is remembered, in the order in which it was met.
    pub fn list(&self) -> &[Mismatch] {
        &self.list
    }

    /// Remembers one.
    #[cold]
    pub(crate) fn add(&mut self, path: &str, wanted: impl Into<String>, met: impl Into<String>) {
        if self.list.len() < REMEMBERED {
            self.list.push(Mismatch { path: path.to_owned(), wanted: wanted.into(), met: met.into() });
        }
    }

    #[cold]
    pub(crate) fn unfit(&mut self, path: &str, unfit: Unfit) {
        self.add(&format!("{path}{}", unfit.path), unfit.wanted, unfit.met);
    }

    #[cold]
    pub(crate) fn lacking(&mut self, path: &str, name: &str) {
        // A value that came and did not fit is not lacking; it is told already.
        let inside = |mismatch: &Mismatch| {
            let token = mismatch.path.strip_prefix(path).and_then(|rest| rest.strip_prefix('/'));
            token.is_some_and(|token| {
                token.strip_prefix(name).is_some_and(|rest| !rest.starts_with(|c| c != '/'))
            })
        };
        if !self.list.iter().any(inside) && self.list.len() < REMEMBERED {
            let (wanted, met) = (format!("the required `{name}`"), format!("no `{name}`"));
            self.list.push(Mismatch { path: path.to_owned(), wanted, met });
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
