//! Search for the model's old text in a file: byte for byte first, then ignoring carriage returns, then by
//! whole lines with growing tolerance (RULES E2).

use std::ops::Range;

use windlass_text::Charset;

use crate::lines::{Likeness, Lines, split};

/// Matches as byte ranges, with the tolerance that was needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Matches {
    pub(crate) places: Vec<Range<usize>>,
    pub(crate) likeness: Likeness,
}

pub(crate) fn find(lines: &Lines<'_>, old: &str) -> Matches {
    let places = raw(lines, old);
    if !places.is_empty() {
        return Matches { places, likeness: Likeness::Exact };
    }
    let places = find_ignoring_carriage_returns(lines, old);
    if !places.is_empty() {
        return Matches { places, likeness: Likeness::Trimmed };
    }
    for likeness in [Likeness::Trimmed, Likeness::Folded] {
        let places = whole_lines(lines, old, likeness);
        if !places.is_empty() {
            return Matches { places, likeness };
        }
    }
    Matches { places: Vec::new(), likeness: Likeness::Folded }
}

fn raw(lines: &Lines<'_>, old: &str) -> Vec<Range<usize>> {
    let body = lines.body;
    body.match_indices(old)
        .map(|(at, found)| at..at + found.len())
        .filter(|place| !splits_line_end(body, place.start) && !splits_line_end(body, place.end))
        .filter(|place| !splits_letter(lines, place.start))
        .collect()
}

/// Returns whether an offset lies between a `\r` and its `\n`.
fn splits_line_end(body: &str, at: usize) -> bool {
    body.get(..at).is_some_and(|head| head.ends_with('\r'))
        && body.get(at..).is_some_and(|tail| tail.starts_with('\n'))
}

/// Returns whether an offset may lie inside a character: in many encodings the last byte of a character looks
/// like ASCII.
fn splits_letter(lines: &Lines<'_>, at: usize) -> bool {
    lines.charset == Charset::Unknown
        && lines.body.get(..at).and_then(|head| head.chars().next_back()).is_some_and(|it| !it.is_ascii())
}

fn find_ignoring_carriage_returns(lines: &Lines<'_>, old: &str) -> Vec<Range<usize>> {
    let old = old.replace("\r\n", "\n");
    // `origin` maps each byte of `plain` to its offset in the body. A line end maps to the offset of its
    // `\r`.
    let mut plain = String::with_capacity(lines.body.len());
    let mut origin = Vec::with_capacity(lines.body.len() + 1);
    let mut at = 0;
    for line in &lines.all {
        plain.push_str(line.text);
        origin.extend(at..at + line.text.len());
        if !line.end.is_empty() {
            plain.push('\n');
            origin.push(at + line.text.len());
        }
        at += line.len();
    }
    origin.push(lines.body.len());
    plain
        .match_indices(&old)
        .filter_map(|(at, found)| Some(*origin.get(at)?..*origin.get(at + found.len())?))
        .filter(|place| !splits_letter(lines, place.start))
        .collect()
}

fn whole_lines(lines: &Lines<'_>, old: &str, likeness: Likeness) -> Vec<Range<usize>> {
    let wanted = split(old);
    if wanted.iter().all(|line| line.text.trim().is_empty()) {
        return Vec::new();
    }
    let texts: Vec<&str> = wanted.iter().map(|line| line.text).collect();
    let found = lines.find_places(&texts, likeness);
    if found.is_empty() {
        return Vec::new();
    }
    let starts = lines.starts();
    // If the old text does not end its last line, the file's line end is kept.
    let leaves_end = wanted.last().is_some_and(|line| line.end.is_empty());
    let place = |first: usize| {
        let last = first + wanted.len();
        let end = lines.all.get(last - 1).filter(|_| leaves_end).map_or(0, |line| line.end.len());
        Some(*starts.get(first)?..starts.get(last)? - end)
    };
    found.into_iter().filter_map(place).collect()
}

#[cfg(test)]
mod tests;
