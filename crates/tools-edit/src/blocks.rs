//! Parser for SEARCH/REPLACE blocks in the forms that models write: with angle brackets or with dashes and
//! pluses, with line numbers, in fences, under a file's name, and with escaped markers that belong to the
//! file.

use similar::DiffTag;
use windlass_protocol::ErrorText;

use crate::compare::operations;
use crate::effort::Effort;
use crate::patch::{Hint, Hunk, HunkLine};

const MAX_BYTES: usize = 4 * 1024 * 1024;
const MAX_BLOCKS: usize = 500;
const DIVIDER: &str = "=======";
const DASHES: &str = "-------";

/// Error of a text without valid blocks.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BlockError {
    #[error("the diff has {0} bytes, at most {MAX_BYTES} are allowed")]
    TooLong(usize),
    #[error("the diff has more than {MAX_BLOCKS} blocks")]
    TooMany,
    #[error("the diff has no block")]
    Empty,
    #[error("line {0} of the diff is neither inside a block nor the path of this file")]
    Outside(usize),
    #[error("line {0} of the diff is a marker at an invalid position")]
    Marker(usize),
    #[error("the block at line {0} of the diff has no `=======`")]
    NoDivider(usize),
    #[error("the block at line {0} of the diff does not end with `>>>>>>> REPLACE`")]
    NoEnd(usize),
    #[error("line {0} of the diff needs a line number, counted from 1")]
    Number(usize),
    #[error("the block at line {0} of the diff puts the same lines in place of those it finds")]
    Nothing(usize),
}

impl From<BlockError> for ErrorText {
    fn from(error: BlockError) -> Self {
        let advice = match error {
            BlockError::TooMany => "Make several calls of it.",
            BlockError::Empty => {
                "Write `<<<<<<< SEARCH`, the lines to find, `=======`, the lines that take their place, `>>>>>>> \
                 REPLACE`."
            }
            BlockError::Outside(_) => "Begin each block with `<<<<<<< SEARCH`.",
            BlockError::Marker(_) => "Write a backslash before a line of the file that looks like a marker.",
            BlockError::NoEnd(_) => "Check whether the diff is cut.",
            BlockError::TooLong(_)
            | BlockError::NoDivider(_)
            | BlockError::Number(_)
            | BlockError::Nothing(_) => return Self::new(error.to_string()),
        };
        Self::new(error.to_string()).with_advice(advice)
    }
}

/// Kind of a marker line in a diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Marker {
    Search,
    Divider,
    Replace,
}

/// Parses the blocks of a diff for one file. The file's path may precede a block.
pub(crate) fn parse(text: &str, path: &str) -> Result<Vec<Hunk>, BlockError> {
    if text.len() > MAX_BYTES {
        return Err(BlockError::TooLong(text.len()));
    }
    let effort = Effort::default();
    let mut hunks = Vec::new();
    // The line end is taken from the file.
    let lines = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
    let mut lines = lines.enumerate().map(|(at, line)| (at.saturating_add(1), line)).peekable();
    while let Some((number, line)) = lines.next() {
        match marker(line) {
            Some(Marker::Search) => hunks.push(block(&mut lines, number, &effort)?),
            Some(_) => return Err(BlockError::Marker(number)),
            None if is_around(line, path) => {}
            None => return Err(BlockError::Outside(number)),
        }
        if hunks.len() > MAX_BLOCKS {
            return Err(BlockError::TooMany);
        }
    }
    if hunks.is_empty() { Err(BlockError::Empty) } else { Ok(hunks) }
}

/// Returns whether a line may surround blocks: a blank line, a fence, or the path of the file itself. Another
/// path would mean a block for another file.
fn is_around(line: &str, path: &str) -> bool {
    let line = line.trim();
    let named = line.trim_matches(['`', '*', '#', ':', ' ']);
    line.is_empty()
        || line.starts_with("```")
        || named.trim_start_matches("./") == path.trim_start_matches("./")
}

