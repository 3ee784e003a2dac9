//! Texts cut to what a screen can hold, with exact counts of what is left out.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use crate::display_safe;

/// How much of a long text is shown at its head and at its tail, in characters.
const CHARACTERS: usize = 2_000;
/// How many rows of a screen the head and the tail may each take. Ordinary text fills them later than the characters.
const ROWS: usize = 60;
/// How many columns the narrowest usual screen has, and how far apart its tab stops are.
const COLUMNS: usize = 80;
const TAB: usize = 8;
/// How many columns or lines of white space in one run are shown as they are.
const BLANK_COLUMNS: usize = 40;
const BLANK_LINES: usize = 4;

/// How much of a question is put into words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// What fits on some screens, so that nothing is pushed off by what surrounds it.
    Screen,
    /// Everything.
    Whole,
}

impl Extent {
    /// A text made safe for a human's eyes. A long one has its head, its tail, its length and its digest.
    pub(super) fn shown(self, text: &str) -> String {
        let whole = counted(&display_safe(text));
        if self == Self::Whole || (text.chars().count() <= 2 * CHARACTERS && rows(&whole) <= 2 * ROWS) {
            return whole;
        }
        let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let at = |index: usize| starts.get(index).copied().unwrap_or(text.len());
        let total = starts.len().saturating_sub(1);
        let safe = |piece: Option<&str>| counted(&display_safe(piece.unwrap_or_default()));
        let head = most(total, |count| fits(&safe(text.get(..at(count)))));
        let tail = most(total.saturating_sub(head), |count| {
            fits(&safe(text.get(at(total.saturating_sub(count))..)))
        });
        let left = total.saturating_sub(head).saturating_sub(tail);
        let digest = Sha256::digest(text.as_bytes())
            .iter()
            .fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
        format!(
            "{}\n[{left} characters are not shown; it has {} bytes, sha256 {digest}]\n{}",
            safe(text.get(..at(head))),
            text.len(),
            safe(text.get(at(total.saturating_sub(tail))..))
        )
    }

    /// A text that must not make a line of its own.
    pub(super) fn one_line(self, text: &str) -> String {
        self.shown(text).replace('\n', "\\n")
    }

    pub(super) fn indented(self, text: &str) -> String {
        self.shown(text).replace('\n', "\n    ")
    }

    /// Lines of one kind, of which there may be many. The first and the last are shown, and the others counted.
    pub(super) fn lines(self, kind: &str, lines: &[String], text: &mut String) {
        // Each line brings the break before it.
        let rows = |line: &String| rows(line.trim_start_matches('\n'));
        let total: usize = lines.iter().map(rows).sum();
        if self == Self::Whole || total <= 2 * ROWS {
            return lines.iter().for_each(|line| text.push_str(line));
        }
        let within = |lines: &mut dyn Iterator<Item = &String>| {
            let mut room = ROWS;
            lines
                .take_while(|line| room.checked_sub(rows(line)).inspect(|left| room = *left).is_some())
                .count()
                .max(1)
        };
        let head = within(&mut lines.iter());
        let tail = within(&mut lines.iter().skip(head).rev());
        let end = lines.len().saturating_sub(tail).max(head);
        lines.iter().take(head).for_each(|line| text.push_str(line));
        if end > head {
            let _ = write!(text, "\n  [{} more {kind} are not shown]", end.saturating_sub(head));
        }
        lines.iter().skip(end).for_each(|line| text.push_str(line));
    }
}

fn fits(safe: &str) -> bool {
    rows(safe) <= ROWS
}

/// The largest count up to the limit for which a predicate holds that does not hold again once it has failed.
fn most(limit: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, limit.min(CHARACTERS));
    while low < high {
        let middle = low.saturating_add(high).saturating_add(1) / 2;
        if holds(middle) { low = middle } else { high = middle.saturating_sub(1) }
    }
    low
}

/// How many rows a text takes on the narrowest usual screen.
fn rows(text: &str) -> usize {
    text.split('\n').map(|line| columns(line).div_ceil(COLUMNS).max(1)).sum()
}

fn columns(line: &str) -> usize {
    line.chars().fold(0, |column: usize, character| match character {
        '\t' => (column / TAB).saturating_add(1).saturating_mul(TAB),
        // Many scripts have characters of two columns.
        character if character.is_ascii() => column.saturating_add(1),
        _ => column.saturating_add(2),
    })
}

/// The text with long runs of white space told as numbers, whatever the run is made of.
fn counted(text: &str) -> String {
    let is_blank = |character: char| matches!(character, ' ' | '\t' | '\n');
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let word = rest.find(is_blank).unwrap_or(rest.len());
        let (plain, after) = rest.split_at_checked(word).unwrap_or((rest, ""));
        result.push_str(plain);
        let run = after.find(|character| !is_blank(character)).unwrap_or(after.len());
        let (blank, after) = after.split_at_checked(run).unwrap_or((after, ""));
        push_blank(blank, &mut result);
        rest = after;
    }
    result
}

fn push_blank(blank: &str, result: &mut String) {
    let count = |wanted: char| blank.chars().filter(|character| *character == wanted).count();
    let (spaces, tabs, breaks) = (count(' '), count('\t'), count('\n'));
    let widest = blank.split('\n').map(columns).max().unwrap_or_default();
    if breaks <= BLANK_LINES && widest <= BLANK_COLUMNS {
        return result.push_str(blank);
    }
    match (spaces, tabs, breaks) {
        (spaces, 0, 0) => _ = write!(result, "[{spaces} spaces]"),
        (0, tabs, 0) => _ = write!(result, "[{tabs} tabs]"),
        (0, 0, breaks) => _ = write!(result, "\n[{} empty lines]\n", breaks.saturating_sub(1)),
        (_, _, 0) => _ = write!(result, "[{spaces} spaces and {tabs} tabs]"),
        _ => _ = write!(result, "\n[{breaks} line breaks with {spaces} spaces and {tabs} tabs between]\n"),
    }
}
