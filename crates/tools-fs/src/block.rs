//! The code block around a line, found by indentation.

use serde::Deserialize;
use windlass_tool::ToolError;

use crate::page::Span;

const TAB: usize = 4;
const DEFAULT_LINES: usize = 2_000;
/// Prefixes of lines that belong to the block below them.
const HEADERS: [&str; 9] = ["#", "//", "--", "/*", "*", "@", ";", "\"\"\"", "'''"];
/// Prefixes of lines that close the block above them.
const CLOSERS: [&str; 5] = ["}", ")", "]", "end", "</"];

/// Options of mode `indentation`, as the model gives them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BlockOptions {
    #[serde(default)]
    pub(crate) anchor_line: Option<usize>,
    #[serde(default)]
    max_levels: Option<usize>,
    #[serde(default)]
    include_siblings: Option<bool>,
    #[serde(default)]
    include_header: Option<bool>,
    #[serde(default)]
    max_lines: Option<usize>,
}

/// Lines of a text, each with the width of its indentation; `None` for a blank line.
struct Indents<'t> {
    lines: Vec<(&'t str, Option<usize>)>,
}

impl BlockOptions {
    /// Returns the first and last line, counted from 1, of the block around line `anchor`.
    pub(crate) fn block(&self, text: &str, anchor: usize) -> Result<Span, ToolError> {
        let lines: Vec<_> = text.lines().map(|line| (line, width(line))).collect();
        let count = lines.len();
        let indents = Indents { lines };
        let anchor = anchor.checked_sub(1).filter(|anchor| *anchor < count).ok_or_else(|| {
            ToolError::model(format!("the file has {count} lines, and line {anchor} is not one of them"))
                .with_advice(format!("Give an anchor_line from 1 to {count}."))
        })?;
        let mut top = indents.find_nonblank(anchor);
        let levels = match self.max_levels {
            None | Some(0) => usize::MAX,
            Some(levels) => levels,
        };
        for _ in 0..levels {
            let Some(parent) = indents.parent(top) else { break };
            top = parent;
        }
        let mut block =
            if self.include_siblings == Some(true) { indents.level(top) } else { (top, indents.end(top)) };
        if self.include_header != Some(false) {
            block.0 = indents.header(block.0);
        }
        // The block starts at a non-blank line and may exclude a blank anchor, so extend it.
        let block = (block.0.min(anchor), block.1.max(anchor));
        let (first, last) = cut_block(block, anchor, self.max_lines.unwrap_or(DEFAULT_LINES).max(1));
        Ok((first as u64 + 1, last as u64 + 1))
    }
}

/// Cuts the block to at most `limit` lines, with the anchor in the middle where possible.
fn cut_block((first, last): (usize, usize), anchor: usize, limit: usize) -> (usize, usize) {
    if last - first < limit {
        return (first, last);
    }
    let latest = last + 1 - limit;
    let start = anchor.saturating_sub(limit / 2).clamp(first, latest);
    (start, start + limit - 1)
}

fn width(line: &str) -> Option<usize> {
    if line.trim().is_empty() {
        return None;
    }
    let mut width = 0;
    for letter in line.chars() {
        match letter {
            '\t' => width = (width / TAB + 1) * TAB,
            letter if letter.is_whitespace() => width += 1,
            _ => break,
        }
    }
    Some(width)
}

impl Indents<'_> {
    fn width(&self, at: usize) -> Option<usize> {
        self.lines.get(at).and_then(|(_, width)| *width)
    }

    fn begins(&self, at: usize, words: &[&str]) -> bool {
        let line = self.lines.get(at).map_or("", |(line, _)| line.trim_start());
        words.iter().any(|word| line.starts_with(word))
    }

    /// Returns the line if it is not blank, otherwise the nearest non-blank line above it, or else below it.
    fn find_nonblank(&self, at: usize) -> usize {
        let says = |line: &usize| self.width(*line).is_some();
        let above = (0..=at).rev().find(says);
        above.or_else(|| (at..self.lines.len()).find(says)).unwrap_or(at)
    }

    /// Returns the line that opens the block around a line: the nearest one above with less indentation.
    fn parent(&self, at: usize) -> Option<usize> {
        let own = self.width(at)?;
        (0..at).rev().find(|line| self.width(*line).is_some_and(|width| width < own))
    }

    /// Returns the last line of the block that a line opens, including the line that closes it.
    fn end(&self, top: usize) -> usize {
        let Some(own) = self.width(top) else { return top };
        let mut end = top;
        for at in top + 1..self.lines.len() {
            match self.width(at) {
                None => {}
                Some(width) if width > own => end = at,
                // A line that closes one part of a statement may open the next: `} else {`.
                Some(width) if width == own && self.begins(at, &CLOSERS) => end = at,
                Some(_) => break,
            }
        }
        end
    }

    /// Returns the surrounding lines with at least the same indentation.
    fn level(&self, top: usize) -> (usize, usize) {
        let Some(own) = self.width(top) else { return (top, top) };
        let deep = |at: &usize| self.width(*at).is_none_or(|width| width >= own);
        let first = (0..=top).rev().take_while(deep).filter(|at| self.width(*at).is_some()).last();
        let last = (top..self.lines.len()).take_while(deep).filter(|at| self.width(*at).is_some()).last();
        (first.unwrap_or(top), last.unwrap_or(top))
    }

    /// Returns the first line of the comments and attributes directly above a line.
    fn header(&self, top: usize) -> usize {
        let own = self.width(top);
        let heads = |at: &usize| self.width(*at) == own && self.begins(*at, &HEADERS);
        (0..top).rev().take_while(heads).last().unwrap_or(top)
    }
}

#[cfg(test)]
mod tests;
