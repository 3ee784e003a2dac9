//! Texts shortened to the size of a screen, with exact counts of the omitted parts.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use crate::{display_line, display_safe};

/// Maximum length of the displayed head and of the displayed tail of a long text, in characters.
const CHARACTERS: usize = 2_000;
/// Maximum number of screen rows of the head and of the tail. Ordinary text reaches the limit of characters
/// first.
const ROWS: usize = 60;
/// Columns of the narrowest common terminal, and the distance of its tab stops.
const COLUMNS: usize = 80;
const TAB: usize = 8;
/// Longest run of white space that is displayed unchanged, in columns and in line breaks.
const BLANK_COLUMNS: usize = 40;
const BLANK_LINES: usize = 4;

/// Level of detail of a described question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// A few screens, so that long content cannot scroll the rest of the question out of sight.
    Screen,
    /// The whole content.
    Whole,
}

impl Extent {
    /// Escapes a text for display. A long text is reduced to its head, its tail, its length and its digest.
    pub(super) fn escape(self, text: &str) -> String {
        self.reduce(text, display_safe)
    }

    /// Escapes a text with a function, and reduces it if it is long.
    fn reduce(self, text: &str, escape: fn(&str) -> String) -> String {
        let whole = collapse_whitespace(&escape(text));
        if self == Self::Whole || (text.chars().count() <= 2 * CHARACTERS && rows(&whole) <= 2 * ROWS) {
            return whole;
        }
        let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let at = |index: usize| starts.get(index).copied().unwrap_or(text.len());
        let total = starts.len().saturating_sub(1);
        let safe = |piece: Option<&str>| collapse_whitespace(&escape(piece.unwrap_or_default()));
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

    /// Escapes a text, its line breaks and its tabs, so that it stays on one line.
    pub(super) fn one_line(self, text: &str) -> String {
        // The remaining line breaks are those around the counts of omitted parts.
        self.reduce(text, display_line).replace('\n', " ")
    }

    pub(super) fn indent(self, text: &str) -> String {
        self.escape(text).replace('\n', "\n    ")
    }

    /// Appends lines of one kind. Of too many lines the first and the last ones are displayed and the others
    /// counted.
    pub(super) fn lines(self, kind: &str, lines: &[String], text: &mut String) {
        // Each line begins with its own line break.
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

/// Returns the largest count, up to the limit and [`CHARACTERS`], for which a monotonic predicate holds
/// (binary search).
fn most(limit: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, limit.min(CHARACTERS));
    while low < high {
        let middle = low.saturating_add(high).saturating_add(1) / 2;
        if holds(middle) { low = middle } else { high = middle.saturating_sub(1) }
    }
    low
}

/// Returns the number of rows that a text takes on the narrowest common terminal.
fn rows(text: &str) -> usize {
    text.split('\n').map(|line| columns(line).div_ceil(COLUMNS).max(1)).sum()
}

fn columns(line: &str) -> usize {
    line.chars().fold(0, |column: usize, character| match character {
        '\t' => (column / TAB).saturating_add(1).saturating_mul(TAB),
        // Characters of many scripts are two columns wide.
        character if character.is_ascii() => column.saturating_add(1),
        _ => column.saturating_add(2),
    })
}

/// Replaces long runs of white space, mixed or not, with their counts.
fn collapse_whitespace(text: &str) -> String {
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