fn block<'t>(
    lines: &mut std::iter::Peekable<impl Iterator<Item = (usize, &'t str)>>,
    start: usize,
    effort: &Effort,
) -> Result<Hunk, BlockError> {
    let hint = hint(lines)?;
    let (mut search, mut replace, mut divided) = (Vec::new(), Vec::new(), false);
    for (number, line) in lines {
        match marker(line) {
            Some(Marker::Divider) if !divided => divided = true,
            Some(Marker::Replace) if divided => return hunk(start, hint, (&search, &replace), effort),
            Some(Marker::Replace) => return Err(BlockError::NoDivider(start)),
            Some(_) => return Err(BlockError::Marker(number)),
            None if divided => replace.push(unescape(line)),
            None => search.push(unescape(line)),
        }
    }
    Err(if divided { BlockError::NoEnd(start) } else { BlockError::NoDivider(start) })
}

/// Parses the optional lines between the marker and the text: `:start_line:N`, `:end_line:N`, dashes. The end
/// line is checked and ignored. Dashes without one of the others are a line of the file.
fn hint<'t>(
    lines: &mut std::iter::Peekable<impl Iterator<Item = (usize, &'t str)>>,
) -> Result<Option<Hint>, BlockError> {
    let (mut hint, mut headed) = (None, false);
    loop {
        let Some((number, line)) = lines.peek().copied() else { return Ok(hint) };
        let line = line.trim_end();
        let named = |name: &str| line.strip_prefix(name).map(str::trim);
        let given = named(":start_line:").or_else(|| named(":end_line:"));
        match given {
            Some(digits) => {
                let line_number = digits.parse::<usize>().ok().filter(|line| *line > 0);
                let line_number = line_number.ok_or(BlockError::Number(number))?;
                if line.starts_with(":start_line:") {
                    hint = Some(Hint::Near(line_number));
                }
                headed = true;
            }
            None if headed && line == DASHES => {
                lines.next();
                return Ok(hint);
            }
            None => return Ok(hint),
        }
        lines.next();
    }
}

fn hunk(
    number: usize,
    hint: Option<Hint>,
    (search, replace): (&[&str], &[&str]),
    effort: &Effort,
) -> Result<Hunk, BlockError> {
    if search == replace {
        return Err(BlockError::Nothing(number));
    }
    let mut lines = Vec::with_capacity(search.len().saturating_add(replace.len()));
    // Lines that are on both sides are kept, so that their bytes come from the file (RULES E3).
    for operation in operations(search, replace, effort) {
        let old = search.get(operation.old_range()).unwrap_or_default().iter();
        if operation.tag() == DiffTag::Equal {
            lines.extend(old.map(|line| HunkLine::Keep((*line).to_owned())));
            continue;
        }
        lines.extend(old.map(|line| HunkLine::Remove((*line).to_owned())));
        let new = replace.get(operation.new_range()).unwrap_or_default();
        lines.extend(new.iter().map(|line| HunkLine::Add((*line).to_owned())));
    }
    Ok(Hunk { number, hint, lines, ..Hunk::default() })
}

fn marker(line: &str) -> Option<Marker> {
    let line = line.trim_end();
    let run = |letter: char, least: usize, word: &str| {
        let rest = line.trim_start_matches(letter);
        let count = line.len() - rest.len();
        let rest = rest.trim_end_matches(['<', '>']);
        (least..=9).contains(&count) && rest.strip_prefix(' ').is_some_and(|rest| rest.trim() == word)
    };
    if run('<', 5, "SEARCH") || run('-', 7, "SEARCH") {
        Some(Marker::Search)
    } else if line == DIVIDER {
        Some(Marker::Divider)
    } else if run('>', 5, "REPLACE") || run('+', 7, "REPLACE") {
        Some(Marker::Replace)
    } else {
        None
    }
}

/// Removes the backslash from a line of the file that looks like a marker.
fn unescape(line: &str) -> &str {
    let marks = ["<<<<<", DIVIDER, ">>>>>", DASHES, "+++++++", ":start_line:", ":end_line:"];
    match line.strip_prefix('\\') {
        Some(rest) if marks.iter().any(|mark| rest.starts_with(mark)) => rest,
        _ => line,
    }
}

#[cfg(test)]
mod tests;
