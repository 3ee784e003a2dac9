//! Where in a file the model's old text stands: letter for letter first, then with line ends forgiven, then by
//! whole lines, more and more forgivingly (RULES E2).

use std::ops::Range;

use windlass_text::Charset;

use crate::lines::{Likeness, Lines, split};

/// The places that were found, in bytes, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) places: Vec<Range<usize>>,
    pub(crate) likeness: Likeness,
}

pub(crate) fn find(lines: &Lines<'_>, old: &str) -> Found {
    let places = raw(lines, old);
    if !places.is_empty() {
        return Found { places, likeness: Likeness::Exact };
    }
    let places = without_carriage_returns(lines, old);
    if !places.is_empty() {
        return Found { places, likeness: Likeness::Trimmed };
    }
    for likeness in [Likeness::Trimmed, Likeness::Folded] {
        let places = whole_lines(lines, old, likeness);
        if !places.is_empty() {
            return Found { places, likeness };
        }
    }
    Found { places: Vec::new(), likeness: Likeness::Folded }
}

fn raw(lines: &Lines<'_>, old: &str) -> Vec<Range<usize>> {
    let body = lines.body;
    body.match_indices(old)
        .map(|(at, found)| at..at + found.len())
        .filter(|place| !splits_line_end(body, place.start) && !splits_line_end(body, place.end))
        .filter(|place| !splits_letter(lines, place.start))
        .collect()
}

/// Whether a place would tear `\r` from its `\n`.
fn splits_line_end(body: &str, at: usize) -> bool {
    body.get(..at).is_some_and(|head| head.ends_with('\r'))
        && body.get(at..).is_some_and(|tail| tail.starts_with('\n'))
}

/// Whether a place may begin inside a letter: in many encodings a byte that looks like ASCII ends one.
fn splits_letter(lines: &Lines<'_>, at: usize) -> bool {
    lines.charset == Charset::Unknown
        && lines.body.get(..at).and_then(|head| head.chars().next_back()).is_some_and(|it| !it.is_ascii())
}

fn without_carriage_returns(lines: &Lines<'_>, old: &str) -> Vec<Range<usize>> {
    let old = old.replace("\r\n", "\n");
    // Where each byte of the plain text stands in the body; a line end stands where its `\r` does.
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
    let found = lines.standing(&texts, likeness);
    if found.is_empty() {
        return Vec::new();
    }
    let starts = lines.starts();
    // Old text that does not end its last line leaves the file's line end where it is.
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
