//! Where in a file the model's old text stands: byte for byte first, then with line ends and trailing white
//! space forgiven, and then only in one place (RULES E2).

use std::ops::Range;

use crate::lines::split;

/// The places that were found, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) places: Vec<Range<usize>>,
    pub(crate) exact: bool,
}

pub(crate) fn find(body: &str, old: &str) -> Found {
    let places = raw(body, old);
    if !places.is_empty() {
        return Found { places, exact: true };
    }
    let places = without_carriage_returns(body, old);
    if !places.is_empty() {
        return Found { places, exact: false };
    }
    Found { places: whole_lines(body, old), exact: false }
}

fn raw(body: &str, old: &str) -> Vec<Range<usize>> {
    body.match_indices(old)
        .map(|(at, found)| at..at + found.len())
        .filter(|place| !splits_line_end(body, place.start) && !splits_line_end(body, place.end))
        .collect()
}

/// Whether a place would tear `\r` from its `\n`.
fn splits_line_end(body: &str, at: usize) -> bool {
    body.get(..at).is_some_and(|head| head.ends_with('\r'))
        && body.get(at..).is_some_and(|tail| tail.starts_with('\n'))
}

fn without_carriage_returns(body: &str, old: &str) -> Vec<Range<usize>> {
    let old = old.replace("\r\n", "\n");
    // Where each byte of the plain text stands in the body; a line end stands where its `\r` does.
    let mut plain = Vec::with_capacity(body.len());
    let mut origin = Vec::with_capacity(body.len() + 1);
    let mut at = 0;
    for line in split(body) {
        plain.extend_from_slice(line.text.as_bytes());
        origin.extend(at..at + line.text.len());
        if !line.end.is_empty() {
            plain.push(b'\n');
            origin.push(at + line.text.len());
        }
        at += line.len();
    }
    origin.push(body.len());
    // Only whole line ends were shortened, so this is still text.
    let plain = String::from_utf8(plain).unwrap_or_default();
    plain
        .match_indices(&old)
        .filter_map(|(at, found)| Some(*origin.get(at)?..*origin.get(at + found.len())?))
        .collect()
}

fn whole_lines(body: &str, old: &str) -> Vec<Range<usize>> {
    let wanted = split(old);
    if wanted.iter().all(|line| line.text.trim().is_empty()) {
        return Vec::new();
    }
    let lines = split(body);
    let mut starts = Vec::with_capacity(lines.len() + 1);
    let mut at = 0;
    for line in &lines {
        starts.push(at);
        at += line.len();
    }
    starts.push(at);
    let mut places = Vec::new();
    for (first, window) in lines.windows(wanted.len()).enumerate() {
        let same = |(have, want): (&crate::lines::Line<'_>, &crate::lines::Line<'_>)| {
            have.text.trim_end() == want.text.trim_end()
        };
        if window.iter().zip(&wanted).all(same) {
            let keeps_end = wanted.last().is_some_and(|line| line.end.is_empty());
            let last_end = window.last().filter(|_| keeps_end).map_or(0, |line| line.end.len());
            if let (Some(start), Some(end)) = (starts.get(first), starts.get(first + wanted.len())) {
                places.push(*start..end - last_end);
            }
        }
    }
    places
}

#[cfg(test)]
mod tests;
