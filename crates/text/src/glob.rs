//! A pattern for file names, held to a size before it is built.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};

const MAX_BYTES: usize = 1_000;
/// How many plain patterns the braces of one may stand for.
const MAX_CHOICES: u64 = 1_000;
const MAX_DEPTH: usize = 16;
/// How many lines of a file of ignore rules count.
const MAX_RULES: usize = 5_000;

/// A glob that a model or a file wrote, as `*.rs` or `src/**/*.{ts,tsx}`.
///
/// globset panics on braces that are some hundred deep, and takes much memory where braces stand for many patterns. So
/// both are counted before it is built.
///
/// ```
/// use windlass_text::Glob;
/// assert!(Glob::new("*.rs")?.fits("src/lib.rs".as_ref()));
/// assert!(!Glob::new("src/*.rs")?.fits("src/a/lib.rs".as_ref()));
/// assert!(Glob::new(&"{".repeat(300)).is_err());
/// # Ok::<(), windlass_text::GlobError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Glob {
    matcher: GlobMatcher,
    by_name: bool,
}

/// Why a text is not taken as a glob.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GlobError {
    /// It is too long.
    #[error("the pattern has {0} bytes, at most {MAX_BYTES} are taken")]
    TooLong(usize),
    /// Its braces stand for too many patterns.
    #[error("the braces of the pattern stand for more than {MAX_CHOICES} patterns; use `*`, or fewer braces")]
    TooMany,
    /// Its braces are too deep in each other.
    #[error("the braces of the pattern stand more than {MAX_DEPTH} deep in each other; use fewer")]
    TooDeep,
    /// It is not a glob.
    #[error("{0}; give a glob as `*.rs` or `src/**/*.rs`")]
    Syntax(String),
}

impl Glob {
    /// Builds a pattern.
    ///
    /// # Errors
    /// If it is too large, or is not a glob.
    pub fn new(text: &str) -> Result<Self, GlobError> {
        Self::check(text)?;
        let glob = GlobBuilder::new(text).literal_separator(true).build();
        let matcher = glob.map_err(|error| GlobError::Syntax(error.to_string()))?.compile_matcher();
        Ok(Self { matcher, by_name: !text.contains('/') })
    }

    /// Checks the size of a pattern that something else builds, as a line of a `.gitignore`.
    ///
    /// # Errors
    /// If it is too large.
    pub fn check(text: &str) -> Result<(), GlobError> {
        if text.len() > MAX_BYTES {
            return Err(GlobError::TooLong(text.len()));
        }
        match choices(text) {
            Some(count) if count <= MAX_CHOICES => Ok(()),
            Some(_) => Err(GlobError::TooMany),
            None => Err(GlobError::TooDeep),
        }
    }

    /// Whether a path below the workspace is meant: a pattern without `/` is for the name, in whatever folder.
    pub fn fits(&self, below: &Path) -> bool {
        match below.file_name() {
            Some(name) if self.by_name => self.matcher.is_match(name),
            _ => self.matcher.is_match(below),
        }
    }
}

/// The lines of a file of ignore rules, without a byte order mark, and without patterns that are too large to be built.
/// At most 5,000 lines are given.
///
/// ```
/// let lines: Vec<_> = windlass_text::rule_lines("\u{feff}target/\n*.log\n").collect();
/// assert_eq!(lines, ["target/", "*.log"]);
/// ```
pub fn rule_lines(text: &str) -> impl Iterator<Item = &str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.lines().take(MAX_RULES).filter(|line| Glob::check(line).is_ok())
}

/// How many plain patterns the braces stand for; nothing if they stand too deep in each other.
fn choices(text: &str) -> Option<u64> {
    // For each open brace: what its finished choices stand for, and the choice at hand.
    let mut open: Vec<(u64, u64)> = Vec::new();
    let mut at_hand: u64 = 1;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            '{' if open.len() == MAX_DEPTH => return None,
            '{' => {
                open.push((0, at_hand));
                at_hand = 1;
            }
            ',' => {
                if let Some((finished, _)) = open.last_mut() {
                    *finished = finished.saturating_add(at_hand);
                    at_hand = 1;
                }
            }
            '}' => {
                if let Some((finished, before)) = open.pop() {
                    at_hand = finished.saturating_add(at_hand).saturating_mul(before);
                }
            }
            _ => {}
        }
    }
    Some(at_hand)
}

#[cfg(test)]
mod tests;
