//! Glob patterns with limits on their size.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};

const MAX_BYTES: usize = 1_000;
/// Maximum number of patterns that the braces expand to.
const MAX_CHOICES: u64 = 1_000;
const MAX_DEPTH: usize = 16;
/// Maximum number of lines that are read from an ignore file.
const MAX_RULES: usize = 5_000;
/// Maximum number of wildcards and braces in an ignore file. A compiled wildcard takes about a kilobyte.
const MAX_WILDCARDS: usize = 800;

/// A glob pattern from a model or a file, such as `*.rs` or `src/**/*.{ts,tsx}`.
///
/// globset panics on braces nested several hundred deep and uses much memory for braces that expand to many
/// patterns, so [`Glob::new`] checks both before it builds the pattern.
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

/// Error of [`Glob::new`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GlobError {
    /// The pattern is too long.
    #[error("the pattern has {0} bytes, at most {MAX_BYTES} are allowed")]
    TooLong(usize),
    /// The braces expand to too many patterns.
    #[error("the braces of the pattern describe more than {MAX_CHOICES} patterns")]
    TooMany,
    /// The braces are nested too deeply.
    #[error("the braces of the pattern are nested more than {MAX_DEPTH} levels deep")]
    TooDeep,
    /// The pattern is not a valid glob.
    #[error("{0}; a glob is like `*.rs` or `src/**/*.rs`")]
    Syntax(String),
}

impl Glob {
    /// Builds a pattern.
    ///
    /// # Errors
    /// If the pattern is too large or not a valid glob.
    pub fn new(text: &str) -> Result<Self, GlobError> {
        Self::check(text)?;
        let glob = GlobBuilder::new(text).literal_separator(true).build();
        let matcher = glob.map_err(|error| GlobError::Syntax(error.to_string()))?.compile_matcher();
        Ok(Self { matcher, by_name: !text.contains('/') })
    }

    /// Checks the size of a pattern that another library builds, such as a line of a `.gitignore`.
    ///
    /// # Errors
    /// If the pattern is too large.
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

    /// Returns true if the pattern matches a path relative to the workspace. A pattern without `/` is matched
    /// against the file name only.
    pub fn fits(&self, below: &Path) -> bool {
        match below.file_name() {
            Some(name) if self.by_name => self.matcher.is_match(name),
            _ => self.matcher.is_match(below),
        }
    }
}

/// Returns the lines of an ignore file without its BOM and without patterns that are too large to build.
/// Reads at most 5,000 lines, and skips lines with more wildcards and braces than are left of 800 for the file.
///
/// ```
/// let lines: Vec<_> = windlass_text::rule_lines("\u{feff}target/\n*.log\n").collect();
/// assert_eq!(lines, ["target/", "*.log"]);
/// ```
pub fn rule_lines(text: &str) -> impl Iterator<Item = &str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut left = MAX_WILDCARDS;
    text.lines().take(MAX_RULES).filter(|line| Glob::check(line).is_ok()).filter(move |line| {
        let rest = left.checked_sub(wildcards(line));
        left = rest.unwrap_or(left);
        rest.is_some()
    })
}

/// Returns true if [`rule_lines`] leaves nothing out of an ignore file except comments. Check it before another library
/// builds the whole file.
///
/// ```
/// use windlass_text::has_buildable_rules;
/// assert!(has_buildable_rules("target/\n*.log\n"));
/// assert!(!has_buildable_rules(&"{".repeat(300)));
/// ```
pub fn has_buildable_rules(text: &str) -> bool {
    let rules = |line: &&str| !line.starts_with('#');
    let lines = text.strip_prefix('\u{feff}').unwrap_or(text).lines();
    text.lines().count() <= MAX_RULES && lines.filter(rules).count() == rule_lines(text).filter(rules).count()
}

fn wildcards(line: &str) -> usize {
    line.bytes().filter(|byte| matches!(byte, b'*' | b'?' | b'[' | b'{' | b',')).count()
}

/// Returns the number of patterns that the braces expand to, or `None` if they are nested too deeply.
fn choices(text: &str) -> Option<u64> {
    // For each open brace: the sum of its finished alternatives, and the product before the brace.
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
