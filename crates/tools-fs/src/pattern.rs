//! A pattern for names, held to a size before it is built.

use globset::{GlobBuilder, GlobMatcher};
use windlass_sandbox::WorkspacePath;
use windlass_tool::ToolError;

pub(crate) const MAX_BYTES: usize = 1_000;
/// How many plain patterns the braces of one may stand for.
pub(crate) const MAX_CHOICES: u64 = 1_000;
const MAX_DEPTH: usize = 16;

/// A pattern that was built.
#[derive(Debug)]
pub(crate) struct Pattern {
    matcher: GlobMatcher,
    by_name: bool,
}

impl Pattern {
    pub(crate) fn new(text: &str) -> Result<Self, ToolError> {
        if text.len() > MAX_BYTES {
            let len = text.len();
            return Err(ToolError::model(format!(
                "the pattern has {len} bytes, at most {MAX_BYTES} are taken"
            )));
        }
        match choices(text) {
            Some(count) if count <= MAX_CHOICES => {}
            Some(_) => {
                return Err(ToolError::model(format!(
                    "the braces of the pattern stand for more than {MAX_CHOICES} patterns; use `*`, or fewer braces"
                )));
            }
            None => {
                return Err(ToolError::model(format!(
                    "the braces of the pattern stand more than {MAX_DEPTH} deep in each other; use fewer"
                )));
            }
        }
        let glob = GlobBuilder::new(text).literal_separator(true).build().map_err(|error| {
            ToolError::model(format!("{error}; give a pattern as `*.rs` or `src/**/*.rs`"))
        })?;
        Ok(Self { matcher: glob.compile_matcher(), by_name: !text.contains('/') })
    }

    /// Whether it is one of the wanted: a pattern without `/` is meant for the name, in whatever folder.
    pub(crate) fn fits(&self, below: &WorkspacePath) -> bool {
        match below.relative().file_name() {
            Some(name) if self.by_name => self.matcher.is_match(name),
            _ => self.matcher.is_match(below.relative()),
        }
    }
}

/// How many plain patterns the braces stand for; nothing if they stand too deep in each other.
pub(crate) fn choices(text: &str) -> Option<u64> {
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
